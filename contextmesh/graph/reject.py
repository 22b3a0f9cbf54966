"""Reject an assumption on evidence that contradicts it; or see, without writing, what that would take down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contextmesh.base.errors import OntologyError, Problem
from contextmesh.base.ids import edge_key, free_id
from contextmesh.graph.assumptions import put_replacement
from contextmesh.graph.batch import Batch
from contextmesh.graph.invalidation import Invalidation, of_receipt, of_standing
from contextmesh.store.model import Assumption, Node, Provenance, a
from contextmesh.store.relations import CONTRADICTS, EVIDENCE

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph

WANTED = ("fell", "invalid", "edge_dead", "live", "lost", "stands_on", "rebuilt")
"""What a dry run of a rejection can tell."""

FALLEN = ("fell", "invalid")
"""What it tells at once; the rest of it only to whoever asks."""

HYPOTHETICAL = "an observation nobody has made"


def reject(
    graph: ContextGraph, assumption_id: str, *, evidence_id: str, replacement: str | None = None
) -> Invalidation:
    """Write the contradiction and the verdict as one transaction; what stood on the assumption falls by the rules.

    ``replacement`` is a statement, or the id of an assumption, that takes its place. Rejecting again on the same
    evidence changes nothing and says what fell.

    Raises:
        UnknownError: ``unknown-assumption``, ``unknown-node``.
        OntologyError: ``not-evidence``, ``dead-evidence``, ``already-rejected``, and whatever the rules refuse.
    """
    record = graph.assumption(assumption_id)
    witness = graph.node(evidence_id)
    if record.rejected_at_build is not None:
        return _again(graph, record, evidence_id, replacement)
    if witness.type != EVIDENCE:
        message = f"{evidence_id} is {a(witness.type)}; only evidence rejects an assumption"
        raise OntologyError(Problem("not-evidence", message, subject=evidence_id, hint="submit evidence first"))
    if not graph.is_live(evidence_id):
        message = f"{evidence_id} is not live, so it can reject nothing"
        raise OntologyError(Problem("dead-evidence", message, subject=evidence_id, hint="submit evidence that stands"))
    new_id: str | None = None
    with graph.batch("reject") as batch:
        _put_verdict(batch, record, evidence_id)
        if replacement is not None:
            old = batch.stage.assumption(assumption_id)
            assert old is not None, "just put"
            new_id = put_replacement(batch, old, replacement, created_by=record.created_by, versioned=False).id
    assert batch.receipt is not None, "a verdict was put"
    return of_receipt(graph, assumption_id, batch.receipt, replacement=new_id)


def blast(graph: ContextGraph, assumption_id: str) -> Invalidation:
    """What a rejection would take down now; needs no evidence and changes nothing.

    For an assumption already rejected: what fell with it.

    Raises:
        UnknownError: ``unknown-assumption``.
    """
    record = graph.assumption(assumption_id)
    if record.rejected_at_build is not None:
        return of_standing(graph, assumption_id, committed=False)
    batch = Batch(graph.store, "blast")
    witness = _hypothetical_witness(graph, batch, assumption_id)
    _put_verdict(batch, record, witness)
    stage = batch.stage
    return of_receipt(graph, assumption_id, stage.dry_run(FALLEN), hidden=witness, whole=lambda: stage.dry_run(WANTED))


def _put_verdict(batch: Batch, record: Assumption, evidence_id: str) -> None:
    batch.link(evidence_id, CONTRADICTS, record.id)
    batch.stage.put_assumption(
        replace(
            record,
            rejected_at_build=batch.build,
            evidence_ids=tuple(dict.fromkeys((*record.evidence_ids, evidence_id))),
        )
    )
    batch.stage.put_verdict(record.id, evidence_id)


def _again(graph: ContextGraph, record: Assumption, evidence_id: str, replacement: str | None) -> Invalidation:
    """The same rejection said twice is one rejection; another one is refused."""
    rows = graph.store.engine.match("verdict", (record.id, None, None))
    witnesses = [str(row[1]) for row in rows]
    if evidence_id not in witnesses:
        raise OntologyError(
            Problem(
                "already-rejected",
                f"{record.id} was rejected at build {record.rejected_at_build} on {', '.join(witnesses)}",
                subject=record.id,
                hint="the rejection stands; further evidence may contradict the assumption without a verdict",
            )
        )
    if replacement is not None:
        successor = graph.store.assumptions.get(record.superseded_by or "")
        if successor is None or replacement not in (successor.id, successor.statement):
            message = f"{record.id} is already rejected, and {replacement!r} did not replace it then"
            hint = "supersede it by the new statement"
            raise OntologyError(Problem("already-rejected", message, subject=record.id, hint=hint))
    return of_standing(graph, record.id, committed=True)


def _hypothetical_witness(graph: ContextGraph, batch: Batch, assumption_id: str) -> str:
    """A witness that carries whatever GRAPH.md asks of evidence, under an id nothing else has."""
    text = edge_key(HYPOTHETICAL, CONTRADICTS, assumption_id)
    node_id = free_id(text, EVIDENCE, batch.has)
    must = graph.store.policy.ontology.must_carry(EVIDENCE)
    provenance = Provenance(node_id) if "provenance" in must else None
    attrs = {name: "hypothetical" for name in must if name != "provenance"}
    batch.stage.put_node(Node(node_id, EVIDENCE, text, attrs, provenance, build=batch.build))
    return node_id
