"""All that is known of one node, gathered for a reader; and a lineage with what the rules conclude of each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.graph.lineage import lineage
from contextmesh.store.model import Edge, Node

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph

EDGES = 50
"""How many edges each way a portrait shows; the counts are whole."""


@dataclass(frozen=True, slots=True)
class Link:
    """An edge seen from the node, and the other end."""

    edge: Edge
    other: Node
    is_live: bool

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.edge.id,
            "type": self.edge.type,
            "other": {"id": self.other.id, "type": self.other.type, "label": self.other.label},
            "weight": self.edge.weight,
            "assumption": self.edge.assumption_id,
            "live": self.is_live,
        }


@dataclass(frozen=True, slots=True)
class Portrait:
    """A node, what the rules conclude of it, and its edges.

    Attributes:
        conclusions: words such as live, fell, superseded, and the status of an assumption.
        out, into: at most 50 edges each way; ``out_count`` and ``into_count`` are all.
        justifications: each set of grounds that the node states, and whether it still holds.
    """

    node: Node
    conclusions: tuple[str, ...]
    out: tuple[Link, ...]
    into: tuple[Link, ...]
    out_count: int
    into_count: int
    justifications: tuple[tuple[tuple[str, ...], bool], ...]

    def as_json(self) -> dict[str, object]:
        node, read = self.node, self.node.provenance
        return {
            "id": node.id,
            "type": node.type,
            "label": node.label,
            "attrs": dict(node.attrs),
            "conclusions": list(self.conclusions),
            "provenance": None
            if read is None
            else {
                "source": read.source_id,
                "span": list(read.span) if read.span is not None else None,
                "quote": node.attrs.get("quote", node.label if read.span is not None else None),
                "extractor": read.extractor,
                "checks": list(read.checks),
            },
            "out": [link.as_json() for link in self.out],
            "out_count": self.out_count,
            "in": [link.as_json() for link in self.into],
            "in_count": self.into_count,
            "justifications": [{"grounds": list(g), "holds": holds} for g, holds in self.justifications],
            "build": node.build,
        }


@dataclass(frozen=True, slots=True)
class Lineage:
    """What superseded what, oldest first, with the words the rules conclude of each."""

    asked: str
    steps: tuple[tuple[Node, tuple[str, ...], tuple[str, ...]], ...]
    """node, conclusions, ids it supersedes"""

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.asked,
            "lineage": [
                {
                    "id": n.id,
                    "type": n.type,
                    "label": n.label,
                    "conclusions": list(words),
                    "supersedes": list(older),
                    **({"redacted": why} if (why := redacted_for(n)) is not None else {}),
                }
                for n, words, older in self.steps
            ],
        }


def portrait_of(graph: ContextGraph, node: Node) -> Portrait:
    out, into = graph.edges_from(node.id), graph.edges_to(node.id)
    return Portrait(
        node,
        conclusions_of(graph, node.id),
        tuple(_link(graph, edge, edge.dst) for edge in out[:EDGES]),
        tuple(_link(graph, edge, edge.src) for edge in into[:EDGES]),
        len(out),
        len(into),
        _justifications(graph, node.id),
    )


def redacted_for(node: Node) -> str | None:
    """Why the words of a node were redacted; None of one that has its words."""
    why = node.attrs.get("redacted")
    return why if node.pruned and isinstance(why, str) and why else None


def lineage_of(graph: ContextGraph, node: Node) -> Lineage:
    return Lineage(
        node.id,
        tuple(
            (step, conclusions_of(graph, step.id), tuple(e.dst for e in graph.edges_from(step.id, "supersedes")))
            for step in lineage(graph, node.id)
        ),
    )


def conclusions_of(graph: ContextGraph, node_id: str) -> tuple[str, ...]:
    """Words that the rules conclude of a node, in a fixed order."""
    engine = graph.store.engine
    words = [str(row[1]) for row in engine.match("status", (node_id, None))]
    for relation, word in (("invalid", "fell"), ("pruned", "pruned"), ("superseded", "superseded"), ("live", "live")):
        if engine.holds(relation, (node_id,)) and word not in words:
            words.append(word)
    return tuple(words)


def _link(graph: ContextGraph, edge: Edge, other: str) -> Link:
    return Link(edge, graph.node(other), graph.is_edge_live(edge.id))


def _justifications(graph: ContextGraph, node_id: str) -> tuple[tuple[tuple[str, ...], bool], ...]:
    engine = graph.store.engine
    lost = {row[1] for row in engine.match("lost", (node_id, None))}
    found = []
    for justification, _ in engine.match("justification", (None, node_id)):
        premises = sorted(engine.match("premise", (justification, None, None)), key=lambda row: row[1])
        found.append((tuple(str(row[2]) for row in premises), justification not in lost))
    return tuple(found)
