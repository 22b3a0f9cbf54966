"""What only two records of a graph file can contradict, and what no rule is asked: references, twins, fingerprints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from contextmesh.base.fields import Fault, Path, shown
from contextmesh.base.ids import AUTO_DECISION
from contextmesh.store.fingerprint import FINGERPRINT, IDENTITY, fingerprint
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.records_json import first_wrong_id, wrong_edge_id
from contextmesh.store.relations import ASSUMPTION, DECISION, SUPERSEDES
from contextmesh.store.snapshot_rows import Rows

_IDENTITIES = ("auto", "explicit")
_Record = TypeVar("_Record")


def require_agreement(rows: Rows) -> None:
    """Raises Fault at the first record that another contradicts."""
    nodes = {node.id: node for node in rows.nodes}
    records = {record.id: record for record in rows.assumptions}
    wrong = first_wrong_id(rows.edges)
    misnamed = rows.edges[wrong] if wrong is not None else None
    for checks in (
        _each("assumptions", rows.assumptions, lambda a: _assumption(a, nodes, records)),
        _each("nodes", rows.nodes, lambda n: _assumption_node(n, records, rows)),
        _each("edges", rows.edges, lambda e: _edge(e, misnamed, nodes, records)),
        _supersessions(rows, records),
        _decisions(rows, nodes),
    ):
        for fault in checks:
            raise fault


def _each(name: str, records: list[_Record], check: Callable[[_Record], Fault | None]) -> Iterator[Fault]:
    for index, record in enumerate(records):
        fault = check(record)
        if fault is not None:
            yield fault.under(name, index)


def _assumption(record: Assumption, nodes: Mapping[str, Node], records: Mapping[str, Assumption]) -> Fault | None:
    node = nodes.get(record.id)
    if node is None or node.type != ASSUMPTION:
        what = "names no node" if node is None else f"names a {node.type}, not an assumption"
        return Fault("no-such-assumption", what, ("id",), subject=record.id)
    if node.label != record.statement:
        note = f"the node's label is {shown(node.label)}"
        return Fault("statement-differs", "is not the label of its node", ("statement",), subject=record.id, note=note)
    for key, other in (("supersedes", record.supersedes), ("superseded_by", record.superseded_by)):
        if other is not None and other not in records:
            return Fault("unknown-id", f"names {shown(other)}, which is no assumption here", (key,), subject=record.id)
    if record.supersedes is not None and records[record.supersedes].superseded_by != record.id:
        return _disagree(record, "supersedes", record.supersedes)
    if record.superseded_by is not None and records[record.superseded_by].supersedes != record.id:
        return _disagree(record, "superseded_by", record.superseded_by)
    return _unknown_evidence(record.id, record.evidence_ids, nodes)


def _assumption_node(node: Node, records: Mapping[str, Assumption], rows: Rows) -> Fault | None:
    if node.type != ASSUMPTION:
        return None
    record = records.get(node.id)
    if record is None:
        return Fault("no-assumption-record", "is an assumption without a record", subject=node.id)
    said = rows.said_attrs[node.id]
    for name, right in (("status", rows.said_status[node.id]), ("version", record.version)):
        if name not in said:
            return Fault("missing-field", f"lacks {name}, which an assumption must carry", ("attrs",), subject=node.id)
        if type(said[name]) is not type(right) or said[name] != right:
            message = f"is {shown(said[name])}, and the record says {shown(right)}"
            return Fault("attrs-differ", message, ("attrs", name), subject=node.id)
    return None


def _edge(
    edge: Edge, misnamed: Edge | None, nodes: Mapping[str, Node], records: Mapping[str, Assumption]
) -> Fault | None:
    if edge is misnamed:
        return wrong_edge_id(edge)
    if edge.assumption_id is not None and edge.assumption_id not in records:
        message = f"names {shown(edge.assumption_id)}, which is no assumption here"
        return Fault("unknown-id", message, ("assumption_id",), subject=edge.id)
    return _unknown_evidence(edge.id, edge.evidence_ids, nodes)


def _unknown_evidence(id: str, evidence_ids: tuple[str, ...], nodes: Mapping[str, Node]) -> Fault | None:
    for index, other in enumerate(evidence_ids):
        if other not in nodes:
            message = f"names {shown(other)}, which is no node here"
            return Fault("unknown-id", message, ("evidence_ids", index), subject=id)
    return None


def _disagree(record: Assumption, key: str, other: str) -> Fault:
    message = f"names {shown(other)}, whose record does not say so"
    return Fault("supersession-differs", message, (key,), subject=record.id)


def _supersessions(rows: Rows, records: Mapping[str, Assumption]) -> Iterator[Fault]:
    """The fields of the records against the edges that the rules read."""
    drawn: dict[tuple[str, str], None] = {}
    for index, edge in enumerate(rows.edges):
        if edge.type != SUPERSEDES or edge.src not in records or edge.dst not in records:
            continue
        drawn[edge.src, edge.dst] = None
        if records[edge.src].supersedes is None and records[edge.dst].superseded_by is None:
            message = "supersedes an assumption, and neither record says so"
            yield Fault("supersession-differs", message, ("edges", index), subject=edge.id)
    for index, record in enumerate(rows.assumptions):
        if record.supersedes is not None and (record.id, record.supersedes) not in drawn:
            path: Path = ("assumptions", index, "supersedes")
            message = f"names {shown(record.supersedes)}, and no supersedes edge leads there"
            yield Fault("supersession-differs", message, path, subject=record.id)


def _decisions(rows: Rows, nodes: Mapping[str, Node]) -> Iterator[Fault]:
    """A decision that states how it got its id must have the fingerprint of its record and edges."""
    stated = {n.id: i for i, n in enumerate(rows.nodes) if n.type == DECISION and n.attrs.get(IDENTITY) in _IDENTITIES}
    out: dict[str, list[Edge]] = {id: [] for id in stated}
    for edge in rows.edges:
        if edge.src in out:
            out[edge.src].append(edge)

    def type_of(id: str) -> str | None:
        node = nodes.get(id)
        return node.type if node is not None else None

    for id, index in stated.items():
        node, path = nodes[id], ("nodes", index)
        if node.attrs[IDENTITY] == "explicit" and id.startswith(f"{AUTO_DECISION}:"):
            note = f"ids that start with {AUTO_DECISION}: are made for decisions without one"
            yield Fault("reserved-id", "is explicit under a reserved id", (*path, "id"), subject=id, note=note)
        if node.attrs.get(FINGERPRINT) != fingerprint(node, out[id], type_of):
            message = "is not the fingerprint of this decision and its edges"
            yield Fault("fingerprint-differs", message, (*path, "attrs", FINGERPRINT), subject=id)
