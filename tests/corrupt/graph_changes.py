"""A good graph file bent between records, in its conclusions and in its text: name, change, code of the refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contextmesh.base.ids import edge_key, slug

from .graph_fields import (
    CONTAINER,
    CREW,
    CREW_ID,
    FIELDS,
    HOURLY,
    MEASURED,
    MEASURED_ID,
    PIER,
    PIER_ID,
    PRINT,
    PRINTED,
    PRINTED_ID,
    SEEN,
    SUMMER,
    Change,
    again,
    bent_assumption,
    bent_attrs,
    bent_edge,
    bent_node,
    drop,
    edge,
    node,
    put,
    together,
)


def _without_edge(src: str, type: str, dst: str) -> Change:
    return lambda graph: graph["edges"].remove(edge(graph, src, type, dst))


def _new_edge(src: str, type: str, dst: str, /, **changes: Any) -> Change:
    def change(graph: dict[str, Any]) -> None:
        row = dict(graph["edges"][0], src=src, type=type, dst=dst, weight=1.0, traversals=0)
        row["id"] = slug(edge_key(src, type, dst), "edge")
        graph["edges"].append({**row, **changes})

    return change


def _circle(graph: dict[str, Any]) -> None:
    """The printed and the measured table supersede each other, and every field says so."""
    _new_edge(PRINTED_ID, "supersedes", MEASURED_ID)(graph)
    for index, other in ((PRINTED, MEASURED_ID), (MEASURED, PRINTED_ID)):
        graph["assumptions"][index].update(status="superseded", supersedes=other, superseded_by=other)
        node(graph, graph["assumptions"][index]["id"])["attrs"]["status"] = "superseded"


def _itself(graph: dict[str, Any]) -> None:
    graph["assumptions"][CREW].update(status="superseded", supersedes=CREW_ID, superseded_by=CREW_ID)
    node(graph, CREW_ID)["attrs"]["status"] = "superseded"
    _new_edge(CREW_ID, "supersedes", CREW_ID)(graph)


BETWEEN: dict[str, tuple[Change, str]] = {
    "two nodes of one id": (again("nodes"), "two-identities"),
    "two edges of one id": (again("edges"), "two-identities"),
    "two assumptions of one id": (again("assumptions"), "two-identities"),
    "one edge under a short and a grown id": (
        lambda g: g["edges"].append({**g["edges"][0], "id": _grown(g["edges"][0])}),
        "repeated-edge",
    ),
    "an entity without aliases": (lambda g: node(g, "entity:house")["attrs"].pop("aliases"), "missing-field"),
    "an entity without its name": (lambda g: node(g, "entity:house")["attrs"].pop("canonical"), "missing-field"),
    "a claim without provenance": (bent_node("claim:tide", provenance=None), "missing-field"),
    "a claim with an attribute called provenance": (
        together(bent_node("claim:tide", provenance=None), bent_attrs("claim:tide", provenance="source:memo")),
        "missing-field",
    ),
    "a source without origin": (lambda g: node(g, "source:log")["attrs"].pop("origin"), "missing-field"),
    "a source without a date": (lambda g: node(g, "source:log")["attrs"].pop("retrieved_at"), "missing-field"),
    "an automatic decision without rationale": (
        lambda g: node(g, PRINT)["attrs"].pop("rationale"),
        "fingerprint-differs",
    ),
    "evidence without kind": (lambda g: node(g, SEEN)["attrs"].pop("kind"), "missing-field"),
    "an assumption node without status": (lambda g: node(g, CREW_ID)["attrs"].pop("status"), "missing-field"),
    "an assumption node without version": (lambda g: node(g, CREW_ID)["attrs"].pop("version"), "missing-field"),
    "an unknown node type": (bent_node("entity:house", type="building"), "no-such-node-type"),
    "an assumption record without a node": (bent_assumption(CREW, id="assumption:none"), "no-such-assumption"),
    "an assumption record of an entity": (bent_assumption(CREW, id="entity:house"), "no-such-assumption"),
    "another statement than the label": (bent_assumption(CREW, statement="Two crews"), "statement-differs"),
    "an assumption node without a record": (drop("assumptions", CREW), "no-assumption-record"),
    "attributes with another status": (bent_attrs(CREW_ID, status="superseded"), "attrs-differ"),
    "attributes with another version": (bent_attrs(CREW_ID, version=2), "attrs-differ"),
    "true as version 1": (bent_attrs(CREW_ID, version=True), "attrs-differ"),
    "1.0 as version 1": (bent_attrs(CREW_ID, version=1.0), "attrs-differ"),
    "an edge from nowhere": (_new_edge("claim:none", "derived_from", "source:log"), "unknown-node"),
    "an edge to nowhere": (_new_edge("claim:pier", "mentions", "entity:none"), "unknown-node"),
    "an edge to itself": (_new_edge("claim:pier", "contradicts", "claim:pier"), "self-edge"),
    "an illegal pair": (_new_edge("entity:house", "mentions", "source:log"), "illegal-pair"),
    "an unknown edge type": (_new_edge("claim:pier", "likes", "entity:pier"), "no-such-edge-type"),
    "an edge id of another edge": (put("edges", 0, "id", to="edge:x-000000"), "edge-id-differs"),
    "an edge id with a wrong digest": (
        lambda g: g["edges"][0].update(id=g["edges"][0]["id"][:-6] + "000000"),
        "edge-id-differs",
    ),
    "an edge id with a cut digest": (lambda g: g["edges"][0].update(id=g["edges"][0]["id"][:-1]), "edge-id-differs"),
    "an edge turned round": (
        lambda g: g["edges"][0].update(src=g["edges"][0]["dst"], dst=g["edges"][0]["src"]),
        "edge-id-differs",
    ),
    "a predecessor that is not there": (bent_assumption(CREW, supersedes="assumption:none"), "unknown-id"),
    "a successor that is not there": (bent_assumption(CREW, superseded_by="assumption:none"), "unknown-id"),
    "a predecessor that knows nothing of it": (bent_assumption(CREW, supersedes=PRINTED_ID), "supersession-differs"),
    "a successor that knows nothing of it": (bent_assumption(CREW, superseded_by=MEASURED_ID), "supersession-differs"),
    "superseded without a successor": (bent_assumption(PRINTED, superseded_by=None), "supersession-differs"),
    "a successor without its predecessor": (bent_assumption(MEASURED, supersedes=None), "supersession-differs"),
    "a supersession that no record states": (
        together(bent_assumption(PRINTED, superseded_by=None), bent_assumption(MEASURED, supersedes=None)),
        "supersession-differs",
    ),
    "a supersession that no edge states": (
        _without_edge(MEASURED_ID, "supersedes", PRINTED_ID),
        "supersession-differs",
    ),
    "an assumption that supersedes itself": (_itself, "self-edge"),
    "a circle of supersession": (_circle, "supersedes-itself"),
    "evidence of an assumption that is not there": (
        bent_assumption(CREW, evidence_ids=["evidence:none"]),
        "unknown-id",
    ),
    "evidence of an edge that is not there": (put("edges", 0, "evidence_ids", to=["evidence:none"]), "unknown-id"),
    "an edge bound to nothing": (put("edges", 0, "assumption_id", to="assumption:none"), "unknown-id"),
    "an edge bound to an entity": (put("edges", 0, "assumption_id", to="entity:house"), "unknown-id"),
    "an explicit decision under a reserved id": (bent_attrs(PRINT, decision_identity="explicit"), "reserved-id"),
    "an explicit decision retold": (bent_attrs(SUMMER, rationale="It pays."), "fingerprint-differs"),
    "an explicit decision renamed": (bent_node(SUMMER, label="Sail in spring"), "fingerprint-differs"),
    "an explicit decision without its fingerprint": (
        lambda g: node(g, SUMMER)["attrs"].pop("decision_payload_digest"),
        "fingerprint-differs",
    ),
    "a decision that lost a ground": (_without_edge(SUMMER, "produces", "entity:table"), "fingerprint-differs"),
    "a decision that gained a ground": (_new_edge(HOURLY, "depends_on", CREW_ID), "fingerprint-differs"),
    "an automatic decision retold": (bent_attrs(PRINT, rationale="Nobody asked."), "fingerprint-differs"),
    "a node under a reserved id": (bent_node("entity:house", id="justification:house"), "reserved-id"),
}

CONCLUSIONS: dict[str, tuple[Change, str]] = {
    "a node said to stand that fell": (bent_node("entity:card", invalidated=False), "conclusion-differs"),
    "a node said to have fallen that stands": (bent_node("claim:tide", invalidated=True), "conclusion-differs"),
    "a rejected assumption said to stand": (bent_node(PIER_ID, invalidated=False), "conclusion-differs"),
    "a rebuilt entity said to have fallen": (bent_node("entity:table", invalidated=True), "conclusion-differs"),
    "a dead edge said to live": (bent_edge(HOURLY, "produces", "entity:card", invalidated=False), "conclusion-differs"),
    "a live edge said to be dead": (
        bent_edge(SUMMER, "produces", "entity:table", invalidated=True),
        "conclusion-differs",
    ),
    "a live edge bound to a rejected assumption": (
        bent_edge("claim:tide", "mentions", "entity:landing", invalidated=False),
        "conclusion-differs",
    ),
    "rejected without evidence that contradicts": (_without_edge(SEEN, "contradicts", PIER_ID), "conclusion-differs"),
    "an active assumption said to be rejected": (
        together(bent_assumption(CREW, status="rejected", rejected_at_build=3), bent_attrs(CREW_ID, status="rejected")),
        "conclusion-differs",
    ),
    "an active assumption said to be superseded": (
        together(bent_assumption(CREW, status="superseded"), bent_attrs(CREW_ID, status="superseded")),
        "conclusion-differs",
    ),
    "a superseded assumption said to be active": (
        together(bent_assumption(PRINTED, status="active"), bent_attrs(PRINTED_ID, status="active")),
        "conclusion-differs",
    ),
    "a rejection unsaid": (
        together(bent_assumption(PIER, status="active", rejected_at_build=None), bent_attrs(PIER_ID, status="active")),
        "conclusion-differs",
    ),
    "a binding undone": (
        bent_edge("claim:tide", "mentions", "entity:landing", assumption_id=None),
        "conclusion-differs",
    ),
}


def _grown(row: dict[str, Any]) -> str:
    return slug(edge_key(row["src"], row["type"], row["dst"]), "edge", digits=10)


def _texts(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        assert old in data
        return data.replace(old, new, 1)

    return change


# Corruptions of the text itself: what no value can show.
TEXTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "an empty file": (lambda data: b"", "damaged-file"),
    "cut in the middle": (lambda data: data[: len(data) // 2], "damaged-file"),
    "the last bracket lost": (lambda data: data.rstrip()[:-1], "damaged-file"),
    "a second document behind it": (lambda data: data + data, "damaged-file"),
    "a duplicate container key": (_texts(b'"build": 3', b'"build": 3,\n  "build": 3'), "duplicate-key"),
    "a duplicate record key": (_texts(b'"walks": 3', b'"walks": 3, "walks": 0'), "duplicate-key"),
    "a duplicate attribute": (_texts(b'"canonical": ', b'"canonical": "x", "canonical": '), "duplicate-key"),
    "NaN as a weight": (_texts(b'"weight": 1.0', b'"weight": NaN'), "not-finite"),
    "Infinity in attributes": (_texts(b'"canonical": ', b'"size": Infinity, "canonical": '), "not-finite"),
    "an embedding beyond a double": (_texts(b'"embedding": [\n        0.0', b'"embedding": [5e308'), "huge-number"),
    "a weight of too many digits": (_texts(b'"weight": 1.0', b'"weight": 9007199254740993'), "huge-number"),
    "a weight beyond a double": (_texts(b'"weight": 1.0', b'"weight": 1e400'), "huge-number"),
    "a build of a thousand digits": (_texts(b'"build": 3', b'"build": ' + b"3" * 1000), "huge-number"),
    "half a surrogate pair in a label": (_texts(b'"label": "Harbour', b'"label": "\\ud800'), "lone-surrogate"),
    "attributes nested without end": (
        _texts(b'"canonical": ', b'"x": ' + b"[" * 90 + b"]" * 90 + b', "canonical": '),
        "too-deep",
    ),
    "a byte order mark": (lambda data: b"\xef\xbb\xbf" + data, "byte-order-mark"),
    "another encoding": (lambda data: data.decode().encode("utf-16"), "not-utf-8"),
    "one broken byte": (_texts(b"Harbour", b"Harb\xffur"), "not-utf-8"),
    "not an object": (lambda data: b"[]\n", "wrong-type"),
    "null": (lambda data: b"null\n", "wrong-type"),
}

VALUES: dict[str, tuple[Change, str]] = {**CONTAINER, **FIELDS, **BETWEEN, **CONCLUSIONS}
