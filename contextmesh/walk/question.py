"""A question, read: its terms, the names it spells out, and the edges its words ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from contextmesh.walk.mentions import mentions
from contextmesh.walk.roads import NEWEST
from contextmesh.walk.words import FUNCTION_WORDS, Word, name_key, placed_words, terms

if TYPE_CHECKING:
    from contextmesh.resolve.resolver import Resolver
    from contextmesh.walk.index import Index
    from contextmesh.walk.roads import Roads

# A term spelt like an unknown one counts for it, at this share of its likeness.
SPELT_ALIKE = 0.8
# The name of a series of records has at most so many words before the number.
LONGEST_SERIES = 3
# Of a longer question the rarest terms are walked with.
MOST_TERMS = 64


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the question and a node it names; offsets are half-open, in characters."""

    id: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Ask:
    """An edge type that the question asks to follow, and the words that say so."""

    type: str
    direction: str
    place: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """What a walk knows of a question.

    Attributes:
        text: as asked.
        terms: its distinct terms, in order.
        variants: for each term, what counts as it in a text and by how much (itself, at 1).
        pairs: terms that stand side by side in the question.
        names: every node it names, surest first; the same node once.
        asks: the edges its words ask for.
        signs: words that tend to stand in an answer to such a question.
        kinds: node types it calls by their name (which decision …).
        rest: the terms that are neither part of a name nor of what asks.
        absent: names of records of a known series, where no such record is here and nothing is called so.
        bare: whether it asks for an edge, or for what is current, and says nothing else beside the names.
        current: whether it asks for nothing but what is current of what it names.
    """

    text: str
    terms: tuple[str, ...]
    variants: dict[str, tuple[tuple[str, float], ...]]
    pairs: frozenset[tuple[str, str]]
    names: tuple[Name, ...]
    asks: tuple[Ask, ...]
    signs: frozenset[str]
    kinds: frozenset[str]
    rest: frozenset[str]
    places: dict[str, int]
    absent: tuple[str, ...] = ()
    bare: bool = False
    current: bool = False


@dataclass(frozen=True, slots=True)
class _Phrases:
    """What the words of a question ask for.

    Attributes:
        asks: the edges.
        signs: what is looked for in an answer.
        manner: where words stand that only say what is looked for.
        current: where words stand that ask for what is current; half-open, in characters.
    """

    asks: tuple[Ask, ...]
    signs: frozenset[str]
    manner: frozenset[int]
    current: tuple[tuple[int, int], ...]


def read_question(text: str, index: Index, resolver: Resolver, roads: Roads) -> Question:
    """Reads a question; the resolver may learn an alias from a capitalised, quoted or joined name."""
    words = placed_words(text)
    said = _phrases(words, roads)
    names, absent = _names(text, words, index, resolver)
    if absent:
        names = tuple(name for name in names if not _is_said_of_it(name, said, index))
    asks = said.asks
    # Words that only say what kind of answer is wanted (how long, which year) are not looked for in it.
    ordered = [(term, word) for word in words if word.start not in said.manner for term in terms(word.text)]
    places: dict[str, int] = {}
    for term, word in ordered:
        places.setdefault(term, word.start)
    spent = [(n.start, n.end) for n in names if _is_meant(n.text)] + [(a.start, a.end) for a in asks]
    places = _rarest(places, index)
    called = [(n.start, n.end) for n in names] + _kind_called(words, said)
    beside = frozenset(places) - _terms_within(words, [*called, *((a.start, a.end) for a in asks), *said.current])
    return Question(
        text=text,
        terms=tuple(places),
        variants={term: _variants(term, index) for term in places},
        pairs=frozenset(pairwise(term for term, _ in ordered)),
        names=names,
        asks=asks,
        signs=said.signs,
        kinds=frozenset(kind for kind in roads.answers if any(w.text in (kind, f"{kind}s") for w in words)),
        rest=frozenset(places) - _terms_within(words, spent),
        places=places,
        absent=absent,
        bare=bool(asks or said.current) and not beside,
        current=bool(said.current) and not asks and not beside,
    )


def _rarest(places: dict[str, int], index: Index) -> dict[str, int]:
    """At most so many terms that a question as long as a letter costs little more than a short one."""
    if len(places) <= MOST_TERMS:
        return places
    kept = sorted(places, key=lambda term: (index.statements.frequency(term), places[term]))[:MOST_TERMS]
    return {term: places[term] for term in sorted(kept, key=lambda term: places[term])}


