"""A good graph file bent in one field: what is wrong, how to make it so, and the code of the refusal."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from interop.make_ferry import FERRY

Change = Callable[[dict[str, Any]], object]

PIER, PRINTED, CREW, MEASURED, MAY = range(5)  # the assumption records
PIER_ID = "assumption:the-pier-is-open-all-year-479ae9"
CREW_ID = "assumption:one-crew-is-enough-d9339e"
PRINTED_ID = "assumption:tides-follow-the-printed-table-8967c9"
MEASURED_ID = "assumption:tides-follow-the-measured-table-v2-239de8"
SEEN = "evidence:4de7b57b62fae1f529820268031d11f393eb795e52545d2101a937189a94252b"
HOURLY, SUMMER, PRINT = "decision:hourly", "decision:summer", "decision:auto:print-the-table-1-a6c60e"


def good() -> dict[str, Any]:
    """The ferry's graph."""
    value = json.loads((FERRY / "graph-000001.json").read_text("utf-8"))
    assert isinstance(value, dict)
    return value


def node(graph: dict[str, Any], id: str) -> dict[str, Any]:
    return next(row for row in graph["nodes"] if row["id"] == id)


def edge(graph: dict[str, Any], src: str, type: str, dst: str) -> dict[str, Any]:
    return next(row for row in graph["edges"] if (row["src"], row["type"], row["dst"]) == (src, type, dst))


def put(*path: str | int, to: Any) -> Change:
    def change(graph: dict[str, Any]) -> None:
        inner: Any = graph
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = to

    return change


def drop(*path: str | int) -> Change:
    def change(graph: dict[str, Any]) -> None:
        inner: Any = graph
        for step in path[:-1]:
            inner = inner[step]
        del inner[path[-1]]

    return change


def bent_node(id: str, /, **changes: Any) -> Change:
    return lambda graph: node(graph, id).update(changes)


def bent_attrs(id: str, /, **changes: Any) -> Change:
    return lambda graph: node(graph, id)["attrs"].update(changes)


def bent_provenance(**changes: Any) -> Change:
    return lambda graph: node(graph, "claim:pier")["provenance"].update(changes)


def bent_edge(src: str, type: str, dst: str, /, **changes: Any) -> Change:
    return lambda graph: edge(graph, src, type, dst).update(changes)


def bent_assumption(index: int, /, **changes: Any) -> Change:
    return lambda graph: graph["assumptions"][index].update(changes)


def together(*changes: Change) -> Change:
    return lambda graph: [change(graph) for change in changes]


def again(name: str, index: int = 0) -> Change:
    return lambda graph: graph[name].append(dict(graph[name][index]))


CONTAINER: dict[str, tuple[Change, str]] = {
    **{
        f"no {key}": (drop(key), "missing-key")
        for key in ("schema", "version", "build", "nodes", "edges", "assumptions")
    },
    "an unknown key": (put("digest", to="x"), "unknown-key"),
    "another schema": (put("schema", to="contextmesh.resolver"), "wrong-schema"),
    "a schema that is no text": (put("schema", to=1), "wrong-schema"),
    "version true": (put("version", to=True), "wrong-version"),
    "version 1.0": (put("version", to=1.0), "wrong-version"),
    "version 2": (put("version", to=2), "wrong-version"),
    "version as text": (put("version", to="1"), "wrong-version"),
    "a negative build": (put("build", to=-1), "out-of-range"),
    "a build that is a truth value": (put("build", to=True), "wrong-type"),
    "a build that is a fraction": (put("build", to=3.0), "wrong-type"),
    "a build that is text": (put("build", to="3"), "wrong-type"),
    "a build before what was built": (put("build", to=1), "out-of-range"),
    **{f"{key} as an object": (put(key, to={}), "wrong-type") for key in ("nodes", "edges", "assumptions")},
    **{f"{key} null": (put(key, to=None), "wrong-type") for key in ("nodes", "edges", "assumptions")},
    **{f"a number among the {key}": (put(key, 0, to=7), "wrong-type") for key in ("nodes", "edges", "assumptions")},
    **{f"an array among the {key}": (put(key, 0, to=[]), "wrong-type") for key in ("nodes", "edges", "assumptions")},
}

_NODE_KEYS = (
    *("id", "type", "label", "attrs", "provenance", "embedded"),
    *("embedding", "build", "walks", "pruned", "invalidated"),
)
_EDGE_KEYS = (
    *("id", "src", "dst", "type", "assumption_id", "evidence_ids"),
    *("weight", "build", "traversals", "invalidated"),
)
_ASSUMPTION_KEYS = (
    *("id", "statement", "status", "version", "created_by", "created_at_build", "supersedes"),
    *("superseded_by", "rejected_at_build", "evidence_ids"),
)
_PROVENANCE_KEYS = ("source_id", "span", "extractor", "checks", "recorded_at_build")

