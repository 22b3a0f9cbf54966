"""``contextmesh.graph`` version 1: a store written exactly, and read as untrusted input."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contextmesh.base.canon import INNER_DEPTH, pretty_bytes
from contextmesh.base.collector import collector_paused
from contextmesh.base.errors import InputError, OntologyError, Problem, SnapshotError
from contextmesh.base.fields import Fault
from contextmesh.base.files import read_bytes, write_out
from contextmesh.base.strict import Document, from_value, parse
from contextmesh.datalog.limits import Limits
from contextmesh.policy import Policy
from contextmesh.store.model import Assumption, Node
from contextmesh.store.records_agree import disagreement
from contextmesh.store.records_json import edge_to_json, provenance_to_json
from contextmesh.store.relations import ASSUMPTION, SUPERSEDES
from contextmesh.store.snapshot_agree import require_agreement
from contextmesh.store.snapshot_history import Place, unsaid_places
from contextmesh.store.snapshot_load import Difference, load_rows, located
from contextmesh.store.snapshot_rows import REJECTED_AFTER, SCHEMA, VERSION, read_rows
from contextmesh.store.store import Store

_TOLD = 20
_DEPTH = INNER_DEPTH + 3
"""The attributes of a record stand in three containers."""
"""How many wrong conclusions of one file are told."""


# ---- writing --------------------------------------------------------------------------------


def graph_to_json(store: Store) -> dict[str, Any]:
    """The container: records in order of insertion, with what the rules conclude about each.

    Raises:
        SnapshotError: a record that a reader of the file would refuse; nothing is written that cannot be read.
    """
    _require_readable(store)
    engine = store.engine
    invalid = {row[0]: None for row in engine.rows("invalid")}
    dead = {row[0]: None for row in engine.rows("edge_dead")}
    status = {str(row[0]): str(row[1]) for row in engine.rows("status")}
    records = _with_supersessions(store)
    unsaid = unsaid_places(store)
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "build": store.build,
        "nodes": [
            {
                **_node(node, records.get(node.id), status.get(node.id), unsaid.get(node.id)),
                "walks": store.walks.get(node.id, 0),
                "invalidated": node.id in invalid,
            }
            for node in store.nodes.values()
        ],
        "assumptions": [_assumption(record, status[record.id]) for record in records.values()],
        "edges": [
            {**edge_to_json(edge), "traversals": store.traversals.get(edge.id, 0), "invalidated": edge.id in dead}
            for edge in store.edges.values()
        ],
    }


def graph_to_bytes(store: Store) -> bytes:
    """The whole file."""
    return pretty_bytes(graph_to_json(store))


def save_graph(store: Store, path: Path) -> None:
    """Writes the file whole: a reader finds the old one or the new one.

    Raises:
        InputError: unwritable-file.
    """
    write_out(path, graph_to_bytes(store))


def _require_readable(store: Store) -> None:
    """What a writer of records may state and no file may hold."""
    width: int | None = None
    for node in store.nodes.values():
        provenance, vector = node.provenance, node.embedding
        if provenance is not None:
            start, end = provenance.span or (0, 0)
            if not 0 <= start <= end:
                raise _unreadable(node.id, f"was read from {start} to {end}, which is no span")
            if provenance.recorded_at_build > store.build:
                raise _unreadable(node.id, f"was recorded at build {provenance.recorded_at_build}, after this one")
        if vector is not None:
            width = width or len(vector)
            if not vector or len(vector) != width:
                raise _unreadable(node.id, f"has an embedding of {len(vector)} numbers, and others have {width}")
    for edge in store.edges.values():
        if not 0 < edge.weight < float("inf"):
            raise _unreadable(edge.id, f"weighs {edge.weight}")
        missing = next((witness for witness in edge.evidence_ids if witness not in store.nodes), None)
        if missing is not None:
            raise _unreadable(edge.id, f"names {missing}, which is no node here")
    verdicts = ((str(row[0]), str(row[1]), 0) for row in store.engine.rows("verdict"))
    fault = disagreement(store.nodes, store.edges, store.assumptions, verdicts)
    if fault is not None:
        raise _unreadable(str(fault.subject), fault.message)


def _unreadable(id: str, what: str) -> SnapshotError:
    note = "a file with it would be refused when it is read"
    return SnapshotError(Problem("unwritable-record", f"{id} {what}", subject=id, note=note))


def _node(node: Node, record: Assumption | None, status: str | None, unsaid: Place | None) -> dict[str, Any]:
    attrs = dict(node.attrs)
    if node.type == ASSUMPTION and record is not None:
        attrs.update(status=status, version=record.version)
    if unsaid is not None:
        attrs[REJECTED_AFTER] = list(unsaid)
    return {
        "id": node.id,
        "type": node.type,
        "label": node.label,
        "attrs": attrs,
        "provenance": None if node.provenance is None else provenance_to_json(node.provenance),
        "embedded": node.embedding is not None,
        "embedding": None if node.embedding is None else list(node.embedding),
        "build": node.build,
        "pruned": node.pruned,
    }


def _assumption(record: Assumption, status: str) -> dict[str, Any]:
    return {
        "id": record.id,
        "statement": record.statement,
        "status": status,
        "version": record.version,
        "created_by": record.created_by,
        "created_at_build": record.created_at_build,
        "supersedes": record.supersedes,
        "superseded_by": record.superseded_by,
        "rejected_at_build": record.rejected_at_build,
        "evidence_ids": list(record.evidence_ids),
    }


def _with_supersessions(store: Store) -> dict[str, Assumption]:
    """The records, each supersedes edge between two of them said in both as far as their one field each allows."""
    records = dict(store.assumptions)
    for row in store.engine.match("edge", (None, None, SUPERSEDES, None)):
        new, old = records.get(str(row[1])), records.get(str(row[3]))
        if new is None or old is None or new.supersedes is not None or old.superseded_by is not None:
            continue
        records[new.id] = replace(new, supersedes=old.id)
        records[old.id] = replace(old, superseded_by=new.id)
    return records


# ---- reading --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recomputed:
    """A graph whose file concluded otherwise than the rules.

    Attributes:
        store: the graph, as the rules have it.
        differences: every stated conclusion that they do not derive.
    """

    store: Store
    differences: tuple[Difference, ...]


def graph_from_json(data: object, policy: Policy, file: str = "<graph>", *, limits: Limits | None = None) -> Store:
    """A store from a value that was read elsewhere.

    Raises:
        SnapshotError: what is wrong, with its JSON path.
    """
    document = from_value(data, file, depth=_DEPTH, refusal=SnapshotError)
    return graph_from_document(document, policy, limits=limits)


def graph_from_bytes(data: bytes, policy: Policy, file: str, *, limits: Limits | None = None) -> Store:
    """A store from the bytes of its file.

    Raises:
        SnapshotError: what is wrong, with line, column and JSON path.
    """
    return graph_from_document(graph_document(data, file), policy, limits=limits)


def graph_document(data: bytes, file: str) -> Document:
    """Strict JSON, in which attributes nest no deeper than any file of records can hold.

    Raises:
        SnapshotError: as ``strict.parse``.
    """
    return parse(data, file, depth=_DEPTH, refusal=SnapshotError)


def load_graph(path: Path, policy: Policy, *, limits: Limits | None = None) -> Store:
    """A store from a file.

    Raises:
        SnapshotError: what is wrong, with line, column and JSON path, or why the file cannot be read.
    """
    try:
        data = read_bytes(path)
    except InputError as error:
        raise SnapshotError(*error.problems) from None
    return graph_from_bytes(data, policy, str(path), limits=limits)


def graph_from_document(document: Document, policy: Policy, *, limits: Limits | None = None) -> Store:
    """A store from strict JSON; a stated conclusion that the rules do not derive is refused, and named."""
    with collector_paused():
        loaded = recompute_document(document, policy, limits=limits)
    if loaded.differences:
        raise SnapshotError(*_differing(document, loaded.differences))
    return loaded.store


def recompute_document(document: Document, policy: Policy, *, limits: Limits | None = None) -> Recomputed:
    """A store from strict JSON under our rules, whatever the file concludes.

    Raises:
        SnapshotError: anything else that is wrong with it.
    """
    try:
        rows = read_rows(document.value)
        require_agreement(rows)
        try:
            store, differences = load_rows(rows, policy, limits)
        except OntologyError as refusal:
            raise SnapshotError(*located(document, rows, refusal)) from None
    except Fault as fault:
        raise SnapshotError(document.problem(fault)) from None
    return Recomputed(store, tuple(differences))


def _differing(document: Document, differences: Iterable[Difference]) -> list[Problem]:
    found = list(differences)
    problems = [document.problem(difference.fault()) for difference in found[:_TOLD]]
    if len(found) > _TOLD:
        ids = ", ".join(difference.id for difference in found[_TOLD:])
        more = Fault("more-differences", f"and {len(found) - _TOLD} more conclusions differ", note=ids)
        problems.append(document.problem(more))
    return problems
