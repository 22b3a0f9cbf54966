"""From an answer on to what it stands on: what superseded it, and the cheapest live way down to a source."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING

from contextmesh.walk.answer import Step
from contextmesh.walk.kinds import SOURCE
from contextmesh.walk.roads import BACKWARD, FORWARD

if TYPE_CHECKING:
    from contextmesh.store.model import Edge
    from contextmesh.store.store import Store
    from contextmesh.walk.index import Index
    from contextmesh.walk.roads import Roads
    from contextmesh.walk.visits import Visit

# How many nodes a search for a source looks at, and how many replacements one answer follows.
LOOKED_AT = 64
REPLACEMENTS = 64
SUPERSEDES = "supersedes"
CONTRADICTS = "contradicts"


class Standing:
    """Reads what holds around an answer; every edge and node it returns is live."""

    def __init__(self, store: Store, index: Index, roads: Roads, is_live: Callable[[str], bool]) -> None:
        self._nodes = store.nodes
        self._engine = store.engine
        self._edges = index.edges
        self._roads = roads
        self._is_live = is_live

    def steps_of(self, way: list[Visit]) -> list[Step]:
        """A walked way as steps."""
        return [Step.of(self._nodes[visit.id], visit.edge, visit.direction) for visit in way]

    def successors(self, id: str) -> list[Step]:
        """The steps from a node to what is current in its stead, each superseding the one before."""
        steps: list[Step] = []
        seen = {id: None}
        while len(steps) < REPLACEMENTS:
            edge = next((e for e in self._edges.into(id) if self._replaces(e) and e.src not in seen), None)
            if edge is None:
                break
            id = edge.src
            seen[id] = None
            steps.append(Step.of(self._nodes[id], edge, BACKWARD))
        return steps

    def down_to_source(self, id: str) -> list[Step]:
        """The steps of the cheapest way from a node to a source along grounds; none when there is no such way."""
        came: dict[str, tuple[str, Edge]] = {}
        prices = {id: 0.0}
        done: dict[str, None] = {}
        heap = [(0.0, 0, id)]
        pushed = 0
        while heap and len(done) < LOOKED_AT:
            price, _, at = heapq.heappop(heap)
            if at in done:
                continue
            done[at] = None
            if self._nodes[at].type == SOURCE and at != id:
                return self._back(at, id, came)
            for edge in self._edges.out_of(at, LOOKED_AT):
                further = price + self._roads.forward.get(edge.type, 1.0)
                if edge.type in self._roads.grounds and self.holds(edge) and further < prices.get(edge.dst, 1e9):
                    prices[edge.dst], came[edge.dst] = further, (at, edge)
                    pushed += 1
                    heapq.heappush(heap, (further, pushed, edge.dst))
        return []

    def conflicts(self, id: str) -> tuple[str, ...]:
        """Live nodes that contradict this one or are contradicted by it, in the order of insertion."""
        edges = [e for e in (*self._edges.into(id), *self._edges.out_of(id)) if e.type == CONTRADICTS]
        return tuple(dict.fromkeys(e.src if e.dst == id else e.dst for e in edges if self.holds(e)))

    def _replaces(self, edge: Edge) -> bool:
        return edge.type == SUPERSEDES and self.holds(edge)

    def holds(self, edge: Edge) -> bool:
        """Whether an edge and both its ends are live."""
        live = self._is_live(edge.src) and self._is_live(edge.dst)
        return live and not self._engine.holds("edge_dead", (edge.id,))

    def _back(self, at: str, start: str, came: dict[str, tuple[str, Edge]]) -> list[Step]:
        steps: list[Step] = []
        while at != start:
            before, edge = came[at]
            steps.append(Step.of(self._nodes[at], edge, FORWARD))
            at = before
        return steps[::-1]
