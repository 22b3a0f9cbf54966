"""Rows of ``signal`` as records: counted, worded, with a remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING

from contextmesh.datalog.ast import Row
from contextmesh.store.counters import observed

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.store.store import Store

ITEMS = 12
"""How many subjects of a signal are named."""

READ = ("signal", "severity", "remedy", "live", "edge_dead")
"""The relations a health is made of."""

ALWAYS = "untyped_edges"
"""This signal is shown even when nothing is wrong: that no edge is untyped is the promise of the product."""

WORST_FIRST = ("error", "warn", "info")

_WORDS: Mapping[str, tuple[str, str]] = {
    "untyped_edges": ("edge without a type of GRAPH.md", "edges without a type of GRAPH.md"),
    "orphans": ("node that no edge touches", "nodes that no edge touches"),
    "provenance_gap": ("node that owes a source", "nodes that owe a source"),
    "unresolved_entities": ("name that nearly resolved", "names that nearly resolved"),
    "missing_relationships": ("entity that no claim mentions", "entities that no claim mentions"),
    "stale_assumptions": ("assumption nobody has looked at for long", "assumptions nobody has looked at for long"),
    "open_contradictions": ("contradiction nobody has settled", "contradictions nobody has settled"),
    "unjudged_evidence": ("piece of evidence without a verdict", "pieces of evidence without a verdict"),
    "circular_support": ("node that only holds itself up", "nodes that only hold themselves up"),
    "lineage_stated_once": ("supersession only one record states", "supersessions only one record states"),
    "dangling_reference": ("record that names one not here", "records that name one not here"),
    "replaced_by_several": ("record replaced by several", "records replaced by several"),
    "successor_dated_before": ("record older than what it replaces", "records older than what they replace"),
    "imprecise_date": ("date that names no single day", "dates that name no single day"),
    "unreadable_date": ("date that cannot be read", "dates that cannot be read"),
    "unknown_status": ("record with an unknown status word", "records with an unknown status word"),
    "requirement_cycle": ("record that requires itself through others", "records that require themselves"),
    "dead_ends": ("question that met a dead end", "questions that met a dead end"),
    "invalidated_nodes": ("node that fell", "nodes that fell"),
}


@dataclass(frozen=True, slots=True)
class Signal:
    """One kind of finding.

    Attributes:
        severity: ``error``, ``warn`` or ``info``.
        count: how many there are; ``items`` names the first 12 of them.
    """

    kind: str
    severity: str
    count: int
    detail: str
    remedy: str
    items: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "severity": self.severity,
            "count": self.count,
            "detail": self.detail,
            "remedy": self.remedy,
            "items": list(self.items),
        }


@dataclass(frozen=True, slots=True)
class Health:
    """The state of a graph. ``status`` is ``ok``, ``warn`` or ``error``: the worst signal that found something."""

    status: str
    signals: tuple[Signal, ...]
    nodes_live: int
    nodes_total: int
    edges_live: int
    edges_total: int
    edge_types_used: tuple[str, ...]

    def signal(self, kind: str) -> Signal | None:
        return next((s for s in self.signals if s.kind == kind), None)

    def as_json(self) -> dict[str, object]:
        """The shape that commands and tools print."""
        return {
            "status": self.status,
            "signals": [s.as_json() for s in self.signals],
            "nodes_live": self.nodes_live,
            "nodes_total": self.nodes_total,
            "edges_live": self.edges_live,
            "edges_total": self.edges_total,
            "edge_types_used": list(self.edge_types_used),
        }


def health(
    graph: ContextGraph, *, near_misses: Sequence[str] = (), facts: Mapping[str, Sequence[Row]] | None = None
) -> Health:
    """Every signal that found something, the worst first; costs what changed since, and the signals there are.

    ``near_misses`` are mentions that nearly resolved; ``facts`` rows of failed questions (``asked`` and what they saw).

    Raises:
        OntologyError: ``facts`` names what is no input relation.
    """
    store = graph.store
    with observed(store, READ, near_misses=near_misses, facts=facts):
        engine = store.engine
        found: dict[str, list[str]] = {}
        for kind, subject in engine.rows("signal"):
            found.setdefault(str(kind), []).append(str(subject))
        severity = {str(kind): str(word) for kind, word in engine.rows("severity")}
        remedy = {str(kind): str(words) for kind, words in engine.rows("remedy")}
        found.setdefault(ALWAYS, [])
        signals = [
            _signal(store, kind, subjects, severity.get(kind, "warn"), remedy.get(kind, ""))
            for kind, subjects in found.items()
        ]
        order = {kind: place for place, kind in enumerate(severity)}
        signals.sort(key=lambda s: (_rank(s.severity), order.get(s.kind, len(order)), s.kind))
        words = [s.severity for s in signals if s.count and s.severity in ("error", "warn")]
        return Health(
            min(words, key=_rank, default="ok"),
            tuple(signals),
            engine.count("live"),
            len(store.nodes),
            len(store.edges) - engine.count("edge_dead"),
            len(store.edges),
            store.edge_types_used,
        )


def _signal(store: Store, kind: str, subjects: list[str], severity: str, remedy: str) -> Signal:
    items = tuple(nsmallest(ITEMS, subjects))
    return Signal(kind, severity, len(subjects), _detail(store, kind, len(subjects), items), remedy, items)


def _detail(store: Store, kind: str, count: int, items: tuple[str, ...]) -> str:
    one, many = _WORDS.get(kind, (kind.replace("_", " "), kind.replace("_", " ")))
    if count == 0:
        return f"no {many}"
    head = f"{count} {one if count == 1 else many}"
    names = [_name(store, item) for item in items[:3]]
    return f"{head}: {', '.join(names)}{', …' if count > len(names) else ''}"


def _name(store: Store, item: str) -> str:
    node = store.nodes.get(item)
    label = node.label if node is not None else item
    return label if len(label) <= 48 else f"{label[:47]}…"


def _rank(severity: str) -> int:
    return WORST_FIRST.index(severity) if severity in WORST_FIRST else len(WORST_FIRST)
