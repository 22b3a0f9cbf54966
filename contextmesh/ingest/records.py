"""Decision records as nodes, and the edges their headers state: from either end, and whenever the other arrives."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contextmesh.base.errors import OntologyError
from contextmesh.base.ids import slug
from contextmesh.graph.attrs_then import NAMED, PATHS, REFERS, STATUS
from contextmesh.graph.batch import Batch
from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.documents import (
    AMENDED_BY,
    AMENDS,
    DEPENDS_ON,
    SUPERSEDED_BY,
    SUPERSEDES,
    Document,
    RecordHeader,
)
from contextmesh.ingest.links import Linker
from contextmesh.ingest.readers.keys import stem_key
from contextmesh.ingest.report import Tally
from contextmesh.store.model import Node, Provenance

DECISION = "decision"
EXTRACTOR = "decision-record"
CHECKS = ("rationale-present", "provenance-present")
KEY, IMPRECISE = "record_key", "imprecise_date"
_OURS = (KEY, REFERS, STATUS, IMPRECISE, NAMED, PATHS)
_NEWER = (SUPERSEDES, "replaces")
_OLDER = (SUPERSEDED_BY, "replaced_by")


@dataclass(frozen=True, slots=True)
class Stated:
    """An edge between two records that a header states."""

    src: str
    type: str
    dst: str


def put_record(batch: Batch, document: Document, source_id: str, rationale: str) -> Node:
    """The decision of a record, made or brought up to date. Dirty metadata goes in as it is written."""
    record = document.record
    assert record is not None
    decision_id = _decision_id(batch, record, source_id)
    attrs = _attrs(document, record, rationale)
    read = Provenance(source_id, record.span if record.span[1] else None, EXTRACTOR, CHECKS, batch.build)
    if not batch.has(decision_id):
        return batch.add_node(DECISION, record.label, id=decision_id, attrs=attrs, provenance=read)
    there = batch.node(decision_id)
    if there.provenance is not None and replace(there.provenance, recorded_at_build=batch.build) == read:
        read = there.provenance
    kept = {name: value for name, value in there.attrs.items() if name not in _OURS}
    return batch.replace_node(replace(there, label=record.label, attrs={**kept, **attrs}, provenance=read))


def link_record(linker: Linker, decision: Node, source_id: str, grounds: Sequence[str]) -> None:
    """The decision cites its document and stands on what the document says of it."""
    linker.link(decision.id, "cites", source_id)
    for claim_id in grounds:
        linker.link(decision.id, "derived_from", claim_id)


def join_records(graph: ContextGraph, decisions: Sequence[str], tally: Tally) -> None:
    """Edges between these decisions and whatever names them or is named by them, each in a transaction of its own.

    A supersession that would close a circle is refused by the rules; the edge is dropped and counted.
    """
    for decision_id in decisions:
        _know_by_title(graph, decision_id)
    for decision_id in decisions:
        for stated in list(_stated(graph, decision_id, tally)):
            _join(graph, stated, tally)


def _decision_id(batch: Batch, record: RecordHeader, source_id: str) -> str:
    """``decision:pep-245``; with the start of a digest when another document's record bears the key."""
    plain = f"{DECISION}:{record.key}"
    if not batch.has(plain):
        return plain
    there = batch.node(plain)
    if there.type == DECISION and there.provenance is not None and there.provenance.source_id == source_id:
        return plain
    return f"{plain}-{slug(source_id)[-6:]}"


def _attrs(document: Document, record: RecordHeader, rationale: str) -> dict[str, Any]:
    attrs: dict[str, Any] = {"rationale": rationale, KEY: record.key}
    if record.status:
        attrs[STATUS] = record.status
    if document.date and document.date_day is None:
        attrs[IMPRECISE] = document.date
    refers: dict[str, list[str]] = {}
    for ref in record.refs:
        keys = refers.setdefault(ref.relation, [])
        if ref.key not in keys:
            keys.append(ref.key)
    if refers:
        attrs[REFERS] = refers
        attrs[NAMED] = {ref.key: ref.name for ref in record.refs}
        paths = {ref.key: ref.path for ref in record.refs if ref.path}
        attrs.update({PATHS: paths} if paths else {})
    return attrs


