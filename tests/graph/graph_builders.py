"""Small graphs to start from, and everything a graph holds as one comparable value."""

from __future__ import annotations

from typing import Any

from contextmesh.graph.graph import ContextGraph
from contextmesh.store.model import Node, Provenance


def source(graph: ContextGraph, label: str = "Memo", day: str = "2025-01-02") -> Node:
    return graph.add_node("source", label, attrs={"origin": "memo", "retrieved_at": day})


def entity(graph: ContextGraph, label: str) -> Node:
    return graph.add_node("entity", label, attrs={"canonical": label, "aliases": []})


def claim(graph: ContextGraph, label: str, source_id: str, **more: Any) -> Node:
    return graph.add_node("claim", label, provenance=Provenance(source_id, (0, len(label))), **more)


def evidence(graph: ContextGraph, label: str) -> Node:
    return graph.add_node("evidence", label, attrs={"kind": "observation"})


def decision(graph: ContextGraph, label: str, source_id: str) -> Node:
    """A decision record as a reader writes it: no fingerprint, grounds added edge by edge."""
    return graph.add_node("decision", label, attrs={"rationale": "because"}, provenance=Provenance(source_id))


def state(graph: ContextGraph) -> dict[str, Any]:
    """Every row of every relation in its order, every record, every counter."""
    store = graph.store
    relations = store.policy.program.declarations
    return {
        "rows": {name: sorted(map(repr, store.engine.rows(name))) for name in relations},
        "inputs": {n: list(store.engine.rows(n)) for n, d in relations.items() if d.kind == "input"},
        "nodes": list(store.nodes.values()),
        "edges": list(store.edges.values()),
        "assumptions": list(store.assumptions.values()),
        "counters": (store.build, store.seq, dict(store.walks), dict(store.traversals)),
    }
