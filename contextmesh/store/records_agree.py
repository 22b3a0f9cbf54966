"""What two records can contradict, and what no rule is asked, over the records themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from contextmesh.base.fields import Fault
from contextmesh.base.ids import AUTO_DECISION
from contextmesh.store.fingerprint import FINGERPRINT, IDENTITY, fingerprint
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.relations import ASSUMPTION, DECISION, SUPERSEDES
from contextmesh.store.transaction_agree import IDENTITIES


def disagreement(
    nodes: Mapping[str, Node],
    edges: Mapping[str, Edge],
    records: Mapping[str, Assumption],
    verdicts: Iterable[tuple[str, str, int]],
) -> Fault | None:
    """The first contradiction, with the path of kind and index; None when there is none."""
    rejected = {assumption: None for assumption, _, _ in verdicts}
    drawn: dict[tuple[str, str], None] = {}
    for edge in edges.values():
        if edge.type == SUPERSEDES:
            drawn[edge.src, edge.dst] = None
    for index, record in enumerate(records.values()):
        fault = _of_record(record, nodes, records, rejected, drawn)
        if fault is not None:
            return fault.under("assumptions", index)
    decisions: dict[str, int] = {}
    for index, node in enumerate(nodes.values()):
        if node.type == ASSUMPTION and node.id not in records:
            return Fault("no-assumption-record", "is an assumption without a record", ("nodes", index), subject=node.id)
        if node.type == DECISION and node.attrs.get(IDENTITY) in IDENTITIES:
            decisions[node.id] = index
    for index, edge in enumerate(edges.values()):
        if edge.assumption_id is not None and edge.assumption_id not in records:
            message = f"is bound to {edge.assumption_id}, which is no assumption here"
            return Fault("unknown-id", message, ("edges", index, "assumption_id"), subject=edge.id)
    return _of_decisions(decisions, nodes, edges) if decisions else None


def _of_record(
    record: Assumption,
    nodes: Mapping[str, Node],
    records: Mapping[str, Assumption],
    rejected: Mapping[str, None],
    drawn: Mapping[tuple[str, str], None],
) -> Fault | None:
    node = nodes.get(record.id)
    if node is None or node.type != ASSUMPTION:
        what = "names no node" if node is None else f"names a {node.type}, not an assumption"
        return Fault("no-such-assumption", what, ("id",), subject=record.id)
    if node.label != record.statement:
        return Fault("statement-differs", "is not the label of its node", ("statement",), subject=record.id)
    if (record.rejected_at_build is not None) != (record.id in rejected):
        word = "names a build" if record.rejected_at_build is not None else "lacks a build"
        message = f"{word} of its rejection, and the verdicts say otherwise"
        return Fault("rejection-differs", message, ("rejected_at_build",), subject=record.id)
    for key, other in (("supersedes", record.supersedes), ("superseded_by", record.superseded_by)):
        if other is None:
            continue
        if other not in records:
            return Fault("unknown-id", f"names {other}, which is no assumption here", (key,), subject=record.id)
        back = records[other].superseded_by if key == "supersedes" else records[other].supersedes
        pair = (record.id, other) if key == "supersedes" else (other, record.id)
        if back != record.id or pair not in drawn:
            what = "its record does not say so" if back != record.id else "no supersedes edge leads there"
            return Fault("supersession-differs", f"names {other}, and {what}", (key,), subject=record.id)
    return None


def _of_decisions(stated: Mapping[str, int], nodes: Mapping[str, Node], edges: Mapping[str, Edge]) -> Fault | None:
    """A decision that states how it got its id must have the fingerprint of its record and edges."""
    out: dict[str, list[Edge]] = {id: [] for id in stated}
    for edge in edges.values():
        if edge.src in out:
            out[edge.src].append(edge)

    def type_of(id: str) -> str | None:
        node = nodes.get(id)
        return node.type if node is not None else None

    for id, index in stated.items():
        node = nodes[id]
        if node.attrs[IDENTITY] == "explicit" and id.startswith(f"{AUTO_DECISION}:"):
            note = f"ids that start with {AUTO_DECISION}: are made for decisions without one"
            message = "is explicit under a reserved id"
            return Fault("reserved-id", message, ("nodes", index, "id"), subject=id, note=note)
        if node.attrs.get(FINGERPRINT) != fingerprint(node, out[id], type_of):
            message = "is not the fingerprint of this decision and its edges"
            return Fault("fingerprint-differs", message, ("nodes", index, "attrs", FINGERPRINT), subject=id)
    return None
