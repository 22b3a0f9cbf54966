"""What a document is about, when its title names a thing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contextmesh.ingest.documents import Document
from contextmesh.ingest.words import COMMON, FUNCTION

_LONGEST = 8
_NUMBERED = re.compile(r"[A-Z]{2,6} \d+")


@dataclass(frozen=True, slots=True)
class Subject:
    """A name, further names that hold in every document, and names that hold in this one."""

    name: str
    everywhere: tuple[str, ...] = ()
    here: tuple[str, ...] = ()


def subject_of(document: Document) -> Subject | None:
    """The record itself, the title of a row, or a title that is a name from end to end."""
    record = document.record
    if record is not None:
        everywhere = (*record.aliases, record.label) if record.label != record.name else record.aliases
        return Subject(record.name, everywhere)
    title = document.title.strip()
    if not title or len(title.split()) > _LONGEST or title.endswith(("?", "…")):
        return None
    if document.kind == "jsonl" or title in document.entities:
        return Subject(title)
    return Subject(title) if _is_name(title) else None


def _is_name(title: str) -> bool:
    """Whether every word that carries meaning has a capital or a digit, and not all of them are everyday words."""
    words = [word for word in re.findall(r"[^\W_][\w'’.-]*", title) if word.lower() not in FUNCTION]
    if not words or not all(word[0].isupper() or word[0].isdigit() or not word.isascii() for word in words):
        return False
    return not all(word.lower() in COMMON or word.isdigit() for word in words)
