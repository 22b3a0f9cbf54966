"""What the rules say about walking: prices, which edges read backwards, what answers, what words ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.store.relations import OF_RECORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contextmesh.datalog.ast import Row
    from contextmesh.store.store import Store

FORWARD, BACKWARD, NEWEST = "forward", "backward", "newest"

READ = ("walks", "reads_back", "asserts", "ground_word", "answers", "asks_for", "looks_for")
"""The relations that the tables are read from."""


@dataclass(frozen=True, slots=True)
class Roads:
    """Read from the engine: the rows of walk.dl and asks.dl as tables.

    Attributes:
        forward: price by edge type, walked from source to target.
        backward: price by edge type, walked from target to source, towards what asserts.
        asserts, answers: kinds.
        grounds: edge types that lead to where a node came from.
        asks_for: words to (place, edge type, direction).
        looks_for: words to signs of an answer.
        longest_words: how many words the longest phrase of the two has.
    """

    forward: dict[str, float]
    backward: dict[str, float]
    asserts: tuple[str, ...]
    grounds: tuple[str, ...]
    answers: tuple[str, ...]
    asks_for: dict[str, tuple[tuple[str, str, str], ...]]
    looks_for: dict[str, tuple[str, ...]]
    longest_words: int

    @classmethod
    def read(cls, store: Store) -> Roads:
        """The tables as the rules derive them now."""
        asks: dict[str, list[tuple[str, str, str]]] = {}
        for words, place, type_, direction in sorted(_rows(store, "asks_for"), key=str):
            asks.setdefault(str(words), []).append((str(place), str(type_), str(direction)))
        looks: dict[str, list[str]] = {}
        for words, sign in sorted(_rows(store, "looks_for"), key=str):
            looks.setdefault(str(words), []).append(str(sign))
        return cls(
            forward=_prices(store, "walks"),
            backward=_prices(store, "reads_back"),
            asserts=_firsts(store, "asserts"),
            grounds=_firsts(store, "ground_word"),
            answers=_firsts(store, "answers"),
            asks_for={words: tuple(rows) for words, rows in asks.items()},
            looks_for={words: tuple(signs) for words, signs in looks.items()},
            longest_words=max((w.count(" ") + 1 for w in (*asks, *looks)), default=0),
        )


class RoadsNow:
    """The tables of a store, read again only when facts came that the rules may draw them from."""

    def __init__(self, store: Store) -> None:
        self._store = store
        declared = store.policy.program.declarations
        needed = store.needed_for([name for name in READ if name in declared])
        self._inputs = tuple(name for name in needed if declared[name].kind == "input")
        self._read: tuple[tuple[int, ...], Roads] | None = None

    def read(self) -> Roads:
        """The tables as the rules derive them now."""
        store = self._store
        # A record that is replaced may take facts back: where records decide, counts are no sign that all is equal.
        seq = store.seq if any(name in OF_RECORDS for name in self._inputs) else 0
        stamp = (seq, *(store.engine.count(name) for name in self._inputs))
        if self._read is None or self._read[0] != stamp:
            self._read = stamp, Roads.read(store)
        return self._read[1]


def _rows(store: Store, relation: str) -> Iterable[Row]:
    return store.engine.rows(relation) if relation in store.policy.program.declarations else ()


def _firsts(store: Store, relation: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(row[0]) for row in _rows(store, relation)))


def _prices(store: Store, relation: str) -> dict[str, float]:
    """Hundredths to units; an edge type with several prices goes at the lowest."""
    prices: dict[str, float] = {}
    for type_, price in _rows(store, relation):
        assert isinstance(price, int)
        prices[str(type_)] = min(prices.get(str(type_), float("inf")), price / 100)
    return prices
