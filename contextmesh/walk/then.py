"""The index of a past: the index of now, filtered by what was there, each word and each name when it is first asked.

A text that has changed since stands here beside it, as it was. Everything else is shared, so a view costs a pass over
the records and then what its questions hold.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from contextmesh.graph.facts_then import differences
from contextmesh.walk.index import TITLE, Adjacency, Entry, Index, WordIndex, entry_of, same_entry
from contextmesh.walk.kinds import ENTITY, SOURCE
from contextmesh.walk.names import NameTable
from contextmesh.walk.postings import Bags, Counts, Ranking
from contextmesh.walk.roads import RoadsNow

if TYPE_CHECKING:
    from contextmesh.store.model import Edge
    from contextmesh.store.store import Store
    from contextmesh.walk.roads import Roads


class IndexThen(Index):
    """What an index built over the store of then would say; the index of now may go on meanwhile.

    Args:
        now: an index over the graph that ``then`` is a past of.
        then: a store whose records are, or once were, records of that graph.
    """

    def __init__(self, now: WordIndex, then: Store) -> None:
        self.numbers = now.numbers
        self.now = now
        self._nodes = then.nodes
        self._store = then
        self._read = len(now.replaced)
        gone, changed = differences(then.nodes, now.nodes)
        number, standing = now.numbers.of, now.nodes
        self._own = {number[id]: entry_of(node) for id, node in changed.items() if not same_entry(node, standing[id])}
        self._gone = [number[id] for id in gone]
        self._kept = bytearray(b"\x01" * len(now.numbers.ids))
        for at in (*self._gone, *self._own):
            self._kept[at] = 0
        self.names: NamesThen = NamesThen(now.names, self)
        self.edges: Adjacency = AdjacencyThen(now.edges, then.edges)
        statements, passages = self._lengths()
        self.statements: StatementsThen = StatementsThen(now.statements, self, statements)
        self.passages: PassagesThen = PassagesThen(now.passages, self, passages)

    def __contains__(self, id: str) -> bool:
        return id in self._nodes

    def words(self, id: str) -> tuple[str, ...]:
        own = self.own.get(self.numbers.of[id])
        return own.words if own is not None else self.now.words(id)

    def roads(self) -> Roads:
        return self._roads.read()

    @cached_property
    def _roads(self) -> RoadsNow:
        return RoadsNow(self._store)

    @property
    def own(self) -> Mapping[int, Entry]:
        """By number: the entry of then of each node whose entry is another now."""
        replaced = self.now.replaced
        while self._read < len(replaced):
            number, was = replaced[self._read]
            self._read += 1
            if number < len(self._kept) and self._kept[number]:
                self._kept[number] = 0
                self._own[number] = entry_of(was)
        return self._own

    @property
    def kept(self) -> bytearray:
        """By number: whether the node was there and its entry is the one of now."""
        assert self.own is self._own, "what changed meanwhile is taken in first"
        return self._kept

    def other(self) -> Iterator[int]:
        """The numbers of nodes of now that were not there or have another entry now."""
        own = self.own
        return chain(self._gone, own, range(len(self._kept), len(self.numbers.ids)))

    def others(self) -> int:
        """How many those are."""
        return len(self._gone) + len(self.own) + len(self.numbers.ids) - len(self._kept)

    def home(self, number: int) -> int | None:
        """The number of the source that a statement of now was read in."""
        read = self.now.nodes[self.numbers.ids[number]].provenance
        return None if read is None else self.numbers.of[read.source_id]

    def _lengths(self) -> tuple[list[int], list[int]]:
        """The terms of each statement's bag, and of each source's, by number; -1 for no bag."""
        statements, passages = self.now.statements.lengths(), self.now.passages.lengths()
        ids, nodes, own = self.numbers.ids, self.now.nodes, self._own
        for at in self.other():
            kind = nodes[ids[at]].type
            if kind == SOURCE:
                passages[at] -= TITLE * len(self.now.words(ids[at]))
            elif kind != ENTITY:
                if (home := self.home(at)) is not None:
                    passages[home] -= statements[at]
                statements[at] = -1
        for at, entry in own.items():
            kind = nodes[ids[at]].type
            if kind == SOURCE:
                passages[at] += TITLE * len(entry.words)
            elif kind != ENTITY:
                statements[at] = len(entry.words)
                if entry.source is not None:
                    passages[self.numbers.of[entry.source]] += len(entry.words)
        for at in self._gone:
            if nodes[ids[at]].type == SOURCE:
                passages[at] = -1
        return statements, passages


class AdjacencyThen(Adjacency):
    """The edges of then, found among the edges of now, which has them all."""

    def __init__(self, now: Adjacency, edges: Mapping[str, Edge]) -> None:
        self._now, self._edges = now, edges
        self._counts: dict[tuple[str, str], int] = {}

    def out_of(self, id: str, most: int | None = None) -> list[Edge]:
        return self._there(self._now.out_of(id))[:most]

    def into(self, id: str, most: int | None = None) -> list[Edge]:
        return self._there(self._now.into(id))[:most]

    def leaving(self, id: str) -> int:
        return self._counted("out", id)

    def reaching(self, id: str) -> int:
        return self._counted("in", id)

    def between(self, src: str, dst: str) -> list[Edge]:
        return self._there(self._now.between(src, dst))

    def _there(self, edges: list[Edge]) -> list[Edge]:
        then = self._edges
        return [then[edge.id] for edge in edges if edge.id in then]

    def _counted(self, way: str, id: str) -> int:
        count = self._counts.get((way, id))
        if count is None:
            count = self._counts[way, id] = len(self.out_of(id) if way == "out" else self.into(id))
        return count


class NamesThen(NameTable):
    """The names that the nodes of then had."""

    def __init__(self, now: NameTable, index: IndexThen) -> None:
        super().__init__()
        self._now, self._index = now, index
        self._known = 0
        self._catch_up()

    def of_words(self, key: str) -> tuple[str, ...]:
        self._catch_up()
        return self._joined(self._now.of_words(key), super().of_words(key))

    def of_letters(self, letters: str) -> tuple[str, ...]:
        self._catch_up()
        return self._joined(self._now.of_letters(letters), super().of_letters(letters))

    def of_series(self, head: str) -> Iterable[str]:
        self._catch_up()
        return self._joined(tuple(self._now.of_series(head)), tuple(super().of_series(head)))

    def _catch_up(self) -> None:
        own = self._index.own
        for number in list(own)[self._known :]:
            for name in own[number].names:
                self.put(self._index.numbers.ids[number], name)
            record = own[number].record
            if record is not None:
                self.put_record(self._index.numbers.ids[number], record)
        self._known = len(own)
        self.longest = max(self.longest, self._now.longest)
        self.most_letters = max(self.most_letters, self._now.most_letters)

    def _joined(self, standing: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
        number, kept = self._index.numbers.of, self._index.kept
        there = [id for id in standing if number[id] < len(kept) and kept[number[id]]]
        return tuple(sorted([*there, *own], key=number.__getitem__)) if own else tuple(there)


class BagsThen(Ranking):
    """Bags of then; what a term counts in them is found when it is first asked, and kept."""

    def __init__(self, now: Bags, index: IndexThen, lengths: list[int]) -> None:
        super().__init__(now.numbers)
        self._now, self._index, self._lengths = now, index, lengths
        self._found: dict[str, Counts] = {}
        there = [length for length in lengths if length >= 0]
        self.bags, self.total = len(there), sum(there)

    def __contains__(self, number: int) -> bool:
        return number < len(self._lengths) and self._lengths[number] >= 0

    def length(self, number: int) -> int:
        return self._lengths[number] if number in self else 0

    def counts(self, term: str) -> Counts:
        found = self._found.get(term)
        if found is None:
            found = self._found[term] = self._counted(term)
        return found

    def opening(self, letters: str) -> Iterable[str]:
        """As now; terms that only a text of then had come last."""
        own = (term for entry in self._index.own.values() for term in entry.words if term.startswith(letters))
        return dict.fromkeys((*self._now.opening(letters), *own))

    @abstractmethod
    def _counted(self, term: str) -> Counts: ...

    def _missing(self, *counts: Counts) -> Iterable[int]:
        """Numbers, among those that some of these counts have, of nodes whose entry is not what it was."""
        kept, index = self._index.kept, self._index
        if index.others() < sum(map(len, counts)):
            return [number for number in index.other() if any(number in held for held in counts)]
        return [number for held in counts for number in held if number >= len(kept) or not kept[number]]


class StatementsThen(BagsThen):
    """Each statement's own words."""

    def _counted(self, term: str) -> Counts:
        there = dict(self._now.counts(term))
        for number in self._missing(there):
            del there[number]
        own = {n: e.words.count(term) for n, e in self._index.own.items() if n in self and term in e.words}
        return dict(sorted((there | own).items())) if own else there


class PassagesThen(BagsThen):
    """Each source's title of then, and of its statements those that were there."""

    def _counted(self, term: str) -> Counts:
        index, number = self._index, self.numbers.of
        there, said = Counter(self._now.counts(term)), index.now.statements.counts(term)
        for at in self._missing(there, said):
            if at in said:
                home = index.home(at)
                if home is not None:
                    there[home] -= said[at]
            else:
                there[at] -= TITLE * index.now.words(self.numbers.ids[at]).count(term)
        for at, entry in index.own.items():
            count = entry.words.count(term)
            if count and at in self:
                there[at] += TITLE * count
            elif count and entry.source is not None:
                there[number[entry.source]] += count
        return {at: count for at, count in there.items() if count > 0}
