"""A transaction is a value: it survives JSON, its replay gives what it first gave, and a forged one is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_histories import Writer, everything, histories

from contextmesh.base.canon import canonical
from contextmesh.base.errors import OntologyError, SnapshotError
from contextmesh.base.fields import Fault
from contextmesh.graph.graph import ContextGraph
from contextmesh.policy import Policy
from contextmesh.store.model import Assumption, Edge, Node, Provenance
from contextmesh.store.receipt import Receipt
from contextmesh.store.store import Store
from contextmesh.store.transaction import (
    Transaction,
    replay,
    transaction_from_json,
    transaction_of,
    transaction_to_json,
)

POLICY = Policy.load()


def followed(graph: ContextGraph) -> tuple[list[Transaction], list[Receipt]]:
    """Lists that fill with each commit."""
    transactions: list[Transaction] = []
    receipts: list[Receipt] = []

    def follow(receipt: Receipt) -> None:
        receipts.append(receipt)
        transactions.append(transaction_of(graph.store, receipt, "2025-01-02"))

    graph.store.observers.append(follow)
    return transactions, receipts


def through_text(t: Transaction) -> Transaction:
    return transaction_from_json(json.loads(canonical(transaction_to_json(t))))


# ---- laws -----------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(histories)
def test_a_history_replayed_from_text_gives_the_same_store_and_the_same_receipts(steps: Any) -> None:
    graph = ContextGraph(store=Store(POLICY))
    transactions, receipts = followed(graph)
    Writer(graph).start().write_all(steps)

    again = Store(POLICY)
    for t, receipt in zip(transactions, receipts, strict=True):
        read = through_text(t)
        assert read == t
        assert replay(again, read).digest == receipt.digest

    assert everything(again) == everything(graph.store)


@settings(max_examples=25, deadline=None)
@given(histories, st.integers(0, 30))
def test_a_history_goes_on_from_wherever_it_was_cut(steps: Any, cut: int) -> None:
    graph = ContextGraph(store=Store(POLICY))
    transactions, _ = followed(graph)
    Writer(graph).start().write_all(steps)

    middle = ContextGraph(store=Store(POLICY))
    once_more, _ = followed(middle)
    for t in transactions[:cut]:
        replay(middle.store, t)
    for t in transactions[cut:]:
        replay(middle.store, t)

    assert once_more == [replace(t, day="2025-01-02") for t in transactions]


ids = st.text("abc:", max_size=3)
builds = st.integers(-1, 3)
wild_nodes = st.builds(
    Node,
    id=ids,
    type=ids,
    label=ids,
    provenance=st.none() | st.builds(Provenance, ids, st.none() | st.tuples(builds, builds), recorded_at_build=builds),
    embedding=st.none() | st.lists(st.floats(), max_size=2).map(tuple),
    build=builds,
    pruned=st.booleans(),
)
wild_edges = st.builds(Edge, id=ids, src=ids, type=ids, dst=ids, weight=st.floats(), build=builds)
wild_assumptions = st.builds(
    Assumption,
    id=ids,
    statement=ids,
    version=builds,
    created_at_build=builds,
    rejected_at_build=st.none() | builds,
)


@settings(max_examples=300)
@given(
    st.lists(wild_nodes, max_size=2, unique_by=lambda n: n.id),
    st.lists(wild_edges, max_size=1),
    st.lists(wild_assumptions, max_size=1),
)
def test_what_can_be_written_can_be_read(nodes: Any, edges: Any, assumptions: Any) -> None:
    t = Transaction(1, "test", None, 1, tuple(nodes), tuple(edges), tuple(assumptions))
    try:
        written = transaction_to_json(t)
    except SnapshotError as refusal:
        assert refusal.code == "unwritable-record"
        return

    assert transaction_from_json(json.loads(canonical(written))) == t


# ---- cases ----------------------------------------------------------------------------------


@pytest.fixture
def world() -> tuple[Store, dict[str, Any]]:
    """A store before its last transaction, and that transaction as JSON: a record of every kind."""
    graph = ContextGraph(store=Store(POLICY))
    transactions, _ = followed(graph)
    memo = graph.add_node("source", "Memo", attrs={"origin": "x", "retrieved_at": "2025-01-01"})
    with graph.batch("all") as batch:
        batch.add_node("claim", "It rains.", provenance=Provenance(memo.id, (0, 9)), embedding=[0.5, 0.25])
        claim = batch.add_node("claim", "It pours.", provenance=Provenance(memo.id), embedding=[0.1, 0.2])
        ground = batch.add_node("assumption", "It is autumn.")
        witness = batch.add_node("evidence", "It is May.", attrs={"kind": "observation"})
        batch.add_edge(claim.id, "derived_from", memo.id, assumption=ground.id, evidence=[witness.id])
        batch.add_edge(witness.id, "contradicts", ground.id)
        batch.stage.put_verdict(ground.id, witness.id)
        batch.stage.put_assumption(replace(batch.stage.assumptions[ground.id], rejected_at_build=0))
        batch.fact("opened", ("plan", 1))
    before = Store(POLICY)
    replay(before, transactions[0])
    return before, transaction_to_json(transactions[1])


def bent(row: dict[str, Any], *path: str | int, to: Any) -> None:
    *parents, last = path
    value: Any = row
    for step in parents:
        value = value[step]
    if to is KeyError:
        del value[last]
    else:
        value[last] = to


DEEP: Any = []
for _ in range(80):
    DEEP = [DEEP]

FORGED: list[tuple[str, tuple[Any, ...], Any]] = [
    ("missing-key", ("kind",), KeyError),
    ("missing-key", ("nodes", 0, "pruned"), KeyError),
    ("missing-key", ("nodes", 0, "provenance", "span"), KeyError),
    ("unknown-key", ("live",), True),
    ("unknown-key", ("nodes", 0, "invalidated"), False),
    ("unknown-key", ("edges", 0, "traversals"), 0),
    ("wrong-type", ("seq",), True),
    ("out-of-range", ("seq",), 0),
    ("out-of-range", ("build",), -1),
    ("wrong-type", ("build",), 1.0),
    ("out-of-range", ("kind",), ""),
    ("wrong-type", ("kind",), None),
    ("wrong-type", ("day",), 20250102),
    ("not-a-date", ("day",), "yesterday"),
    ("not-a-date", ("day",), " 2025-01-02"),
    ("impossible-date", ("day",), "2025-02-30"),
    ("wrong-type", ("nodes",), {}),
    ("wrong-type", ("nodes", 0), []),
    ("out-of-range", ("nodes", 0, "id"), ""),
    ("wrong-type", ("nodes", 0, "label"), 3),
    ("wrong-type", ("nodes", 0, "attrs"), []),
    ("wrong-type", ("nodes", 0, "provenance"), "x"),
    ("out-of-range", ("nodes", 0, "provenance", "span"), [9, 0]),
    ("wrong-type", ("nodes", 0, "provenance", "span"), [0, True]),
    ("wrong-type", ("nodes", 0, "provenance", "span"), [0]),
    ("out-of-range", ("nodes", 0, "provenance", "recorded_at_build"), 9),
    ("wrong-type", ("nodes", 0, "provenance", "checks"), [1]),
    ("out-of-range", ("nodes", 0, "build"), 9),
    ("wrong-type", ("nodes", 0, "pruned"), 0),
    ("wrong-type", ("nodes", 0, "embedding"), "x"),
    ("embedding-size", ("nodes", 0, "embedding"), []),
    ("embedding-size", ("nodes", 1, "embedding"), [1.0]),
    ("wrong-type", ("nodes", 0, "embedding", 1), "x"),
    ("not-canonical", ("nodes", 0, "embedding", 1), -(10**308 * 9)),
    ("not-canonical", ("nodes", 0, "embedding", 1), float("inf")),
    ("wrong-type", ("nodes", 0, "attrs"), {}),
    ("wrong-type", ("nodes", 0, "attrs"), "[]"),
    ("damaged-file", ("nodes", 0, "attrs"), "{"),
    ("huge-number", ("nodes", 0, "attrs"), '{"n": 1' + "0" * 400 + "}"),
    ("not-finite", ("nodes", 0, "attrs"), '{"n": NaN}'),
    ("huge-number", ("nodes", 0, "attrs"), '{"n": 1e999}'),
    ("duplicate-key", ("nodes", 0, "attrs"), '{"n": 1, "n": 1}'),
    ("lone-surrogate", ("nodes", 0, "attrs"), '{"\\ud800": 1}'),
    ("too-deep", ("nodes", 0, "attrs"), '{"n": ' + "[" * 61 + "]" * 61 + "}"),
    ("too-deep", ("nodes", 0, "attrs"), '{"n": ' + "[" * 9000 + "]" * 9000 + "}"),
    ("not-canonical", ("nodes", 0, "label"), "\ud800"),
    ("not-canonical", ("facts", 0, 1), DEEP),
    ("edge-id-differs", ("edges", 0, "id"), "edge:other-123456"),
    ("out-of-range", ("edges", 0, "weight"), 0),
    ("wrong-type", ("edges", 0, "weight"), True),
    ("not-canonical", ("edges", 0, "weight"), 10**400),
    ("wrong-type", ("edges", 0, "evidence_ids"), "x"),
    ("out-of-range", ("edges", 0, "build"), 9),
    ("out-of-range", ("assumptions", 0, "version"), 0),
    ("out-of-range", ("assumptions", 0, "created_at_build"), 9),
    ("out-of-range", ("assumptions", 0, "rejected_at_build"), 9),
    ("wrong-type", ("assumptions", 0, "supersedes"), 1),
    ("wrong-type", ("verdicts", 0), ["one"]),
    ("wrong-type", ("facts", 0), ["opened"]),
    ("not-a-term", ("facts", 0, 1), ["plan", True]),
    ("not-a-term", ("facts", 0, 1), ["plan", 1.5]),
    ("not-a-term", ("facts", 0, 1), ["plan", None]),
]


@pytest.mark.parametrize(("code", "path", "value"), FORGED, ids=[f"{c}-{'.'.join(map(str, p))}" for c, p, _ in FORGED])
def test_a_wrong_field_is_refused_by_code(
    world: tuple[Store, dict[str, Any]], code: str, path: tuple[Any, ...], value: Any
) -> None:
    _, row = world
    bent(row, *path, to=value)

    with pytest.raises(Fault) as refused:
        transaction_from_json(row)

    assert refused.value.code == code


@pytest.mark.parametrize("name", ["nodes", "edges", "assumptions", "verdicts"])
def test_a_record_stands_once(world: tuple[Store, dict[str, Any]], name: str) -> None:
    _, row = world
    row[name].append(row[name][0])

    with pytest.raises(Fault) as refused:
        transaction_from_json(row)

    assert (refused.value.code, refused.value.path) == ("two-identities", (name, len(row[name]) - 1))


def _without_record(t: Transaction) -> Transaction:
    return replace(t, assumptions=(), verdicts=(), edges=t.edges[1:])


AGAINST_THE_STORE: list[tuple[str, Callable[[Transaction], Transaction]]] = [
    ("transaction-order", lambda t: replace(t, seq=3)),
    ("transaction-order", lambda t: replace(t, seq=1)),
    ("two-identities", lambda t: replace(t, nodes=(replace(t.nodes[0], id="source:memo-fe1ab1", type="x"), *t.nodes))),
    ("missing-field", lambda t: replace(t, nodes=(replace(t.nodes[0], provenance=None), *t.nodes[1:]))),
    ("no-such-node-type", lambda t: replace(t, nodes=(replace(t.nodes[0], type="clame"), *t.nodes[1:]))),
    ("unknown-node", lambda t: replace(t, nodes=t.nodes[:1] + t.nodes[2:])),
    ("unwitnessed-verdict", lambda t: replace(t, edges=t.edges[:1])),
    ("unknown-relation", lambda t: replace(t, facts=(("opend", ("plan", 1)),))),
    ("input-derived", lambda t: replace(t, facts=(("live", ("plan",)),))),
    ("record-fact", lambda t: replace(t, facts=(("verdict", ("assumption:x", "evidence:x", 1)),))),
    ("record-fact", lambda t: replace(t, facts=(("edge_type", ("knows",)),))),
    ("input-derived", lambda t: replace(t, facts=(("new_node", ("a", "b")),))),
    ("arity", lambda t: replace(t, facts=(("opened", ("plan",)),))),
    ("no-such-assumption", lambda t: replace(t, assumptions=(*t.assumptions, Assumption("assumption:x", "x")))),
    ("unknown-id", lambda t: replace(t, assumptions=(replace(t.assumptions[0], supersedes="x"),))),
    ("unknown-id", lambda t: replace(t, assumptions=(replace(t.assumptions[0], evidence_ids=("x",)),))),
    ("unknown-id", lambda t: replace(t, edges=(replace(t.edges[0], evidence_ids=("x",)), *t.edges[1:]))),
    ("unknown-id", lambda t: replace(t, edges=(replace(t.edges[0], assumption_id="x"), *t.edges[1:]))),
    ("no-assumption-record", _without_record),
    ("reserved-id", lambda t: replace(t, nodes=(*t.nodes, replace(t.nodes[0], id="justification:x")))),
]


@pytest.mark.parametrize(("code", "change"), AGAINST_THE_STORE, ids=[code for code, _ in AGAINST_THE_STORE])
def test_what_does_not_fit_the_store_is_refused_and_nothing_changes(
    world: tuple[Store, dict[str, Any]], code: str, change: Callable[[Transaction], Transaction]
) -> None:
    store, row = world
    before = everything(store)
    if code == "two-identities":
        taken = next(iter(store.nodes))
        t = transaction_from_json(row)
        t = replace(t, nodes=(replace(t.nodes[0], id=taken), *t.nodes))
    else:
        t = change(transaction_from_json(row))

    with pytest.raises((OntologyError, Fault)) as refused:
        replay(store, t)

    assert refused.value.code == code
    assert everything(store) == before


def test_a_transaction_of_an_earlier_build_is_refused(world: tuple[Store, dict[str, Any]]) -> None:
    store, row = world
    stage = store.stage("build")
    stage.set_build(1)
    stage.commit()

    with pytest.raises(OntologyError) as refused:
        replay(store, replace(transaction_from_json(row), seq=3))

    assert refused.value.code == "transaction-order"


@pytest.mark.parametrize("what", ["rationale", "edge", "id"])
def test_a_decision_that_was_tampered_with_is_refused(what: str) -> None:
    graph = ContextGraph(store=Store(POLICY))
    transactions, _ = followed(graph)
    memo = graph.add_node("source", "Memo", attrs={"origin": "x", "retrieved_at": "2025-01-01"})
    other = graph.add_node("source", "Other", attrs={"origin": "x", "retrieved_at": "2025-01-01"})
    graph.decide("Go", rationale="because", source=memo.id, id="decision:go")
    store = Store(POLICY)
    for t in transactions[:2]:
        replay(store, t)
    t = transactions[2]
    node = t.nodes[0]
    if what == "rationale":
        t = replace(t, nodes=(node.with_attrs(rationale="for money"),))
    elif what == "id":
        edges = (graph.store.edges[t.edges[0].id],)
        t = replace(t, nodes=(replace(node, id="decision:auto:go"),), edges=edges)
    else:
        replay(store, t)
        graph = ContextGraph(store=store)
        stage = graph.store.stage("forge")
        forged = Edge("edge:x", node.id, "cites", other.id)
        stage.put_edge(forged)
        t = Transaction(4, "forge", None, 0, edges=(forged,))

    with pytest.raises(Fault) as refused:
        replay(store, t)

    assert refused.value.code == ("reserved-id" if what == "id" else "fingerprint-differs")


def test_a_receipt_of_an_earlier_transaction_is_a_fault_of_ours() -> None:
    graph = ContextGraph(store=Store(POLICY))
    _, receipts = followed(graph)
    graph.add_node("source", "Memo", attrs={"origin": "x", "retrieved_at": "2025-01-01"})
    graph.add_node("source", "Other", attrs={"origin": "x", "retrieved_at": "2025-01-01"})

    with pytest.raises(AssertionError):
        transaction_of(graph.store, receipts[0])


def test_a_replay_can_give_reasons(world: tuple[Store, dict[str, Any]]) -> None:
    store, row = world

    receipt = replay(store, transaction_from_json(row), reasons=True)

    assert receipt.because(receipt.invalidated[-1])
