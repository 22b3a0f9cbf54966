"""Records survive their file: every fact, number and older version, bytes for bytes, vectors included."""

from __future__ import annotations

import gc
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_histories import Writer, histories
from store_records import NAME, POLICY, as_sets, followed, past, reloaded, rich

from contextmesh.base.errors import SnapshotError
from contextmesh.store.model import Edge, Node, Provenance
from contextmesh.store.records import records_from_bytes, records_to_bytes
from contextmesh.store.records_vectors import Vector, first_not_finite, packed

# ---- laws -----------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(histories, st.booleans())
def test_a_store_and_its_past_are_what_they_were_after_a_reload(steps: Any, verified: bool) -> None:
    graph, history = followed()
    Writer(graph).start().write_all(steps)

    again, its_past = reloaded(graph, history, verified=verified)

    assert as_sets(again.store) == as_sets(graph.store)
    assert its_past.chronicle() == history.chronicle()
    assert past(again, its_past) == past(graph, history)
    assert records_to_bytes(again.store, its_past.chronicle()) == records_to_bytes(graph.store, history.chronicle())


@settings(max_examples=20, deadline=None)
@given(histories, histories)
def test_writing_goes_on_after_a_reload_as_without_one(before: Any, after: Any) -> None:
    graph, history = followed()
    writer = Writer(graph).start().write_all(before)
    again, its_past = reloaded(graph, history)
    later = Writer(again, writer.count)

    writer.write_all(after)
    later.write_all(after)

    assert as_sets(again.store) == as_sets(graph.store)
    assert past(again, its_past) == past(graph, history)


def test_the_bytes_are_the_same_in_every_process() -> None:
    here = Path(__file__).parent
    script = (
        f"import sys, hashlib; sys.path.insert(0, {str(here)!r})\n"
        "from store_records import rich, records_to_bytes\n"
        "graph, history = rich()\n"
        "data, vectors = records_to_bytes(graph.store, history.chronicle())\n"
        "print(hashlib.sha256(data + (vectors or b'')).hexdigest())"
    )
    digests = [
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2", "77")
    ]

    assert len(set(digests)) == 1


def test_the_dates_of_commits_are_kept() -> None:
    graph, history = followed()
    writer = Writer(graph).start()
    for day in ("2025-01-02", "2025-02", None, "2025-03-01T09:30Z"):
        history.day = day
        writer.start()

    _, its_past = reloaded(graph, history)

    assert {commit.day for commit in history.commits} == {None, "2025-01-02", "2025-02", "2025-03-01T09:30Z"}
    assert its_past.chronicle() == history.chronicle()


def test_what_is_read_is_frozen_like_what_was_written() -> None:
    graph, history = rich()

    again, _ = reloaded(graph, history)

    records = [*again.store.nodes.values(), *again.store.edges.values()]
    origins = [node.provenance for node in again.store.nodes.values() if node.provenance is not None]
    assert origins and {type(record) for record in (*records, *origins)} == {Node, Edge, Provenance}
    assert records == [*graph.store.nodes.values(), *graph.store.edges.values()]
    for record in records:
        with pytest.raises(FrozenInstanceError):
            record.build = 7  # type: ignore[misc]


def test_telemetry_is_kept() -> None:
    graph, history = rich()

    again, _ = reloaded(graph, history)

    assert (again.store.walks, again.store.traversals) == (graph.store.walks, graph.store.traversals)


def test_a_reload_leaves_the_collector_as_it_was() -> None:
    graph, history = rich()

    reloaded(graph, history)
    assert gc.isenabled()
    gc.disable()
    try:
        reloaded(graph, history)
        assert not gc.isenabled()
    finally:
        gc.enable()


# ---- vectors --------------------------------------------------------------------------------

exact = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(exact, min_size=1, max_size=5))
def test_a_vector_of_float32_numbers_is_kept_as_bytes(numbers: list[float]) -> None:
    row = packed(numbers)

    assert row is not None
    vector = Vector(memoryview(row))
    assert vector == tuple(numbers) and tuple(numbers) == vector
    assert [str(n) for n in vector] == [str(n) for n in numbers], "a negative zero too"
    assert packed(vector) == row
    assert first_not_finite(row) is None


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_no_number_is_rounded_to_fit(numbers: list[float]) -> None:
    row = packed(numbers)

    assert row is None or tuple(Vector(memoryview(row))) == tuple(numbers)


@given(st.lists(st.floats(width=32), min_size=1, max_size=6))
def test_the_first_number_that_is_not_finite_is_found_in_the_bytes(numbers: list[float]) -> None:
    row = b"".join(packed([n]) or b"\x00\x00\xc0\x7f" for n in numbers)
    odd = [at for at, n in enumerate(numbers) if n - n != 0.0]

    assert first_not_finite(row) == (odd[0] if odd else None)


def test_vectors_stand_in_their_file_unless_float32_cannot_hold_them() -> None:
    graph, history = followed()
    for number, vector in enumerate(([0.5, 0.25], [0.1, 0.2], [1.0, -0.0])):
        graph.add_node("evidence", f"Seen {number}", attrs={"kind": "x"}, embedding=vector)
    data, vectors = records_to_bytes(graph.store, history.chronicle())

    assert vectors is not None and len(vectors) == 2 * 2 * 4
    assert b"[0.1,0.2]" in data
    store, _ = records_from_bytes(data, vectors, NAME, POLICY)
    assert [tuple(node.embedding or ()) for node in store.nodes.values()] == [(0.5, 0.25), (0.1, 0.2), (1.0, 0.0)]


def test_a_record_that_no_file_may_hold_is_not_written() -> None:
    graph, history = followed()
    node = graph.add_node("evidence", "Seen", attrs={"kind": "x"}, embedding=[0.5])
    stage = graph.store.stage("raw")
    stage.put_node(replace(node, id="evidence:2", embedding=(0.5, 0.5)))
    stage.commit()

    with pytest.raises(SnapshotError) as refused:
        records_to_bytes(graph.store, history.chronicle())

    assert refused.value.code == "unwritable-record"


def test_evidence_that_was_pruned_after_its_verdict_does_not_refuse_the_file() -> None:
    graph, history = followed()
    ground = graph.assume("It rains")
    memo = graph.add_node("source", "Memo", attrs={"origin": "x", "retrieved_at": "2025-01-01"})
    seen = graph.submit_evidence("It is dry", source_id=memo.id)
    graph.reject(ground.id, evidence_id=seen.id)
    stage = graph.store.stage("prune")
    stage.put_node(Node(**{name: getattr(seen, name) for name in Node.__slots__} | {"pruned": True}))
    stage.commit()

    again, _ = reloaded(graph, history)

    assert as_sets(again.store) == as_sets(graph.store)
