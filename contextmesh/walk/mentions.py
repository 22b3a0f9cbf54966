"""The names a question may hold: quoted, capitalised, joined by hyphen or point, and single lower-case words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from contextmesh.walk.words import FUNCTION_WORDS, LETTER, has_unspaced

Kind = Literal["quoted", "capitalised", "joined", "letters", "word"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of a question that may name something, and where it stands (half-open character offsets)."""

    text: str
    kind: Kind
    start: int
    end: int


_QUOTED = re.compile(
    r"[\"“«„「『]([^\"“”«»„「」『』]{1,120})[\"”»“」』]"
    r"|(?<![^\W_])['‘]([^'‘’]{2,120})['’](?![^\W_])"
)
_TOKEN = re.compile(rf"{LETTER}+(?:[+.\-]{LETTER}+)*\+*")
_JOINED = re.compile(r"(?<![a-z0-9])[a-z0-9]+(?:[-_.][a-z0-9]+)+")
_WORD = re.compile(r"[a-z]{4,}")
_LETTERS = re.compile(rf"{LETTER}+(?:_{LETTER}+)*")


def mentions(question: str) -> tuple[Mention, ...]:
    """Every mention, surest kind first and then in order; the same words are listed once.

    A capitalised run may hold numbers (``PEP 245``), and a function word that merely opens the question
    is no part of it (``What Index Builder`` gives ``Index Builder``).
    """
    unique: dict[str, Mention] = {}
    for find in (_quoted, _capitalised, _joined, _letters, _words):
        for mention in find(question):
            unique.setdefault(mention.text, mention)
    return tuple(unique.values())


def _quoted(question: str) -> Iterator[Mention]:
    for match in _QUOTED.finditer(question):
        group = 1 if match.group(1) is not None else 2
        yield Mention(match.group(group).strip(), "quoted", match.start(group), match.end(group))


def _capitalised(question: str) -> Iterator[Mention]:
    start = end = -1
    for match in _TOKEN.finditer(question):
        word = match.group()
        goes_on = start >= 0 and question[end : match.start()].isspace()
        if start >= 0 and not (goes_on and (word[0].isupper() or word[0].isdigit())):
            yield Mention(question[start:end], "capitalised", start, end)
            start = -1
        if start >= 0:
            end = match.end()
        elif word[0].isupper() and not (match.start() == 0 and word.lower() in FUNCTION_WORDS):
            start, end = match.span()
    if start >= 0:
        yield Mention(question[start:end], "capitalised", start, end)


def _joined(question: str) -> Iterator[Mention]:
    for match in _JOINED.finditer(question):
        yield Mention(match.group(), "joined", *match.span())


def _letters(question: str) -> Iterator[Mention]:
    """Runs in scripts that have no capitals or do not part words."""
    for match in _LETTERS.finditer(question):
        word = match.group()
        if has_unspaced(word) or (not word.isascii() and word.lower() == word.upper()):
            yield Mention(word, "letters", *match.span())


def _words(question: str) -> Iterator[Mention]:
    lowered = question.lower()
    for match in _WORD.finditer(lowered):
        if match.group() not in FUNCTION_WORDS:
            yield Mention(match.group(), "word", *match.span())
