"""A receipt is a delta with reasons: chains share parts, digests compare, and what was preserved can be read later."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contextmesh.policy import Policy
from contextmesh.store.model import Assumption, Edge, Node, Provenance
from contextmesh.store.receipt import LAST, SPELT_OUT, Chain, Receipt
from contextmesh.store.store import Store


def load(store: Store) -> None:
    """An assumption, a decision on it, what that produced, and evidence against the assumption."""
    stage = store.stage("load")
    stage.put_node(Node("s", "source", "Memo", {"origin": "x", "retrieved_at": "2025-01-01"}))
    stage.put_node(Node("a", "assumption", "It rains."))
    stage.put_assumption(Assumption("a", "It rains."))
    stage.put_node(Node("d", "decision", "Coat", {"rationale": "wet"}, Provenance("s")))
    for name in ("h", "i"):
        stage.put_node(Node(name, "entity", f"Hook {name}", {"canonical": name, "aliases": []}))
        stage.put_edge(Edge(f"d{name}", "d", "produces", name))
    stage.put_node(Node("w", "evidence", "No.", {"kind": "x"}))
    stage.put_edge(Edge("da", "d", "depends_on", "a"))
    stage.put_edge(Edge("wa", "w", "contradicts", "a"))
    stage.commit()


def verdict(store: Store) -> Receipt:
    stage = store.stage("reject")
    stage.put_verdict("a", "w")
    return stage.commit()


@pytest.fixture
def store() -> Store:
    """A store in which everything still stands."""
    store = Store(Policy.load())
    load(store)
    return store


def test_what_fell_is_told_nearest_to_the_root_first(store: Store) -> None:
    receipt = verdict(store)

    assert sorted(receipt.fell) == ["a", "d", "h", "i"]
    assert receipt.invalidated == ("a", "d", "h", "i")
    assert receipt.dead_edges == ("dh", "di")
    assert receipt.preserved == ("s", "w")
    assert receipt.because("s") == ()


def test_chains_that_go_the_same_way_share_their_part(store: Store) -> None:
    receipt = verdict(store)
    one, other = receipt._chains["h"], receipt._chains["i"]

    assert one.before is other.before is not None
    assert (one.length, one.root) == (2, other.root)


def test_an_entity_produced_again_by_a_later_decision_is_restored(store: Store) -> None:
    verdict(store)
    stage = store.stage("rebuild")
    stage.put_node(Node("d2", "decision", "New coat", {"rationale": "dry"}, Provenance("s")))
    stage.put_edge(Edge("d2h", "d2", "produces", "h"))
    receipt = stage.commit()

    assert receipt.restored == ("h",)
    assert receipt.invalidated == ()
    assert store.engine.holds("live", ("h",))
    assert not store.engine.holds("live", ("i",))


def test_two_stores_that_did_the_same_have_receipts_of_one_digest(store: Store) -> None:
    other = Store(Policy.load())
    load(other)
    mine, theirs = verdict(store), verdict(other)

    assert mine.digest == theirs.digest
    assert mine.as_json() == {"seq": 2, "kind": "reject", "digest": mine.digest}
    assert replace(mine, seq=3).digest != mine.digest


def test_a_chain_is_told_whole_up_to_a_length_and_then_by_its_ends() -> None:
    chain = Chain("root")
    for n in range(SPELT_OUT):
        chain = chain.then("<-", f"n{n}")
    assert len(chain.as_words()) == 2 * SPELT_OUT + 1
    longer = chain.then("->", "end")

    assert longer.as_words()[:3] == ("root", f"… {SPELT_OUT + 1 - LAST} steps …", "<-")
    assert longer.as_words()[-2:] == ("->", "end")
    assert len(longer.as_words()) == 2 + 2 * LAST


def test_a_receipt_holds_the_records_that_were_replaced_as_they_were(store: Store) -> None:
    load(store)
    first = store.nodes["s"]
    receipts: list[Receipt] = []
    store.observers.append(receipts.append)
    stage = store.stage("again")
    stage.put_node(replace(first, label="Minutes"))
    stage.put_assumption(Assumption("a", "It rains.", evidence_ids=("w",)))
    stage.put_node(Node("k", "entity", "Hook k", {"canonical": "k", "aliases": []}))
    stage.commit()
    assert [receipt.replaced for receipt in receipts] == [(first, Assumption("a", "It rains."))]
    assert receipts[0].assumptions == ("a",)
