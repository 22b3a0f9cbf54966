"""Auditor: does a command end as it should? Arguments are a list; no shell ever reads them."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from contextmesh.base.errors import InputError, Problem
from contextmesh.run.verdict import AuditContext, Verdict

_SHOWN = 200
_KEPT = 65_536
"""Bytes of the end of what a command prints that are kept, however much it prints."""
_LAST_WORDS = 1.0
"""Seconds to wait for the end of its output once a command has ended; what it left running may hold it open."""
_GROUPS = os.name == "posix"
"""Whether a command and all it starts can be ended as one."""


@dataclass(frozen=True, slots=True)
class CommandStatus:
    """Judges a ground such as "the migration runs on a copy", or an output, by a command.

    Attributes:
        arguments: program and arguments, each as it is.
        expect: the exit status that says ok.
        otherwise: what another status says: ``disproved`` or ``fail``.
        seconds: after which the command is stopped, with whatever it started.
        environment: the whole of it; None hands on this process's own.
    """

    arguments: Sequence[str]
    expect: int = 0
    otherwise: str = "disproved"
    seconds: float = 60.0
    directory: Path | str | None = None
    environment: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        wrong = isinstance(self.arguments, str) or not self.arguments
        if wrong or not all(isinstance(part, str) for part in self.arguments):
            message = "a command is a list of texts: the program, then each argument"
            raise InputError(Problem("wrong-type", message, subject="arguments", hint="no shell splits it for you"))
        if self.otherwise not in ("disproved", "fail"):
            message = f"another status says disproved or fail, not {self.otherwise!r}"
            raise InputError(Problem("unknown-word", message, subject="otherwise"))

    def __call__(self, context: AuditContext) -> Verdict:
        """Raises InputError: ``no-command``, ``command-timeout``; neither says anything about the ground."""
        name = self.arguments[0]
        try:
            status, output = self._ended()
        except subprocess.TimeoutExpired:
            message = f"{name} was stopped after {self.seconds:g} s"
            raise InputError(Problem("command-timeout", message, subject=name)) from None
        except (OSError, ValueError) as error:
            raise InputError(Problem("no-command", f"{name} cannot be run: {error}", subject=name)) from None
        if status == self.expect:
            return context.ok(f"{name} ended with status {status}")
        lines = output.decode("utf-8", "backslashreplace").strip().splitlines()
        said = f": {lines[-1][:_SHOWN]}" if lines else ""
        reason = f"{name} ended with status {status}, not {self.expect}{said}"
        return context.fail(reason) if self.otherwise == "fail" else context.disproved(reason)

    def _ended(self) -> tuple[int, bytes]:
        """The exit status, and the end of what was printed.

        Raises:
            subprocess.TimeoutExpired, OSError, ValueError.
        """
        process = subprocess.Popen(  # noqa: S603  # a list of arguments from the deployment, and no shell
            list(self.arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.directory,
            env=None if self.environment is None else dict(self.environment),
            start_new_session=_GROUPS,
        )
        assert process.stdout is not None, "it is a pipe"
        tail = bytearray()
        reader = threading.Thread(target=_drain, args=(process.stdout, tail), daemon=True)
        reader.start()
        try:
            status = process.wait(self.seconds)
        except BaseException:  # Ctrl-C as well: nothing is left running
            _stop(process)
            raise
        finally:
            reader.join(_LAST_WORDS)
        return status, bytes(tail)


def _drain(stream: IO[bytes], tail: bytearray) -> None:
    with stream:
        while chunk := os.read(stream.fileno(), _KEPT):
            tail += chunk
            del tail[:-_KEPT]


def _stop(process: subprocess.Popen[bytes]) -> None:
    if _GROUPS:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
