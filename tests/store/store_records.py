"""A graph with its past, its records, and everything both hold as comparable values."""

from __future__ import annotations

from typing import Any

from store_histories import WORDS, Step, Writer, everything

from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.history import History
from contextmesh.policy import Policy
from contextmesh.store.records import records_from_bytes, records_to_bytes
from contextmesh.store.store import Store

POLICY = Policy.load()
NAME = "records-000001.jsonl"


def followed() -> tuple[ContextGraph, History]:
    graph = ContextGraph(store=Store(POLICY))
    return graph, History(graph.store)


def reloaded(graph: ContextGraph, history: History, *, verified: bool = False) -> tuple[ContextGraph, History]:
    data, vectors = records_to_bytes(graph.store, history.chronicle())
    store, chronicle = records_from_bytes(data, vectors, NAME, POLICY, verified=verified)
    return ContextGraph(store=store), History(store, chronicle)


def as_sets(store: Store) -> dict[str, Any]:
    """Everything, the rows of inputs in any order: a record that was replaced stands where it first stood."""
    found = everything(store)
    return {**found, "inputs": {name: sorted(map(repr, rows)) for name, rows in found["inputs"].items()}}


def past(graph: ContextGraph, history: History) -> list[Any]:
    """What stood after each transaction that is told apart."""
    return [
        (history.nodes(seq), list(history.nodes(seq)), history.edges(seq), history.build(seq), [*history.stated(seq)])
        for seq in range(history.begins, graph.store.seq + 1)
    ]


def rich() -> tuple[ContextGraph, History]:
    """A graph with every kind of write in it."""
    graph, history = followed()
    attrs = {"b": 1, "a": {"z": [1.5, "ü"]}}
    some = [Step(word, i, j, attrs, [0.5, 0.25, 1.0 + i], "x") for word in WORDS for i in (0, 1) for j in (0, 1)]
    Writer(graph).start().write_all(some)
    graph.store.walks[next(iter(graph.store.nodes))] = 3
    graph.store.traversals[next(iter(graph.store.edges))] = 2
    return graph, history
