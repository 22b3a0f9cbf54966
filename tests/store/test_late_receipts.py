"""A promise costs nothing when nobody holds it, and tells of the state in which it was made."""

from __future__ import annotations

import gc

import pytest

from contextmesh.base.errors import LimitReached, Problem
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.late import Promises
from contextmesh.store.model import Provenance


def test_a_promise_is_kept_once_and_only_for_whoever_holds_it() -> None:
    promises, made = Promises(), []

    def make(name: str) -> str:
        made.append(name)
        return name

    held = promises.late(lambda: make("held"))
    dropped = promises.late(lambda: make("dropped"))
    del dropped
    gc.collect()
    promises.keep()
    assert made == ["held"]
    assert (held.get(), held.get(), made) == ("held", "held", ["held"])


def test_a_refusal_is_told_to_whoever_reads_and_not_to_the_next_writer() -> None:
    promises = Promises()

    def refuse() -> None:
        raise LimitReached(Problem("limit-reached", "too much"))

    promise = promises.late(refuse)
    promises.keep()
    for _ in range(2):
        with pytest.raises(LimitReached):
            promise.get()


def test_a_dry_run_that_is_read_after_a_write_tells_what_stood_before_it() -> None:
    graph = ContextGraph()
    memo = graph.add_node("source", "Memo", attrs={"origin": "x", "retrieved_at": "2025-01-01"})
    rain = graph.assume("It rains.")
    coat = graph.add_node("decision", "Coat", attrs={"rationale": "wet"}, provenance=Provenance(memo.id))
    graph.add_edge(coat.id, "depends_on", rain.id)
    early, now = graph.blast(rain.id), graph.blast(rain.id)
    told = now.as_json()
    hat = graph.add_node("decision", "Hat", attrs={"rationale": "wet"}, provenance=Provenance(memo.id))
    graph.add_edge(hat.id, "depends_on", rain.id)
    graph.add_node("evidence", "It is dry", attrs={"kind": "look"})

    assert early.as_json() == told
    assert early.fallen == (coat.id,)
    assert graph.blast(rain.id).fallen == (coat.id, hat.id)
