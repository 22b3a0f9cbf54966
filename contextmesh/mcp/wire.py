"""The way out to a client over stdin and stdout: nothing but the protocol takes it, as long as the process lives."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO, TextIO


class Wire:
    """A text file of lines in UTF-8; knows how many have left, so that the process ends after the last of them."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._written = 0
        self.sent = 0

    def write(self, text: str) -> int:
        """Half of a surrogate pair, which UTF-8 lacks, leaves as the escape that JSON has for it."""
        self._written += text.count("\n")
        data = text.encode("utf-8", "backslashreplace")
        try:
            return self._out.write(data)
        except OSError:
            _lead_nowhere(self._out.fileno(), os.O_WRONLY)
            return len(data)

    def flush(self) -> None:
        """A client that has gone misses what is sent; the server ends when its input does, or by a signal."""
        try:
            self._out.flush()
        except OSError:
            _lead_nowhere(self._out.fileno(), os.O_WRONLY)
        self.sent = self._written


def taken() -> BinaryIO:
    """Stdin for the protocol alone: whoever else reads there, also a child, finds its end."""
    private = os.dup(0)
    _lead_nowhere(0, os.O_RDONLY)
    return os.fdopen(private, "rb", closefd=False)


def made_whole() -> None:
    """A standard stream that was closed at the start leads nowhere, so that no other file takes its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()


def claimed() -> Wire:
    """Stdout as a wire of its own. What anybody else writes there, also a child or a C library, goes to stderr.

    It stays so until the process ends: a worker of the deployment may still print after the client has gone.
    """
    sys.stdout.flush()
    private = os.dup(1)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return Wire(os.fdopen(private, "wb"))


def _lead_nowhere(number: int, way: int) -> None:
    nothing = os.open(os.devnull, way)
    os.dup2(nothing, number)
    os.close(nothing)


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
