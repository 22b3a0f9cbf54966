"""The ontology as facts: the relations of rules/schema.dl that GRAPH.md fills."""

from __future__ import annotations

from contextmesh.datalog.ast import Row
from contextmesh.policy.ontology import Ontology


def ontology_facts(ontology: Ontology) -> dict[str, tuple[Row, ...]]:
    """Rows by relation, in the order of the tables. A direction of ``none`` makes no fact."""
    nodes, edges = ontology.nodes, ontology.edges
    return {
        "node_type": tuple((node.name,) for node in nodes),
        "must_carry": tuple((node.name, field) for node in nodes for field in node.must_carry),
        "edge_type": tuple((edge.name,) for edge in edges),
        "legal": tuple((edge.name, src, dst) for edge in edges for src, dst in edge.pairs),
        "propagates": tuple((edge.name, edge.direction) for edge in edges if edge.direction != "none"),
    }
