"""Decisions: one transaction, explicit ids as idempotency keys, automatic ids that never collide."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from graph_builders import claim, entity, evidence, source, state
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.errors import OntologyError, UnknownError
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.fingerprint import fingerprint, payload_digest


def proposal(graph: ContextGraph) -> dict[str, Any]:
    """A decision with an edge of every kind."""
    memo, log = source(graph, "Memo"), source(graph, "Log")
    said = claim(graph, "The oven is hot.", memo.id)
    old = graph.decide("Bake at noon", rationale="habit", source=memo.id)
    return {
        "title": "Bake at dawn",
        "rationale": "It is cooler.",
        "source": memo.id,
        "cites": [log.id, memo.id],
        "derived_from": [said.id],
        "depends_on": [graph.assume("The baker rises early.").id, old.id],
        "produces": [entity(graph, "Timetable").id],
        "supersedes": old.id,
        "supported_by": [evidence(graph, "It was 40 degrees at noon.").id],
    }


def test_a_decision_and_its_nine_edges_are_one_transaction(graph: ContextGraph) -> None:
    payload = proposal(graph)
    seq = graph.store.seq
    made = graph.decide(**payload)

    assert graph.store.seq == seq + 1
    assert [(e.type, e.dst) for e in graph.edges_from(made.id)] == [
        ("cites", payload["source"]),
        ("cites", payload["cites"][0]),
        ("derived_from", payload["derived_from"][0]),
        ("depends_on", payload["depends_on"][0]),
        ("depends_on", payload["depends_on"][1]),
        ("produces", payload["produces"][0]),
        ("supersedes", payload["supersedes"]),
    ]
    assert [(e.type, e.src) for e in graph.edges_to(made.id)] == [("supports", payload["supported_by"][0])]
    assert graph.node(payload["supersedes"]).attrs["superseded_by"] == made.id
    assert made.provenance is not None
    assert made.provenance.extractor == "decision-log"
    assert made.provenance.checks == ("rationale-present", "provenance-present")


def test_a_refused_decision_leaves_nothing(graph: ContextGraph) -> None:
    payload = proposal(graph)
    before = state(graph)
    with pytest.raises(OntologyError) as illegal:
        graph.decide(**{**payload, "produces": payload["derived_from"]})
    with pytest.raises(UnknownError) as unknown:
        graph.decide(**{**payload, "depends_on": ["assumption:none"]})
    with pytest.raises(OntologyError) as blank:
        graph.decide(**{**payload, "rationale": "  "})

    assert [e.value.code for e in (illegal, unknown, blank)] == ["illegal-pair", "unknown-node", "blank-text"]
    assert state(graph) == before


def test_an_explicit_id_returns_the_same_node_for_the_same_payload(graph: ContextGraph) -> None:
    payload = proposal(graph)
    made = graph.decide(**payload, id="decision:dawn")
    before = state(graph)
    shuffled = {**payload, "cites": list(reversed(payload["cites"])), "depends_on": payload["depends_on"][::-1]}

    assert graph.decide(**shuffled, id="decision:dawn") == made
    assert state(graph) == before
    assert made.attrs["decision_identity"] == "explicit"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "Bake at night"),
        ("rationale", "It is dark."),
        ("cites", []),
        ("derived_from", []),
        ("depends_on", []),
        ("produces", []),
        ("supersedes", None),
    ],
)
def test_an_explicit_id_refuses_another_payload(graph: ContextGraph, name: str, value: object) -> None:
    payload = proposal(graph)
    graph.decide(**payload, id="decision:dawn")
    before = state(graph)
    with pytest.raises(OntologyError) as caught:
        graph.decide(**{**payload, name: value}, id="decision:dawn")

    assert caught.value.code == "other-payload"
    assert state(graph) == before


def test_what_the_fingerprint_leaves_out_is_compared_too(graph: ContextGraph) -> None:
    payload = proposal(graph)
    graph.decide(**payload, id="decision:dawn", attrs={"team": "a"})
    more = evidence(graph, "It was 41 degrees.").id
    for change in ({"attrs": {"team": "b"}}, {"supported_by": [more]}, {"justifications": [payload["depends_on"]]}):
        with pytest.raises(OntologyError) as caught:
            graph.decide(**{**payload, **change}, id="decision:dawn")
        assert caught.value.code == "other-payload"


def test_an_explicit_id_of_another_thing_or_of_the_reserved_namespace_is_refused(graph: ContextGraph) -> None:
    memo = source(graph)
    for name, code in ((memo.id, "id-taken"), ("decision:auto:x", "reserved-id"), ("", "blank-id")):
        with pytest.raises(OntologyError) as caught:
            graph.decide("Go", rationale="why not", source=memo.id, id=name)
        assert caught.value.code == code


def test_the_fingerprint_is_the_one_that_files_in_use_bear() -> None:
    """Key order, separators and escapes are those of the format: this digest was computed from its text alone."""
    digest = payload_digest(
        title="Größe",
        rationale=None,
        source_id="source:a",
        targets={"cites": ["c", "b", "c"]},
        supersedes=None,
    )
    text = (
        '{"cites": ["b", "c"], "depends_on": [], "derived_from": [], "produces": [], "rationale": null, '
        '"source_id": "source:a", "supersedes": null, "title": "Gr\\u00f6\\u00dfe"}'
    )
    assert digest == hashlib.sha256(text.encode("ascii")).hexdigest()


def test_the_fingerprint_recomputed_from_the_graph_is_the_stored_one(graph: ContextGraph) -> None:
    made = graph.decide(**proposal(graph))
    nodes = graph.store.nodes
    again = fingerprint(made, graph.edges_from(made.id), lambda name: nodes[name].type)

    assert again == made.attrs["decision_payload_digest"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["Go", "Go|1", "Go|2", "Stay", "Go "]), max_size=12))
def test_automatic_ids_never_collide(titles: list[str]) -> None:
    graph = ContextGraph()
    memo = source(graph)
    made = [graph.decide(title, rationale="why not", source=memo.id).id for title in titles]

    assert len(dict.fromkeys(made)) == len(made)
    assert all(name.startswith("decision:auto:") for name in made)


def test_a_decision_already_made_keeps_its_grounds(graph: ContextGraph) -> None:
    payload = proposal(graph)
    made = graph.decide(**payload)
    other = graph.decide("Other", rationale="why not", source=payload["source"])
    with pytest.raises(OntologyError) as ground:
        graph.add_edge(made.id, "depends_on", graph.assume("Another.").id)
    with pytest.raises(OntologyError) as words, graph.batch("change") as batch:
        batch.set_attrs(made.id, rationale="another")
    again = graph.add_edge(made.id, "depends_on", payload["depends_on"][0])
    added = graph.add_edge(made.id, "depends_on", other.id)

    assert (ground.value.code, words.value.code) == ("decision-fixed", "decision-fixed")
    assert again.weight == 2.0
    assert added.dst == other.id


def test_stated_grounds_are_edges_too(graph: ContextGraph) -> None:
    memo, log = source(graph, "Memo"), source(graph, "Log")
    rain = graph.assume("It rains.")
    said = claim(graph, "The oven is hot.", memo.id)
    seen = evidence(graph, "Seen.")
    made = graph.decide(
        "Go", rationale="why not", source=memo.id, justifications=[[rain.id, said.id], [log.id, seen.id]]
    )

    assert made.attrs["justifications"] == [[rain.id, said.id], [log.id, seen.id]]
    assert [(e.type, e.dst) for e in graph.edges_from(made.id)] == [
        ("cites", memo.id),
        ("cites", log.id),
        ("derived_from", said.id),
        ("depends_on", rain.id),
    ]
    assert [e.src for e in graph.edges_to(made.id, "supports")] == [seen.id]


def test_justifications_that_could_not_hold_are_refused(graph: ContextGraph) -> None:
    memo, oven = source(graph), entity(graph, "Oven")
    for justifications, code in (([[]], "bad-justifications"), ([[oven.id]], "unlinkable-ground")):
        with pytest.raises(OntologyError) as caught:
            graph.decide("Go", rationale="why not", source=memo.id, justifications=justifications)
        assert caught.value.code == code
    for attrs in ({"rationale": "x"}, {"superseded_by": "x"}):
        with pytest.raises(OntologyError) as caught:
            graph.decide("Go", rationale="why not", source=memo.id, attrs=attrs)
        assert caught.value.code == "reserved-attr"
