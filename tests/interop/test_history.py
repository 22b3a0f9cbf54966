"""A graph that is saved and loaded concludes what it concluded, whatever order things happened in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.errors import OntologyError, SnapshotError
from contextmesh.graph.graph import ContextGraph
from contextmesh.policy import Policy
from contextmesh.store.snapshot import graph_from_bytes, graph_from_json, graph_to_bytes
from contextmesh.store.snapshot_rows import REJECTED_AFTER
from contextmesh.store.store import Store

CONCLUDED = ("fell", "invalid", "edge_dead", "live", "status", "lost", "stands_on", "superseded", "current", "gap")
COUNT = 3

VERBS = ("decide", "produce", "evidence", "reject", "replace", "bind", "supersede", "build", "justify")
PLACES = st.integers(0, COUNT - 1)
ACTS = st.tuples(st.sampled_from(VERBS), PLACES, PLACES, PLACES)
# An edge between assumptions drawn by hand leaves their records alone; the file states it in both.
RAW_ACTS = st.tuples(st.sampled_from((*VERBS, "raw")), PLACES, PLACES, PLACES)


@settings(deadline=None)
@given(st.lists(RAW_ACTS, max_size=25))
def test_what_is_loaded_concludes_what_was_saved(acts: list[tuple[str, int, int, int]]) -> None:
    graph = _graph(acts)
    data = graph_to_bytes(graph.store)
    loaded = graph_from_bytes(data, Policy.load(), "graph.json")
    assert _conclusions(loaded) == _conclusions(graph.store)
    assert graph_to_bytes(loaded) == data
    assert loaded.nodes == graph.store.nodes
    assert loaded.edges == graph.store.edges


@settings(deadline=None)
@given(st.lists(ACTS, max_size=15), st.lists(ACTS, max_size=8))
def test_history_goes_on_after_loading_as_if_it_had_never_stopped(
    before: list[tuple[str, int, int, int]], after: list[tuple[str, int, int, int]]
) -> None:
    through = _graph([*before, *after])
    stopped = _graph(before)
    loaded = ContextGraph(store=graph_from_bytes(graph_to_bytes(stopped.store), Policy.load(), "graph.json"))
    for act in after:
        _do(loaded, act)
    assert _conclusions(loaded.store) == _conclusions(through.store)


def test_a_verdict_later_than_its_evidence_is_told_in_the_file() -> None:
    graph = _graph([("evidence", 0, 0, 0), ("decide", 0, 0, 0), ("decide", 1, 0, 1), ("reject", 0, 0, 0)])
    record = next(iter(graph.store.assumptions.values()))
    value = json.loads(graph_to_bytes(graph.store))
    (told,) = [node["attrs"][REJECTED_AFTER] for node in value["nodes"] if REJECTED_AFTER in node["attrs"]]
    assert told == [len(value["edges"]), 0]
    assert graph_from_json(value, Policy.load()).assumptions[record.id].rejected_at_build is not None


def test_a_verdict_with_its_evidence_needs_no_telling() -> None:
    graph = _graph([("decide", 0, 0, 0), ("replace", 0, 0, 0), ("decide", 1, 0, 1)])
    assert REJECTED_AFTER not in graph_to_bytes(graph.store).decode()


def test_a_file_of_another_writer_is_read_with_verdicts_at_the_end_of_their_build() -> None:
    """The evidence came first, then an entity was produced again, then the verdict: the order alone says otherwise."""
    graph = _graph([("decide", 0, 0, 0), ("evidence", 0, 0, 0), ("produce", 2, 0, 0), ("reject", 0, 0, 0)])
    value = _untold(graph)
    loaded = graph_from_json(value, Policy.load())
    assert _conclusions(loaded) == _conclusions(graph.store)
    assert ("entity:0",) in set(loaded.engine.rows("invalid"))


def test_a_file_whose_conclusions_fit_no_order_is_refused() -> None:
    graph = _graph([("decide", 0, 0, 0), ("evidence", 0, 0, 0), ("produce", 2, 0, 0), ("reject", 0, 0, 0)])
    value = _untold(graph)
    value["nodes"][4]["invalidated"] = True
    with pytest.raises(SnapshotError) as caught:
        graph_from_json(value, Policy.load())
    assert caught.value.code == "conclusion-differs"


def test_only_the_told_place_separates_what_came_before_a_verdict_from_what_came_after() -> None:
    """Both entities fell with one assumption; one was produced again before the verdict, the other after it."""
    graph = _graph(
        [
            *(("decide", 0, 0, 0), ("decide", 1, 0, 1), ("evidence", 0, 0, 0)),
            *(("produce", 2, 0, 0), ("reject", 0, 0, 0), ("produce", 2, 0, 1)),
        ]
    )
    invalid = set(graph.store.engine.rows("invalid"))
    assert ("entity:0",) in invalid
    assert ("entity:1",) not in invalid
    loaded = graph_from_bytes(graph_to_bytes(graph.store), Policy.load(), "graph.json")
    assert _conclusions(loaded) == _conclusions(graph.store)
    with pytest.raises(SnapshotError):
        graph_from_json(_untold(graph), Policy.load())


def test_evidence_that_was_pruned_after_its_verdict_still_holds_it() -> None:
    value = json.loads(graph_to_bytes(_graph([("decide", 0, 0, 0), ("reject", 0, 0, 0)]).store))
    next(node for node in value["nodes"] if node["id"] == "evidence:0")["pruned"] = True
    loaded = graph_from_json(value, Policy.load())
    assert ("decision:0-0",) in set(loaded.engine.rows("invalid"))
    assert json.loads(graph_to_bytes(loaded)) == value


def _untold(graph: ContextGraph) -> dict[str, Any]:
    value = json.loads(graph_to_bytes(graph.store))
    assert isinstance(value, dict)
    for node in value["nodes"]:
        node["attrs"].pop(REJECTED_AFTER, None)
    return value


def _conclusions(store: Store) -> dict[str, list[tuple[object, ...]]]:
    return {name: sorted(store.engine.rows(name), key=repr) for name in CONCLUDED}


def _graph(acts: list[tuple[str, int, int, int]]) -> ContextGraph:
    graph = ContextGraph()
    graph.begin_build()
    graph.add_node("source", "log", id="source:log", attrs={"origin": "o", "retrieved_at": "r"})
    for n in range(COUNT):
        graph.add_node("entity", f"entity {n}", id=f"entity:{n}", attrs={"canonical": f"entity {n}", "aliases": []})
        graph.add_node("evidence", f"evidence {n}", id=f"evidence:{n}", attrs={"kind": "observation"})
        graph.assume(f"assumption {n}", id=f"assumption:{n}")
    for act in acts:
        _do(graph, act)
    return graph


def _do(graph: ContextGraph, act: tuple[str, int, int, int]) -> None:
    name, i, j, k = act
    source, decision, other = "source:log", f"decision:{i}-{k}", f"decision:{j}-{i}"
    try:
        if name == "decide":
            grounds = [f"assumption:{j}", *(id for id in (other,) if id in graph.store.nodes)]
            graph.decide(
                decision, rationale="r", source=source, depends_on=grounds, produces=[f"entity:{k}"], id=decision
            )
        elif name == "produce":
            id = f"decision:again-{i}-{k}"
            graph.decide(f"again {i}", rationale="r", source=source, produces=[f"entity:{k}"], id=id)
        elif name == "justify":
            sets = [[f"assumption:{i}", source], [f"assumption:{j}"]]
            graph.decide("either", rationale="r", source=source, justifications=sets, id=f"decision:either-{i}-{j}")
        elif name == "evidence":
            graph.add_edge(f"evidence:{j}", "contradicts", f"assumption:{i}")
        elif name == "reject":
            graph.reject(f"assumption:{i}", evidence_id=f"evidence:{j}")
        elif name == "replace":
            graph.reject(f"assumption:{i}", evidence_id=f"evidence:{j}", replacement=f"assumption {i} but better")
        elif name == "bind":
            edges = graph.edges_to(f"entity:{i}")
            if edges:
                graph.bind(edges[k % len(edges)].id, f"assumption:{j}")
        elif name == "raw":
            graph.add_edge(f"assumption:{i}", "supersedes", f"assumption:{j}")
        elif name == "supersede":
            graph.supersede(f"assumption:{i}", f"assumption {i}, seen anew")
        else:
            graph.begin_build()
    except OntologyError:
        pass
