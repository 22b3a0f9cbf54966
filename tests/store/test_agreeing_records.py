"""What one record says of another is asked of a write in the words in which it is asked of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from store_records import POLICY

from contextmesh.base.errors import SnapshotError
from contextmesh.base.fields import Fault
from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.history import History
from contextmesh.store.model import Provenance
from contextmesh.store.receipt import Receipt
from contextmesh.store.records import records_to_bytes
from contextmesh.store.snapshot import graph_to_bytes
from contextmesh.store.store import Store
from contextmesh.store.transaction import Transaction, flaw_of, replay, transaction_of

MEMO = "source:memo"
GROUND = "assumption:even"


def start() -> ContextGraph:
    graph = ContextGraph(store=Store(POLICY))
    graph.add_node("source", "Memo", id=MEMO, attrs={"origin": "x", "retrieved_at": "2025-01-01"})
    graph.assume("Load is even", id=GROUND)
    graph.assume("Load is low", id="assumption:low")
    graph.add_node("claim", "It rains.", provenance=Provenance(MEMO), embedding=[0.5, 0.25])
    return graph


def relabelled(graph: ContextGraph) -> None:
    with graph.batch("amend") as batch:
        batch.replace_node(replace(batch.node(GROUND), label="Load is odd"))


def half_superseding(graph: ContextGraph) -> None:
    stage = graph.store.stage("amend")
    stage.put_assumption(replace(graph.store.assumptions["assumption:low"], supersedes=GROUND))
    stage.commit()


def superseding_without_an_edge(graph: ContextGraph) -> None:
    stage = graph.store.stage("amend")
    stage.put_assumption(replace(graph.store.assumptions["assumption:low"], supersedes=GROUND))
    stage.put_assumption(replace(graph.store.assumptions[GROUND], superseded_by="assumption:low"))
    stage.commit()


def rejected_by_its_record_alone(graph: ContextGraph) -> None:
    stage = graph.store.stage("amend")
    stage.put_assumption(replace(graph.store.assumptions[GROUND], rejected_at_build=0))
    stage.commit()


def rejected_by_a_verdict_alone(graph: ContextGraph) -> None:
    with graph.batch("amend") as batch:
        seen = batch.add_node("evidence", "It is not.", attrs={"kind": "observation"})
        batch.add_edge(seen.id, "contradicts", GROUND)
        batch.stage.put_verdict(GROUND, seen.id)


def witnessed_by_nobody(graph: ContextGraph) -> None:
    stage = graph.store.stage("amend")
    stage.put_assumption(replace(graph.store.assumptions[GROUND], evidence_ids=("evidence:none",)))
    stage.commit()


def of_another_width(graph: ContextGraph) -> None:
    graph.add_node("claim", "It pours.", provenance=Provenance(MEMO), embedding=[0.5, 0.25, 0.125])


def with_an_identity_by_hand(graph: ContextGraph) -> None:
    attrs = {"rationale": "x", "decision_identity": "explicit", "decision_payload_digest": "0" * 64}
    graph.add_node("decision", "Go", attrs=attrs, provenance=Provenance(MEMO))


WAYS: dict[str, Callable[[ContextGraph], None]] = {
    "statement-differs": relabelled,
    "supersession-differs": half_superseding,
    "supersession-differs without an edge": superseding_without_an_edge,
    "rejection-differs": rejected_by_its_record_alone,
    "rejection-differs by a verdict": rejected_by_a_verdict_alone,
    "unknown-id": witnessed_by_nobody,
    "embedding-size": of_another_width,
    "fingerprint-differs": with_an_identity_by_hand,
}


@pytest.mark.parametrize("name", WAYS)
def test_what_a_reader_refuses_is_known_at_the_write_at_the_replay_and_at_both_files(name: str) -> None:
    graph = start()
    history = History(graph.store)
    told: list[tuple[Transaction, Fault | None]] = []

    def follow(receipt: Receipt) -> None:
        t = transaction_of(graph.store, receipt)
        told.append((t, flaw_of(graph.store, t, receipt)))

    graph.store.observers.append(follow)
    WAYS[name](graph)
    code = name.split()[0]

    (t, flaw), again = told[-1], start()
    with pytest.raises(Fault) as replayed:
        replay(again.store, t)

    assert flaw is not None
    assert (flaw.code, replayed.value.code) == (code, code)
    assert again.store.seq == t.seq - 1
    for write in (lambda: records_to_bytes(graph.store, history.chronicle()), lambda: graph_to_bytes(graph.store)):
        with pytest.raises(SnapshotError) as refused:
            write()
        assert refused.value.code == "unwritable-record"


def test_what_the_graph_itself_writes_has_no_flaw() -> None:
    graph = start()
    flaws: list[Fault | None] = []
    graph.store.observers.append(
        lambda receipt: flaws.append(flaw_of(graph.store, transaction_of(graph.store, receipt), receipt))
    )

    seen = graph.submit_evidence("It is not.", source_id=MEMO)
    graph.decide("Go", rationale="because", source=MEMO, depends_on=[GROUND], id="decision:go")
    graph.decide("Wait", rationale="because", source=MEMO, supersedes="decision:go")
    graph.reject(GROUND, evidence_id=seen.id, replacement="Load is odd")
    graph.add_node("claim", "It pours.", provenance=Provenance(MEMO), embedding=[0.75, 0.25])

    assert flaws
    assert flaws == [None] * len(flaws)
