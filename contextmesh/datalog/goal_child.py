"""The child process behind goal.py: lines of JSON over pipes, a deadline for each, and no process left behind."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path

from contextmesh.base.errors import LimitReached, Problem

START_SECONDS = 60.0
"""How long a child may take to start; its jobs' own deadlines begin after that."""
END_SECONDS = 5.0
"""How long a child that has closed its pipe may take to end by itself, so that its exit status is its own."""

_ROOT = Path(__file__).resolve().parent.parent.parent
_KEPT_LINES = 20


class Child:
    """One ``python -m`` process that answers each line it is given with one line.

    A context manager: on leaving it the process has ended and been waited for, whatever it was doing.
    """

    def __init__(self, module: str) -> None:
        path = os.pathsep.join(part for part in (str(_ROOT), os.environ.get("PYTHONPATH", "")) if part)
        # -P: a pyDatalog.py in the user's working directory must not be imported.
        self.process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-P", "-W", "ignore", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        self._replies: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._said: deque[bytes] = deque(maxlen=_KEPT_LINES)
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._listen)]
        for thread in self._threads:
            thread.start()
        self._take(START_SECONDS, "it did not start")

    def ask(self, line: bytes, seconds: float) -> bytes:
        """The reply to one line (no newline inside).

        Raises:
            LimitReached: ``limit-reached`` when no reply came in time, ``pydatalog-stopped`` when the process
                ended by itself. The process is gone then.
        """
        # A thread of its own: a child that does not read must not hold up the deadline.
        writer = threading.Thread(target=self._write, args=(line,), daemon=True)
        writer.start()
        self._threads.append(writer)
        return self._take(seconds, f"it was killed at its deadline of {seconds:g} seconds")

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        """Ends the process and waits for it; nothing is left running, and no pipe open."""
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _take(self, seconds: float, late: str) -> bytes:
        try:
            reply = self._replies.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise _late(seconds, late) from None
        if not reply:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(END_SECONDS)
            self.close()
            raise self._stopped()
        return reply

    def _stopped(self) -> LimitReached:
        said = b"".join(self._said).decode("utf-8", "replace").strip()
        return LimitReached(
            Problem(
                "pydatalog-stopped",
                f"the process of pyDatalog ended without an answer (exit status {self.process.returncode})",
                subject="pydatalog",
                note=said.splitlines()[-1] if said else "it most likely ran out of memory",
                hint="ask the engine of the house, or ask for less",
            )
        )

    # ---- the three pipes, each with a thread -----------------------------------------------

    def _write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # it ended; the reader tells
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._replies.put(line)
        self._replies.put(b"")

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._said.append(line)


def _late(seconds: float, late: str) -> LimitReached:
    return LimitReached(
        Problem(
            "limit-reached",
            f"pyDatalog had no answer after {seconds:g} seconds: {late}",
            subject="seconds",
            hint="look for a rule that counts upward without an end; or allow more seconds",
        )
    )
