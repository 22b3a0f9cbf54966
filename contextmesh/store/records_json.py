"""One record as a JSON object and back: what a transaction and an older version are written as.

Only what was put stands here; what the rules conclude of a record is never written with it. The attributes of a node
stand as JSON text, because their order is data (facts are made in it) and canonical JSON would sort them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from contextmesh.base import fields
from contextmesh.base.canon import require_canonical
from contextmesh.base.errors import InputError, Problem, SnapshotError
from contextmesh.base.fields import Fault, Row
from contextmesh.base.ids import DIGITS, EdgeIds, edge_key, slug
from contextmesh.base.strict import parse
from contextmesh.store.model import Assumption, Edge, Node, Provenance

NODE = ("id", "type", "label", "attrs", "provenance", "embedding", "build", "pruned")
PROVENANCE = ("source_id", "span", "extractor", "checks", "recorded_at_build")
EDGE = ("id", "src", "type", "dst", "assumption_id", "evidence_ids", "weight", "build")
ASSUMPTION = (
    *("id", "statement", "version", "created_by", "created_at_build"),
    *("supersedes", "superseded_by", "rejected_at_build", "evidence_ids"),
)

# ---- writing --------------------------------------------------------------------------------


def node_to_json(node: Node) -> dict[str, Any]:
    return {
        "id": node.id,
        "type": node.type,
        "label": node.label,
        "attrs": attrs_to_text(node.attrs),
        "provenance": None if node.provenance is None else provenance_to_json(node.provenance),
        "embedding": None if node.embedding is None else list(node.embedding),
        "build": node.build,
        "pruned": node.pruned,
    }


def attrs_to_text(attrs: Mapping[str, Any]) -> str:
    """Compact JSON in the order in which the attributes stand.

    Raises:
        InputError: not-canonical: a value that JSON cannot carry exactly.
    """
    if not attrs:
        return "{}"
    require_canonical(attrs)
    return json.dumps(attrs, allow_nan=False, separators=(",", ":"), ensure_ascii=False)


def provenance_to_json(provenance: Provenance) -> dict[str, Any]:
    return {
        "source_id": provenance.source_id,
        "span": None if provenance.span is None else list(provenance.span),
        "extractor": provenance.extractor,
        "checks": list(provenance.checks),
        "recorded_at_build": provenance.recorded_at_build,
    }


def edge_to_json(edge: Edge) -> dict[str, Any]:
    return {
        "id": edge.id,
        "src": edge.src,
        "type": edge.type,
        "dst": edge.dst,
        "assumption_id": edge.assumption_id,
        "evidence_ids": list(edge.evidence_ids),
        "weight": float(edge.weight),
        "build": edge.build,
    }


def assumption_to_json(record: Assumption) -> dict[str, Any]:
    return {
        "id": record.id,
        "statement": record.statement,
        "version": record.version,
        "created_by": record.created_by,
        "created_at_build": record.created_at_build,
        "supersedes": record.supersedes,
        "superseded_by": record.superseded_by,
        "rejected_at_build": record.rejected_at_build,
        "evidence_ids": list(record.evidence_ids),
    }


def require_writable(record: Node | Edge | Assumption, build: int) -> None:
    """Raises SnapshotError, ``unwritable-record``, for a record that a reader of the file would refuse.

    ``build`` is the one the file ends at.
    """
    flaw = _flaw(record, build)
    if flaw is not None:
        note = "a file with it would be refused when it is read"
        raise SnapshotError(Problem("unwritable-record", f"{record.id} {flaw}", subject=record.id, note=note))


def _flaw(record: Node | Edge | Assumption, build: int) -> str | None:
    if not record.id:
        return "is a record without an id"
    if isinstance(record, Assumption):
        builds = [record.created_at_build, record.rejected_at_build or 0]
        if record.version < 1:
            return f"is of version {record.version}"
    elif isinstance(record, Node):
        builds = [record.build]
        if record.provenance is not None:
            start, end = record.provenance.span or (0, 0)
            if not 0 <= start <= end:
                return f"was read from {start} to {end}, which is no span"
            builds.append(record.provenance.recorded_at_build)
        if record.embedding is not None and not _is_vector(record.embedding):
            return "has an embedding that is empty or not of finite numbers"
    else:
        builds = [record.build]
        if not 0 < record.weight < float("inf"):
            return f"weighs {record.weight}"
        if not is_edge_id(record):
            return "has an id that is not made from its source, type and target"
    wrong = next((number for number in builds if not 0 <= number <= build), None)
    return f"was recorded at build {wrong}, and this is build {build}" if wrong is not None else None


def _is_vector(values: Sequence[float]) -> bool:
    return len(values) > 0 and all(value - value == 0.0 for value in values)


# ---- reading --------------------------------------------------------------------------------


def node_from_json(value: object, build: int) -> Node:
    """Raises Fault on anything that is not a node as ``node_to_json`` writes it, of ``build`` or before."""
    row = fields.record(value, NODE)
    return Node(
        fields.text(row, "id", empty=False),
        fields.text(row, "type"),
        fields.text(row, "label"),
        attrs_from_text(fields.text(row, "attrs")),
        None if row["provenance"] is None else _provenance(row["provenance"], build),
        None if row["embedding"] is None else _embedding(row),
        build_of(row, "build", build),
        fields.flag(row, "pruned"),
    )


def edge_from_json(value: object, build: int) -> Edge:
    """Raises Fault on anything that is not an edge as ``edge_to_json`` writes it, of ``build`` or before."""
    row = fields.record(value, EDGE)
    id, weight = fields.text(row, "id", empty=False), fields.number(row, "weight")
    if weight <= 0:
        raise Fault("out-of-range", f"must be above zero, and is {weight}", ("weight",), subject=id)
    edge = Edge(
        id,
        fields.text(row, "src"),
        fields.text(row, "type"),
        fields.text(row, "dst"),
        fields.text_or_none(row, "assumption_id"),
        fields.texts(row, "evidence_ids"),
        weight,
        build_of(row, "build", build),
    )
    if not is_edge_id(edge):
        raise wrong_edge_id(edge)
    return edge


def assumption_from_json(value: object, build: int) -> Assumption:
    """Raises Fault on anything that is not a record as ``assumption_to_json`` writes it, of ``build`` or before."""
    row = fields.record(value, ASSUMPTION)
    return Assumption(
        fields.text(row, "id", empty=False),
        fields.text(row, "statement"),
        fields.whole(row, "version", least=1),
        fields.text(row, "created_by"),
        build_of(row, "created_at_build", build),
        fields.text_or_none(row, "supersedes"),
        fields.text_or_none(row, "superseded_by"),
        None if row["rejected_at_build"] is None else build_of(row, "rejected_at_build", build),
        fields.texts(row, "evidence_ids"),
    )


def attrs_from_text(text: str) -> dict[str, Any]:
    """Attributes from JSON text; raises Fault with what strict JSON refuses, by its code."""
    if text == "{}":
        return {}
    try:
        attrs = parse(text.encode("utf-8"), "the attributes", refusal=InputError).value
        require_canonical(attrs)
    except InputError as error:
        code = "too-deep" if error.code == "not-canonical" else error.code
        raise Fault(code, f"is not strict JSON: {error.problem.message}", ("attrs",)) from None
    if not isinstance(attrs, dict):
        raise Fault("wrong-type", f"must be an object, and is {fields.kind_of(attrs)}", ("attrs",))
    return attrs


def build_of(row: Row, key: str, latest: int) -> int:
    """A build that has been: from 0 to the latest."""
    build = fields.whole(row, key)
    if build > latest:
        raise Fault("out-of-range", f"is build {fields.shown(build)}, and this is build {latest}", (key,))
    return build


def is_edge_id(edge: Edge) -> bool:
    """Whether an edge's id is the derived one, its digest part grown or not."""
    whole = slug(edge_key(edge.src, edge.type, edge.dst), "edge", digits=DIGITS[-1])
    return whole.startswith(edge.id) and len(edge.id) >= len(whole) - DIGITS[-1] + DIGITS[0]


