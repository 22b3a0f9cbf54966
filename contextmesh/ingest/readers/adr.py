"""Architecture decision records, in Markdown or reStructuredText: status lines, sections, front matter."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from contextmesh.ingest.documents import (
    AMENDED_BY,
    AMENDS,
    DEPENDS_ON,
    SUPERSEDED_BY,
    SUPERSEDES,
    Field,
    RecordHeader,
    Ref,
)
from contextmesh.ingest.readers.frontmatter import front_matter
from contextmesh.ingest.readers.keys import (
    link_stem,
    named_in,
    numbered_key,
    numbered_name,
    numbers_in,
    stem_key,
    stem_number,
)
from contextmesh.ingest.readers.pep import status_word
from contextmesh.ingest.words import word_set

_FIELD = re.compile(
    r"\s{0,3}(?P<bullet>[-*+]\s+|>\s*|:(?=[A-Za-z]))?(?P<open>\*\*|__)?(?P<name>[A-Za-z][A-Za-z _/-]{1,40}?)\s*"
    r"(?:(?<!\s):\s*(?P<inner>\*\*|__)|(?P<outer>\*\*|__)?\s*:)\s*(?P<value>.*)$"
)
_ROW = re.compile(
    r"\s{0,3}\|\s*(?:\*\*|__)?(?P<name>[A-Za-z][A-Za-z _/-]{1,40}?)(?:\*\*|__)?\s*:?\s*\|\s*(?P<value>[^|]*?)\s*\|\s*$"
)
_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<words>.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"([=\-~^\"'*+#])\1{2,}\s*$")
_NESTED = re.compile(r"\s{2,}[-*+]\s+(?P<value>.*)$")
_PHRASE = re.compile(
    r"\b(?:(?P<supersede>sup[ea]r[sc]e+d(?:ed|es|ing)?)|(?P<replace>replace[sd]?)|(?P<obsolete>obsolete[sd]?)"
    r"|(?P<amend>amend(?:s|ed)?)|(?P<depend>depends\s+on|requires|builds\s+on))(?P<by>[\s_-]+by)?\b",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"\[(?P<words>[^\[\]]{1,300})\]\((?P<target>[^()\s]{1,2000})[^()]{0,300}\)|`(?P<rst>[^`<]{1,300}?)\s*<(?P<to>[^`>]{1,2000})>`__?"
)
_KNOWN_FIELDS = word_set(
    """
    status date deciders decider decision-makers decision-maker author authors created updated last-modified owner
    owners superseded-by supersedes replaces replaced-by amends amended-by depends-on requires related-issue tags
    """
)
_RECORD_SECTIONS = frozenset(
    {"decision", "decision outcome", "considered options", "options considered", "decision drivers", "consequences",
     "context and problem statement", "context and problem"}
)  # fmt: skip
_DATES = ("date", "created", "decision-date", "last-modified", "updated", "last-updated", "retrieved_at")
_MOST_LINES = 80
_TITLE_NUMBER = re.compile(
    r"^(?:(?:ADR|adr|Adr|RFC|DR)?[\s_-]*#?0*(?P<number>\d{1,5})\s*[.:)–—-]?\s+|ADR\s*:\s+)(?=\S)"
)

_Line = tuple[str, int]


def adr_record(
    text: str, *, title: str, stem: str, front: Sequence[Field] = (), sure: bool = False, filed: bool = False
) -> RecordHeader | None:
    """The decision record a text is, or None when it does not look like one.

    Args:
        title: the document's title; ``stem``: its file name without suffix.
        front: the fields of its front matter.
        sure: the caller knows that it is one.
        filed: it lies in a folder of such records.
    """
    lines = list(_lines(text))
    matter = front_matter(text)
    if matter is not None:
        lines[: matter[2] - 1] = [("", at) for _, at in lines[: matter[2] - 1]]
    sections = _sections(lines)
    fields = [*front, *_fields(lines, sections)]
    names = {_name(field.name) for field in fields}
    asked = sum(words in _RECORD_SECTIONS for words, _, _ in sections)
    status = "status" in names or any(words == "status" for words, _, _ in sections)
    context = any(words in ("context", "decision") for words, _, _ in sections)
    who = bool(names & {"deciders", "decider", "decision-makers", "decision-maker"})
    if not (
        sure or (status and (asked or context or who or filed)) or asked >= 2 or (who and asked) or (filed and asked)
    ):
        return None
    said = [f for f in fields if _name(f.name) == "status"] or _status_section(lines, sections)
    number = _number(title, stem)
    plain = _TITLE_NUMBER.sub("", title).strip() or title
    name = f"ADR {number}" if number is not None else plain
    kept = [f for f in fields if _name(f.name) in _KNOWN_FIELDS or f in front]
    if said and said[0] not in kept:
        kept = [*said, *kept]
    return RecordHeader(
        key=numbered_key("adr", number) if number is not None else stem_key(stem or plain),
        name=name,
        label=f"{name}: {plain}" if number is not None else plain,
        aliases=(f"ADR-{number}", f"ADR-{number:04d}") if number is not None else (),
        status=status_word(plain_value(said[0].value)) if said else "",
        refs=tuple(dict.fromkeys(_refs(fields, said))),
        fields=tuple(Field(f.name, plain_value(f.value), f.span) for f in kept),
        span=(min((f.span[0] for f in kept), default=0), max((f.span[1] for f in kept), default=0)),
    )


def record_date(fields: Sequence[Field]) -> str:
    """The date a header states: when it was decided, else when it was last changed."""
    for wanted in _DATES:
        for field in fields:
            if _name(field.name) == wanted and field.value:
                return plain_value(field.value)
    return ""


def plain_value(value: str) -> str:
    """A field's words without links, entities and emphasis."""
    value = _LINK.sub(lambda m: m["words"] or m["rst"] or "", html.unescape(value))
    return " ".join(re.sub(r"\*\*|__|`", "", value).split())


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        yield ("" if fenced else line), at
        at += len(line) + 1


