"""The index a walk starts from: words of statements and of sources, and names. It follows the store.

Edges are the engine's to find: nothing of the graph's shape stands here a second time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contextmesh.datalog.index import Bucket, count_of, first_of, rows_of
from contextmesh.store.model import Edge, Node
from contextmesh.walk.kinds import ENTITY, SOURCE
from contextmesh.walk.names import NameTable
from contextmesh.walk.postings import Bags, Numbers, Ranking
from contextmesh.walk.roads import Roads, RoadsNow
from contextmesh.walk.ways import Ways
from contextmesh.walk.words import name_key, terms

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.store.receipt import Receipt
    from contextmesh.store.store import Store

SRC, DST = 1, 3
"""Columns of ``edge``."""

NAMED = ("entity", "source", "decision", "assumption")
# A title says what the whole of a source is about, so its words count more than a sentence's.
TITLE = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """What an index holds of one node.

    Attributes:
        words: the terms of its text, in order, repeats kept.
        source: where they were read.
        record: the name that other records refer to it by.
    """

    words: tuple[str, ...]
    source: str | None
    names: tuple[str, ...]
    record: str | None = None


class Adjacency:
    """The edges of a graph as the engine finds them, dead ones included, in the order of insertion."""

    def __init__(self, store: Store) -> None:
        self._edges = store.edges
        relation = store.engine.read("edge")
        self._out: dict[Any, Any] = relation.reader(SRC).buckets
        self._in: dict[Any, Any] = relation.reader(DST).buckets

    def out_of(self, id: str, most: int | None = None) -> list[Edge]:
        """The edges that leave a node, or the first of them."""
        return self._listed(self._out.get(id), most)

    def into(self, id: str, most: int | None = None) -> list[Edge]:
        """The edges that reach a node, or the first of them."""
        return self._listed(self._in.get(id), most)

    def leaving(self, id: str) -> int:
        """How many edges leave a node."""
        bucket = self._out.get(id)
        return 0 if bucket is None else count_of(bucket)

    def reaching(self, id: str) -> int:
        """How many edges reach a node."""
        bucket = self._in.get(id)
        return 0 if bucket is None else count_of(bucket)

    def between(self, src: str, dst: str) -> list[Edge]:
        """The edges from one node to another; costs what the less busy of the two has."""
        leaving, reaching, edges = self._out.get(src), self._in.get(dst), self._edges
        if leaving is None or reaching is None:
            return []
        if count_of(leaving) <= count_of(reaching):
            return [edges[row[0]] for row in rows_of(leaving) if row[DST] == dst]  # type: ignore[index]
        return [edges[row[0]] for row in rows_of(reaching) if row[SRC] == src]  # type: ignore[index]

    def degree(self, id: str) -> int:
        """How many edges touch a node."""
        return self.leaving(id) + self.reaching(id)

    def _listed(self, bucket: Bucket | None, most: int | None) -> list[Edge]:
        if bucket is None:
            return []
        edges = self._edges
        rows = rows_of(bucket) if most is None else first_of(bucket, most)
        return [edges[row[0]] for row in rows]  # type: ignore[index]


class Index(ABC):
    """What a walk asks of an index, whatever time it is of.

    Attributes:
        statements: bags of the words of every claim, decision, assumption, evidence and kind of one's own.
        passages: bags of every source: its title and the words of what was read from it.
        names: what a question may call a node.
        edges: adjacency.
        numbers: the nodes in the order of insertion.
    """

    statements: Ranking
    passages: Ranking
    names: NameTable
    edges: Adjacency
    numbers: Numbers
    _store: Store
    _ways: Ways | None = None

    @abstractmethod
    def __contains__(self, id: str) -> bool: ...

    @abstractmethod
    def words(self, id: str) -> tuple[str, ...]:
        """The terms of a node's text, in order, repeats kept."""

    @abstractmethod
    def roads(self) -> Roads:
        """What the rules say about walking."""

    def ways(self, roads: Roads, fan: int) -> Ways:
        """What walks find at nodes, kept from one question to the next until something is written."""
        stamp = (self._store.seq, id(roads), fan)
        if self._ways is None or self._ways.stamp != stamp:
            self._ways = Ways(self, self._store, roads, fan)
        return self._ways

    def order(self, id: str) -> int:
        """The place of a node in the order of insertion: what breaks ties."""
        return self.numbers.of[id]


