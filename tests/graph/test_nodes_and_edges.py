"""One id, one thing; a repeat is an observation; every edge typed and legal."""

from __future__ import annotations

import pytest
from graph_builders import claim, entity, evidence, source, state

from contextmesh import EdgeType, NodeType
from contextmesh.base.errors import InputError, OntologyError, UnknownError
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.model import Provenance


def test_a_node_without_an_id_gets_a_readable_one(graph: ContextGraph) -> None:
    assert source(graph, "Oven log").id == "source:oven-log-02ba64"


def test_the_same_type_and_label_are_the_same_node_and_attributes_are_merged(graph: ContextGraph) -> None:
    first = entity(graph, "Deck Oven")
    again = graph.add_node("entity", "Deck Oven", attrs={"aliases": ["the oven"], "made": "1998"})

    assert again.id == first.id
    assert again.attrs == {"canonical": "Deck Oven", "aliases": ["the oven"], "made": "1998"}
    assert list(graph.store.nodes) == [first.id]


def test_adding_what_is_there_already_is_no_transaction(graph: ContextGraph) -> None:
    first = entity(graph, "Deck Oven")
    seq = graph.store.seq

    assert entity(graph, "Deck Oven") is first
    assert graph.store.seq == seq


def test_the_provenance_first_recorded_is_kept(graph: ContextGraph) -> None:
    one, two = source(graph, "One"), source(graph, "Two")
    claim(graph, "The oven is hot.", one.id)
    again = claim(graph, "The oven is hot.", two.id)

    assert again.provenance == Provenance(one.id, (0, 16))


def test_an_id_that_names_another_thing_is_refused_when_it_was_given(graph: ContextGraph) -> None:
    graph.add_node("evidence", "seen", id="x", attrs={"kind": "audit"})
    before = state(graph)
    with pytest.raises(OntologyError) as caught:
        graph.add_node("evidence", "heard", id="x", attrs={"kind": "audit"})

    assert caught.value.code == "id-taken"
    assert state(graph) == before


def test_types_may_be_enums_or_text_and_are_kept_as_text(graph: ContextGraph) -> None:
    node = graph.add_node(NodeType.EVIDENCE, "seen", attrs={"kind": "audit"})
    other = source(graph)
    cited = claim(graph, "A claim.", other.id)
    edge = graph.add_edge(node.id, EdgeType.SUPPORTS, cited.id)

    assert type(node.type) is str
    assert type(edge.type) is str
    assert graph.edges_from(node.id, EdgeType.SUPPORTS) == (edge,)


def test_an_edge_said_again_is_one_more_observation(graph: ContextGraph) -> None:
    one, oven = source(graph), entity(graph, "Oven")
    graph.add_edge(one.id, "mentions", oven.id)
    edge = graph.add_edge(one.id, "mentions", oven.id, weight=2.5)

    assert edge.weight == 3.5
    assert graph.edges_from(one.id) == (edge,) == graph.edges_to(oven.id)


def test_edges_come_in_the_order_of_insertion(graph: ContextGraph) -> None:
    one = source(graph)
    names = ["Zeta", "Alpha", "Mu", "Beta"]
    ids = [entity(graph, name).id for name in names]
    for other in ids:
        graph.add_edge(one.id, "mentions", other)
    graph.add_edge(one.id, "mentions", ids[0])

    assert [edge.dst for edge in graph.edges_from(one.id, "mentions")] == ids


@pytest.mark.parametrize("weight", [0, -1.0, float("nan"), float("inf")])
def test_a_weight_is_a_positive_number(graph: ContextGraph, weight: float) -> None:
    one, oven = source(graph), entity(graph, "Oven")
    with pytest.raises(OntologyError) as caught:
        graph.add_edge(one.id, "mentions", oven.id, weight=weight)

    assert caught.value.code == "bad-weight"


def test_an_edge_names_only_evidence_and_assumptions_that_are_here(graph: ContextGraph) -> None:
    one, oven = source(graph), entity(graph, "Oven")
    with pytest.raises(UnknownError) as no_witness:
        graph.add_edge(one.id, "mentions", oven.id, evidence=["evidence:none"])
    with pytest.raises(UnknownError) as no_ground:
        graph.add_edge(one.id, "mentions", oven.id, assumption=oven.id)

    assert no_witness.value.code == "unknown-node"
    assert no_ground.value.code == "unknown-assumption"
    assert str(no_ground.value) == f"{oven.id} is an entity, not an assumption"


def test_an_unknown_id_is_refused_with_the_nearest_one(graph: ContextGraph) -> None:
    node = entity(graph, "Deck Oven")
    with pytest.raises(UnknownError) as slip:
        graph.node(node.id[:-1])
    with pytest.raises(UnknownError) as label:
        graph.node("Deck Oven")

    assert slip.value.problem.hint == label.value.problem.hint == f"did you mean `{node.id}`?"


def test_what_json_cannot_carry_is_refused_when_it_is_written(graph: ContextGraph) -> None:
    for label, attrs in (("a", {"kind": {1, 2}}), ("b", {"kind": float("nan")}), ("\ud800", {"kind": "x"})):
        with pytest.raises(InputError) as caught:
            graph.add_node("evidence", label, attrs=attrs)
        assert caught.value.code == "not-canonical"


@pytest.mark.parametrize("name", ["decision:auto:mine", "justification:x"])
def test_reserved_namespaces_are_refused(graph: ContextGraph, name: str) -> None:
    with pytest.raises(OntologyError) as caught:
        graph.add_node("evidence", "seen", id=name, attrs={"kind": "audit"})

    assert caught.value.code == "reserved-id"


def test_an_assumption_added_as_a_node_has_its_record_too(graph: ContextGraph) -> None:
    node = graph.add_node("assumption", "It rains.", attrs={"status": "active", "version": 1, "note": "hm"})

    assert graph.assumption(node.id).statement == "It rains."
    assert node.attrs == {"note": "hm"}
    assert graph.status(node.id) == "active"


def test_names_are_found_whatever_their_case_and_by_alias(graph: ContextGraph) -> None:
    oven = graph.add_node("entity", "Deck Oven", attrs={"canonical": "Deck Oven", "aliases": ["the  oven"]})
    assert graph.find("deck OVEN") == (oven,)
    assert graph.find("The Oven") == (oven,)

    later = evidence(graph, "the oven")
    assert [n.id for n in graph.find("THE OVEN")] == [oven.id, later.id]
    assert graph.find("nothing") == ()


def test_live_nodes_come_by_type_in_the_order_of_insertion(graph: ContextGraph) -> None:
    names = ["b", "a", "c"]
    ids = [entity(graph, name).id for name in names]
    source(graph)

    assert [n.id for n in graph.live_nodes("entity")] == ids
    assert len(list(graph.live_nodes())) == 4
