"""Two graphs become one by id: what both hold is one thing, and what they say differently is refused whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.errors import OntologyError
from contextmesh.exchange.merge import merge
from contextmesh.exchange.report import Report
from contextmesh.graph.graph import ContextGraph
from contextmesh.resolve.resolver import Resolver
from contextmesh.store.model import Provenance
from contextmesh.store.snapshot import graph_from_bytes, graph_to_bytes

from .world_of_exchange import Steps, everything, ferry, played, steps


def into(graph: ContextGraph, resolver: Resolver, other: ContextGraph, names: Resolver) -> tuple[Resolver, Report]:
    report = Report("other", "session")
    return merge(graph, resolver, other.store, names, report), report


def conclusions(graph: ContextGraph) -> dict[str, list[tuple[object, ...]]]:
    return {name: sorted(graph.store.engine.rows(name)) for name in ("fell", "invalid", "edge_dead", "status")}


@settings(max_examples=60, deadline=None)
@given(steps())
def test_what_is_here_already_changes_nothing(done: Steps) -> None:
    graph, resolver = played(done)
    before = everything(graph.store, resolver)

    names, report = into(graph, resolver, *played(done))

    assert everything(graph.store, names) == before
    assert (report.written, report.changed) == ({}, {})


@settings(max_examples=60, deadline=None)
@given(steps(), st.integers(0, 24))
def test_a_copy_that_went_on_brings_a_graph_to_the_same_conclusions(done: Steps, at: int) -> None:
    graph, resolver = played(done[:at])
    further, names = played(done)

    into(graph, resolver, further, names)

    assert conclusions(graph) == conclusions(further)
    assert sorted(graph.store.nodes) == sorted(further.store.nodes)
    assert graph.store.policy is further.store.policy
    again = graph_from_bytes(graph_to_bytes(graph.store), graph.policy, "merged")
    assert sorted(again.engine.rows("invalid")) == conclusions(graph)["invalid"]


def test_what_comes_in_keeps_its_order_and_its_age() -> None:
    graph, resolver = ContextGraph(), Resolver()
    for _ in range(5):
        graph.begin_build()
    mine = graph.add_node("entity", "Mine", attrs={"canonical": "Mine", "aliases": []})
    other, names = ferry()

    merged, report = into(graph, resolver, other, names)

    assert report.written == {"nodes": 10, "assumptions": 3, "edges": 14, "verdicts": 1}
    assert conclusions(graph) == conclusions(other), "an entity that was made again after its fall stands"
    assert graph.store.engine.count("rebuilt") == 1
    assert (graph.build, graph.node("source:log").build, graph.node(mine.id).build) == (6, 5, 5)
    assert merged.peek("the quay").id == names.peek("the quay").id
    assert report.counts == {"log-left": 1}


def test_a_rejection_that_comes_in_takes_down_what_stands_here_and_says_so() -> None:
    graph, resolver = ContextGraph(), Resolver()
    log = graph.add_node(
        "source", "Harbour log", id="source:log", attrs={"origin": "log", "retrieved_at": "2024-03-01"}
    )
    dry = graph.assume("The quay stays dry", created_by="planner")
    fence = graph.decide("Build a fence", rationale="dry", source=log.id, depends_on=[dry.id])

    _, report = into(graph, resolver, *ferry())

    assert report.fell == (dry.id, fence.id)
    assert not graph.is_live(fence.id)


Change = Callable[[ContextGraph], object]
DIFFERENT: dict[str, tuple[Change, str]] = {
    "a label": (lambda g: _claim(g, label="Other"), "label"),
    "a type": (lambda g: g.add_node("entity", "X", id="claim:x", attrs={"canonical": "X", "aliases": []}), "type"),
    "an attribute": (lambda g: _claim(g, attrs={"quote": "B"}), "attrs.quote"),
    "a truth for a number": (lambda g: _claim(g, attrs={"quote": True}), "attrs.quote"),
    "who assumed": (lambda g: g.assume("Calm", created_by="b"), "created_by"),
    "a rationale": (lambda g: _decide(g, rationale="b"), "attrs.rationale"),
    "a ground": (
        lambda g: _decide(g, depends_on=[g.assume("Calm", created_by="a").id]),
        "attrs.decision_payload_digest",
    ),
}


def _base() -> ContextGraph:
    graph = ContextGraph()
    graph.add_node("source", "S", id="source:s", attrs={"origin": "", "retrieved_at": ""})
    return graph


def _claim(graph: ContextGraph, label: str = "X", **more: object) -> None:
    graph.add_node("claim", label, id="claim:x", provenance=Provenance("source:s"), **more)  # type: ignore[arg-type]


def _decide(graph: ContextGraph, **more: object) -> None:
    graph.decide("D", **{"rationale": "a", "source": "source:s", "id": "decision:d", **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_record_that_says_something_else_is_a_conflict_and_nothing_is_written(name: str) -> None:
    change, field = DIFFERENT[name]
    graph, other = _base(), _base()
    _claim(graph, attrs={"quote": 1})
    graph.assume("Calm", created_by="a")
    _decide(graph)
    other.add_node("source", "New", attrs={"origin": "", "retrieved_at": ""})
    change(other)
    before = everything(graph.store, Resolver())

    with pytest.raises(OntologyError) as caught:
        into(graph, Resolver(), other, Resolver())

    assert caught.value.code == "import-conflict"
    assert field in [dict(problem.fields)["field"] for problem in caught.value.problems]
    assert everything(graph.store, Resolver()) == before


def test_many_conflicts_are_told_twenty_at_a_time_with_the_ids_of_the_rest() -> None:
    graph, other = _base(), _base()
    for number in range(30):
        graph.add_node("evidence", "a", id=f"evidence:{number}", attrs={"kind": "k"})
        other.add_node("evidence", "b", id=f"evidence:{number}", attrs={"kind": "k"})

    with pytest.raises(OntologyError) as caught:
        into(graph, Resolver(), other, Resolver())

    assert len(caught.value.problems) == 21
    assert caught.value.problems[-1].code == "more-conflicts"
    assert "evidence:29" in str(caught.value.problems[-1].note)


def test_the_same_assumption_rejected_on_other_evidence_is_refused_by_the_rules() -> None:
    graph, other = _base(), _base()
    for one, text in ((graph, "wet"), (other, "damp")):
        dry = one.assume("Dry")
        seen = one.submit_evidence(text, source_id="source:s")
        one.add_edge(seen.id, "contradicts", dry.id)
        one.reject(dry.id, evidence_id=seen.id)
    before = everything(graph.store, Resolver())

    with pytest.raises(OntologyError) as caught:
        into(graph, Resolver(), other, Resolver())

    assert caught.value.code == "already-rejected"
    assert everything(graph.store, Resolver()) == before


def test_weights_become_the_greater_and_aliases_come_together() -> None:
    graph, other = _base(), _base()
    for one, weight, alias in ((graph, 2.0, "a"), (other, 3.0, "b")):
        node = one.add_node("entity", "E", attrs={"canonical": "E", "aliases": [alias]})
        one.add_edge("source:s", "mentions", node.id, weight=weight)

    _, report = into(graph, Resolver(), other, Resolver())

    assert graph.node(node.id).attrs["aliases"] == ["a", "b"]
    assert next(iter(graph.store.edges.values())).weight == 3.0
    assert report.changed == {"nodes": 1, "edges": 1}


def test_a_name_that_belongs_to_another_thing_here_stays_with_it_and_is_told() -> None:
    graph, other = _base(), _base()
    resolver, names = Resolver(), Resolver()
    here = graph.add_node("entity", "North Yard", attrs={"canonical": "North Yard", "aliases": []})
    resolver.register(here.id, "North Yard", ["The Yard"])
    there = other.add_node("entity", "South Yard", attrs={"canonical": "South Yard", "aliases": []})
    names.register(there.id, "South Yard", ["The Yard"])

    merged, report = into(graph, resolver, other, names)

    assert merged.peek("The Yard").id == here.id
    assert report.counts == {"name-kept": 1}


def test_a_decision_that_gains_a_fingerprint_must_have_the_grounds_it_is_of() -> None:
    graph, other = _base(), _base()
    _decide(other)
    made = other.node("decision:d")
    read = made.provenance
    memo = graph.add_node("source", "Memo", attrs={"origin": "", "retrieved_at": ""})
    graph.add_node("decision", "D", id="decision:d", attrs={"rationale": "a"}, provenance=read)
    graph.add_edge("decision:d", "cites", memo.id)

    with pytest.raises(OntologyError) as caught:
        into(graph, Resolver(), other, Resolver())

    assert [dict(problem.fields)["field"] for problem in caught.value.problems] == ["attrs.decision_payload_digest"]
