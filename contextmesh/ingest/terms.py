"""Terms a text keeps using: two or three content words in a row, after the manner of RAKE (Rose et al., 2010)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from contextmesh.ingest.extract import Sentence
from contextmesh.ingest.words import CALENDAR, COMMON, FINITE, FUNCTION, PARTS, VERBS, word_set

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_LONGEST = 3
_MOST = 12
_COUNTING = word_set(
    """
    one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred hundreds
    thousand thousands million millions billion dozen first second third last next new old more less good bad
    """
)
_SHORT_TEXT = 40
_SHORTEST_TEXT = 6

Gram = tuple[str, int, int]


def repeated_terms(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """Lower-case terms that several sentences use, the most used first; none for a text of a few sentences."""
    if len(sentences) < _SHORTEST_TEXT:
        return ()
    least = 2 if len(sentences) <= _SHORT_TEXT else 4
    counts: dict[str, int] = {}
    forms: dict[str, str] = {}
    plain: dict[str, None] = {}
    for sentence in sentences:
        here: dict[str, str] = {}
        for term, _, _ in grams(sentence.words):
            here.setdefault(singular(term), term)
        for key, term in here.items():
            counts[key] = counts.get(key, 0) + 1
            forms[key] = term if key not in forms or len(term) < len(forms[key]) else forms[key]
            if not _inflected(term.split()[-1]):
                plain[key] = None
    often = {key: n for key, n in counts.items() if n >= least and key in plain}
    whole = {
        k: n for k, n in often.items() if not any(k != o and f" {k} " in f" {o} " and often[o] >= n for o in often)
    }
    best = sorted(whole, key=lambda key: (-whole[key], key))[:_MOST]
    return tuple(forms[key] for key in best)


def known_terms(text: str, known: Callable[[str], bool]) -> Iterator[Gram]:
    """Terms of one sentence that are names already, longest first, with half-open ranges."""
    for gram in sorted(grams(text), key=lambda g: g[1] - g[2]):
        if known(gram[0]):
            yield gram


def grams(text: str) -> Iterator[Gram]:
    """Runs of two or three lower-case content words, with half-open ranges."""
    run: list[Gram] = []
    end = 0
    for match in _WORD.finditer(text):
        word = match[0]
        if run and text[end : match.start()] != " ":
            yield from _inside(run)
            run = []
        end = match.end()
        if not match.start() and word[1:].islower():
            word = word.lower()  # the sentence, not the name, has the capital
        if word.islower() and len(word) >= 3 and word not in FUNCTION and word not in CALENDAR:
            run.append((word, match.start(), match.end()))
        elif word.isdigit() and len(word) <= 4 and run and run[-1][0] not in PARTS:
            number = (f"{run[-1][0]} {word}", run[-1][1], match.end())
            yield from _inside(run)
            if not run[-1][0].endswith("s") and run[-1][0] not in _COUNTING and run[-1][0] not in COMMON:
                yield number
            run = []
        elif run:
            yield from _inside(run)
            run = []
    yield from _inside(run)


def singular(term: str) -> str:
    """The term with its last word's plural ending taken off."""
    if term.endswith("ies") and len(term) > 5:
        return term[:-3] + "y"
    if term.endswith(("sses", "shes", "ches", "xes")):
        return term[:-2]
    return term[:-1] if term.endswith("s") and not term.endswith(("ss", "us", "is")) else term


def _inside(run: list[Gram]) -> Iterator[Gram]:
    for size in range(2, _LONGEST + 1):
        for at in range(len(run) - size + 1):
            part = run[at : at + size]
            words = [word for word, _, _ in part]
            if _is_term(words):
                yield " ".join(words), part[0][1], part[-1][2]


def _is_term(words: list[str]) -> bool:
    first, last = words[0], words[-1]
    if any(word in _COUNTING for word in words):
        return False
    if last.endswith(("ly", "ing", "ed")) or first.endswith("ly") or last in FINITE or first in FINITE:
        return False
    if (
        any(_inflected(word) for word in words[1:-1])
        or (_inflected(last) and last.endswith("ed"))
        or (first.endswith("s") and _inflected(first))
    ):
        return False
    return not all(word in COMMON for word in words) and len(last) > 2


def _inflected(word: str) -> bool:
    return word in VERBS and (word.endswith("ed") or (word.endswith("s") and not word.endswith("ss")))
