"""State one more set of grounds on which a node stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contextmesh.base.errors import OntologyError, Problem
from contextmesh.store.model import Node, a
from contextmesh.store.relations import DECISION, JUSTIFICATIONS, stated_justifications

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph

SILENT_GROUNDS = ("cites", "justified_by")
"""Edge types that lead to a ground though failure does not travel along them."""


def justify(graph: ContextGraph, node_id: str, grounds: Sequence[str]) -> Node:
    """Add a justification: all its grounds together suffice. The same set again changes nothing.

    What stood on its edges alone goes on standing on them: together they become its first justification. A claim
    that had fallen stands again when the new set holds: that is new support, not revised history. The grounds of
    a decision are fixed when it is written. Every ground is linked by the first edge type that GRAPH.md allows for it
    and that carries failure, or else by one that only refers to it.

    Raises:
        UnknownError: ``unknown-node``.
        OntologyError: ``decision-fixed``, ``bad-justifications``, ``unlinkable-ground``.
    """
    node = graph.node(node_id)
    if node.type == DECISION:
        message = f"{node_id} is a decision already made; its justifications cannot change"
        hint = "write a decision that supersedes it"
        raise OntologyError(Problem("decision-fixed", message, subject=node_id, hint=hint))
    stated = stated_justifications(node) or _standing_on(graph, node_id)
    new = tuple(dict.fromkeys(grounds))
    if any(frozenset(new) == frozenset(old) for old in stated):
        return node
    with graph.batch("justify") as batch:
        changed = batch.set_attrs(node_id, **{JUSTIFICATIONS: [list(g) for g in (*stated, new)]})
        for ground in new:
            type_ = _link(graph, node, batch.node(ground))
            batch.link(node_id, type_, ground)
    return changed


def _standing_on(graph: ContextGraph, node_id: str) -> tuple[tuple[str, ...], ...]:
    """The grounds that carry failure to a node which states none, as one justification; none without grounds."""
    direction = graph.store.policy.ontology.direction
    leading = [e.dst for e in graph.edges_from(node_id) if direction(e.type) == "backward" and graph.is_edge_live(e.id)]
    made = [e.src for e in graph.edges_to(node_id) if direction(e.type) == "forward" and graph.is_edge_live(e.id)]
    grounds = tuple(dict.fromkeys((*leading, *made)))
    return (grounds,) if grounds else ()


def _link(graph: ContextGraph, node: Node, ground: Node) -> str:
    ontology = graph.store.policy.ontology
    legal = [t for t in ontology.edge_types if ontology.is_legal(t, node.type, ground.type)]
    carrying = [t for t in legal if ontology.direction(t) == "backward"]
    chosen = [*carrying, *(t for t in legal if t in SILENT_GROUNDS)]
    if not chosen:
        message = f"GRAPH.md allows no edge from {a(node.type)} to {a(ground.type)} that could be its ground"
        raise OntologyError(Problem("unlinkable-ground", message, subject=ground.id))
    return chosen[0]
