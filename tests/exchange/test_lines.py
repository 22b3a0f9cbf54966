"""JSON lines lose nothing, and whatever is wrong with one is refused with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from contextmesh.base.errors import Refusal
from contextmesh.exchange.jsonl import FileLimits
from contextmesh.exchange.lines import lines_to_bytes
from contextmesh.exchange.lines_read import read_lines
from contextmesh.exchange.merge import merge
from contextmesh.exchange.report import Report
from contextmesh.graph.graph import ContextGraph
from contextmesh.policy import Policy
from contextmesh.resolve.resolver import Resolver

from .world_of_exchange import Steps, everything, ferry, hostile, played, steps

POLICY = Policy.load()
Lines = list[dict[str, Any]]


def test_a_graph_and_its_names_are_the_same_after_a_round_trip() -> None:
    graph, resolver = ferry()

    read = read_lines(lines_to_bytes(graph.store, resolver), "ferry.jsonl", POLICY)

    assert lines_to_bytes(read.store, read.resolver) == lines_to_bytes(graph.store, resolver)
    for relation in ("verdict", "born", "fell", "rebuilt"):
        assert sorted(read.store.engine.rows(relation)) == sorted(graph.store.engine.rows(relation))
        assert relation == "rebuilt" or read.store.engine.count(relation)


def test_hostile_labels_and_ids_are_one_line_each_and_come_back() -> None:
    graph = hostile()
    data = lines_to_bytes(graph.store, Resolver())

    assert data.count(b"\n") == 1 + len(graph.store.nodes) + len(graph.store.edges) + 1
    assert list(read_lines(data, "h", POLICY).store.nodes.values()) == list(graph.store.nodes.values())


@settings(max_examples=60, deadline=None)
@given(steps())
def test_whatever_was_written_is_the_same_after_export_and_import_into_an_empty_graph(done: Steps) -> None:
    graph, resolver = played(done)
    data = lines_to_bytes(graph.store, resolver)
    read = read_lines(data, "drawn.jsonl", POLICY)
    fresh = ContextGraph()

    names = merge(fresh, Resolver(), read.store, read.resolver, Report("drawn.jsonl", "lines"))

    assert everything(read.store, read.resolver) == everything(fresh.store, names)
    once = everything(fresh.store, names)
    was = everything(graph.store, resolver)
    for part in ("rows", "nodes", "edges", "counters", "names"):
        assert once[part] == was[part], part
    assert lines_to_bytes(fresh.store, names) == data


# ---- refusals -------------------------------------------------------------------------------


def _at(kind: str, change: Callable[[dict[str, Any]], object]) -> Callable[[Lines], object]:
    return lambda lines: change(next(line for line in lines if line.get("record") == kind))


def _append(row: dict[str, Any]) -> Callable[[Lines], object]:
    def bend(lines: Lines) -> None:
        lines.insert(len(lines) - 1, row)
        lines[-1]["lines"] += 1

    return bend


def _cut(lines: Lines) -> None:
    lines.pop()


def _lost_line(lines: Lines) -> None:
    lines.pop(3)


BENT: dict[str, tuple[Callable[[Lines], object], str]] = {
    "no end": (_cut, "cut-off"),
    "a line lost": (_lost_line, "cut-off"),
    "another schema": (lambda v: v[0].update(schema="x"), "wrong-schema"),
    "a later version": (lambda v: v[0].update(version=2), "wrong-version"),
    "a header with more": (lambda v: v[0].update(more=1), "unknown-key"),
    "an unknown record": (_append({"record": "note"}), "unknown-word"),
    "no record": (_append({"kind": "node"}), "missing-key"),
    "a number for a record": (_append(5), "wrong-type"),  # type: ignore[arg-type]
    "a node with more": (_at("node", lambda v: v.update(more=1)), "unknown-key"),
    "a node with less": (_at("node", lambda v: v.pop("label")), "missing-key"),
    "a node never born": (_at("node", lambda v: v.pop("born")), "missing-key"),
    "a node born after the end": (_at("node", lambda v: v.update(born=10_000)), "out-of-range"),
    "a node of no type": (_at("node", lambda v: v.update(type="thing")), "no-such-node-type"),
    "a node that fell for no reason": (_at("node", lambda v: v.update(invalidated=True)), "conclusion-differs"),
    "an edge of another id": (_at("edge", lambda v: v.update(id="edge:x")), "edge-id-differs"),
    "edges out of order": (_at("edge", lambda v: v.update(born=20)), "out-of-range"),
    "a decision with other grounds": (
        lambda v: next(n for n in v if n.get("type") == "decision")["attrs"].update(rationale="other"),
        "fingerprint-differs",
    ),
    "a verdict without evidence": (_at("verdict", lambda v: v.update(evidence="claim:x")), "unwitnessed-verdict"),
    "a verdict before its evidence": (_at("verdict", lambda v: v.update(seq=1)), "out-of-range"),
    "a verdict twice": (
        lambda v: _append(dict(next(n for n in v if n.get("record") == "verdict")))(v),
        "two-identities",
    ),
    "a fact that a record stands for": (
        _append({"record": "fact", "relation": "pruned", "row": ["source:log"]}),
        "record-fact",
    ),
    "a conclusion as a fact": (_append({"record": "fact", "relation": "live", "row": ["x"]}), "input-derived"),
    "a fact of no relation": (_append({"record": "fact", "relation": "lives", "row": ["x"]}), "unknown-relation"),
    "a fact of fractions": (_append({"record": "fact", "relation": "dated", "row": [0.5, 1]}), "wrong-type"),
    "a name of nothing": (_at("alias", lambda v: v.update(id="entity:none")), "unknown-id"),
    "a name twice": (lambda v: _append(dict(next(n for n in v if n.get("record") == "name")))(v), "two-identities"),
}


@pytest.mark.parametrize("name", BENT)
def test_a_bent_file_is_refused_by_its_code_and_line(name: str) -> None:
    graph, resolver = ferry()
    held = [json.loads(line) for line in lines_to_bytes(graph.store, resolver).splitlines()]
    bend, code = BENT[name]
    bend(held)
    data = "".join(f"{json.dumps(line)}\n" for line in held).encode()

    with pytest.raises(Refusal) as caught:
        read_lines(data, "bent.jsonl", POLICY)

    assert caught.value.code == code
    assert caught.value.problem.where is not None
    assert caught.value.problem.where.file == "bent.jsonl"
    assert caught.value.problem.where.line is not None


def test_the_line_that_is_named_is_the_one_that_is_wrong() -> None:
    graph, resolver = ferry()
    held = lines_to_bytes(graph.store, resolver).split(b"\n")
    bad = next(number for number, line in enumerate(held) if b'"record":"edge"' in line)
    held[bad] = held[bad].replace(b'"weight":', b'"weight":-')

    with pytest.raises(Refusal) as caught:
        read_lines(b"\n".join(held), "f", POLICY)

    where = caught.value.problem.where
    assert where is not None
    assert (where.line, where.column) == (bad + 1, held[bad].index(b'"weight":') + len(b'"weight":') + 1)


def test_a_line_that_is_no_json_and_one_that_is_too_long_are_refused_with_their_number() -> None:
    graph, resolver = ferry()
    data = lines_to_bytes(graph.store, resolver)
    with pytest.raises(Refusal) as caught:
        read_lines(data.replace(b'{"', b'{"a":1,"a":2,"', 2), "f", POLICY)
    assert (caught.value.code, caught.value.problem.where and caught.value.problem.where.line) == ("duplicate-key", 1)
    with pytest.raises(Refusal) as caught:
        read_lines(data, "f", POLICY, sizes=FileLimits(line_bytes=120))
    assert (caught.value.code, caught.value.problem.where and caught.value.problem.where.line) == ("line-too-long", 2)
    with pytest.raises(Refusal) as caught:
        read_lines(data, "f", POLICY, sizes=FileLimits(lines=3))
    assert caught.value.code == "too-large"


def test_conclusions_that_differ_are_taken_only_when_asked_and_then_told() -> None:
    graph, resolver = ferry()
    held = [json.loads(line) for line in lines_to_bytes(graph.store, resolver).splitlines()]
    next(line for line in held if line.get("type") == "source")["invalidated"] = True
    data = "".join(f"{json.dumps(line)}\n" for line in held).encode()

    read = read_lines(data, "f", POLICY, recompute=True)

    assert [(d.id, d.stated, d.derived) for d in read.differences] == [("source:log", "invalid", "stands")]
    assert lines_to_bytes(read.store, read.resolver) == lines_to_bytes(graph.store, resolver)
