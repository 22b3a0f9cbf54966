"""A stage proposes, the rules judge, and the store takes all of it or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contextmesh.base.errors import LimitReached, OntologyError
from contextmesh.datalog.limits import Limits
from contextmesh.policy import Policy
from contextmesh.store.model import Assumption, Edge, Node, Provenance
from contextmesh.store.receipt import Receipt
from contextmesh.store.store import Store

MEMO = Node("s", "source", "Memo", {"origin": "x", "retrieved_at": "2025-01-01"})
OVEN = Node("e", "entity", "Oven", {"canonical": "Oven", "aliases": []})


@pytest.fixture
def store() -> Store:
    """An empty store under the shipped policy."""
    return Store(Policy.load())


def put(store: Store, *records: Node | Edge) -> Receipt:
    stage = store.stage("test")
    for record in records:
        if isinstance(record, Node):
            stage.put_node(record)
        else:
            stage.put_edge(record)
    return stage.commit()


def test_records_stand_in_the_order_of_insertion(store: Store) -> None:
    put(store, OVEN, MEMO)
    put(store, Edge("m", "s", "mentions", "e"))
    put(store, replace(OVEN, build=2))

    assert list(store.nodes) == ["e", "s"]
    assert store.seq == 3
    assert [store.born(name) for name in ("e", "s", "m")] == [1, 1, 2]


def test_a_receipt_tells_facts_and_what_follows(store: Store) -> None:
    receipt = put(store, MEMO)

    assert receipt.added.plus("node") == [("s", "source")]
    assert "new_node" not in receipt.added.added
    assert receipt.derived.added == {"live": [("s",)]}
    assert (receipt.seq, receipt.kind, receipt.committed, receipt.live_after) == (1, "test", True, 1)
    assert receipt.preserved == ("s",)
    assert len(receipt.digest) == 64
    assert list(store.engine.rows("new_node")) == []


def test_a_dry_run_gives_the_receipt_of_a_commit_and_changes_nothing(store: Store) -> None:
    put(store, MEMO)
    stage = store.stage("test")
    stage.put_node(OVEN)
    tried = stage.dry_run()
    assert list(store.nodes) == ["s"]
    assert list(store.engine.rows("live")) == [("s",)]
    done = stage.commit()

    assert (tried.seq, tried.added, tried.derived, tried.nodes) == (done.seq, done.added, done.derived, done.nodes)
    assert (tried.committed, done.committed) == (False, True)
    assert tried.preserved == done.preserved == ("s", "e")


def test_a_dry_run_may_ask_for_some_relations_only(store: Store) -> None:
    stage = store.stage("test")
    stage.put_node(MEMO)

    assert stage.dry_run(["live"]).derived.added == {"live": [("s",)]}
    assert stage.dry_run(["invalid"]).derived.added == {}


def test_an_illegal_dry_run_is_refused_as_a_commit_would_be(store: Store) -> None:
    stage = store.stage("test")
    stage.put_edge(Edge("m", "s", "mentions", "e"))
    with pytest.raises(OntologyError) as tried:
        stage.dry_run(["live"])
    with pytest.raises(OntologyError) as done:
        stage.commit()

    assert tried.value == done.value
    assert [p.code for p in done.value.problems] == ["unknown-node", "unknown-node"]


def test_a_loader_may_say_when_a_record_was_born(store: Store) -> None:
    stage = store.stage("load")
    stage.put_node(MEMO, born=3)
    stage.put_node(OVEN, born=1)
    stage.put_edge(Edge("m", "s", "mentions", "e"), born=12)
    stage.set_build(4)
    receipt = stage.commit()

    assert (receipt.seq, store.seq, store.build) == (12, 12, 4)
    assert [store.born(name) for name in ("e", "s", "m")] == [1, 3, 12]
    assert list(store.engine.rows("now")) == [(4,)]


def test_a_verdict_is_refused_unless_the_witness_contradicts(store: Store) -> None:
    rain = Node("a", "assumption", "It rains.")
    seen = Node("w", "evidence", "No.", {"kind": "x"})
    stage = store.stage("load")
    stage.put_node(rain)
    stage.put_assumption(Assumption("a", "It rains."))
    stage.put_node(seen)
    stage.commit()
    stage = store.stage("verdict")
    stage.put_verdict("a", "w")
    with pytest.raises(OntologyError) as caught:
        stage.commit()

    assert caught.value.code == "unwitnessed-verdict"
    assert list(store.engine.rows("verdict")) == []


def test_an_edge_cannot_become_another(store: Store) -> None:
    put(store, MEMO, OVEN, edge := Edge("m", "s", "mentions", "e"))
    with pytest.raises(OntologyError) as caught:
        put(store, replace(edge, type="cites"))

    assert caught.value.code == "two-identities"


def test_a_change_that_moves_no_fact_is_not_judged_again(store: Store) -> None:
    put(store, MEMO, OVEN, edge := Edge("m", "s", "mentions", "e"))
    receipt = put(store, replace(edge, weight=2.0))

    assert not receipt.added
    assert not receipt.derived
    assert receipt.edges == ("m",)
    assert store.edges["m"].weight == 2.0


def test_taking_a_field_away_that_must_be_carried_is_refused(store: Store) -> None:
    put(store, MEMO)
    with pytest.raises(OntologyError) as caught:
        put(store, replace(MEMO, attrs={"origin": "x"}))

    assert caught.value.code == "missing-field"
    assert str(caught.value) == ("source s lacks `retrieved_at`; GRAPH.md says it must carry `origin`, `retrieved_at`")
    assert store.nodes["s"] == MEMO


def test_provenance_is_met_by_the_field_and_not_by_an_attribute_of_that_name(store: Store) -> None:
    said = Node("c", "claim", "It is hot.", {"provenance": "s"})
    with pytest.raises(OntologyError):
        put(store, said)

    put(store, replace(said, provenance=Provenance("s")))
    assert "c" in store.nodes


def test_a_transaction_beyond_its_limits_changes_nothing() -> None:
    store = Store(Policy.load(), limits=Limits(rows=3))
    with pytest.raises(LimitReached) as caught:
        put(store, *(replace(MEMO, id=f"s{n}", label=f"Memo {n}") for n in range(50)))

    assert caught.value.code == "limit-reached"
    assert (len(store.nodes), store.seq) == (0, 0)
    assert list(store.engine.rows("node")) == []


def test_an_observer_is_told_after_each_commit_and_never_of_a_dry_run(store: Store) -> None:
    told: list[int] = []
    store.observers.append(lambda receipt: told.append(len(store.nodes)))
    stage = store.stage("test")
    stage.put_node(MEMO)
    stage.dry_run()
    stage.commit()

    assert told == [1]


def test_records_cannot_be_written_past_a_stage(store: Store) -> None:
    put(store, MEMO)
    with pytest.raises(TypeError):
        store.nodes["x"] = OVEN  # type: ignore[index]
