"""What a reader hands over: a document, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SUPERSEDES = "supersedes"
SUPERSEDED_BY = "superseded_by"
DEPENDS_ON = "depends_on"
AMENDS = "amends"
AMENDED_BY = "amended_by"


@dataclass(frozen=True, slots=True)
class Ref:
    """Another record, as a header names it.

    Attributes:
        relation: supersedes, superseded_by, depends_on, amends or amended_by.
        key: the other record's key, whether or not there is such a record.
        name: how people write it: ``PEP 246``, ``ADR 7``, a title.
        span: the header line that says so, half-open in the document's text.
        path: the file a link points at, as written, or "".
    """

    relation: str
    key: str
    name: str
    span: tuple[int, int]
    path: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One line (or folded lines) of a header: its name as written, its value on one line, its place."""

    name: str
    value: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """What makes a document a decision record.

    Attributes:
        key: lower case, hyphens, no leading zeros: ``pep-245``, ``adr-7``.
        name: the record's short name, ``PEP 245``; the title where records have no numbers.
        label: ``PEP 245: Python Interface Syntax``.
        aliases: other ways to write the name.
        status: the status word as written, lower-cased; "" when none is stated.
        refs: what the header names, in its order.
        fields: every field of the header, in its order.
        span: the header's place in the text.
        rationale: why it was decided, in the document's words.
    """

    key: str
    name: str
    label: str
    aliases: tuple[str, ...] = ()
    status: str = ""
    refs: tuple[Ref, ...] = ()
    fields: tuple[Field, ...] = ()
    span: tuple[int, int] = (0, 0)
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A text with a name, as read. ``Document(id, title, text)`` is enough.

    Attributes:
        id: becomes the id of its source node.
        text: without a byte order mark, lines ended by ``\\n``; every span is over it, in characters.
        kind: how the text is laid out: markdown, rst, text, yaml, or jsonl (a text from a row).
        origin: where it was read: a path, or a path and a row's id.
        date: as written: an exact day in ISO form, or whatever was said.
        date_day: whole days since 1970-01-01 when the date is one exact day.
        header: further named values, as JSON values.
        record: set for a decision record.
        entities: names the document declares.
    """

    id: str
    title: str
    text: str
    kind: str = "text"
    origin: str = ""
    date: str = ""
    date_day: int | None = None
    header: Mapping[str, Any] = field(default_factory=dict)
    record: RecordHeader | None = None
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not read, and why.

    Attributes:
        path: what, with the line where one is to blame: ``notes.jsonl:12``.
        code: a stable word in kebab-case.
    """

    path: str
    code: str
    message: str

    def as_json(self) -> dict[str, str]:
        return {"path": self.path, "code": self.code, "message": self.message}
