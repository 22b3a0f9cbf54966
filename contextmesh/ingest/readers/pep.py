"""Records with a header of ``Name: value`` lines that opens with a series and a number, as Python's proposals have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextmesh.ingest.documents import DEPENDS_ON, SUPERSEDED_BY, SUPERSEDES, Field, RecordHeader, Ref
from contextmesh.ingest.readers.keys import numbered_key, numbers_in

_LINE = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9-]{0,40}):(?P<value>[ \t].*|)$")
_SERIES = re.compile(r"[A-Z]{2,6}$")
_MOST_LINES = 200
_REFERS = {
    "replaces": SUPERSEDES,
    "supersedes": SUPERSEDES,
    "obsoletes": SUPERSEDES,
    "superseded-by": SUPERSEDED_BY,
    "replaced-by": SUPERSEDED_BY,
    "obsoleted-by": SUPERSEDED_BY,
    "requires": DEPENDS_ON,
    "depends-on": DEPENDS_ON,
}


def header_fields(text: str) -> tuple[tuple[Field, ...], int]:
    """The fields at the head of a text and the 1-based line after them; no fields when it does not open with one."""
    fields: list[Field] = []
    at, line = 0, 1
    while at < len(text) and line <= _MOST_LINES:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        row = text[at:end].rstrip()
        if not row:
            if fields:
                break
        elif row[0] in " \t" and fields:
            last = fields[-1]
            fields[-1] = Field(last.name, f"{last.value} {row.strip()}".strip(), (last.span[0], at + len(row)))
        else:
            found = _LINE.match(row)
            if found is None:
                return (), 1
            fields.append(Field(found["name"], " ".join(found["value"].split()), (at, at + len(row))))
        at, line = end + 1, line + 1
    return tuple(fields), line


def numbered_record(fields: tuple[Field, ...], *, title: str = "") -> RecordHeader | None:
    """The record a header describes, or None when its first field is no series with a number."""
    if len(fields) < 2 or not _SERIES.match(fields[0].name):
        return None
    numbers = numbers_in(fields[0].value)
    if len(numbers) != 1:
        return None
    series, number = fields[0].name, numbers[0]
    by_name: dict[str, Field] = {}
    for field in fields:
        by_name.setdefault(field.name.lower(), field)
    said = by_name["title"].value if "title" in by_name else title
    name = f"{series} {number}"
    status = by_name.get("status")
    return RecordHeader(
        key=numbered_key(series, number),
        name=name,
        label=f"{name}: {said}" if said else name,
        aliases=(f"{series}-{number}", f"{series.lower()}-{number:04d}"),
        status=status_word(status.value) if status is not None else "",
        refs=tuple(_refs(series, fields)),
        fields=fields,
        span=(fields[0].span[0], fields[-1].span[1]),
    )


def status_word(value: str) -> str:
    """The first word of a status as written, lower-cased, without brackets and points around it."""
    words = re.findall(r"[^\W\d_][\w'-]*", value.lower())
    return words[0] if words else ""


def _refs(series: str, fields: tuple[Field, ...]) -> Iterator[Ref]:
    for field in fields:
        relation = _REFERS.get(field.name.lower())
        if relation is not None:
            for number in dict.fromkeys(numbers_in(field.value)):
                yield Ref(relation, numbered_key(series, number), f"{series} {number}", field.span)