class WordIndex(Index):
    """Built once over a graph; afterwards each commit costs what it wrote.

    Attributes:
        nodes: the records as they are indexed.
        replaced: the number of each node whose entry changed, and the record it had before, oldest first.
    """

    def __init__(self, graph: ContextGraph) -> None:
        self.numbers = Numbers()
        self.statements: Bags = Bags(self.numbers)
        self.passages: Bags = Bags(self.numbers)
        self.names = NameTable()
        self.edges = Adjacency(graph.store)
        self.replaced: list[tuple[int, Node]] = []
        self._store = graph.store
        self._roads = RoadsNow(graph.store)
        self._nodes: dict[str, Node] = {}
        self._words: dict[str, tuple[str, ...]] = {}
        self.nodes: Mapping[str, Node] = self._nodes
        self._take_in(self._store.nodes)
        self._store.observers.append(self._follow)

    def __contains__(self, id: str) -> bool:
        return id in self._nodes

    def words(self, id: str) -> tuple[str, ...]:
        return self._words[id]

    def roads(self) -> Roads:
        return self._roads.read()

    def _follow(self, receipt: Receipt) -> None:
        self._take_in(receipt.nodes)

    def _take_in(self, ids: Iterable[str]) -> None:
        """Numbered before any is read: a statement may name a source that comes after it."""
        for id in ids:
            self.numbers.number(id)
        for id in ids:
            self._put(self._store.nodes[id])

    def _put(self, node: Node) -> None:
        id = node.id
        number = self.numbers.number(id)
        old = self._nodes.get(id)
        self._nodes[id] = node
        if old is not None:
            if same_entry(old, node):
                return
            self.replaced.append((number, old))
            self._drop(node, entry_of(old))
        entry = entry_of(node)
        words = self._words[id] = entry.words
        for name in entry.names:
            self.names.put(id, name)
        if entry.record is not None:
            self.names.put_record(id, entry.record)
        if node.type == SOURCE:
            self.passages.add(id, words, TITLE)
        elif node.type != ENTITY:
            self.statements.add(id, words)
            if entry.source is not None:
                self.passages.add(entry.source, words)

    def _drop(self, node: Node, old: Entry) -> None:
        for name in old.names:
            self.names.drop(node.id, name)
        if old.record is not None:
            self.names.drop_record(node.id, old.record)
        if node.type == SOURCE:
            self.passages.take(node.id, old.words, TITLE)
        elif node.type != ENTITY:
            self.statements.take(node.id, old.words)
            if old.source is not None:
                self.passages.take(old.source, old.words)


def statement_text(node: Node) -> str:
    """The words of a node: its label, and its rationale where it has one."""
    rationale = node.attrs.get("rationale")
    return f"{node.label}\n{rationale}" if isinstance(rationale, str) and rationale else node.label


def same_entry(one: Node, other: Node) -> bool:
    """Whether two records of one node have the same entry; costs no reading of words."""
    return one is other or (
        statement_text(one) == statement_text(other)
        and _home(one) == _home(other)
        and all(one.attrs.get(name) == other.attrs.get(name) for name in ("record_key", "aliases"))
    )


def entry_of(node: Node) -> Entry:
    """The entry of a node."""
    names = tuple(dict.fromkeys(_names(node))) if node.type in NAMED else ()
    key = node.attrs.get("record_key")
    record = key if isinstance(key, str) and node.type in NAMED else None
    return Entry(tuple(terms(statement_text(node))), _home(node), names, record)


def _home(node: Node) -> str | None:
    return node.provenance.source_id if node.provenance is not None and node.type != SOURCE else None


def _names(node: Node) -> Iterator[str]:
    yield node.label
    head, bracket, _ = node.label.partition(" (")
    if bracket and head.strip():
        yield head
    head, colon, title = node.label.partition(":")
    if colon and node.type != "assumption" and head.strip():
        yield head
    key = node.attrs.get("record_key")
    if isinstance(key, str):
        yield key
        # "PEP 215: String Interpolation" is called by its title too; a title of one word is a common word.
        if " " in title.strip() and name_key(head) == name_key(key):
            yield title
    aliases = node.attrs.get("aliases")
    if isinstance(aliases, list | tuple):
        yield from (alias for alias in aliases if isinstance(alias, str))
