"""What replaced what, oldest first, for anything that supersedes."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from contextmesh.store.model import Edge, Node
from contextmesh.store.relations import SUPERSEDES

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph


def lineage(graph: ContextGraph, node_id: str) -> tuple[Node, ...]:
    """Everything the node replaced, the node, and everything that replaced it; each after all it replaced.

    Where several stand in no order, the one written earlier comes first, then the smaller id. A circle, which only
    a foreign file can hold, is kept and ends where it began.

    Raises:
        UnknownError: ``unknown-node``.
    """
    graph.node(node_id)
    older = _closure(graph, node_id, forward=True)
    newer = _closure(graph, node_id, forward=False)
    members = dict.fromkeys((*older, *newer))
    waits = {name: _inside(members, graph.edges_from(name, SUPERSEDES)) for name in members}
    return tuple(graph.node(name) for name in _ordered(graph, members, waits))


def _closure(graph: ContextGraph, start: str, *, forward: bool) -> dict[str, None]:
    seen = {start: None}
    queue = [start]
    for name in queue:
        edges = graph.edges_from(name, SUPERSEDES) if forward else graph.edges_to(name, SUPERSEDES)
        for edge in edges:
            other = edge.dst if forward else edge.src
            if other not in seen:
                seen[other] = None
                queue.append(other)
    return seen


def _inside(members: dict[str, None], edges: tuple[Edge, ...]) -> dict[str, None]:
    return {edge.dst: None for edge in edges if edge.dst in members}


def _ordered(graph: ContextGraph, members: dict[str, None], waits: dict[str, dict[str, None]]) -> list[str]:
    """Kahn's order with a heap, so that the choice among the ready is always the same."""
    born = {name: (graph.store.born(name), name) for name in members}
    count = {name: len(before) for name, before in waits.items()}
    after: dict[str, list[str]] = {name: [] for name in members}
    for name, before in waits.items():
        for older in before:
            after[older].append(name)
    heap = sorted(born[name] for name, left in count.items() if left == 0)
    order: dict[str, None] = {}
    while len(order) < len(members):
        if not heap:
            heappush(heap, min(born[name] for name in members if name not in order))
        name = heappop(heap)[1]
        if name in order:
            continue
        order[name] = None
        for newer in after[name]:
            count[newer] -= 1
            if count[newer] == 0 and newer not in order:
                heappush(heap, born[newer])
    return list(order)
