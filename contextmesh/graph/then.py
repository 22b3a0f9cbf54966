"""A graph of the past: the same rules over the facts of then, in an engine of its own. It can be read, not written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from contextmesh.base.read_only import only_read
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.graph.facts_then import facts_then
from contextmesh.graph.graph import ContextGraph
from contextmesh.store import relations
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.stage import Stage
from contextmesh.store.store import Store

if TYPE_CHECKING:
    from contextmesh.store.receipt import Receipt


_TOLD_BY_RECORDS = (relations.CONTRADICTS, relations.SUPERSEDES, "justified_by")
"""Edge types that the record of an assumption tells of beside the graph."""


class PastStage(Stage):
    """A transaction that may be tried, and never committed."""

    def commit(self, *, reasons: bool = True) -> Receipt:
        """Raises OntologyError, code ``past-is-read-only``."""
        raise only_read(self.kind)


class PastStore(Store):
    """Records of then, and their facts. Counters stay at zero: a read about the past leaves no trace.

    Facts are taken from the store of now when a rule first reads their relation, those of records that have changed
    since from the record of then. So a view costs what is asked of it.

    Attributes:
        now: the store it is a past of; it may go on.
    """

    def __init__(
        self,
        now: Store,
        nodes: dict[str, Node],
        edges: dict[str, Edge],
        *,
        verdicts: Iterable[Row],
        stated: Iterable[relations.Fact],
        beside: Callable[[], Iterable[relations.Fact]],
        build: int,
        seq: int,
    ) -> None:
        super().__init__(now.policy)
        self.now = now
        self._nodes, self._edges = nodes, edges
        self.nodes, self.edges = MappingProxyType(nodes), MappingProxyType(edges)
        self.walks, self.traversals = _Still(), _Still()
        self.build, self.seq = build, seq
        told = [edge for edge in edges.values() if edge.type in _TOLD_BY_RECORDS]
        judged = {(edge.dst, edge.src) for edge in told if edge.type == relations.CONTRADICTS}
        facts: dict[str, list[Row]] = {name: list(rows) for name, rows in now.policy.facts.items()}
        facts["now"] = [relations.now_fact(build)[1]]
        facts["verdict"] = [row for row in verdicts if row[:2] in judged]
        stated = tuple(stated)
        late = facts_then(now, nodes, edges, self.born, stated=stated, beside=beside)
        for name, row in stated:
            if name not in late:
                facts.setdefault(name, []).append(row)
        limits = now.engine.limits
        self.engine = Engine(now.policy.program, facts, limits=limits, late=late, keyed=relations.ONE_EACH)
        rejected = {row[0] for row in facts["verdict"]}
        witnesses = _witnesses(told)
        replaced = {(edge.src, edge.dst): None for edge in told if edge.type == relations.SUPERSEDES}
        self._assumptions.update(
            (name, _assumption_then(record, name in rejected, witnesses.get(name, {}), replaced))
            for name, record in now.assumptions.items()
            if name in nodes
        )

    def born(self, name: str) -> int:
        return self.now.born(name)

    @property
    def edge_types_used(self) -> tuple[str, ...]:
        return tuple(sorted(dict.fromkeys(edge.type for edge in self.edges.values())))

    def stage(self, kind: str) -> PastStage:
        return PastStage(self, kind)


class PastGraph(ContextGraph):
    """What ContextGraph reads, of then; whatever writes is refused with ``past-is-read-only``."""


class _Still(dict[str, int]):
    """Counters that do not count."""

    def __setitem__(self, key: str, value: int) -> None:
        """Nothing is counted."""


def _witnesses(edges: Iterable[Edge]) -> dict[str, dict[str, None]]:
    """By id, the nodes that evidence for or against it joins to it."""
    found: dict[str, dict[str, None]] = {}
    for edge in edges:
        if edge.type == relations.CONTRADICTS:
            found.setdefault(edge.dst, {})[edge.src] = None
        elif edge.type == "justified_by":
            found.setdefault(edge.src, {})[edge.dst] = None
    return found


def _assumption_then(
    record: Assumption, is_rejected: bool, witnesses: Mapping[str, None], replaced: Mapping[tuple[str, str], None]
) -> Assumption:
    """The record as the facts of then make it; what it replaced and who replaced it only where the edge was there."""
    older, newer = record.supersedes, record.superseded_by
    has_older = older is not None and (record.id, older) in replaced
    return replace(
        record,
        version=record.version if has_older or older is None else 1,
        supersedes=older if has_older else None,
        superseded_by=newer if newer is not None and (newer, record.id) in replaced else None,
        rejected_at_build=record.rejected_at_build if is_rejected else None,
        evidence_ids=tuple(name for name in record.evidence_ids if name in witnesses),
    )
