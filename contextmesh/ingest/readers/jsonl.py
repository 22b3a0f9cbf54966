"""JSON lines: one document a row. A bad row is skipped with its line, and the rest goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO

from contextmesh.base.canon import INNER_DEPTH, require_canonical
from contextmesh.base.errors import InputError
from contextmesh.base.ids import slug
from contextmesh.ingest.dates import said_date
from contextmesh.ingest.documents import Document, Skipped
from contextmesh.ingest.files import Found, ReadLimits, decode

_TEXT = ("text", "body", "content", "contents", "abstract", "paragraph", "paragraph_text", "summary", "description")
_TITLE = ("title", "name", "headline", "subject")
_DATE = ("date", "created", "published", "timestamp", "created_at", "retrieved_at")
_ID = ("id", "_id", "key", "uid")
_NAMES = ("entities",)
_DEPTH = INNER_DEPTH - 2
"""A row stands in the fields of the attributes of a record."""
RESERVED = ("entity:", "claim:", "decision:", "assumption:", "evidence:", "edge:", "justification:")
"""Namespaces of other kinds of node: a row's id of one of them gets ``source:`` in front."""


def read_rows(found: Found, file: BinaryIO, limits: ReadLimits, *, head: bytes = b"") -> Iterator[Document | Skipped]:
    """A document for each row; ``head`` is what was read of the file already."""
    seen: dict[str, int] = {}
    documents = bad = 0
    for number, line in _lines(file, limits, head):
        where = f"{found.origin}:{number}"
        if line is None:
            yield Skipped(where, "line-too-long", f"the line is longer than {limits.line_bytes} bytes")
            continue
        if not line.strip():
            continue
        if documents >= limits.rows:
            yield Skipped(where, "too-many-rows", f"more than {limits.rows} rows; what follows was not read")
            return
        if bad >= limits.bad_rows:
            yield Skipped(where, "too-many-bad-rows", f"{bad} rows were bad; what follows was not read")
            return
        made = document_in(found, where, line)
        if isinstance(made, Document):
            if made.id in seen:
                message = f"the id {made.id} was used in line {seen[made.id]} already"
                made = Skipped(where, "duplicate-id", message)
            else:
                seen[made.id] = number
                documents += 1
        bad += isinstance(made, Skipped)
        yield made


def _lines(file: BinaryIO, limits: ReadLimits, head: bytes) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines; None for one that is too long, whose rest is passed over in pieces."""
    number = 0
    held = BytesIO(head)
    while True:
        line = held.readline(limits.line_bytes + 1)
        if not line.endswith(b"\n") and len(line) <= limits.line_bytes:
            line += file.readline(limits.line_bytes + 1 - len(line))
        if not line:
            return
        number += 1
        if len(line) <= limits.line_bytes or line.endswith(b"\n"):
            yield number, line
            continue
        while line and not line.endswith(b"\n"):
            line = held.readline(1 << 16) or file.readline(1 << 16)
        yield number, None


def document_in(found: Found, where: str, line: bytes) -> Document | Skipped:
    """The document that the bytes of one JSON object are, read strictly."""
    text = decode(line)
    if isinstance(text, int):
        return Skipped(where, "not-utf-8", f"byte {text} of the line is not UTF-8")
    try:
        row = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
        require_canonical(row, depth=_DEPTH)
    except _DuplicateKeyError as error:
        return Skipped(where, "duplicate-key", f"the key {error} is there twice")
    except InputError as error:
        return Skipped(where, "bad-row", str(error))
    except (ValueError, RecursionError) as error:
        return Skipped(where, "bad-row", f"is not JSON: {_why(error)}")
    if not isinstance(row, dict):
        return Skipped(where, "bad-row", "is not an object with fields such as id, title and text")
    return _document_of(found, where, row)


def _document_of(found: Found, where: str, row: dict[str, Any]) -> Document | Skipped:
    used: dict[str, None] = {}
    title = _field(row, _TITLE, used)
    body = _field(row, _TEXT, used)
    if not body.strip():
        return Skipped(where, "no-text", f"has no text: one of the fields {', '.join(_TEXT[:4])} …")
    given = _field(row, _ID, used)
    date, day = said_date(_field(row, _DATE, used))
    names = row.get(_NAMES[0])
    entities = tuple(n for n in names if isinstance(n, str)) if isinstance(names, list) else ()
    if entities:
        used[_NAMES[0]] = None
    text = body.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", " ")
    made_id = given or slug(f"{title}|{text}", "source", scripts=True)
    if made_id.startswith(RESERVED):
        made_id = f"source:{made_id}"
    return Document(
        id=made_id,
        title=" ".join(title.split()) or _opening(text),
        text=text,
        kind="jsonl",
        origin=f"{found.origin}#{given or made_id}",
        date=date,
        date_day=day,
        header={key: value for key, value in row.items() if key not in used},
        entities=entities,
    )


def _field(row: dict[str, Any], names: tuple[str, ...], used: dict[str, None]) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            value = " ".join(part.strip() for part in value)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip():
            used[name] = None
            return value
        if value is None or value == "":
            used[name] = None
    return ""


def _opening(text: str) -> str:
    words = text.split()
    return " ".join(words[:8]) + (" …" if len(words) > 8 else "")


class _DuplicateKeyError(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise _DuplicateKeyError(repr(key))
        made[key] = value
    return made


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _why(error: BaseException) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return "it is nested too deep" if isinstance(error, RecursionError) else str(error)
