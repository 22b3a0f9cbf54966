"""A batch is one transaction: it sees itself, stands whole, or leaves nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from graph_builders import claim, entity, source, state

from contextmesh.base.errors import OntologyError
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.model import Provenance
from contextmesh.store.receipt import Receipt


def test_a_batch_is_one_transaction_and_one_receipt(graph: ContextGraph) -> None:
    seen: list[Receipt] = []
    graph.store.observers.append(seen.append)
    with graph.batch("load") as batch:
        memo = batch.add_node("source", "Memo", attrs={"origin": "x", "retrieved_at": "today"})
        oven = batch.add_node("entity", "Oven", attrs={"canonical": "Oven", "aliases": []})
        edge = batch.add_edge(memo.id, "mentions", oven.id)

    assert [(r.seq, r.kind, r.nodes, r.edges) for r in seen] == [(1, "load", (memo.id, oven.id), (edge.id,))]
    assert batch.receipt is seen[0]
    assert graph.store.born(edge.id) == 1


def test_an_empty_batch_is_no_transaction(graph: ContextGraph) -> None:
    with graph.batch("load") as batch:
        pass

    assert batch.receipt is None
    assert graph.store.seq == 0


def test_a_batch_sees_what_it_has_put(graph: ContextGraph) -> None:
    memo, oven = source(graph), entity(graph, "Oven")
    with graph.batch("load") as batch:
        batch.add_edge(memo.id, "mentions", oven.id)
        edge = batch.add_edge(memo.id, "mentions", oven.id)
        assert batch.edge(memo.id, "mentions", oven.id) == edge
        assert graph.edges_from(memo.id) == ()
        batch.set_attrs(oven.id, aliases=["the oven"])
        assert batch.node(oven.id).attrs["aliases"] == ["the oven"]

    assert graph.edges_from(memo.id)[0].weight == 2.0
    assert graph.node(oven.id).attrs["aliases"] == ["the oven"]


def test_every_violation_of_a_batch_is_told_and_nothing_is_written(graph: ContextGraph) -> None:
    memo = source(graph)
    before = state(graph)
    with pytest.raises(OntologyError) as caught, graph.batch("load") as batch:
        oven = batch.add_node("entity", "Oven", attrs={"canonical": "Oven"})
        batch.add_edge(oven.id, "mentions", memo.id)
        batch.add_edge(oven.id, "mentions", "entity:none")
        batch.add_node("clam", "Sentence.")

    codes = [p.code for p in caught.value.problems]
    assert codes == ["missing-field", "no-such-node-type", "illegal-pair", "unknown-node"]
    assert state(graph) == before


def test_of_many_violations_twenty_are_told_and_the_rest_counted(graph: ContextGraph) -> None:
    with pytest.raises(OntologyError) as caught, graph.batch("load") as batch:
        for n in range(23):
            batch.add_node("claim", f"Sentence {n}.")

    problems = caught.value.problems
    assert len(problems) == 21
    assert [p.subject for p in problems[:20]] == [batch.node(i).id for i in list(batch.stage.nodes)[:20]]
    assert (problems[20].code, problems[20].message) == ("more-violations", "and 3 more")


def test_an_exception_inside_a_batch_lets_all_of_it_go(graph: ContextGraph) -> None:
    before = state(graph)
    with pytest.raises(ZeroDivisionError), graph.batch("load") as batch:
        batch.add_node("evidence", "seen", attrs={"kind": "audit"})
        raise ZeroDivisionError

    assert state(graph) == before


def test_a_batch_overtaken_by_another_write_is_refused(graph: ContextGraph) -> None:
    with pytest.raises(OntologyError) as caught, graph.batch("load") as batch:
        batch.add_node("evidence", "seen", attrs={"kind": "audit"})
        source(graph)

    assert caught.value.code == "stale-transaction"
    assert len(graph.store.nodes) == 1


def test_a_replaced_record_moves_its_facts_and_keeps_its_birth_and_place(graph: ContextGraph) -> None:
    memo = source(graph, "Memo", "2025-01-02")
    entity(graph, "Oven")
    with graph.batch("change") as batch:
        batch.replace_node(replace(memo, label="Memo, revised", attrs={"origin": "y", "retrieved_at": "May 2025"}))
    engine = graph.store.engine

    assert next(iter(graph.store.nodes)) == memo.id
    assert list(engine.match("named", (memo.id, None))) == [(memo.id, "Memo, revised")]
    assert list(engine.match("dated", (memo.id, None))) == []
    assert graph.store.born(memo.id) == 1


def test_a_node_cannot_become_another_type(graph: ContextGraph) -> None:
    memo = source(graph)
    with pytest.raises(OntologyError) as caught, graph.batch("change") as batch:
        batch.replace_node(replace(memo, type="entity"))

    assert caught.value.code == "two-identities"


def test_provenance_can_be_set_anew(graph: ContextGraph) -> None:
    one, two = source(graph, "One"), source(graph, "Two")
    said = claim(graph, "The oven is hot.", one.id)
    with graph.batch("change") as batch:
        batch.set_provenance(said.id, Provenance(two.id, (5, 9)))

    assert list(graph.store.engine.match("provenance", (said.id, None))) == [(said.id, two.id)]


def test_facts_of_input_relations_can_be_stated_and_others_cannot(graph: ContextGraph) -> None:
    with graph.batch("facts") as batch:
        batch.fact("near_miss", ("Ovn",))
    assert graph.query("near_miss(X)").rows == [("Ovn",)]

    for relation, row, code in (
        ("live", ("x",), "input-derived"),
        ("new_node", ("x", "claim"), "input-derived"),
        ("verdict", ("assumption:x", "evidence:x", 1), "record-fact"),
        ("pruned", ("x",), "record-fact"),
        ("carries", ("x", "kind"), "record-fact"),
        ("node_type", ("planet",), "record-fact"),
        ("near_mis", ("x",), "unknown-relation"),
        ("near_miss", ("x", "y"), "arity"),
        ("near_miss", (True,), "not-a-term"),
    ):
        with pytest.raises(OntologyError) as caught, graph.batch("facts") as batch:
            batch.fact(relation, row)
        assert caught.value.code == code


def test_a_new_build_moves_now_and_what_is_written_belongs_to_it(graph: ContextGraph) -> None:
    assert graph.begin_build() == 1
    memo = source(graph)

    assert graph.begin_build() == graph.build == 2
    assert graph.query("now(N)").rows == [(2,)]
    assert (memo.build, source(graph, "Later").build) == (1, 2)
