"""Public bug reports of the field, as far as the graph alone answers them."""

from __future__ import annotations

from graph_builders import claim, entity, evidence, source

from contextmesh.graph.graph import ContextGraph


def test_one_name_in_four_contexts_is_one_entity_with_four_mentions(graph: ContextGraph) -> None:
    """H05: identity is the name, never the likeness of what is said about it."""
    graph.begin_build()
    for context in ("budget", "building", "vote", "strike"):
        office = entity(graph, "QRSB")
        memo = source(graph, f"Report on the {context}")
        said = claim(graph, f"QRSB spoke about the {context}.", memo.id)
        graph.add_edge(said.id, "mentions", office.id)
    loaded = ContextGraph.from_json(graph.to_json())
    office = entity(loaded, "QRSB")
    fifth = claim(loaded, "QRSB moved.", source(loaded, "Fifth").id)
    loaded.add_edge(fifth.id, "mentions", office.id)

    assert [n.label for n in graph.live_nodes("entity")] == ["QRSB"]
    assert len(graph.edges_to(office.id, "mentions")) == 4
    assert [n.id for n in loaded.live_nodes("entity")] == [office.id]
    assert len(loaded.edges_to(office.id, "mentions")) == 5


def test_names_of_other_scripts_have_ids_of_their_own(graph: ContextGraph) -> None:
    """H06: four entities, four ids, none empty, and each is found by its own name."""
    names = ["部品管理_登録", "部品管理_削除", "北海支店", "北海道支店"]
    ids = [entity(graph, name).id for name in names]

    assert len(dict.fromkeys(ids)) == 4
    assert [name.split(":")[1][:4] for name in ids] == ["部品管理", "部品管理", "北海支店", "北海道支"]
    assert [graph.find(name)[0].id for name in names] == ids


def test_a_further_claim_about_the_same_person_invalidates_nothing(graph: ContextGraph) -> None:
    """H07: only a rejection makes anything fall."""
    one = source(graph, "s1")
    first = claim(graph, "Otter is site manager at Kelpworks.", one.id)
    before = [node.id for node in graph.live_nodes()]
    receipts = []
    graph.store.observers.append(receipts.append)
    two = source(graph, "s2")
    later = claim(graph, "Otter set a new audit rule for Kelpworks's repository account.", two.id)

    assert all(receipt.invalidated == () for receipt in receipts)
    assert [node.id for node in graph.live_nodes()] == [*before, two.id, later.id]
    assert graph.is_live(first.id)
    assert graph.health().signal("open_contradictions") is None
    assert evidence(graph, "x").id in {n.id for n in graph.live_nodes("evidence")}