def _join(graph: ContextGraph, stated: Stated, tally: Tally) -> None:
    if stated.src == stated.dst:
        tally.drop(f"{stated.type}: a record names itself")
        return
    counted = Tally()
    try:
        with graph.batch("ingest-reference") as batch:
            Linker(batch, graph.policy.ontology, counted).link(stated.src, stated.type, stated.dst)
    except OntologyError as refused:
        tally.drop(f"{stated.type}: {refused.code}")
    else:
        tally.add(counted)


def _stated(graph: ContextGraph, decision_id: str, tally: Tally) -> Iterator[Stated]:
    node = graph.node(decision_id)
    engine = graph.store.engine
    for _, relation, key in list(engine.match("refers", (decision_id, None, None))):
        for target in _bearing(graph, node, str(key), tally):
            yield from _edge(str(relation), decision_id, target)
    own = node.attrs.get(KEY)
    if isinstance(own, str):
        for waiting, relation, _ in list(engine.match("refers", (None, None, own))):
            if decision_id in _bearing(graph, graph.node(str(waiting)), own, tally):
                yield from _edge(str(relation), str(waiting), decision_id)


def _edge(relation: str, teller: str, target: str) -> Iterator[Stated]:
    if relation in _NEWER:
        yield Stated(teller, "supersedes", target)
    elif relation in _OLDER:
        yield Stated(target, "supersedes", teller)
    elif relation == AMENDED_BY:
        yield Stated(target, "depends_on", teller)
    elif relation in (DEPENDS_ON, AMENDS):
        yield Stated(teller, "depends_on", target)


def _bearing(graph: ContextGraph, teller: Node, key: str, tally: Tally) -> list[str]:
    """The one record a header means by a key: the one its link leads to, or the one of its folder, or the only one."""
    found = [str(row[0]) for row in graph.store.engine.match("record_key", (None, key))]
    if len(found) <= 1:
        return found
    origin = _origin(graph, teller)
    path = _mapping(teller, PATHS).get(key)
    if path:
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
        led = [name for name in found if posixpath.normpath(_origin(graph, graph.node(name))) == wanted]
        if led:
            return led[:1]
    folder = posixpath.dirname(origin)
    beside = [name for name in found if posixpath.dirname(_origin(graph, graph.node(name))) == folder]
    if len(beside) == 1:
        return beside
    tally.drop("ambiguous reference")
    return []


def _know_by_title(graph: ContextGraph, decision_id: str) -> None:
    """Where a header names a record by its title, put the key of the record that bears this title."""
    engine = graph.store.engine
    node = graph.node(decision_id)
    for key, name in _mapping(node, NAMED).items():
        if not list(engine.match("record_key", (None, key))):
            bearers = [graph.node(str(row[0])) for row in engine.match("named", (None, name))]
            keys = [str(b.attrs[KEY]) for b in bearers if b.type == DECISION and KEY in b.attrs]
            if len(keys) == 1:
                _rename(graph, decision_id, key, keys[0])
    own, by_title = node.attrs.get(KEY), stem_key(node.label)
    if isinstance(own, str) and own != by_title and not list(engine.match("record_key", (None, by_title))):
        for waiting, _, _ in list(engine.match("refers", (None, None, by_title))):
            if _mapping(graph.node(str(waiting)), NAMED).get(by_title) == node.label:
                _rename(graph, str(waiting), by_title, own)


def _rename(graph: ContextGraph, decision_id: str, old: str, new: str) -> None:
    node = graph.node(decision_id)
    stated = node.attrs.get(REFERS)
    if not isinstance(stated, dict):
        return
    refers = {r: list(dict.fromkeys(new if key == old else key for key in keys)) for r, keys in stated.items()}
    named = {new if key == old else key: name for key, name in _mapping(node, NAMED).items()}
    with graph.batch("ingest-reference") as batch:
        batch.set_attrs(decision_id, **{REFERS: refers, NAMED: named})


def _origin(graph: ContextGraph, decision: Node) -> str:
    source_id = decision.provenance.source_id if decision.provenance is not None else ""
    source = graph.store.nodes.get(source_id)
    origin = source.attrs.get("origin") if source is not None else None
    return origin if isinstance(origin, str) else ""


def _mapping(node: Node, name: str) -> dict[str, str]:
    value = node.attrs.get(name)
    return {k: v for k, v in value.items() if isinstance(v, str)} if isinstance(value, dict) else {}
