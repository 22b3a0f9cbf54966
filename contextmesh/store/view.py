"""The read side: ordered adjacency and what holds, straight from the engine's rows and indexes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING

from contextmesh.base.errors import Problem, UnknownError
from contextmesh.base.ids import edge_key, grown, slug
from contextmesh.store.model import a

if TYPE_CHECKING:
    from contextmesh.store.model import Assumption, Edge, Node
    from contextmesh.store.store import Store

LOOKED_AT = 20_000
"""How many ids a did-you-mean looks through at most, so that a slip costs the same in any graph."""


class View:
    """Lookups over one store; each costs what it returns."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def node(self, node_id: str) -> Node:
        """Raises UnknownError, code ``unknown-node``, with the nearest id."""
        found = self._store.nodes.get(node_id)
        if found is None:
            raise unknown_node(self._store, node_id)
        return found

    def edge(self, edge_id: str) -> Edge:
        """Raises UnknownError, code ``unknown-edge``."""
        found = self._store.edges.get(edge_id)
        if found is None:
            raise UnknownError(Problem("unknown-edge", f"no edge has the id {edge_id}", subject=edge_id))
        return found

    def assumption(self, assumption_id: str) -> Assumption:
        """Raises UnknownError, code ``unknown-assumption``."""
        found = self._store.assumptions.get(assumption_id)
        if found is None:
            raise unknown_assumption(self._store, assumption_id)
        return found

    def edges_from(self, node_id: str, type_: str | None = None) -> tuple[Edge, ...]:
        """Edges that leave a node, dead ones included, in the order of insertion."""
        edges = self._store.edges
        return tuple(edges[str(r[0])] for r in self._store.engine.match("edge", (None, node_id, type_, None)))

    def edges_to(self, node_id: str, type_: str | None = None) -> tuple[Edge, ...]:
        """Edges that reach a node, dead ones included, in the order of insertion."""
        edges = self._store.edges
        return tuple(edges[str(r[0])] for r in self._store.engine.match("edge", (None, None, type_, node_id)))

    def is_live(self, node_id: str) -> bool:
        return self._store.engine.holds("live", (node_id,))

    def is_edge_live(self, edge_id: str) -> bool:
        return edge_id in self._store.edges and not self._store.engine.holds("edge_dead", (edge_id,))

    def live_nodes(self, type_: str | None = None) -> Iterator[Node]:
        """Live nodes, of one type when given, in the order of insertion."""
        nodes = self._store.nodes
        if type_ is None:
            yield from (n for n in list(nodes.values()) if self.is_live(n.id))
        else:
            ids = [str(row[0]) for row in self._store.engine.match("node", (None, type_))]
            yield from (nodes[name] for name in ids if self.is_live(name))

    def status(self, assumption_id: str) -> str:
        """``active``, ``superseded`` or ``rejected``, as the rules say."""
        self.assumption(assumption_id)
        for row in self._store.engine.match("status", (assumption_id, None)):
            return str(row[1])
        raise AssertionError(f"the rules give {assumption_id} no status")


def edge_between(
    edge_of: Callable[[str], Edge | None], is_node: Callable[[str], object], src: str, type_: str, dst: str
) -> tuple[Edge | None, str]:
    """The edge of this source, type and target, or None, and the id it has or would get."""
    key = edge_key(src, type_, dst)
    first = slug(key, "edge")
    if edge_of(first) is None and not is_node(first):
        return None, first
    for candidate in grown(key, "edge"):
        found = edge_of(candidate)
        if found is None and not is_node(candidate):
            return None, candidate
        if found is not None and (found.src, found.type, found.dst) == (src, type_, dst):
            return found, candidate
    raise AssertionError(f"no free id for {edge_key(src, type_, dst)!r}")


def unknown_node(store: Store, node_id: str) -> UnknownError:
    """The refusal for an id that names no node, with the nearest one known."""
    near = _nearest(store, node_id)
    hint = f"did you mean `{near}`?" if near is not None else None
    return UnknownError(Problem("unknown-node", f"no node has the id {node_id}", subject=node_id, hint=hint))


def unknown_assumption(store: Store, assumption_id: str) -> UnknownError:
    """The refusal for an id that names no assumption."""
    node = store.nodes.get(assumption_id)
    if node is not None:
        message = f"{assumption_id} is {a(node.type)}, not an assumption"
        return UnknownError(Problem("unknown-assumption", message, subject=assumption_id))
    near = get_close_matches(assumption_id, list(islice(store.assumptions, LOOKED_AT)), n=1)
    hint = f"did you mean `{near[0]}`?" if near else None
    message = f"no assumption has the id {assumption_id}"
    return UnknownError(Problem("unknown-assumption", message, subject=assumption_id, hint=hint))


def _nearest(store: Store, node_id: str) -> str | None:
    for row in store.engine.match("named", (None, node_id)):
        return str(row[0])  # a label was given where an id is wanted
    start = node_id[: max(4, node_id.find(":") + 4)]
    likely = [name for name in islice(store.nodes, LOOKED_AT) if name.startswith(start)]
    near = get_close_matches(node_id, likely[:1000], n=1)
    return near[0] if near else None
