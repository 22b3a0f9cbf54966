"""Why a decision was made, as far as the graph knew: what it stood on, what came afterwards, and what nothing dates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from contextmesh.base.dates import day_text
from contextmesh.graph.source_time import known_days
from contextmesh.store.explain import fact_text
from contextmesh.store.model import Edge, Node
from contextmesh.store.reasons import Proof

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph

STOOD_ON, LATER, UNDATED = "stood_on", "later", "undated"

GROUNDS = ("derived_from", "depends_on", "justified_by", "cites", "supersedes")
"""Edges that lead from what was concluded to what it was concluded from, or had in view."""

SPOKEN = ("supports", "contradicts", "supersedes")
"""Edges that speak for, against or instead of what they reach, whenever they came."""

FURTHEST = 12
MOST = 1000
"""How far back, and to how many things, a reconstruction goes; it says so when there is more."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing on the way back from a decision.

    Attributes:
        edge: by which it was reached.
        hops: edges between it and the decision.
        day: source time, in ISO form; None when no source dates it.
        seq: the transaction that wrote the edge, and the date of its commit where one was supplied.
        prove: finds ``proof``; a proof costs far more than the rest, and most are never read.
    """

    node: Node
    edge: Edge
    hops: int
    day: str | None
    seq: int
    committed: str | None
    live: bool
    prove: Callable[[], Proof] = field(repr=False, compare=False)

    @property
    def proof(self) -> Proof:
        """The derivation of what makes it count, its date or else its edge, in the graph as it is now."""
        return self.prove()

    def as_json(self, *, why: bool = True) -> dict[str, object]:
        """The shape that commands print; the proof is left out unless ``why``."""
        shown: dict[str, object] = {
            "id": self.node.id,
            "type": self.node.type,
            "label": self.node.label,
            "edge": {"id": self.edge.id, "src": self.edge.src, "type": self.edge.type, "dst": self.edge.dst},
            "hops": self.hops,
            "dated": self.day,
            "transaction": self.seq,
            "committed": self.committed,
            "live": self.live,
        }
        return {**shown, "why": self.proof.as_json()} if why else shown


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """A decision and its reasons, each list in the order (hops, date, insertion).

    Attributes:
        day: the source date of the decision; without one nothing can be told to be earlier or later.
        stood_on: grounds, and what spoke for or against them, dated no later than the decision.
        later: hindsight: the same, dated later.
        undated: what nothing dates, or all of it when nothing dates the decision.
        cut: there is more than is listed.
    """

    decision: Node
    day: str | None
    seq: int
    committed: str | None
    stood_on: tuple[Reason, ...]
    later: tuple[Reason, ...]
    undated: tuple[Reason, ...]
    cut: bool

    def as_json(self, *, why: bool = True) -> dict[str, object]:
        """The shape that commands and tools print; the proofs are left out unless ``why``."""
        return {
            "decision": {"id": self.decision.id, "label": self.decision.label},
            "dated": self.day,
            "transaction": self.seq,
            "committed": self.committed,
            "stood_on": [reason.as_json(why=why) for reason in self.stood_on],
            "later": [reason.as_json(why=why) for reason in self.later],
            "undated": [reason.as_json(why=why) for reason in self.undated],
            "cut": self.cut,
        }


def reconstruct(
    graph: ContextGraph, decision: Node, commit_date: Callable[[int], str | None] = lambda seq: None
) -> Reconstruction:
    """Walk back from a decision along its grounds, and to what spoke for, against or instead of each.

    ``commit_date`` tells the date of a transaction's commit where the deployment supplied one.
    """
    store = graph.store
    days = known_days(store)
    own = days.get(decision.id)
    order = {name: place for place, name in enumerate(store.nodes)}
    found: dict[str, list[tuple[tuple[int, int, int], Reason]]] = {STOOD_ON: [], LATER: [], UNDATED: []}
    reached, cut = _reached(graph, decision.id, days, own)
    for node_id, (edge, hops) in reached.items():
        day = days.get(node_id)
        part = UNDATED if day is None or own is None else STOOD_ON if day <= own else LATER
        seq = store.born(edge.id)
        reason = Reason(
            graph.node(node_id),
            edge,
            hops,
            None if day is None else day_text(day),
            seq,
            commit_date(seq),
            graph.is_live(node_id),
            partial(_proof, graph, node_id, edge, day),
        )
        found[part].append(((hops, day or 0, order[node_id]), reason))
    lists = {part: tuple(r for _, r in sorted(rows, key=lambda row: row[0])) for part, rows in found.items()}
    seq = store.born(decision.id)
    own_day = None if own is None else day_text(own)
    return Reconstruction(decision, own_day, seq, commit_date(seq), lists[STOOD_ON], lists[LATER], lists[UNDATED], cut)


def _reached(
    graph: ContextGraph, start: str, days: dict[str, int], own: int | None
) -> tuple[dict[str, tuple[Edge, int]], bool]:
    """Breadth first; what came later is listed and not gone on from: what it stood on was no ground of the decision."""
    reached: dict[str, tuple[Edge, int]] = {}
    queue = [(start, 0)]
    for node_id, hops in queue:
        for edge, other, goes_on in _steps(graph, node_id):
            if other == start or other in reached:
                continue
            if hops == FURTHEST or len(reached) == MOST:
                return reached, True
            reached[other] = (edge, hops + 1)
            if goes_on and (own is None or days.get(other, own) <= own):
                queue.append((other, hops + 1))
    return reached, False


def _steps(graph: ContextGraph, node_id: str) -> Iterator[tuple[Edge, str, bool]]:
    """Each edge back to a ground, then each that speaks to the node; whether the way back goes on from its far end."""
    for edge in graph.edges_from(node_id):
        if edge.type in GROUNDS:
            yield edge, edge.dst, edge.type != "supersedes"
    for edge in graph.edges_to(node_id):
        if edge.type in SPOKEN:
            yield edge, edge.src, edge.type == "supports"


def _proof(graph: ContextGraph, node_id: str, edge: Edge, day: int | None) -> Proof:
    """Why it counts when it does; where the way of its date is not a rule's, the edge as it was stated."""
    if day is not None and graph.store.engine.holds("known", (node_id, day)):
        return Proof(graph.why(fact_text("known", (node_id, day))))
    return Proof(graph.why(fact_text("edge", (edge.id, edge.src, edge.type, edge.dst))))
