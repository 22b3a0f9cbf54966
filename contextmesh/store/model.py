"""The records beside the facts: what a rule never concludes. Frozen; a change is a new record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from types import MappingProxyType
from typing import Any, TypeVar

Attrs = Mapping[str, Any]

NO_ATTRS: Attrs = MappingProxyType({})
"""What nodes without attributes share."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a node was read.

    Attributes:
        source_id: the source node; it need not exist (health reports the gap).
        span: half-open character offsets in that source's text, or None.
        extractor: what read it.
        checks: the checks it passed.
        recorded_at_build: the build that recorded it.
    """

    source_id: str
    span: tuple[int, int] | None = None
    extractor: str = "rule"
    checks: tuple[str, ...] = ()
    recorded_at_build: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """A node. Whether it is live, fallen or superseded is derived, never held here.

    Attributes:
        attrs: JSON values by name; treated as frozen.
        embedding: a unit vector (any length), a tuple or read from a file when looked at, or None.
        pruned: a fact appended by PRUNE.
    """

    id: str
    type: str
    label: str
    attrs: Attrs = field(default_factory=lambda: NO_ATTRS)
    provenance: Provenance | None = None
    embedding: Sequence[float] | None = None
    build: int = 0
    pruned: bool = False

    def with_attrs(self, **changes: Any) -> Node:
        return replace(self, attrs={**self.attrs, **changes})


def new_node(
    id: str,
    type: str,
    label: str,
    attrs: Attrs,
    provenance: Provenance | None,
    embedding: Sequence[float] | None,
    build: int,
    pruned: bool = False,
) -> Node:
    """As ``Node(…)``, for writers of many."""
    made = _OpenNode(id, type, label, attrs, provenance, embedding, build, pruned)
    made.__class__ = Node
    return made  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed edge; its id is derived from source, type and target.

    Attributes:
        assumption_id: the assumption this edge is bound to, or None.
        evidence_ids: nodes that witness the edge.
        weight: a sum over observations.
    """

    id: str
    src: str
    type: str
    dst: str
    assumption_id: str | None = None
    evidence_ids: tuple[str, ...] = ()
    weight: float = 1.0
    build: int = 0


def new_edge(
    id: str,
    src: str,
    type: str,
    dst: str,
    assumption_id: str | None,
    evidence_ids: tuple[str, ...],
    weight: float,
    build: int,
) -> Edge:
    """As ``Edge(…)``, for writers of many."""
    made = _OpenEdge(id, src, type, dst, assumption_id, evidence_ids, weight, build)
    made.__class__ = Edge
    return made  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Assumption:
    """What was assumed, by whom, and what it replaced. Its status is derived.

    Attributes:
        version: 1, or one more than what it superseded.
        supersedes, superseded_by: assumption ids, or None.
        rejected_at_build: the build of its rejection, or None.
        evidence_ids: nodes recorded for or against it.
    """

    id: str
    statement: str
    version: int = 1
    created_by: str = "agent"
    created_at_build: int = 0
    supersedes: str | None = None
    superseded_by: str | None = None
    rejected_at_build: int | None = None
    evidence_ids: tuple[str, ...] = ()


_Record = TypeVar("_Record")


def unfrozen(kind: type[_Record]) -> type[_Record]:
    """A class like a frozen one, for who makes records by the hundred thousand: it is several times as fast to fill.

    Each one made must be given its real ``__class__`` before anybody sees it; the two have the same slots.
    """
    names = [(each.name, each.type) for each in fields(kind)]  # type: ignore[arg-type]
    return make_dataclass(f"Unfrozen{kind.__name__}", names, slots=True, eq=False, repr=False)


_OpenNode: Any = unfrozen(Node)
_OpenEdge: Any = unfrozen(Edge)


def a(kind: str) -> str:
    """A kind with its article: ``a claim``, ``an entity``."""
    return f"an {kind}" if kind[:1] in "aeiou" else f"a {kind}"
