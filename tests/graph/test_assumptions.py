"""Assume, supersede, bind."""

from __future__ import annotations

import pytest
from graph_builders import entity, evidence, source, state

from contextmesh.base.errors import OntologyError, UnknownError
from contextmesh.base.ids import slug
from contextmesh.graph.graph import ContextGraph


def test_one_statement_is_one_assumption(graph: ContextGraph) -> None:
    first = graph.assume("It rains.", created_by="planner")
    again = graph.assume("It rains.", created_by="somebody else")

    assert again == first
    assert (first.version, first.created_by, first.id) == (1, "planner", slug("It rains.", "assumption"))
    assert graph.status(first.id) == "active"


def test_a_given_id_is_kept_and_cannot_name_another_statement(graph: ContextGraph) -> None:
    assert graph.assume("It rains.", id="assumption:rain").id == "assumption:rain"
    with pytest.raises(OntologyError) as caught:
        graph.assume("It snows.", id="assumption:rain")

    assert caught.value.code == "id-taken"


def test_a_blank_statement_is_refused(graph: ContextGraph) -> None:
    with pytest.raises(OntologyError) as caught:
        graph.assume(" \n ")

    assert caught.value.code == "blank-text"


def test_superseding_makes_the_next_version_and_nothing_falls(graph: ContextGraph) -> None:
    old = graph.assume("It rains.")
    memo = source(graph)
    choice = graph.decide("Take a coat", rationale="wet", source=memo.id, depends_on=[old.id])
    new = graph.supersede(old.id, "It pours.")

    assert new.id == slug("It pours.|v2", "assumption")
    assert (new.version, new.supersedes, graph.assumption(old.id).superseded_by) == (2, old.id, new.id)
    assert [graph.status(a) for a in (old.id, new.id)] == ["superseded", "active"]
    assert graph.is_live(choice.id)
    assert [e.dst for e in graph.edges_from(new.id, "supersedes")] == [old.id]


def test_superseding_again_by_the_same_statement_returns_the_successor(graph: ContextGraph) -> None:
    old = graph.assume("It rains.")
    new = graph.supersede(old.id, "It pours.")
    seq = graph.store.seq

    assert graph.supersede(old.id, "It pours.") == graph.supersede(old.id, new.id) == graph.assumption(new.id)
    assert graph.store.seq == seq


def test_an_assumption_has_one_successor_and_replaces_one(graph: ContextGraph) -> None:
    old, other = graph.assume("It rains."), graph.assume("It hails.")
    new = graph.supersede(old.id, "It pours.")
    with pytest.raises(OntologyError) as twice:
        graph.supersede(old.id, "It drizzles.")
    with pytest.raises(OntologyError) as both:
        graph.supersede(other.id, new.id)

    assert (twice.value.code, both.value.code) == ("already-superseded", "already-supersedes")
    assert twice.value.problem.hint == f"supersede {new.id} instead"


def test_an_assumption_that_is_here_can_be_the_successor(graph: ContextGraph) -> None:
    old, new = graph.assume("It rains."), graph.assume("It pours.")
    after = graph.supersede(old.id, new.id)

    assert (after.id, after.version, after.supersedes) == (new.id, 2, old.id)


def test_supersession_never_leads_in_a_circle(graph: ContextGraph) -> None:
    first = graph.assume("One.")
    second = graph.supersede(first.id, "Two.")
    third = graph.supersede(second.id, "Three.")
    before = state(graph)
    for old, new in ((third.id, first.id), (third.id, third.id)):
        with pytest.raises(OntologyError) as caught:
            graph.supersede(old, new)
        assert caught.value.code in ("supersedes-itself", "already-supersedes")

    assert state(graph) == before


def test_a_statement_whose_current_version_is_a_successor_is_that_assumption(graph: ContextGraph) -> None:
    old = graph.assume("It rains.")
    new = graph.supersede(old.id, "It pours.")

    assert graph.assume("It pours.").id == new.id


def test_a_bound_edge_holds_only_as_long_as_its_assumption(graph: ContextGraph) -> None:
    memo, oven, ground = source(graph), entity(graph, "Oven"), graph.assume("The memo is right.")
    edge = graph.add_edge(memo.id, "mentions", oven.id)
    assert graph.bind(edge.id, ground.id).assumption_id == ground.id
    assert graph.bind(edge.id, ground.id) == graph.edge(edge.id)
    assert graph.is_edge_live(edge.id)
    done = graph.reject(ground.id, evidence_id=evidence(graph, "It is wrong.").id)

    assert done.invalidated_edges == (edge.id,)
    assert not graph.is_edge_live(edge.id)
    assert graph.edges_from(memo.id) == (graph.edge(edge.id),)


def test_an_edge_is_bound_once_and_to_what_is_active(graph: ContextGraph) -> None:
    memo, oven = source(graph), entity(graph, "Oven")
    one, two = graph.assume("One."), graph.assume("Two.")
    edge = graph.add_edge(memo.id, "mentions", oven.id, assumption=one.id)
    loose = graph.add_edge(memo.id, "mentions", entity(graph, "Door").id)
    graph.reject(two.id, evidence_id=evidence(graph, "No.").id)
    with pytest.raises(OntologyError) as other:
        graph.bind(edge.id, graph.assume("Three.").id)
    with pytest.raises(OntologyError) as again:
        graph.add_edge(memo.id, "mentions", oven.id, assumption=two.id)
    with pytest.raises(OntologyError) as rejected:
        graph.bind(loose.id, two.id)
    with pytest.raises(UnknownError) as unknown:
        graph.bind("edge:none", one.id)

    assert [e.value.code for e in (other, again, rejected, unknown)] == [
        "already-bound",
        "already-bound",
        "not-active",
        "unknown-edge",
    ]


def test_an_unknown_assumption_is_refused_with_the_nearest_one(graph: ContextGraph) -> None:
    known = graph.assume("It rains in autumn.")
    with pytest.raises(UnknownError) as caught:
        graph.status(known.id[:-2])

    assert caught.value.problem.hint == f"did you mean `{known.id}`?"
