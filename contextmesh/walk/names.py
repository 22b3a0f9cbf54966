"""Names to nodes by look-up: the longest names that a question spells out, in any script."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from contextmesh.walk.words import FUNCTION_WORDS, fold, has_unspaced, name_key, placed_words

# A label of more words is a sentence, not a name that anybody spells out in a question.
LONGEST = 12
LONGEST_LETTERS = 40


Table = dict[str, str | dict[str, None]]
"""What a name stands for: most stand for one node alone, and some for a great many."""


@dataclass(frozen=True, slots=True)
class Found:
    """A name that stands in a question: where (half-open character offsets), and every node that bears it."""

    text: str
    start: int
    end: int
    ids: tuple[str, ...]


class NameTable:
    """Names by their folded words; names in scripts that do not part words by their letters."""

    def __init__(self) -> None:
        self._by_words: Table = {}
        self._by_letters: Table = {}
        self._series: dict[str, dict[str, None]] = {}
        self.longest = 0
        self.most_letters = 0

    def put(self, id: str, name: str) -> None:
        """Let a name stand for a node; one name may stand for several."""
        if has_unspaced(name):
            letters = fold(name).strip()
            if len(letters) > LONGEST_LETTERS:
                return
            _file(self._by_letters, letters, id)
            self.most_letters = max(self.most_letters, len(letters))
            return
        key = name_key(name)
        count = key.count(" ") + 1
        if key and count <= LONGEST:
            _file(self._by_words, key, id)
            self.longest = max(self.longest, count)

    def drop(self, id: str, name: str) -> None:
        """Let a name no longer stand for a node."""
        for table, key in ((self._by_letters, fold(name).strip()), (self._by_words, name_key(name))):
            held = table.get(key)
            if isinstance(held, dict):
                held.pop(id, None)
            elif held == id:
                del table[key]

    def put_record(self, id: str, key: str) -> None:
        """File the name of a record under what it shares with others of its series: ``rfc`` of ``rfc-12``."""
        head = _head_of(key)
        if head:
            self._series.setdefault(head, {})[id] = None

    def drop_record(self, id: str, key: str) -> None:
        """Take the name of a record out again."""
        self._series.get(_head_of(key), {}).pop(id, None)

    def of_series(self, head: str) -> Iterable[str]:
        """The records whose names are these words and a number."""
        return self._series.get(head, ())

    def of_words(self, key: str) -> tuple[str, ...]:
        """The nodes that a name of these folded words stands for."""
        return _bearers(self._by_words, key)

    def of_letters(self, letters: str) -> tuple[str, ...]:
        """The nodes that a name of these folded letters stands for."""
        return _bearers(self._by_letters, letters)

    def find(self, question: str) -> tuple[Found, ...]:
        """The names in a question, longer ones first, none inside another; a name of function words is none."""
        found: list[Found] = []
        taken = bytearray(len(question))
        self._find_letters(question, taken, found)
        self._find_words(question, taken, found)
        return tuple(found)

    def _find_words(self, question: str, taken: bytearray, found: list[Found]) -> None:
        words = placed_words(question)
        for length in range(min(self.longest, len(words)), 0, -1):
            for first in range(len(words) - length + 1):
                start, end = words[first].start, words[first + length - 1].end
                if any(taken[start:end]):
                    continue
                parts = [word.text for word in words[first : first + length]]
                ids = self.of_words(" ".join(parts))
                if ids and not _says_nothing(parts):
                    _take(question, start, end, ids, taken, found)

    def _find_letters(self, question: str, taken: bytearray, found: list[Found]) -> None:
        folded = fold(question)
        if not self.most_letters or len(folded) != len(question):
            return
        for length in range(min(self.most_letters, len(folded)), 0, -1):
            for start in range(len(folded) - length + 1):
                ids = self.of_letters(folded[start : start + length])
                if ids and not any(taken[start : start + length]):
                    _take(question, start, start + length, ids, taken, found)


def _head_of(key: str) -> str:
    head, _, number = name_key(key).rpartition(" ")
    return head if number.isdecimal() else ""


def _file(table: Table, key: str, id: str) -> None:
    held = table.get(key)
    if held is None:
        table[key] = id
    elif isinstance(held, dict):
        held[id] = None
    elif held != id:
        table[key] = {held: None, id: None}


def _bearers(table: Table, key: str) -> tuple[str, ...]:
    held = table.get(key, ())
    return (held,) if isinstance(held, str) else tuple(held)


def _says_nothing(parts: Iterable[str]) -> bool:
    return all(part in FUNCTION_WORDS for part in parts)


def _take(question: str, start: int, end: int, ids: Iterable[str], taken: bytearray, found: list[Found]) -> None:
    taken[start:end] = b"\x01" * (end - start)
    found.append(Found(question[start:end], start, end, tuple(ids)))
