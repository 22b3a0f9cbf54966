"""Random well-formed graphs for the laws of invalidation, and the answer worked out by hand.

A plan is data: nodes by kind, edges by position, then steps (reject, add) in order. ``Model`` holds the same graph
as plain Python and walks it breadth first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from graph_builders import claim, decision, entity, evidence, source
from hypothesis import strategies as st

from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.invalidation import Invalidation

KINDS = ("assumption", "source", "claim", "decision", "entity")
BACKWARD = {
    ("claim", "source"): "derived_from",
    ("decision", "claim"): "derived_from",
    ("entity", "source"): "derived_from",
    ("decision", "assumption"): "depends_on",
    ("decision", "decision"): "depends_on",
    ("claim", "assumption"): "depends_on",
}
FORWARD = {("decision", "entity"): "produces", ("decision", "source"): "produces"}
SILENT = {
    ("source", "entity"): "mentions",
    ("claim", "entity"): "mentions",
    ("claim", "claim"): "cites",
    ("decision", "source"): "cites",
    ("claim", "decision"): "supports",
}
TYPES = {
    pair: [table[pair] for table in (BACKWARD, FORWARD, SILENT) if pair in table]
    for pair in {**BACKWARD, **FORWARD, **SILENT}
}


@dataclass
class Model:
    """The graph as plain dictionaries. ``edges``: src, type, dst, the assumption it is bound to."""

    kinds: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[str, str, str, str | None]] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)

    def struck(self, root: str) -> dict[str, None]:
        """Breadth first from a rejected assumption, over edges that had not come loose before it was rejected."""
        before = self.rejected[: self.rejected.index(root)]
        reached = {root: None}
        queue = [root]
        for here in queue:
            for src, type_, dst, bound in self.edges:
                if bound in before:
                    continue
                pair = (self.kinds[src], self.kinds[dst])
                if BACKWARD.get(pair) == type_ and dst == here and self.kinds[src] != "assumption":
                    other = src
                elif FORWARD.get(pair) == type_ and src == here:
                    other = dst
                else:
                    continue
                if other not in reached:
                    reached[other] = None
                    queue.append(other)
        return reached

    def invalid(self) -> dict[str, None]:
        return {name: None for root in self.rejected for name in self.struck(root)}

    def dead(self) -> list[bool]:
        """For each edge: its assumption was rejected, or both its ends fell with one other assumption."""
        fallen = [(root, self.struck(root)) for root in self.rejected]
        return [
            bound in self.rejected or any(src in f and dst in f and root not in (src, dst) for root, f in fallen)
            for src, _, dst, bound in self.edges
        ]


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int, int, int]], list[tuple[str, int, int, int]]]:
    """Kinds of the nodes; edges as (from, to, which type, bound to or -1); steps as (word, three numbers)."""
    count = draw(st.integers(1, 6))
    kinds = [0, 0, 3, *draw(st.lists(st.integers(0, 4), min_size=count, max_size=count))]
    place = st.integers(0, count + 2)
    which = st.integers(0, 1)
    edges = draw(st.lists(st.tuples(place, place, which, st.sampled_from([-1, 0, 1])), min_size=3, max_size=24))
    word = st.sampled_from(["reject", "reject", "edge", "blast"])
    steps = draw(st.lists(st.tuples(word, which | place, place, which), max_size=7))
    return kinds, edges, steps


class Play:
    """A plan carried out on a graph and on the model at once."""

    def __init__(self, kinds: list[int]) -> None:
        self.graph = ContextGraph()
        self.model = Model()
        self.origin = source(self.graph, "origin").id
        self.model.kinds[self.origin] = "source"
        self.ids = [self._node(n, KINDS[kind]) for n, kind in enumerate(kinds)]

    def _node(self, n: int, kind: str) -> str:
        label = f"{kind} number {n}"
        if kind == "assumption":
            name = self.graph.assume(label).id
        elif kind == "source":
            name = source(self.graph, label).id
        elif kind == "entity":
            name = entity(self.graph, label).id
        elif kind == "claim":
            name = claim(self.graph, label, self.origin).id
        else:
            name = decision(self.graph, label, self.origin).id
        self.model.kinds[name] = kind
        return name

    def edge(self, at: int, to: int, which: int, bound: int = -1) -> None:
        """Add the edge if some type is legal for it; a repeat and a self edge are left out."""
        src, dst = self.ids[at], self.ids[to]
        types = TYPES.get((self.model.kinds[src], self.model.kinds[dst]), [])
        if not types or src == dst:
            return
        type_ = types[which % len(types)]
        if any(e[:3] == (src, type_, dst) for e in self.model.edges):
            return
        ground = self.ids[bound] if bound >= 0 and self.model.kinds[self.ids[bound]] == "assumption" else None
        self.graph.add_edge(src, type_, dst, assumption=ground)
        self.model.edges.append((src, type_, dst, ground))

    def can_reject(self, at: int) -> bool:
        name = self.ids[at]
        return self.model.kinds[name] == "assumption" and name not in self.model.rejected

    def reject(self, at: int) -> Invalidation:
        name = self.ids[at]
        witness = evidence(self.graph, f"against {name}").id
        self.model.kinds[witness] = "evidence"
        self.model.rejected.append(name)
        return self.graph.reject(name, evidence_id=witness)
