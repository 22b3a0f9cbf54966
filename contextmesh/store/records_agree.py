"""What two records can contradict, and what no rule is asked, over the records themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from contextmesh.base.fields import Fault
from contextmesh.base.ids import AUTO_DECISION
from contextmesh.store.agreement import flaw_of_record
from contextmesh.store.edges import bound_of, of_type, rows_of
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
    drawn = {(src, dst): None for _, src, _, dst in of_type(edges, SUPERSEDES)}
    view = _Whole(nodes, records, rejected, drawn)
    for index, record in enumerate(records.values()):
        fault = flaw_of_record(record, view)
        if fault is not None:
            return fault.under("assumptions", index)
    decisions: dict[str, int] = {}
    for index, node in enumerate(nodes.values()):
        if node.type == ASSUMPTION and node.id not in records:
            return Fault("no-assumption-record", "is an assumption without a record", ("nodes", index), subject=node.id)
        if node.type == DECISION and node.attrs.get(IDENTITY) in IDENTITIES:
            decisions[node.id] = index
    for id, ground in bound_of(edges):
        if ground not in records:
            index = next(index for index, other in enumerate(edges) if other == id)
            message = f"is bound to {ground}, which is no assumption here"
            return Fault("unknown-id", message, ("edges", index, "assumption_id"), subject=id)
    return _of_decisions(decisions, nodes, edges) if decisions else None


@dataclass(frozen=True, slots=True)
class _Whole:
    """A file as it is compared."""

    nodes: Mapping[str, Node]
    records: Mapping[str, Assumption]
    rejected: Mapping[str, None]
    drawn: Mapping[tuple[str, str], None]

    def node(self, id: str) -> Node | None:
        return self.nodes.get(id)

    def assumption(self, id: str) -> Assumption | None:
        return self.records.get(id)

    def is_rejected(self, id: str) -> bool:
        return id in self.rejected

    def is_drawn(self, src: str, dst: str) -> bool:
        return (src, dst) in self.drawn


def _of_decisions(stated: Mapping[str, int], nodes: Mapping[str, Node], edges: Mapping[str, Edge]) -> Fault | None:
    """A decision that states how it got its id must have the fingerprint of its record and edges."""
    out: dict[str, list[Edge]] = {id: [] for id in stated}
    for edge_id, src, _, _ in rows_of(edges):
        if src in out:
            out[src].append(edges[edge_id])

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