def _names(text: str, words: list[Word], index: Index, resolver: Resolver) -> tuple[tuple[Name, ...], tuple[str, ...]]:
    """First what the names table spells out; then what the resolver makes of the other mentions.

    A record that is not here is no other record, however much its name is like another's.
    """
    found: dict[str, Name] = {}
    taken = bytearray(len(text))
    for hit in index.names.find(text):
        taken[hit.start : hit.end] = b"\x01" * (hit.end - hit.start)
        for id in hit.ids:
            found.setdefault(id, Name(id, hit.text, hit.start, hit.end))
    absent = []
    for start, end in _absent(words, taken, index):
        taken[start:end] = b"\x01" * (end - start)
        absent.append(text[start:end])
    for mention in mentions(text):
        if all(taken[mention.start : mention.end]):
            continue
        # A common word in lower case is looked up but not learned: it was hardly meant as a name.
        meant = mention.kind in ("quoted", "capitalised", "joined")
        resolution = resolver.resolve(mention.text) if meant else resolver.peek(mention.text)
        if resolution.id is not None and resolution.id in index:
            taken[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
            found.setdefault(resolution.id, Name(resolution.id, mention.text, mention.start, mention.end))
    return tuple(found.values()), tuple(absent)


def _absent(words: list[Word], taken: bytearray, index: Index) -> Iterator[tuple[int, int]]:
    """Where a number stands after the words of a series of records, and names none of them."""
    for at, number in enumerate(words):
        if not number.text.isdecimal() or any(taken[number.start : number.end]):
            continue
        for width in range(min(at, LONGEST_SERIES), 0, -1):
            if any(index.names.of_series(" ".join(word.text for word in words[at - width : at]))):
                yield words[at - width].start, number.end
                break


def _is_meant(name: str) -> bool:
    """Whether words are surely a name: several of them, or one with a capital, a digit or a joint."""
    return not name.isalpha() or name.lower() != name or not name.isascii()


def _is_said_of_it(name: Name, said: _Phrases, index: Index) -> bool:
    """Whether a name beside that of an absent record is none: the series, a word that asks, or a common word."""
    spans = [(ask.start, ask.end) for ask in said.asks] + list(said.current)
    asks = any(start <= name.start and name.end <= end for start, end in spans)
    return asks or not _is_meant(name.text) or any(index.names.of_series(name_key(name.text)))


def _phrases(words: list[Word], roads: Roads) -> _Phrases:
    """What the longest phrases that the rules know ask for, from the first word on."""
    asks: list[Ask] = []
    signs: dict[str, None] = {}
    manner: dict[int, None] = {}
    current: list[tuple[int, int]] = []
    at = 0
    while at < len(words):
        length = 1
        for width in range(min(roads.longest_words, len(words) - at), 0, -1):
            phrase = " ".join(word.text for word in words[at : at + width])
            if phrase in roads.asks_for or phrase in roads.looks_for:
                start, end = words[at].start, words[at + width - 1].end
                rows = roads.asks_for.get(phrase, ())
                asks.extend(Ask(t, d, p, start, end) for p, t, d in rows if d != NEWEST)
                current.extend(dict.fromkeys((start, end) for _, _, d in rows if d == NEWEST))
                if phrase in roads.looks_for:
                    signs.update(dict.fromkeys(roads.looks_for[phrase]))
                    if phrase not in roads.asks_for:
                        manner.update((word.start, None) for word in words[at : at + width])
                length = width
                break
        at += length
    return _Phrases(tuple(asks), frozenset(signs), frozenset(manner), tuple(current))


def _kind_called(words: list[Word], said: _Phrases) -> list[tuple[int, int]]:
    """Where a word only says what kind of thing is asked for: "which document" before what asks."""
    begins = {ask.start for ask in said.asks} | {start for start, _ in said.current}
    found = []
    for at, word in enumerate(words[:-2]):
        noun = words[at + 1]
        if word.text not in ("which", "what") or noun.text in FUNCTION_WORDS:
            continue
        following = next((other for other in words[at + 2 :] if other.text not in FUNCTION_WORDS), noun)
        if following.start in begins:
            found.append((noun.start, noun.end))
    return found


def _variants(term: str, index: Index) -> tuple[tuple[str, float], ...]:
    """The term itself; and, when nothing holds it, the terms spelt most like it."""
    known = index.statements.frequency(term) or index.passages.frequency(term)
    if known or len(term) < 4 or term in FUNCTION_WORDS:
        return ((term, 1.0),)
    alike = index.statements.alike(term) or index.passages.alike(term)
    return ((term, 1.0), *((other, dice * SPELT_ALIKE) for other, dice in alike))


def _terms_within(words: list[Word], spans: list[tuple[int, int]]) -> frozenset[str]:
    inside = (w for w in words if any(start <= w.start and w.end <= end for start, end in spans))
    return frozenset(term for word in inside for term in terms(word.text))