def _sections(lines: list[_Line]) -> list[tuple[str, int, int]]:
    """Headings: words lower-cased, the index of their first line, the index of the line after them."""
    found = []
    for at, (line, _) in enumerate(lines):
        heading = _HEADING.match(line)
        if heading is not None:
            found.append((_heading_words(heading["words"]), at, at + 1))
        elif at and _UNDERLINE.match(line) and lines[at - 1][0].strip() and len(line.strip()) >= 3:
            previous = lines[at - 1][0]
            if not _FIELD.match(previous) and not previous.lstrip().startswith(("-", "*", "|", ">")):
                found.append((_heading_words(previous), at - 1, at + 1))
    return found


def _heading_words(words: str) -> str:
    return re.sub(r"^[\d.]+\s+", "", " ".join(words.lower().split()).strip(" :*_`"))


def _fields(lines: list[_Line], sections: list[tuple[str, int, int]]) -> Iterator[Field]:
    """Fields above the first section that is no title, with the items listed under a field that has no value."""
    titles = sum(1 for words, _, _ in sections[:2] if words not in _RECORD_SECTIONS and words != "status")
    end = sections[titles][1] if len(sections) > titles else len(lines)
    at = 0
    while at < min(end, _MOST_LINES):
        line, start = lines[at]
        found = _FIELD.match(line) or _ROW.match(line)
        at += 1
        if found is None or (not found["value"] and found.re is _ROW):
            continue
        value, stop = found["value"].strip(), start + len(line.rstrip())
        while at < end and not value.startswith("|") and (nested := _NESTED.match(lines[at][0])) is not None:
            value = f"{value}, {nested['value'].strip()}".lstrip(", ")
            stop = lines[at][1] + len(lines[at][0].rstrip())
            at += 1
        if found.re is _ROW or found["bullet"] or found["open"] or _name(found["name"]) in _KNOWN_FIELDS:
            yield Field(
                " ".join(found["name"].split()),
                html.unescape(value).strip(),
                (start + len(line) - len(line.lstrip()), stop),
            )


def _status_section(lines: list[_Line], sections: list[tuple[str, int, int]]) -> list[Field]:
    for at, (words, _, begin) in enumerate(sections):
        if words == "status":
            end = sections[at + 1][1] if at + 1 < len(sections) else len(lines)
            return [
                Field(
                    "Status", line.strip(" \t-*+"), (start + len(line) - len(line.lstrip()), start + len(line.rstrip()))
                )
                for line, start in lines[begin:end]
                if line.strip() and not line.lstrip().startswith("<!--")
            ]
    return []


def _name(name: str) -> str:
    return "-".join(name.lower().replace("_", " ").replace("-", " ").split())


def _number(title: str, stem: str) -> int | None:
    found = _TITLE_NUMBER.match(title)
    if found is not None and found["number"]:
        return int(found["number"])
    return stem_number(stem)


def _refs(fields: Sequence[Field], said: Sequence[Field]) -> Iterator[Ref]:
    for field in [*(f for f in fields if _name(f.name) != "status"), *said]:
        phrase = _PHRASE.fullmatch(field.name.replace("_", " ").replace("-", " ").strip())
        if phrase is not None:
            yield from _named(_relation(phrase), field.value, field.span)
        elif field in said:
            parts = list(_PHRASE.finditer(_LINK.sub(lambda m: "\x00" * len(m[0]), field.value)))
            for at, part in enumerate(parts):
                end = parts[at + 1].start() if at + 1 < len(parts) else len(field.value)
                yield from _named(_relation(part), field.value[part.end() : end], field.span)


def _relation(phrase: re.Match[str]) -> str:
    by = phrase["by"] is not None
    if phrase["amend"] is not None:
        return AMENDED_BY if by else AMENDS
    if phrase["depend"] is not None:
        return DEPENDS_ON
    return SUPERSEDED_BY if by else SUPERSEDES


def _named(relation: str, value: str, span: tuple[int, int]) -> Iterator[Ref]:
    links = [(m["words"] or m["rst"], m["target"] or m["to"]) for m in _LINK.finditer(value)]
    for words, target in links:
        stem = link_stem(target)
        named = named_in(words)
        key = stem_key(stem) if stem else numbered_key(*named[0]) if named else ""
        if key:
            path = target.split("#")[0] if stem else ""
            yield Ref(relation, key, numbered_name(key, plain_value(words)), span, path)
    if links:
        return
    rest = plain_value(value).strip(" .:;,-[]\"'")
    named = named_in(rest)
    if named:
        for series, number in dict.fromkeys(named):
            yield Ref(relation, numbered_key(series, number), f"{series.upper()} {number}", span)
    elif numbers_in(rest):
        for number in dict.fromkeys(numbers_in(rest)):
            yield Ref(relation, numbered_key("adr", number), f"ADR {number}", span)
    elif rest and rest.lower() not in ("none", "n/a", "-", "nothing", "no", "tbd"):
        yield Ref(relation, stem_key(rest), rest, span)
