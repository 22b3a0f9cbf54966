"""One text to one document: its title, date, header, and whether it records a decision."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import PurePath

from contextmesh.base.errors import InputError
from contextmesh.ingest.dates import said_date
from contextmesh.ingest.documents import Document, Field, RecordHeader, Skipped
from contextmesh.ingest.files import Found
from contextmesh.ingest.flow import BLANK, FlowBuilder, Lines
from contextmesh.ingest.guess import DECISIONS, MARKDOWN, RST, TEXT, YAML, kind_of_text
from contextmesh.ingest.readers.adr import adr_record, plain_value, record_date
from contextmesh.ingest.readers.frontmatter import Scalar, front_matter, yaml_scalars
from contextmesh.ingest.readers.inline import markdown_words
from contextmesh.ingest.readers.keys import stem_words
from contextmesh.ingest.readers.pep import header_fields, numbered_record

_ATX = re.compile(r"^# +(?P<words>\S.*?)\s*#*\s*$", re.MULTILINE)
_UNDERLINED = re.compile(
    r"(?:\A|\n)(?:([=\-~^\"'*+#])\1{2,}[ \t]*\n)?[ \t]*(?P<words>\S[^\n]{0,200})\n([=\-~^\"'*+#])\3{2,}[ \t]*(?:\n|\Z)"
)
_FENCED = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)", re.MULTILINE | re.DOTALL)
_RECORD_FOLDERS = frozenset(("adr", "adrs", "decision", "decisions", "decision-records", "architecture-decisions"))
_HEAD = 20_000
_DATES = ("date", "created", "published", "modified", "updated", "last_modified", "last-modified", "retrieved_at")
_NAMING = ("id", "name", "aliases", "package", "product")
_LONGEST_TITLE = 200


def build_document(found: Found, text: str, kind: str) -> Document | Skipped:
    """The document of a text laid out in this way; ``decisions`` holds it for a decision record."""
    sure = kind == DECISIONS
    suffix = found.path.suffix.lower()
    if sure:
        kind = {".md": MARKDOWN, ".markdown": MARKDOWN, ".rst": RST}.get(suffix) or kind_of_text(text, TEXT)
    if kind == YAML:
        return _yaml(found, text)
    return _written(found, text, kind, sure=sure)


def _written(found: Found, text: str, kind: str, *, sure: bool) -> Document | Skipped:
    stdin = found.name == "stdin"
    stem = "" if stdin else PurePath(found.name).stem
    fields, _ = header_fields(text)
    record = numbered_record(fields)
    front = () if record is not None else tuple(_front_fields(text))
    by_name = {field.name.lower(): field.value for field in front}
    title = _title(text, kind, by_name.get("title", ""), stem)
    if record is None:
        filed = any(part.lower() in _RECORD_FOLDERS for part in PurePath(found.name).parts[:-1])
        record = adr_record(text, title=title, stem=stem, front=front, sure=sure, filed=filed)
    if record is not None and fields and record.fields == fields:
        title = record.label
    date, day = said_date(_date(record, by_name))
    return Document(
        id=f"source:stdin-{sha256(text.encode()).hexdigest()[:12]}" if stdin else f"source:{found.name}",
        title=title,
        text=text,
        kind=kind,
        origin=found.origin,
        date=date,
        date_day=day,
        header=_header(record, front),
        record=record,
        entities=tuple(_declared(by_name)),
    )


def _yaml(found: Found, text: str) -> Document | Skipped:
    try:
        scalars = yaml_scalars(text, found.origin)
    except InputError as error:
        return Skipped(found.origin, error.code, str(error))
    top = {scalar.path[0]: scalar.value for scalar in reversed(scalars) if len(scalar.path) == 1}
    title = next((top[name] for name in ("title", "id", "name", "summary") if top.get(name, "").strip()), "")
    said = next((top[name] for name in ("date", *_DATES) if top.get(name, "").strip()), "")
    date, day = said_date(said)
    return Document(
        id=f"source:{found.name}",
        title=_clean(title) or PurePath(found.name).stem,
        text=text,
        kind=YAML,
        origin=found.origin,
        date=date,
        date_day=day,
        header={name: value for name, value in top.items() if len(value) <= _LONGEST_TITLE},
        entities=tuple(_spoken_of(scalars)),
    )


def _spoken_of(scalars: list[Scalar]) -> Iterator[str]:
    """Short values that the longer values speak of: a package's name, an identifier."""
    prose = " ".join(scalar.value for scalar in scalars if len(scalar.value) > 60 and "://" not in scalar.value[:10])
    seen: dict[str, None] = {}
    for scalar in scalars:
        value = scalar.value.strip()
        if not scalar.path or scalar.path[-1] not in _NAMING or not 2 < len(value) <= 60:
            continue
        if scalar.path[-1] != "name" or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", prose):
            seen.setdefault(value)
    yield from seen


def _front_fields(text: str) -> Iterator[Field]:
    """The scalars of the front matter by their top key, those of one key joined by commas."""
    front = front_matter(text)
    if front is None:
        return
    inside, offset, _ = front
    try:
        scalars = yaml_scalars(inside, "front matter")
    except InputError:
        return
    by_key: dict[str, list[Scalar]] = {}
    for scalar in scalars:
        if scalar.path and scalar.value.strip():
            by_key.setdefault(scalar.path[0], []).append(scalar)
    for key, values in by_key.items():
        span = (offset + values[0].start, offset + max(values[-1].end, values[0].start + 1))
        yield Field(key, " ".join(", ".join(v.value for v in values).split()), span)


def _title(text: str, kind: str, stated: str, stem: str) -> str:
    head = _FENCED.sub(lambda m: " " * len(m[0]), text[:_HEAD])
    if not stated and kind == MARKDOWN:
        found = _ATX.search(head)
        stated = found["words"] if found is not None else ""
    if not stated and kind in (MARKDOWN, RST):
        underlined = _UNDERLINED.search(head)
        stated = underlined["words"] if underlined is not None else ""
    if not stated and kind == TEXT:
        first = head.strip().split("\n", 1)[0].strip()
        stated = first if len(first) <= 100 and not first.endswith((".", ":", ",", ";")) else ""
    named = stem_words(stem)
    return _clean(stated) or named[:1].upper() + named[1:] or _opening(text)


def _clean(words: str) -> str:
    out = FlowBuilder()
    markdown_words(Lines.of([(words, 0)]), out)
    return plain_value(out.build().plain)[:_LONGEST_TITLE].strip()


def _opening(text: str) -> str:
    return " ".join(BLANK.sub(" ", text[:200]).split()[:8]) or "untitled"


def _date(record: RecordHeader | None, by_name: dict[str, str]) -> str:
    stated = record_date(record.fields) if record is not None else ""
    return stated or next((by_name[name] for name in _DATES if by_name.get(name)), "")


def _header(record: RecordHeader | None, front: tuple[Field, ...]) -> dict[str, str]:
    header: dict[str, str] = {}
    for field in record.fields if record is not None else front:
        header[field.name] = f"{header[field.name]}; {field.value}" if field.name in header else field.value
    return header


def _declared(by_name: dict[str, str]) -> Iterator[str]:
    for name in ("entities", "keywords"):
        for word in by_name.get(name, "").split(","):
            if word.strip():
                yield word.strip()
