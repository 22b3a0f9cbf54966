"""What GRAPH.md and rules/ say, as one value."""

from contextmesh.policy.ontology import Ontology
from contextmesh.policy.policy import Policy

__all__ = ["Ontology", "Policy"]
