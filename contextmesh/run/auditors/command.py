"""Auditor: does a command end as it should? Arguments are a list; no shell ever reads them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contextmesh.base.errors import InputError, Problem
from contextmesh.run.verdict import AuditContext, Verdict

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class CommandStatus:
    """Judges a ground such as "the migration runs on a copy", or an output, by a command.

    Attributes:
        arguments: program and arguments, each as it is.
        expect: the exit status that says ok.
        otherwise: what another status says: ``disproved`` or ``fail``.
        seconds: after which the command is stopped.
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
            done = subprocess.run(  # noqa: S603  # a list of arguments from the deployment, and no shell
                list(self.arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=self.seconds,
                cwd=self.directory,
                env=None if self.environment is None else dict(self.environment),
                check=False,
            )
        except subprocess.TimeoutExpired:
            message = f"{name} was stopped after {self.seconds:g} s"
            raise InputError(Problem("command-timeout", message, subject=name)) from None
        except (OSError, ValueError) as error:
            raise InputError(Problem("no-command", f"{name} cannot be run: {error}", subject=name)) from None
        if done.returncode == self.expect:
            return context.ok(f"{name} ended with status {done.returncode}")
        lines = done.stdout.decode("utf-8", "backslashreplace").strip().splitlines()
        said = f": {lines[-1][:_SHOWN]}" if lines else ""
        reason = f"{name} ended with status {done.returncode}, not {self.expect}{said}"
        return context.fail(reason) if self.otherwise == "fail" else context.disproved(reason)
