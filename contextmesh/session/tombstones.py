"""Which nodes lose their text with a source, what stands in their place, and whether a text speaks of them alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from json import dumps
from typing import Any
from unicodedata import normalize

from contextmesh.graph.graph import ContextGraph
from contextmesh.resolve.normalise import normalise, own_form
from contextmesh.store.fingerprint import FINGERPRINT, IDENTITY
from contextmesh.store.model import Node
from contextmesh.store.receipt import SHOWN
from contextmesh.store.relations import JUSTIFICATIONS
from contextmesh.store.snapshot_rows import REJECTED_AFTER

TOMBSTONE = "[redacted]"
REDACTED = "redacted"
"""Relation of the rules, and attribute that holds the reason."""

ALIASES = "aliases"

LONG = 12
"""Characters from which on a removed text is looked for inside any other; a shorter one is a name, and must stand
there as a word."""

_SHORTEST = 3
_SPOKEN = ("quote", "rationale", "canonical", ALIASES)

STRUCTURE = frozenset(
    (
        *("retrieved_at", "kind", "status", "version", REJECTED_AFTER, JUSTIFICATIONS),
        *(IDENTITY, FINGERPRINT, "superseded_by"),
    )
)
"""Attributes that are no text of anybody's: what the formats and the rules give words for."""

FREE = ("kind", "status", "version")
"""Of them, those whose words anybody may choose: they go where they hold words of what is removed."""

_WORDS = 8


def redacted_by(graph: ContextGraph, source: str) -> dict[str, str]:
    """The nodes whose text goes, each with the word the rules give for it, in the order of the graph."""
    stage = graph.store.stage("redaction")
    stage.fact("redact", (source,))
    rows = stage.dry_run(wanted=(REDACTED,)).derived.plus(REDACTED)
    why = {str(row[0]): str(row[1]) for row in sorted(rows, key=repr)}
    return {id: why[id] for id in graph.store.nodes if id in why}


@dataclass(frozen=True, slots=True)
class Tombstones:
    """What is removed, and what takes its place.

    Attributes:
        ids: by the id of each node that loses its text, the one it gets, which says nothing.
    """

    ids: Mapping[str, str]
    _words: Mapping[str, None] = field(repr=False)
    _long: Finder = field(repr=False)
    _all: Finder = field(repr=False)

    @classmethod
    def of(cls, graph: ContextGraph, why: Mapping[str, str]) -> Tombstones:
        """For these nodes of a graph."""
        nodes = graph.store.nodes
        ids: dict[str, str] = {}
        number = 0
        for id in why:
            number += 1
            while f"{nodes[id].type}:{REDACTED}-{number}" in nodes:
                number += 1
            ids[id] = f"{nodes[id].type}:{REDACTED}-{number}"
        spoken = dict.fromkeys(text for id in why for text in _spoken(nodes[id]) if text.strip())
        spoken |= dict.fromkeys(text[:SHOWN] for text in list(spoken) if len(text) > SHOWN)
        # A text that holds JSON, such as an output, quotes them as JSON does.
        spoken |= dict.fromkeys(
            dumps(text, ensure_ascii=plain)[1:-1] for text in list(spoken) for plain in (False, True)
        )
        long = {text: TOMBSTONE for text in spoken if len(text) >= LONG}
        short = {text: TOMBSTONE for text in spoken if _SHORTEST <= len(text) < LONG}
        gone = (text for id in why for text in texts_of(nodes[id]))
        quoted = Finder(long, ids)
        left = (text for id, node in nodes.items() if id not in why for text in texts_of(node, aliases=False))
        own = (quoted.replaced(text) for text in left)  # what quotes it does not speak of it in words of its own
        return cls(ids, _only_there(gone, own), quoted, Finder(long, {**short, **ids}))

    def is_learned(self, name: object) -> bool:
        """Whether a name stands in what is removed and nowhere in what is left, or holds a word that does so."""
        return isinstance(name, str) and (normalise(name) in self._words or self.holds(name, named=False))

    def holds(self, text: str, *, named: bool = True) -> bool:
        """Whether a text holds words that only what is removed has, or an id of it; with ``named``, also its names."""
        grams = _grams(text, 1)
        left = self.scrubbed(text) if named else self.cleared(text)
        return left != text or any(gram in self._words and len(gram) >= _SHORTEST for gram in grams)

    def renamed(self, value: Any) -> Any:
        """A JSON value in which each text that is the id of a removed node is the new one."""
        return _mapped(value, lambda text: self.ids.get(text, text))

    def cleared(self, value: Any) -> Any:
        """… and in which what is removed is not quoted either."""
        return _mapped(value, self._long.replaced)

    def scrubbed(self, value: Any) -> Any:
        """… nor named."""
        return _mapped(value, self._all.replaced)


