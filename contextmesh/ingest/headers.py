"""A record's header in plain words: one claim for each fact it states, with the line that states it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from contextmesh.ingest.dates import exact_day
from contextmesh.ingest.documents import AMENDED_BY, AMENDS, DEPENDS_ON, SUPERSEDED_BY, SUPERSEDES, RecordHeader, Ref


@dataclass(frozen=True, slots=True)
class HeaderClaim:
    """A sentence, the place of the line it is made from, and the names it holds."""

    words: str
    span: tuple[int, int]
    names: tuple[str, ...]


def header_claims(record: RecordHeader) -> Iterator[HeaderClaim]:
    """Claims in the order of the header: title, people, status and dates, then what it says of other records."""
    own = spoken(record.name)
    said: dict[str, None] = {}
    for field in record.fields:
        name = "-".join(field.name.lower().replace("_", " ").split())
        word = _FIELDS.get(name)
        made = word(own, field.value) if word is not None and field.value.strip() else None
        if made is not None and made[0] not in said:
            said[made[0]] = None
            yield HeaderClaim(made[0], field.span, (record.name, *made[1]))
    for ref in record.refs:
        words = reference_words(own, spoken(ref.name), ref)
        if words not in said:
            said[words] = None
            yield HeaderClaim(words, ref.span, (record.name, ref.name))


def reference_words(own: str, other: str, ref: Ref) -> str:
    """One sentence for one reference; both ends of a supersession get the same one."""
    if ref.relation == SUPERSEDED_BY:
        return f"{own} was superseded by {other}, which replaced it."
    if ref.relation == SUPERSEDES:
        return f"{other} was superseded by {own}, which replaced it."
    if ref.relation == AMENDS:
        return f"{own} amends {other}."
    if ref.relation == AMENDED_BY:
        return f"{other} amends {own}."
    assert ref.relation == DEPENDS_ON
    return f"{own} requires {other}."


def spoken(name: str) -> str:
    """A record's name inside a sentence: a title stands in quotation marks, ``PEP 245`` does not."""
    return name if re.fullmatch(r"[A-Z]{2,6} \d+", name) else f"“{name}”"


_Made = tuple[str, tuple[str, ...]] | None


def _title(own: str, value: str) -> _Made:
    return f"{own} is titled “{value}”.", (value,) if len(value.split()) <= 8 else ()


def _status(own: str, value: str) -> _Made:
    # What follows "superseded by" is told by the reference itself.
    words = re.split(r"[,;(\[]|\bby\b", value.strip("{}.\"' "), maxsplit=1, flags=re.IGNORECASE)[0].strip("{}. ")
    return (f"The status of {own} is {words}.", ()) if 0 < len(words.split()) <= 3 else None


def _authors(own: str, value: str) -> _Made:
    people = _people(value)
    return (f"{own} was written by {_joined(people)}.", people) if people else None


def _deciders(own: str, value: str) -> _Made:
    people = _people(value)
    return (f"{own} was decided by {_joined(people)}.", people) if people else None


def _dated(verb: str) -> Callable[[str, str], _Made]:
    def made(own: str, value: str) -> _Made:
        return f"{own} was {verb} {'on' if exact_day(value) is not None else 'in'} {value}.", ()

    return made


def _day(own: str, value: str) -> _Made:
    return f"{own} is dated {value}.", ()


def _version(own: str, value: str) -> _Made:
    return f"{own} is meant for Python {value}.", ()


_FIELDS: dict[str, Callable[[str, str], _Made]] = {
    "title": _title,
    "status": _status,
    "author": _authors,
    "authors": _authors,
    "deciders": _deciders,
    "decider": _deciders,
    "decision-makers": _deciders,
    "created": _dated("created"),
    "date": _day,
    "last-modified": _dated("last modified"),
    "python-version": _version,
}


def _people(value: str) -> tuple[str, ...]:
    value = re.sub(r"\S+(?:@| at )\S+ \(([^()]+)\)", r"\1", value)
    value = re.sub(r"<[^<>]*>|\([^()]*\)|\S+@\S+\.\S+", "", value)
    parts = (" ".join(part.strip(" .;").split()) for part in re.split(r",|;| and |&", value))
    return tuple(dict.fromkeys(part.lstrip("@") for part in parts if 1 < len(part) <= 60))


def _joined(people: tuple[str, ...]) -> str:
    return people[0] if len(people) == 1 else f"{', '.join(people[:-1])} and {people[-1]}"
