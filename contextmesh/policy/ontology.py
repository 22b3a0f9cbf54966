"""What GRAPH.md declares, as one value: node types, edge types, which pairs are legal, how failure travels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["backward", "forward", "none"]
DIRECTIONS: tuple[Direction, ...] = ("backward", "forward", "none")


@dataclass(frozen=True, slots=True)
class NodeType:
    """A row of the node table.

    Attributes:
        must_carry: names of attributes or record fields, in the order of the cell.
    """

    name: str
    must_carry: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EdgeType:
    """A row of the edge table.

    Attributes:
        pairs: (source type, target type), in the order of the cell.
        direction: how failure travels along it.
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    direction: Direction


@dataclass(frozen=True, slots=True)
class Ontology:
    """Both tables, rows in the order written. A name nobody declared has nothing: no pairs, no fields."""

    nodes: tuple[NodeType, ...]
    edges: tuple[EdgeType, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.nodes)

    @property
    def edge_types(self) -> tuple[str, ...]:
        return tuple(edge.name for edge in self.edges)

    def legal_pairs(self, edge_type: str) -> tuple[tuple[str, str], ...]:
        return next((edge.pairs for edge in self.edges if edge.name == edge_type), ())

    def is_legal(self, edge_type: str, src_kind: str, dst_kind: str) -> bool:
        return (src_kind, dst_kind) in self.legal_pairs(edge_type)

    def must_carry(self, kind: str) -> tuple[str, ...]:
        return next((node.must_carry for node in self.nodes if node.name == kind), ())

    def direction(self, edge_type: str) -> Direction:
        return next((edge.direction for edge in self.edges if edge.name == edge_type), "none")

    def as_json(self) -> dict[str, object]:
        """The canonical form a digest is taken over."""
        return {
            "node_types": [[node.name, list(node.must_carry)] for node in self.nodes],
            "edge_types": [[edge.name, [list(pair) for pair in edge.pairs], edge.direction] for edge in self.edges],
        }
