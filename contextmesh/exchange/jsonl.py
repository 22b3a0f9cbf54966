"""JSON lines as untrusted input: each line strict JSON, and whatever is wrong with one named by its number."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from contextmesh.base.canon import INNER_DEPTH
from contextmesh.base.errors import InputError, Problem, Refusal, Where
from contextmesh.base.fields import Fault
from contextmesh.base.strict import Document, parse


@dataclass(frozen=True, slots=True)
class FileLimits:
    """What a file may hold at most.

    Attributes:
        line_bytes: of one line.
        lines: that are not blank.
    """

    line_bytes: int = 1 << 26
    lines: int = 10_000_000


LIMITS = FileLimits()
_DEPTH = INNER_DEPTH + 1
"""The attributes of a record stand in its line alone."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Attributes:
        number: from 1, blank lines counted.
        start: the offset of its first character in the text of the file.
    """

    number: int
    start: int
    document: Document

    def refusal(self, fault: Fault) -> InputError:
        """A fault of this line's value, at its line and column."""
        return InputError(_numbered(self.document.problem(fault), self.number))


def lines_of(data: bytes, file: str, limits: FileLimits = LIMITS) -> Iterator[Line]:
    """Every line that is not blank.

    Raises:
        InputError: the first line that is not strict JSON, or goes beyond the limits.
    """
    start = number = held = chars = 0
    while start < len(data):
        number += 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        raw = data[start:end]
        if raw.strip():
            held += 1
            if held > limits.lines:
                message = f"{file} has more than {limits.lines} lines"
                raise InputError(Problem("too-large", message, file, where=Where(file, number)))
            line = Line(number, chars, _parsed(raw, file, number, limits))
            yield line
        chars += 1 + (len(line.document.text or "") if raw.strip() else len(raw))
        start = end + 1


def line_at(data: bytes, file: str, number: int) -> Line:
    """One line again, to say what is wrong with it."""
    start = 0
    for _ in range(number - 1):
        start = data.index(b"\n", start) + 1
    end = data.find(b"\n", start)
    chars = len(data[:start].decode("utf-8"))
    return Line(number, chars, _parsed(data[start : end if end >= 0 else len(data)], file, number, LIMITS))


def to_line(value: Mapping[str, object]) -> str:
    """One record as one line: sorted keys, raw characters, no newline inside."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _parsed(raw: bytes, file: str, number: int, limits: FileLimits) -> Document:
    if len(raw) > limits.line_bytes:
        message = f"line {number} of {file} is longer than {limits.line_bytes} bytes"
        raise InputError(Problem("line-too-long", message, file, where=Where(file, number)))
    try:
        return parse(raw, file, limit=limits.line_bytes, depth=_DEPTH)
    except Refusal as refusal:
        raise InputError(*(_numbered(problem, number) for problem in refusal.problems)) from None


def _numbered(problem: Problem, number: int) -> Problem:
    where = problem.where
    return problem if where is None else replace(problem, where=replace(where, line=number))