FIELDS: dict[str, tuple[Change, str]] = {
    **{f"a node without {key}": (drop("nodes", 0, key), "missing-key") for key in _NODE_KEYS},
    **{f"an edge without {key}": (drop("edges", 0, key), "missing-key") for key in _EDGE_KEYS},
    **{f"an assumption without {key}": (drop("assumptions", 0, key), "missing-key") for key in _ASSUMPTION_KEYS},
    **{f"provenance without {key}": (drop("nodes", 7, "provenance", key), "missing-key") for key in _PROVENANCE_KEYS},
    "an unknown key of a node": (put("nodes", 0, "labels", to="x"), "unknown-key"),
    "an unknown key of an edge": (put("edges", 0, "wieght", to=1), "unknown-key"),
    "an unknown key of an assumption": (put("assumptions", 0, "note", to=""), "unknown-key"),
    "an unknown key of provenance": (bent_provenance(page=4), "unknown-key"),
    **{f"node {key} a number": (put("nodes", 0, key, to=5), "wrong-type") for key in ("id", "type", "label")},
    **{f"node {key} null": (put("nodes", 0, key, to=None), "wrong-type") for key in ("id", "type", "label", "attrs")},
    **{
        f"node {key} {word}": (put("nodes", 0, key, to=value), "wrong-type")
        for key in ("embedded", "pruned", "invalidated")
        for word, value in (("as text", "false"), ("as a number", 0), ("null", None))
    },
    **{
        f"node {key} {word}": (put("nodes", 0, key, to=value), code)
        for key in ("build", "walks")
        for word, value, code in (
            ("true", True, "wrong-type"),
            ("a fraction", 1.0, "wrong-type"),
            ("text", "1", "wrong-type"),
            ("negative", -1, "out-of-range"),
        )
    },
    "an empty node id": (put("nodes", 3, "id", to=""), "out-of-range"),
    "attrs as an array": (put("nodes", 0, "attrs", to=[]), "wrong-type"),
    "a node later than the graph": (put("nodes", 0, "build", to=4), "out-of-range"),
    "provenance as text": (bent_node("claim:pier", provenance="source:log"), "wrong-type"),
    "provenance as an empty object": (bent_node("claim:pier", provenance={}), "missing-key"),
    "a source id that is null": (bent_provenance(source_id=None), "wrong-type"),
    "a span of one": (bent_provenance(span=[1]), "wrong-type"),
    "a span of three": (bent_provenance(span=[1, 2, 3]), "wrong-type"),
    "a span of fractions": (bent_provenance(span=[0.0, 1.0]), "wrong-type"),
    "a span with a truth value": (bent_provenance(span=[True, 2]), "wrong-type"),
    "a span that ends before it starts": (bent_provenance(span=[9, 3]), "out-of-range"),
    "a span before the text": (bent_provenance(span=[-2, 3]), "out-of-range"),
    "checks as text": (bent_provenance(checks="assertive"), "wrong-type"),
    "checks with a number": (bent_provenance(checks=["assertive", 1]), "wrong-type"),
    "provenance recorded after the graph": (bent_provenance(recorded_at_build=9), "out-of-range"),
    "an embedding that is text": (put("nodes", 2, "embedding", to="0.1"), "wrong-type"),
    "an embedding with a truth value": (put("nodes", 2, "embedding", 3, to=True), "wrong-type"),
    "an embedding with text": (put("nodes", 2, "embedding", 3, to="0.5"), "wrong-type"),
    "an embedding with null": (put("nodes", 2, "embedding", 511, to=None), "wrong-type"),
    "an empty embedding": (put("nodes", 2, "embedding", to=[]), "embedding-size"),
    "embeddings of two sizes": (bent_node("entity:house", embedding=[0.5, 0.5], embedded=True), "embedding-size"),
    "an embedding that embedded denies": (put("nodes", 2, "embedded", to=False), "embedded-differs"),
    "embedded without an embedding": (put("nodes", 0, "embedded", to=True), "embedded-differs"),
    **{f"edge {key} a number": (put("edges", 0, key, to=5), "wrong-type") for key in ("id", "src", "dst", "type")},
    "edge invalidated as a number": (put("edges", 0, "invalidated", to=0), "wrong-type"),
    "edge traversals as a fraction": (put("edges", 0, "traversals", to=1.5), "wrong-type"),
    "an edge bound to a number": (put("edges", 0, "assumption_id", to=1), "wrong-type"),
    "evidence of an edge as text": (put("edges", 0, "evidence_ids", to="source:log"), "wrong-type"),
    "evidence of an edge as a number": (put("edges", 0, "evidence_ids", to=[1]), "wrong-type"),
    "a weight that is text": (put("edges", 0, "weight", to="1.0"), "wrong-type"),
    "a weight that is a truth value": (put("edges", 0, "weight", to=True), "wrong-type"),
    "a weight of zero": (put("edges", 0, "weight", to=0.0), "out-of-range"),
    "a negative weight": (put("edges", 0, "weight", to=-2), "out-of-range"),
    "an edge later than the graph": (put("edges", 0, "build", to=4), "out-of-range"),
    "an unknown status": (bent_assumption(CREW, status="open"), "unknown-word"),
    "a status that is null": (bent_assumption(CREW, status=None), "wrong-type"),
    "a statement that is a number": (bent_assumption(CREW, statement=1), "wrong-type"),
    "a version of zero": (bent_assumption(CREW, version=0), "out-of-range"),
    "a version that is true": (bent_assumption(CREW, version=True), "wrong-type"),
    "an author that is null": (bent_assumption(CREW, created_by=None), "wrong-type"),
    "an assumption later than the graph": (bent_assumption(CREW, created_at_build=7), "out-of-range"),
    "a rejection later than the graph": (bent_assumption(PIER, rejected_at_build=7), "out-of-range"),
    "a rejection build on an active record": (bent_assumption(CREW, rejected_at_build=2), "rejection-differs"),
    "a rejection without its build": (bent_assumption(PIER, rejected_at_build=None), "rejection-differs"),
    "evidence of an assumption null": (bent_assumption(CREW, evidence_ids=None), "wrong-type"),
    "a stated place that is text": (bent_attrs(PIER_ID, rejected_after="21"), "wrong-type"),
    "a stated place before the evidence": (bent_attrs(PIER_ID, rejected_after=[3, 0]), "out-of-range"),
    "a stated place after the file": (bent_attrs(PIER_ID, rejected_after=[99, 0]), "out-of-range"),
}
