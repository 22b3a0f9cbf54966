"""The journal of a generation: appended lines, each chained to the one before, so that a small change costs a line.

A line is canonical JSON ``{"at", "body", "digest", "kind", "rest"}`` and a newline. Its digest is the SHA-256 of the
canonical JSON of all else and, as ``previous``, of the digest of the line before; before the first line that is the
SHA-256 of the manifest's bytes, so a journal belongs to its generation and to no other. ``rest`` says how many lines of
the same checkpoint follow, so that a checkpoint counts whole or not at all.

What follows the last newline, and a checkpoint that lacks lines at the end, is torn: a crash cut it off, or a writer is
at it. It was never acknowledged; a reader drops it and says so, and the next writer cuts it off. Any other line that
does not verify is damage.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contextmesh.base.canon import DEPTH, require_canonical
from contextmesh.base.errors import Problem, SessionError, Where
from contextmesh.base.fields import Fault
from contextmesh.base.strict import Document, parse

KINDS = ("transaction", "resolver", "walk", "plan")
LINE = 1 << 26
"""The most bytes of a line, its newline included."""

_TAIL = 128
_FRAME = re.compile(
    rb'\{"at":([1-9][0-9]{0,17}),"body":(\{.*\}),'
    rb'"digest":"([0-9a-f]{64})","kind":"([a-z]{1,32})","rest":(0|[1-9][0-9]{0,17})\}\Z'
)


@dataclass(frozen=True, slots=True)
class Position:
    """Where a journal ends.

    Attributes:
        lines: how many there are.
        size: their bytes.
        head: the digest of the last, or what the first is chained to.
    """

    lines: int
    size: int
    head: str


@dataclass(frozen=True, slots=True)
class Line:
    """One verified line.

    Attributes:
        at: its number, from 1.
        kind: one of ``KINDS``.
        rest: how many lines of the same checkpoint follow.
        digest: of the line after all before it.
    """

    at: int
    kind: str
    body: dict[str, Any]
    rest: int
    digest: str


@dataclass(frozen=True, slots=True)
class Lines:
    """What was read.

    Attributes:
        position: where the last whole checkpoint ends.
        torn: how many bytes follow it.
    """

    lines: tuple[Line, ...]
    position: Position
    torn: int = 0


def beginning(manifest: bytes) -> Position:
    """The position before the first line of the journal of a generation with this manifest."""
    return Position(0, 0, hashlib.sha256(manifest).hexdigest())


def encode(position: Position, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[bytes, Position]:
    """The bytes of one checkpoint, kind and body of each of its lines, and the position after it.

    Raises:
        InputError: ``not-canonical``. SessionError: ``too-large``.
    """
    pieces: list[bytes] = []
    lines, size, head = position.lines, position.size, position.head
    for rest, (kind, body) in zip(reversed(range(len(entries))), entries, strict=True):
        assert kind in KINDS, kind
        lines += 1
        text = _canonical(body)
        head = _digest(lines, text, kind, rest, head)
        frame = b'{"at":%d,"body":%s,"digest":"%s","kind":"%s","rest":%d}\n'
        line = frame % (lines, text, head.encode(), kind.encode(), rest)
        if len(line) > LINE:
            message = f"a change of {len(line)} bytes does not fit in a line of a journal, which takes {LINE}"
            raise SessionError(Problem("too-large", message, subject=kind, hint="save the session as a new generation"))
        pieces.append(line)
        size += len(line)
    return b"".join(pieces), Position(lines, size, head)


def decode(data: bytes, position: Position, file: str) -> Lines:
    """The lines that follow a position.

    Raises:
        SessionError: ``journal-broken`` and what strict JSON refuses, with file, line, and the byte the line starts at.
    """
    first, whole = position.size, data.rfind(b"\n") + 1
    found: list[Line] = []
    complete = (0, position)
    start = 0
    while start < whole:
        end = data.find(b"\n", start, min(whole, start + LINE))
        at = position.lines + 1
        if end < 0:
            fields = (("line", at), ("byte", position.size))
            message = f"line {at} of {file} is longer than {LINE} bytes"
            raise SessionError(Problem("too-large", message, file, fields, Where(file, at)))
        line = _line(data[start:end], position, file)
        if len(found) > complete[0] and line.rest != found[-1].rest - 1:
            raise _broken(position, file, "does not belong to the checkpoint it stands in")
        found.append(line)
        position = Position(at, position.size + end + 1 - start, line.digest)
        start = end + 1
        if not line.rest:
            complete = (len(found), position)
    count, position = complete
    return Lines(tuple(found[:count]), position, len(data) - (position.size - first))


def ends_at(tail: bytes, position: Position) -> bool:
    """Whether bytes that end where a position says are the end of its last line."""
    return position.lines == 0 or (tail.endswith(b"}\n") and f'"digest":"{position.head}"'.encode() in tail[-_TAIL:])


def _line(data: bytes, position: Position, file: str) -> Line:
    at = position.lines + 1
    match = _FRAME.match(data)
    if match is None:
        raise _broken(position, file, "is no line of a journal")
    number, text, digest, kind, rest = int(match[1]), match[2], match[3].decode(), match[4].decode(), int(match[5])
    if number != at:
        raise _broken(position, file, f"says it is line {number}")
    if _digest(at, text, kind, rest, position.head) != digest:
        raise _broken(position, file, "does not have the digest of its content after the line before")
    document = _placed(text, position, file)
    if kind not in KINDS or _canonical(document.value) != text:
        raise _broken(position, file, f"is of the kind {kind}" if kind not in KINDS else "is not canonical JSON")
    return Line(at, kind, document.value, rest, digest)


def refused(position_line: int, file: str, fault: Fault) -> SessionError:
    """What a line holds, refused: the fault with the file, the line, and the path within its body."""
    problem = Document(file, None).problem(fault, path=("body",))
    fields = (*problem.fields, ("line", position_line))
    return SessionError(replace(problem, fields=fields, where=Where(file, position_line)))


def _placed(text: bytes, position: Position, file: str) -> Document:
    """The body as strict JSON, and a refusal with the line it stands in."""
    at = position.lines + 1
    try:
        return parse(text, file, refusal=SessionError)
    except SessionError as error:
        fields = (("line", at), ("byte", position.size))
        problems = [replace(p, where=Where(file, at), fields=(*p.fields, *fields)) for p in error.problems]
        raise SessionError(*problems) from None


def _canonical(body: object) -> bytes:
    """As ``canon.canonical``; a record may nest as deep in a line as in a file of its own."""
    require_canonical(body, depth=DEPTH)
    text = json.dumps(body, sort_keys=True, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8")


def _digest(at: int, text: bytes, kind: str, rest: int, previous: str) -> str:
    frame = b'{"at":%d,"body":%s,"kind":"%s","previous":"%s","rest":%d}'
    covered = frame % (at, text, kind.encode(), previous.encode(), rest)
    return hashlib.sha256(covered).hexdigest()


def _broken(position: Position, file: str, what: str) -> SessionError:
    at = position.lines + 1
    return SessionError(
        Problem(
            "journal-broken",
            f"line {at} of {file} {what}",
            subject=file,
            fields=(("line", at), ("byte", position.size)),
            where=Where(file, at, 1),
            note="it was committed whole, and has been changed since",
            hint="restore the file from a copy, or go back to an earlier generation",
        )
    )
