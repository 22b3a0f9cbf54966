"""Rejections: on live evidence that contradicts, once, with what took the place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from graph_builders import claim, decision, entity, evidence, source, state

from contextmesh.base.errors import OntologyError
from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.prune import prune
from contextmesh.store.model import Provenance


def test_a_rejection_writes_contradiction_and_verdict_as_one_transaction(graph: ContextGraph) -> None:
    rain, seen = graph.assume("It rains."), evidence(graph, "The sun shines.")
    graph.begin_build()
    seq = graph.store.seq
    done = graph.reject(rain.id, evidence_id=seen.id)

    assert graph.store.seq == seq + 1
    assert [e.dst for e in graph.edges_from(seen.id, "contradicts")] == [rain.id]
    assert list(graph.store.engine.rows("verdict")) == [(rain.id, seen.id, seq + 1)]
    record = graph.assumption(rain.id)
    assert (record.rejected_at_build, record.evidence_ids) == (1, (seen.id,))
    assert graph.status(rain.id) == "rejected"
    assert done.committed
    assert done.receipt is not None
    assert done.receipt.seq == seq + 1


def test_a_contradiction_that_stood_before_is_not_observed_again(graph: ContextGraph) -> None:
    rain, seen = graph.assume("It rains."), evidence(graph, "The sun shines.")
    graph.add_edge(seen.id, "contradicts", rain.id)
    assert graph.health().signal("unjudged_evidence") is not None
    graph.reject(rain.id, evidence_id=seen.id)

    assert graph.edges_from(seen.id)[0].weight == 1.0
    assert graph.health().signal("unjudged_evidence") is None


def test_the_same_rejection_again_changes_nothing_and_says_what_fell(graph: ContextGraph) -> None:
    memo, rain, seen = source(graph), graph.assume("It rains."), evidence(graph, "No.")
    coat = decision(graph, "Take a coat", memo.id)
    graph.add_edge(coat.id, "depends_on", rain.id)
    first = graph.reject(rain.id, evidence_id=seen.id, replacement="It is dry.")
    before = state(graph)
    again = graph.reject(rain.id, evidence_id=seen.id, replacement="It is dry.")

    assert state(graph) == before
    told = {**first.as_json(), "receipt": None}
    assert again.as_json() == told
    assert graph.blast(rain.id).as_json() == {**told, "committed": False}


def test_a_replacement_supersedes_what_was_rejected(graph: ContextGraph) -> None:
    rain, seen = graph.assume("It rains.", created_by="planner"), evidence(graph, "No.")
    done = graph.reject(rain.id, evidence_id=seen.id, replacement="It is dry.")
    new = graph.assumption(done.replacement_id or "")

    assert (new.statement, new.version, new.created_by, new.supersedes) == ("It is dry.", 2, "planner", rain.id)
    assert new.id == "assumption:it-is-dry-5d9057"
    assert graph.assumption(rain.id).superseded_by == new.id
    assert (graph.status(rain.id), graph.status(new.id)) == ("rejected", "active")


def test_evidence_that_is_set_aside_rejects_nothing(graph: ContextGraph) -> None:
    rain, seen = graph.assume("It rains."), evidence(graph, "No.")
    with graph.batch("prune") as batch:
        batch.replace_node(replace(seen, pruned=True))
    with pytest.raises(OntologyError) as caught:
        graph.reject(rain.id, evidence_id=seen.id)

    assert caught.value.code == "dead-evidence"


def test_a_superseded_assumption_can_still_be_rejected_and_then_its_dependants_fall(graph: ContextGraph) -> None:
    memo, rain = source(graph), graph.assume("It rains.")
    coat = decision(graph, "Take a coat", memo.id)
    graph.add_edge(coat.id, "depends_on", rain.id)
    graph.supersede(rain.id, "It pours.")
    done = graph.reject(rain.id, evidence_id=evidence(graph, "No.").id)

    assert done.fallen == (coat.id,)
    assert graph.status(rain.id) == "rejected"


def test_chains_are_words_from_the_assumption_to_the_node(graph: ContextGraph) -> None:
    memo = source(graph)
    rain = graph.assume("It rains from the first of October to the last day of March.")
    coat, hook = decision(graph, "Take a coat", memo.id), entity(graph, "Hook")
    graph.add_edge(coat.id, "depends_on", rain.id)
    graph.add_edge(coat.id, "produces", hook.id)
    done = graph.blast(rain.id)

    assert done.because(hook.id) == (
        "assumption(It rains from the first of October to the last d)",
        "<-depends_on-",
        "Take a coat",
        "-produces->",
        "Hook",
    )
    assert [f.id for f in done.invalidated] == [rain.id, coat.id, hook.id]
    assert done.blast_radius == 2


def test_a_blast_needs_no_evidence_and_keeps_none(graph: ContextGraph) -> None:
    memo, rain = source(graph), graph.assume("It rains.")
    before = state(graph)
    tried = graph.blast(rain.id)

    assert not tried.committed
    assert (tried.preserved_count, tried.preserved) == (1, (memo.id,))
    assert tried.as_json()["receipt"] is None
    assert state(graph) == before


def test_a_decision_written_on_fallen_ground_falls_with_it(graph: ContextGraph) -> None:
    memo, rain = source(graph), graph.assume("It rains.")
    graph.reject(rain.id, evidence_id=evidence(graph, "No.").id)
    late = graph.decide("Take a coat", rationale="wet", source=memo.id, depends_on=[rain.id])

    assert not graph.is_live(late.id)


def test_pruned_nodes_are_neither_live_nor_invalid(graph: ContextGraph) -> None:
    memo = source(graph)
    said = claim(graph, "The oven is hot.", memo.id)
    oven, lone = entity(graph, "Oven"), entity(graph, "Lone")
    graph.add_edge(said.id, "mentions", oven.id)
    graph.add_edge(said.id, "derived_from", memo.id)
    gone = prune(graph)

    assert gone.reasons == {lone.id: "unlinked"}
    assert gone.by("unlinked") == gone.ids == (lone.id,)
    assert [n.id for n in graph.live_nodes("entity")] == [oven.id]
    assert graph.query("invalid(X)").rows == []
    assert prune(graph).receipt is None


def test_what_walks_have_met_is_kept(graph: ContextGraph) -> None:
    memo, oven, door = source(graph), entity(graph, "Oven"), entity(graph, "Door")
    for name in (oven.id, door.id):
        graph.add_edge(memo.id, "mentions", name)
    for _ in range(60):
        graph.begin_build()
    graph.store.walks[oven.id] = 3
    before = state(graph)

    assert graph.prunable() == {door.id: "unwalked"}
    assert state(graph) == before
    assert graph.prune(reason="unlinked").ids == ()
    assert graph.prune().ids == (door.id,)


def test_reasons_read_later_are_those_of_then(graph: ContextGraph) -> None:
    memo, rain, seen = source(graph), graph.assume("It rains."), evidence(graph, "No.")
    coat, hook = decision(graph, "Take a coat", memo.id), decision(graph, "Put up a hook", memo.id)
    graph.add_edge(coat.id, "depends_on", rain.id)
    graph.add_edge(hook.id, "depends_on", coat.id)
    root, way = "assumption(It rains.)", ("<-depends_on-", "Take a coat", "<-depends_on-", "Put up a hook")
    foreseen = graph.blast(rain.id)
    done = graph.reject(rain.id, evidence_id=seen.id)
    graph.add_edge(hook.id, "depends_on", rain.id)
    with graph.batch("rename") as batch:
        batch.replace_node(replace(batch.node(coat.id), label="Take a raincoat"))

    assert foreseen.because(hook.id) == done.because(hook.id) == (root, *way)
    assert [f.label for f in done.invalidated] == ["It rains.", "Take a coat", "Put up a hook"]
    assert graph.blast(rain.id).because(hook.id) == (root, "<-depends_on-", "Put up a hook")


def test_reasons_are_found_the_same_way_when_the_graph_has_grown_many_times_over(graph: ContextGraph) -> None:
    memo = source(graph)
    told = []
    for size in (1, 1_500):
        with graph.batch("grow") as batch:
            for n in range(size):
                ground = batch.add_node("assumption", f"Ground {size} {n}").id
                made = batch.add_node(
                    "decision", f"Made {size} {n}", attrs={"rationale": "r"}, provenance=Provenance(memo.id)
                )
                batch.add_edge(made.id, "depends_on", ground)
        foreseen = graph.blast(ground)
        done = graph.reject(ground, evidence_id=evidence(graph, f"Not {size}.").id)
        told += [foreseen.because(made.id), done.because(made.id)]

    assert told == [
        *[("assumption(Ground 1 0)", "<-depends_on-", "Made 1 0")] * 2,
        *[("assumption(Ground 1500 1499)", "<-depends_on-", "Made 1500 1499")] * 2,
    ]
