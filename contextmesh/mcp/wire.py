"""The way out to a client over stdin and stdout: nothing but the protocol takes it, as long as the process lives."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


class Wire:
    """A text file of lines in UTF-8; knows how many have left, so that the process ends after the last of them."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._written = 0
        self.sent = 0

    def write(self, text: str) -> int:
        """Half of a surrogate pair, which UTF-8 lacks, leaves as the escape that JSON has for it."""
        self._written += text.count("\n")
        return self._out.write(text.encode("utf-8", "backslashreplace"))

    def flush(self) -> None:
        self._out.flush()
        self.sent = self._written


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
