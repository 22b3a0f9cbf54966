"""Untrusted bytes to one JSON value, or a refusal that says where: nothing is coerced, nothing is repaired."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import chain
from json.decoder import JSONDecodeError
from re import compile as pattern
from typing import Any

from contextmesh.base.canon import DEPTH, DIGITS, require_canonical
from contextmesh.base.collector import collector_paused
from contextmesh.base.errors import InputError, Problem, Refusal, Where
from contextmesh.base.fields import Fault, Path, path_text
from contextmesh.base.files import SIZE
from contextmesh.base.scan import Scanner
from contextmesh.base.source import Source, Span

_LONGEST_LINE_SHOWN = 10_000
_MAYBE_HALF_PAIR = pattern(r"\\u[dD][89a-fA-F]")
_KEY_APART = pattern(r'"[ \t\n\r]+:')
_CONTAINERS = frozenset((dict, list))
_TOO_BIG = 10**DIGITS
_INFINITE = (float("inf"), float("-inf"))


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON value with the name of its file and, when it was read from text, that text.

    Attributes:
        file: the name its user knows it by.
        value: only dict with text keys, list, str, int, finite float, bool and None.
        text: what it was read from; None when the value was handed over as it is.
    """

    file: str
    value: Any
    text: str | None = None

    def problem(self, fault: Fault, *, path: Path = ()) -> Problem:
        """A fault found in this value, with its file, JSON path and place. ``path``: where the checked value stood."""
        whole = path + fault.path
        return Problem(
            fault.code,
            f"{path_text(whole)} {fault.message}",
            subject=fault.subject or path_text(whole),
            fields=(("file", self.file), ("path", path_text(whole)), *fault.fields),
            where=self.where(whole),
            note=fault.note,
            hint=fault.hint,
        )

    def where(self, path: Path) -> Where:
        """The place of the value at ``path``, or of the nearest value around it."""
        if self.text is None:
            return Where(self.file)
        for length in range(len(path), -1, -1):
            span = Scanner(self.text, depth=DEPTH, digits=DIGITS).span_of(path[:length])
            if span is not None:
                return _place(self.file, self.text, span)
        return Where(self.file)


def parse(
    data: bytes, file: str, *, limit: int = SIZE, depth: int = DEPTH, refusal: type[Refusal] = InputError
) -> Document:
    """One strict JSON document: UTF-8 without BOM, no duplicate key, only finite numbers, bounded depth.

    Raises:
        refusal: with the file, the JSON path and line:column of the first flaw. Codes: too-large, not-utf-8,
            byte-order-mark, damaged-file, duplicate-key, not-finite, huge-number, lone-surrogate, too-deep.
    """
    if len(data) > limit:
        raise refusal(Problem("too-large", f"{file} is larger than {limit} bytes", subject=file, where=Where(file)))
    text = _decoded(data, file, refusal)
    try:
        with collector_paused():
            value = _fast(text, depth)
    except _Suspect:
        value = None
        flaw = Scanner(text, depth=depth, digits=DIGITS).flaw()
        if flaw is None:  # a pattern that looked bad only inside a text
            value = json.loads(text)
    else:
        flaw = None
    if flaw is None:
        return Document(file, value, text)
    where = _place(file, text, flaw.span)
    path = path_text(flaw.path)
    about = f"{file} is damaged: it {flaw.message}" if flaw.code == "damaged-file" else f"{path} {flaw.message}"
    fields = (("file", file), ("path", path))
    raise refusal(Problem(flaw.code, about, subject=path, fields=fields, where=where, hint=flaw.hint))


def from_value(value: object, file: str, *, depth: int = DEPTH, refusal: type[Refusal] = InputError) -> Document:
    """A value made elsewhere, held to the same rules as one read from text.

    Raises:
        refusal: not-canonical, naming the path of what JSON cannot carry exactly.
    """
    try:
        require_canonical(value, depth=depth)
    except InputError as error:
        raise refusal(*(replace(problem, where=Where(file)) for problem in error.problems)) from None
    return Document(file, value)


class _Suspect(Exception):
    """The fast reader met something; the scanner will say what and where, or clear it."""


def _fast(text: str, depth: int) -> Any:
    """The value, read at C speed.

    A duplicate key is found by counting: where no text holds a quote before a colon, and no white space parts the
    two, there are as many keys as ``":``, and every duplicate is one that the value does not have.
    """
    if _MAYBE_HALF_PAIR.search(text):
        raise _Suspect
    keys = None if '\\":' in text or _KEY_APART.search(text) else text.count('":')
    try:
        if keys is None:
            value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
        else:
            value = json.loads(text, parse_constant=_constant)
    except (JSONDecodeError, RecursionError, ValueError):
        raise _Suspect from None
    found = _keys_within(value, depth)
    if keys is not None and keys != found:
        raise _Suspect
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Suspect
    return made


def _constant(_: str) -> Any:
    raise _Suspect


def _keys_within(value: Any, most: int) -> int:
    """How many keys the objects of a value have; a few passes at C speed for each level of containers.

    Raises:
        _Suspect: there are more levels than ``most``, or a number is too big.
    """
    found, depth = 0, -1
    members: list[Any] = [value]
    while True:
        whole = [member for member in members if type(member) is int]
        if whole and (max(whole) >= _TOO_BIG or min(whole) <= -_TOO_BIG):
            raise _Suspect
        broken = [member for member in members if type(member) is float]
        if broken and (max(broken) == _INFINITE[0] or min(broken) == _INFINITE[1]):
            raise _Suspect
        level = [member for member in members if type(member) in _CONTAINERS]
        if not level:
            return found
        depth += 1
        if depth > most:
            raise _Suspect
        objects = [container for container in level if type(container) is dict]
        arrays = [container for container in level if type(container) is list]
        found += sum(map(len, objects))
        members = [*chain.from_iterable(map(dict.values, objects)), *chain.from_iterable(arrays)]


def _decoded(data: bytes, file: str, refusal: type[Refusal]) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        where = Where(file, 1, 1)
        message = f"{file} starts with a byte order mark, which JSON does not have"
        hint = "save it as UTF-8 without a byte order mark"
        raise refusal(Problem("byte-order-mark", message, subject=file, where=where, hint=hint))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        message = f"{file} is not UTF-8: byte {error.start} is {data[error.start]:#04x}"
        raise refusal(Problem("not-utf-8", message, subject=file, where=Where(file, line, column))) from None


def _place(file: str, text: str, span: Span) -> Where:
    """The place, with its line unless that is too long to show."""
    line_start = text.rfind("\n", 0, span.start) + 1
    line_end = text.find("\n", span.start)
    line_end = len(text) if line_end < 0 else line_end
    number = text.count("\n", 0, span.start) + 1
    if line_end - line_start > _LONGEST_LINE_SHOWN:
        return Where(file, number, span.start - line_start + 1)
    shown = Source(file, text[line_start:line_end])
    start = span.start - line_start
    place = shown.where(Span(start, span.end - line_start))
    return Where(file, number, place.column, place.width, place.text)
