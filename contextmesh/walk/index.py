"""The index a walk starts from: words of statements and of sources, names, and adjacency. It follows the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.store.model import Edge, Node
from contextmesh.walk.names import NameTable
from contextmesh.walk.postings import Bags
from contextmesh.walk.words import terms

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.store.receipt import Receipt

SOURCE = "source"
ENTITY = "entity"
NAMED = ("entity", "source", "decision", "assumption")
# A title says what the whole of a source is about, so its words count more than a sentence's.
TITLE = 2.0


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the index holds of one node: enough to take it out again."""

    words: str
    source: str | None
    names: tuple[str, ...]


class WordIndex:
    """Built once over a graph; afterwards each commit costs what it wrote.

    Attributes:
        statements: bags of the words of every claim, decision, assumption, evidence and kind of one's own.
        passages: bags of every source: its title and the words of what was read from it.
        names: what a question may call a node.
    """

    def __init__(self, graph: ContextGraph) -> None:
        self.statements = Bags()
        self.passages = Bags()
        self.names = NameTable()
        self._store = graph.store
        self._entries: dict[str, _Entry] = {}
        self._order: dict[str, int] = {}
        self._out: dict[str, list[Edge]] = {}
        self._in: dict[str, list[Edge]] = {}
        self._between: dict[tuple[str, str], list[Edge]] = {}
        for node in self._store.nodes.values():
            self._put(node)
        for edge in self._store.edges.values():
            self._link(edge)
        self._store.observers.append(self._follow)

    def __contains__(self, id: str) -> bool:
        return id in self._entries

    def out_of(self, id: str) -> list[Edge]:
        """The edges that leave a node, dead ones included, in the order of insertion."""
        return self._out.get(id, [])

    def into(self, id: str) -> list[Edge]:
        """The edges that reach a node, dead ones included, in the order of insertion."""
        return self._in.get(id, [])

    def between(self, src: str, dst: str) -> list[Edge]:
        """The edges from one node to another."""
        return self._between.get((src, dst), [])

    def degree(self, id: str) -> int:
        """How many edges touch a node."""
        return len(self._out.get(id, ())) + len(self._in.get(id, ()))

    def order(self, id: str) -> int:
        """The place of a node in the order of insertion: what breaks ties."""
        return self._order[id]

    def _follow(self, receipt: Receipt) -> None:
        for id in receipt.nodes:
            self._put(self._store.nodes[id])
        for id in receipt.edges:
            self._link(self._store.edges[id])

    def _put(self, node: Node) -> None:
        self._order.setdefault(node.id, len(self._order))
        entry = _entry(node)
        old = self._entries.get(node.id)
        if old == entry:
            return
        if old is not None:
            self._drop(node, old)
        self._entries[node.id] = entry
        for name in entry.names:
            self.names.put(node.id, name)
        words = terms(entry.words)
        if node.type == SOURCE:
            self.passages.add(node.id, words, TITLE)
        elif node.type != ENTITY:
            self.statements.add(node.id, words)
            if entry.source is not None:
                self.passages.add(entry.source, words)

    def _drop(self, node: Node, old: _Entry) -> None:
        for name in old.names:
            self.names.drop(node.id, name)
        words = terms(old.words)
        if node.type == SOURCE:
            self.passages.take(node.id, words, TITLE)
        elif node.type != ENTITY:
            self.statements.take(node.id, words)
            if old.source is not None:
                self.passages.take(old.source, words)

    def _link(self, edge: Edge) -> None:
        between = self._between.setdefault((edge.src, edge.dst), [])
        known = any(old.id == edge.id for old in between)
        for edges in (between, self._out.setdefault(edge.src, []), self._in.setdefault(edge.dst, [])):
            if known:
                _replace(edges, edge)
            else:
                edges.append(edge)


def statement_text(node: Node) -> str:
    """The words of a node: its label, and its rationale where it has one."""
    rationale = node.attrs.get("rationale")
    return f"{node.label}\n{rationale}" if isinstance(rationale, str) and rationale else node.label


def _entry(node: Node) -> _Entry:
    source = node.provenance.source_id if node.provenance is not None else None
    names = tuple(dict.fromkeys(_names(node))) if node.type in NAMED else ()
    return _Entry(statement_text(node), source if node.type != SOURCE else None, names)


def _names(node: Node) -> Iterator[str]:
    yield node.label
    head, bracket, _ = node.label.partition(" (")
    if bracket and head.strip():
        yield head
    head, colon, _ = node.label.partition(":")
    if colon and node.type != "assumption" and head.strip():
        yield head
    key = node.attrs.get("record_key")
    if isinstance(key, str):
        yield key
    aliases = node.attrs.get("aliases")
    if isinstance(aliases, list | tuple):
        yield from (alias for alias in aliases if isinstance(alias, str))


def _replace(edges: list[Edge], edge: Edge) -> None:
    for at, old in enumerate(edges):
        if old.id == edge.id:
            edges[at] = edge
            return
