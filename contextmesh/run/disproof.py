"""A ground that turned out false: the evidence, the verdict, what fell, and the receipt the ledger keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from contextmesh.base.errors import OntologyError, Problem
from contextmesh.graph.graph import ContextGraph
from contextmesh.run.ledger import names_digest
from contextmesh.run.record import EVIDENCE
from contextmesh.store.chains import chains, words_for
from contextmesh.store.model import a
from contextmesh.store.receipt import Chain, Receipt
from contextmesh.store.relations import CONTRADICTS

SPELT_OUT = 64
"""Up to so many preserved nodes are listed in a receipt; beyond, their count and the digest of the sorted ids."""
LONGEST = 33
"""Words of a chain that are kept in full; a longer one keeps its root, its last steps, and how many lie between."""
_TAIL = 8


@dataclass(frozen=True, slots=True)
class Fallen:
    """What one disproof took down.

    Attributes:
        receipt: of the transaction.
        evidence_id: the node it rests on.
        because: for each node that fell, beside the assumption, why, as words; nearest first.
        data: the receipt as the ledger keeps it.
    """

    receipt: Receipt
    evidence_id: str
    because: Mapping[str, tuple[str, ...]]
    data: dict[str, Any]


def disprove(graph: ContextGraph, assumption_id: str, task: str, reason: str, evidence: str | None) -> Fallen:
    """Reject an assumption on the evidence that is named, or on one that records the reason; one transaction.

    Raises:
        OntologyError: ``not-evidence``, ``dead-evidence``, and whatever the rules refuse.
        UnknownError: ``unknown-node``.
    """
    record = graph.assumption(assumption_id)
    with graph.batch("reject") as batch:
        if evidence is None:
            label = f"disproof from {task}: {reason}"
            witness = batch.add_node(EVIDENCE, label, attrs={"kind": "disproof"})
        else:
            witness = batch.node(evidence)
        _require_witness(graph, witness.id, witness.type, there=evidence is not None)
        batch.link(witness.id, CONTRADICTS, assumption_id)
        known = tuple(dict.fromkeys((*record.evidence_ids, witness.id)))
        batch.stage.put_assumption(replace(record, rejected_at_build=batch.build, evidence_ids=known))
        batch.stage.put_verdict(assumption_id, witness.id)
    assert batch.receipt is not None, "a verdict was put"
    because = _because(graph, assumption_id, batch.receipt)
    preserved = sorted(batch.receipt.preserved)
    data: dict[str, Any] = {
        "assumption_id": assumption_id,
        "assumption": record.statement,
        "evidence_id": witness.id,
        "reason": reason,
        "disproved_by": task,
        "invalidated": {name: list(words) for name, words in because.items()},
        "preserved_count": len(preserved),
        "preserved_digest": names_digest(preserved),
    }
    if len(preserved) <= SPELT_OUT:
        data["preserved"] = preserved
    return Fallen(batch.receipt, witness.id, because, data)


def _require_witness(graph: ContextGraph, node_id: str, kind: str, *, there: bool) -> None:
    if kind != EVIDENCE:
        message = f"{node_id} is {a(kind)}; only evidence rejects an assumption"
        raise OntologyError(Problem("not-evidence", message, subject=node_id))
    if there and not graph.is_live(node_id):
        message = f"{node_id} is not live, so it can reject nothing"
        raise OntologyError(Problem("dead-evidence", message, subject=node_id, hint="name evidence that stands"))


def _because(graph: ContextGraph, assumption_id: str, receipt: Receipt) -> dict[str, tuple[str, ...]]:
    """Why each node fell, by the shortest way; chains share their steps, and only short ones are spelt out."""
    invalid = dict.fromkeys(row[0] for row in receipt.derived.plus("invalid"))
    rows = [row for row in receipt.derived.plus("fell") if row[0] in invalid and row[0] != assumption_id]
    nodes = graph.store.nodes
    found = chains(graph.store.engine, rows, lambda name: words_for(nodes[name]) if name in nodes else name)
    lengths = _lengths(found)
    names = sorted(found, key=lambda name: (lengths[id(found[name])], name))
    root = words_for(nodes[assumption_id])
    return {name: _words(found[name], lengths[id(found[name])], root) for name in names}


def _lengths(found: Mapping[str, Chain]) -> dict[int, int]:
    """Steps of each chain; every shared part is counted once."""
    lengths: dict[int, int] = {}
    for chain in found.values():
        fresh: list[Chain] = []
        step: Chain | None = chain
        while step is not None and id(step) not in lengths:
            fresh.append(step)
            step = step.before
        length = -1 if step is None else lengths[id(step)]
        for one in reversed(fresh):
            length += 1
            lengths[id(one)] = length
    return lengths


def _words(chain: Chain, length: int, root: str) -> tuple[str, ...]:
    if 2 * length + 1 <= LONGEST:
        return chain.as_words()
    tail: list[str] = []
    step = chain
    while len(tail) < _TAIL:
        assert step.before is not None and step.via is not None, "it is long"
        tail += [step.words, step.via]
        step = step.before
    return (root, f"… {length - _TAIL // 2} steps …", *reversed(tail))
