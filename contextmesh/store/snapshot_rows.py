"""``contextmesh.graph`` version 1, one record at a time: strict JSON to frozen records. No record is compared here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import copysign, inf
from operator import itemgetter
from typing import Any

from contextmesh.base import fields
from contextmesh.base.fields import Fault, Path, Row
from contextmesh.store.model import Assumption, Edge, Node, Provenance, unfrozen
from contextmesh.store.relations import ASSUMPTION, BY_RECORD

SCHEMA = "contextmesh.graph"
VERSION = 1
STATUSES = ("active", "superseded", "rejected")
REJECTED_AFTER = "rejected_after"
"""Attribute of a rejected assumption's node: ``[edges, turn]``, how many edges were there when it was rejected and
how many rejections came at that point before it. Written only where the order of the file does not say it."""

CONTAINER = ("schema", "version", "build", "nodes", "edges", "assumptions")
NODE = (
    *("id", "type", "label", "attrs", "provenance", "embedded", "embedding"),
    *("build", "walks", "pruned", "invalidated"),
)
PROVENANCE = ("source_id", "span", "extractor", "checks", "recorded_at_build")
EDGE = (
    *("id", "src", "dst", "type", "assumption_id", "evidence_ids"),
    *("weight", "build", "traversals", "invalidated"),
)
ASSUMPTION_RECORD = (
    *("id", "statement", "status", "version", "created_by", "created_at_build"),
    *("supersedes", "superseded_by", "rejected_at_build", "evidence_ids"),
)


@dataclass(slots=True)
class Rows:
    """Everything a graph file says, in its order, checked record by record.

    Attributes:
        nodes, edges, assumptions: records; assumption nodes keep their attributes but status and version.
        said_invalid, said_dead: for each node or edge, whether the file says it is invalidated.
        said_status: the status each assumption record states.
        said_attrs: status and version as each assumption node's attributes state them.
        turns: the stated place of a rejection among the edges.
        walks, traversals: telemetry above zero.
    """

    build: int = 0
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    assumptions: list[Assumption] = field(default_factory=list)
    said_invalid: dict[str, bool] = field(default_factory=dict)
    said_dead: dict[str, bool] = field(default_factory=dict)
    said_status: dict[str, str] = field(default_factory=dict)
    said_attrs: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    turns: dict[str, tuple[int, int]] = field(default_factory=dict)
    walks: dict[str, int] = field(default_factory=dict)
    traversals: dict[str, int] = field(default_factory=dict)
    width: int | None = None


def read_rows(value: object) -> Rows:
    """The container and each of its records.

    Raises:
        Fault: the first record that is not what the format says, with its path.
    """
    container = fields.record(value, CONTAINER)
    fields.header(container, SCHEMA, (VERSION,))
    rows = Rows(build=fields.whole(container, "build"))
    for name, read in (("nodes", _node), ("assumptions", _assumption), ("edges", _edge)):
        for index, row in enumerate(fields.array(container, name)):
            try:
                read(row, rows)
            except Fault as fault:
                raise fault.under(name, index) from None
    return rows


def path_of(rows: Rows, id: str) -> Path:
    """Where the record of this id stands in the file, a node or edge before an assumption."""
    ids = (
        ("nodes", (node.id for node in rows.nodes)),
        ("edges", (edge.id for edge in rows.edges)),
        ("assumptions", (record.id for record in rows.assumptions)),
    )
    return next(((name, i) for name, some in ids for i, other in enumerate(some) if other == id), ())


def _node(value: object, rows: Rows) -> None:
    row = fields.record(value, NODE)
    id = _fresh(fields.text(row, "id", empty=False), rows.said_invalid)
    kind = fields.text(row, "type")
    attrs: Mapping[str, Any] = fields.mapping(row, "attrs")
    label = fields.text(row, "label")
    provenance = _provenance(row, rows.build)
    embedded = fields.flag(row, "embedded")
    embedding = _embedding(row, rows)
    if embedded != (embedding is not None):
        raise Fault("embedded-differs", "must say whether there is an embedding", ("embedded",), subject=id)
    build = _build(row, "build", rows.build)
    if kind == ASSUMPTION:
        attrs = _assumption_attrs(id, attrs, rows)
    walks = fields.whole(row, "walks")
    pruned = fields.flag(row, "pruned")
    rows.said_invalid[id] = fields.flag(row, "invalidated")
    if walks:
        rows.walks[id] = walks
    rows.nodes.append(Node(id, kind, label, attrs, provenance, embedding, build, pruned))


def _assumption_attrs(id: str, attrs: Mapping[str, Any], rows: Rows) -> Mapping[str, Any]:
    """The version stands in the record and the status follows from the rules: neither is an attribute here."""
    rows.said_attrs[id] = {name: attrs[name] for name in BY_RECORD if name in attrs}
    turn = attrs.get(REJECTED_AFTER)
    if turn is not None:
        whole = isinstance(turn, list) and len(turn) == 2 and all(type(n) is int and n >= 0 for n in turn)
        if not whole:
            raise Fault("wrong-type", "must be two whole numbers", ("attrs", REJECTED_AFTER), subject=id)
        rows.turns[id] = (turn[0], turn[1])
    return {name: value for name, value in attrs.items() if name not in (*BY_RECORD, REJECTED_AFTER)}


def _provenance(node: Row, latest: int) -> Provenance | None:
    if node["provenance"] is None:
        return None
    try:
        row = fields.record(node["provenance"], PROVENANCE)
        return Provenance(
            fields.text(row, "source_id"),
            _span(row),
            fields.text(row, "extractor"),
            fields.texts(row, "checks"),
            _build(row, "recorded_at_build", latest),
        )
    except Fault as fault:
        raise fault.under("provenance") from None


def _span(row: Row) -> tuple[int, int] | None:
    if row["span"] is None:
        return None
    ends = fields.array(row, "span")
    if len(ends) != 2 or any(type(end) is not int for end in ends):
        raise Fault("wrong-type", "must be two whole numbers", ("span",))
    start, end = ends
    if not 0 <= start <= end:
        note = "a span is a half-open range of characters"
        raise Fault("out-of-range", f"must go from a start to an end, and is {start} to {end}", ("span",), note=note)
    return start, end


def _embedding(row: Row, rows: Rows) -> tuple[float, ...] | None:
    if row["embedding"] is None:
        return None
    values = fields.array(row, "embedding")
    if not all(type(value) is float for value in values):
        for index, value in enumerate(values):
            try:
                fields.finite(value)
            except Fault as fault:
                raise fault.under("embedding", index) from None
    if not values:
        raise Fault("embedding-size", "must not be empty", ("embedding",))
    rows.width = rows.width or len(values)
    if len(values) != rows.width:
        message = f"has {len(values)} numbers, and the first in the file has {rows.width}"
        raise Fault("embedding-size", message, ("embedding",))
    return tuple(float(value) if value else _zero(value) for value in values)


def _zero(value: float) -> float:
    """One object for all the zeros of sparse vectors; a negative zero stays what it is."""
    return value if copysign(1.0, value) < 0 else 0.0


def _edge(value: object, rows: Rows) -> None:
    row = fields.record(value, EDGE)
    if _plain_edge(row, rows):
        return
    id = _fresh(fields.text(row, "id", empty=False), rows.said_dead)
    weight = fields.number(row, "weight")
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
        _build(row, "build", rows.build),
    )
    traversals = fields.whole(row, "traversals")
    rows.said_dead[id] = fields.flag(row, "invalidated")
    if traversals:
        rows.traversals[id] = traversals
    rows.edges.append(edge)


def _plain_edge(row: Row, rows: Rows) -> bool:
    """Take an edge that has all that most have; of any other nothing is said here."""
    values = _EDGE_VALUES(row)
    id, src, dst, type_, ground, seen, weight, build, walked, dead = values
    if tuple(map(type, values)) not in _PLAIN_EDGES or seen or not id or id in rows.said_dead:
        return False
    if not (0.0 < weight < inf and 0 <= build <= rows.build and walked >= 0):
        return False
    rows.said_dead[id] = dead
    if walked:
        rows.traversals[id] = walked
    made = _Edge(id, src, type_, dst, ground, (), weight, build)
    made.__class__ = Edge
    rows.edges.append(made)
    return True


_Edge = unfrozen(Edge)
_EDGE_VALUES = itemgetter(*EDGE)
_PLAIN_EDGES = frozenset((str, str, str, str, ground, list, float, int, int, bool) for ground in (type(None), str))


def _assumption(value: object, rows: Rows) -> None:
    row = fields.record(value, ASSUMPTION_RECORD)
    id = _fresh(fields.text(row, "id", empty=False), rows.said_status)
    status = fields.word(row, "status", STATUSES)
    rejected_at = fields.whole_or_none(row, "rejected_at_build")
    if rejected_at is not None:
        _build(row, "rejected_at_build", rows.build)
    if (rejected_at is not None) != (status == "rejected"):
        word = "lacks a build" if rejected_at is None else "names a build"
        message = f"{word}, and the status is {status}"
        raise Fault("rejection-differs", message, ("rejected_at_build",), subject=id)
    record = Assumption(
        id,
        fields.text(row, "statement"),
        fields.whole(row, "version", least=1),
        fields.text(row, "created_by"),
        _build(row, "created_at_build", rows.build),
        fields.text_or_none(row, "supersedes"),
        fields.text_or_none(row, "superseded_by"),
        rejected_at,
        fields.texts(row, "evidence_ids"),
    )
    rows.said_status[id] = status
    rows.assumptions.append(record)


def _fresh(id: str, taken: Mapping[str, object]) -> str:
    if id in taken:
        raise Fault("two-identities", f"is {fields.shown(id)}, which another row has", ("id",), subject=id)
    return id


def _build(row: Row, key: str, latest: int) -> int:
    build = fields.whole(row, key)
    if build > latest:
        raise Fault("out-of-range", f"is build {fields.shown(build)}, and the file ends at build {latest}", (key,))
    return build