class Finder:
    """Finds many texts inside others in one pass, however they are spelled: in capitals or not, composed or not.

    Args:
        anywhere: what takes the place of each text, wherever it stands; each has at least ``LONG`` characters.
        words: what takes the place of each text where it stands between other signs than letters and digits.
    """

    def __init__(self, anywhere: Mapping[str, str], words: Mapping[str, str]) -> None:
        self._anywhere = {_folded(text)[0]: instead for text, instead in anywhere.items()}
        self._words = {_folded(text)[0]: instead for text, instead in words.items()}
        self._by_start: dict[str, list[str]] = {}
        for text in self._anywhere:
            self._by_start.setdefault(text[:LONG], []).append(text)
        for text in self._words:
            self._by_start.setdefault(text[:_SHORTEST], []).append(text)
        for texts in self._by_start.values():
            texts.sort(key=lambda text: (-len(text), text))

    def replaced(self, text: str) -> str:
        """The text with each of them replaced, the longest first where several begin."""
        folded, places = _folded(text)
        if folded in self._words:
            return self._words[folded]
        parts: list[str] = []
        start = place = 0
        while place < len(folded):
            found = self._at(folded, place)
            if found is None:
                place += 1
                continue
            parts += [text[start : places[place]], self._anywhere.get(found) or self._words[found]]
            place += len(found)
            start = places[place]
        return "".join([*parts, text[start:]]) if parts else text

    def _at(self, text: str, place: int) -> str | None:
        for found in self._by_start.get(text[place : place + LONG], ()):
            if found in self._anywhere and text.startswith(found, place):
                return found
        for found in self._by_start.get(text[place : place + _SHORTEST], ()):
            end = place + len(found)
            if (
                found in self._words
                and text.startswith(found, place)
                and not _joins(text, place)
                and not _joins(text, end)
            ):
                return found
        return None


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """A text as it is compared, and for each sign of that, and its end, the place it came from."""
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    folded: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        made = normalize("NFD", normalize("NFD", sign).casefold())
        folded.append(made)
        places += [place] * len(made)
    return "".join(folded), [*places, len(text)]


def _joins(text: str, place: int) -> bool:
    """Whether the signs before and after a place belong to one word or id."""
    return 0 < place < len(text) and all(sign.isalnum() or sign in "_-:" for sign in text[place - 1 : place + 1])


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [_mapped(member, change) for member in value]
    if isinstance(value, dict):
        return {change(key): _mapped(member, change) for key, member in value.items()}
    return value


def _spoken(node: Node) -> Iterator[str]:
    """The sentences and names of a node."""
    yield node.label
    for name in _SPOKEN:
        yield from _texts_in(node.attrs.get(name))


def texts_of(node: Node, *, aliases: bool = True) -> Iterator[str]:
    """The words of a node: its label and every text in its attributes but those that are structure.

    Aliases were learned from any text, so that they show nothing of where a word stands.
    """
    yield node.label
    for name, value in node.attrs.items():
        if name not in STRUCTURE and (aliases or name != ALIASES):
            yield from _texts_in(value)


def aliases_of(node: Node) -> Iterator[str]:
    """The names of a node beside its label."""
    return _texts_in(node.attrs.get(ALIASES))


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _texts_in(member)
    elif isinstance(value, dict):
        for name, member in value.items():
            yield str(name)
            yield from _texts_in(member)


def _only_there(gone: Iterable[str], left: Iterable[str]) -> dict[str, None]:
    """Runs of words that stand in what is removed, and in nothing that is left."""
    found = {gram: None for text in gone for gram in _grams(text, _WORDS)}
    for text in left:
        if not found:
            break
        for gram in _grams(text, _WORDS):
            found.pop(gram, None)
    return found


def _grams(text: str, most: int) -> Iterator[str]:
    for form in dict.fromkeys((normalise(text), own_form(text))):
        words = form.split()
        if len(words) > most > 1:
            yield " ".join(words)
        for start in range(len(words)):
            for length in range(1, most + 1):
                if start + length > len(words):
                    break
                yield " ".join(words[start : start + length])