def first_wrong_id(edges: Collection[Edge]) -> int | None:
    """The index of the first of many edges that ``is_edge_id`` is not true of."""
    names = {name: at for at, name in enumerate(dict.fromkeys(name for e in edges for name in (e.src, e.dst)))}
    types = {name: at for at, name in enumerate(dict.fromkeys(edge.type for edge in edges))}
    rows = [("", names[edge.src], types[edge.type], names[edge.dst]) for edge in edges]
    return EdgeIds(tuple(names), tuple(types)).first_wrong([edge.id for edge in edges], rows)


def wrong_edge_id(edge: Edge) -> Fault:
    """What is said of an edge whose id is not made from its ends and type."""
    right = slug(edge_key(edge.src, edge.type, edge.dst), "edge")
    hint = "an edge's id is made from its source, type and target"
    return Fault("edge-id-differs", f"must be {right}", ("id",), subject=edge.id, hint=hint)


def _provenance(value: object, build: int) -> Provenance:
    try:
        row = fields.record(value, PROVENANCE)
        return Provenance(
            fields.text(row, "source_id"),
            None if row["span"] is None else span_of(row),
            fields.text(row, "extractor"),
            fields.texts(row, "checks"),
            build_of(row, "recorded_at_build", build),
        )
    except Fault as fault:
        raise fault.under("provenance") from None


def span_of(row: Row) -> tuple[int, int]:
    """A half-open range of characters."""
    ends = fields.array(row, "span")
    if len(ends) != 2 or any(type(end) is not int for end in ends):
        raise Fault("wrong-type", "must be two whole numbers", ("span",))
    start, end = ends
    if not 0 <= start <= end:
        note = "a span is a half-open range of characters"
        raise Fault("out-of-range", f"must go from a start to an end, and is {start} to {end}", ("span",), note=note)
    return start, end


def _embedding(row: Row) -> tuple[float, ...]:
    values = fields.array(row, "embedding")
    if not values:
        raise Fault("embedding-size", "must not be empty", ("embedding",))
    made = []
    for index, value in enumerate(values):
        try:
            made.append(fields.finite(value))
        except Fault as fault:
            raise fault.under("embedding", index) from None
    return tuple(made)
