"""Health: each signal counted, worded and with a remedy, never more than twelve items."""

from __future__ import annotations

import pytest
from graph_builders import claim, decision, entity, evidence, source, state

from contextmesh.base.errors import OntologyError
from contextmesh.datalog.events import Evaluated, Event
from contextmesh.graph.graph import ContextGraph


def test_an_empty_graph_is_well_and_says_that_no_edge_is_untyped(graph: ContextGraph) -> None:
    report = graph.health()

    assert report.status == "ok"
    assert [(s.kind, s.count, s.severity) for s in report.signals] == [("untyped_edges", 0, "error")]
    assert report.as_json() == {
        "status": "ok",
        "signals": [report.signals[0].as_json()],
        "nodes_live": 0,
        "nodes_total": 0,
        "edges_live": 0,
        "edges_total": 0,
        "edge_types_used": [],
    }


def test_the_status_is_the_worst_signal_that_found_something(graph: ContextGraph) -> None:
    oven = entity(graph, "Oven")
    assert graph.health().status == "warn"
    claim(graph, "The oven is hot.", "source:nowhere")
    report = graph.health()

    assert report.status == "error"
    assert [s.severity for s in report.signals] == sorted(
        (s.severity for s in report.signals), key=["error", "warn", "info"].index
    )
    gap = report.signal("provenance_gap")
    assert gap is not None
    assert gap.detail == "1 node that owes a source: The oven is hot."
    assert gap.remedy
    assert report.signal("orphans") is not None
    assert report.signal("orphans").items == tuple(sorted([oven.id, gap.items[0]]))  # type: ignore[union-attr]


def test_a_signal_names_twelve_items_and_counts_all(graph: ContextGraph) -> None:
    for n in range(15):
        entity(graph, f"Oven {n:02}")
    signal = graph.health().signal("orphans")

    assert signal is not None
    assert (signal.count, len(signal.items)) == (15, 12)
    assert signal.detail.startswith("15 nodes that no edge touches: ")
    assert signal.detail.endswith(", …")


def test_near_misses_are_told_only_while_one_asks(graph: ContextGraph) -> None:
    before = state(graph)
    signal = graph.health(near_misses=["Ovn", "Ovn", "Dor"]).signal("unresolved_entities")

    assert signal is not None
    assert (signal.count, signal.items) == (2, ("Dor", "Ovn"))
    assert graph.health().signal("unresolved_entities") is None
    assert state(graph) == before


def test_failed_questions_are_told_with_their_reason(graph: ContextGraph) -> None:
    signal = graph.health(facts={"asked": [("What is the refund policy?",)]}).signal("dead_ends")

    assert signal is not None
    assert signal.items == ("What is the refund policy?",)
    with pytest.raises(OntologyError):
        graph.health(facts={"live": [("x",)]})


def test_an_assumption_nobody_looked_at_for_more_than_25_builds_is_stale(graph: ContextGraph) -> None:
    graph.begin_build()
    rain = graph.assume("It rains.")
    for _ in range(25):
        graph.begin_build()
    assert graph.health().signal("stale_assumptions") is None
    graph.begin_build()
    signal = graph.health().signal("stale_assumptions")

    assert signal is not None
    assert signal.items == (rain.id,)


def test_live_and_dead_are_counted(graph: ContextGraph) -> None:
    memo, rain = source(graph), graph.assume("It rains.")
    coat = decision(graph, "Take a coat", memo.id)
    hook = entity(graph, "Hook")
    graph.add_edge(coat.id, "depends_on", rain.id)
    graph.add_edge(coat.id, "produces", hook.id)
    graph.reject(rain.id, evidence_id=evidence(graph, "No.").id)
    report = graph.health()

    assert (report.nodes_live, report.nodes_total) == (2, 5)
    assert (report.edges_live, report.edges_total) == (2, 3)
    assert report.edge_types_used == ("contradicts", "depends_on", "produces")
    fallen = report.signal("invalidated_nodes")
    assert fallen is not None
    assert fallen.count == 3


def test_a_contradiction_stays_open_until_a_decision_derives_from_both(graph: ContextGraph) -> None:
    memo = source(graph)
    hot, cold = claim(graph, "The oven is hot.", memo.id), claim(graph, "The oven is cold.", memo.id)
    graph.add_edge(hot.id, "contradicts", cold.id)
    assert graph.health().signal("open_contradictions") is not None
    graph.decide("Call it warm", rationale="measured", source=memo.id, derived_from=[hot.id, cold.id])

    assert graph.health().signal("open_contradictions") is None


def test_what_a_health_has_derived_is_kept_for_the_next_even_where_telemetry_was_shown(graph: ContextGraph) -> None:
    graph.add_node("entity", "Redis", attrs={"canonical": "redis", "aliases": []})
    graph.store.walks["entity:redis-24071b"] = 1
    graph.health(near_misses=["Rediss"])
    graph.prunable()
    whole: list[Event] = []
    graph.store.engine.listener = whole.append
    graph.add_node("entity", "Kafka", attrs={"canonical": "kafka", "aliases": []})

    assert graph.health(near_misses=["Rediss"]).signal("unresolved_entities") is not None
    graph.prunable()
    assert graph.health().signal("unresolved_entities") is None
    assert [e for e in whole if isinstance(e, Evaluated) and e.how != "delta"] == []
