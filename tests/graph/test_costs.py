"""What an operation costs follows what it changes, never what the graph holds. Cost is counted in lines executed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from contextmesh.base.errors import OntologyError
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.model import Provenance


def world(size: int) -> ContextGraph:
    """``size`` decisions in chains of four on ``size / 4`` assumptions, written as one batch."""
    graph = ContextGraph()
    with graph.batch("load") as batch:
        memo = batch.add_node("source", "Memo", attrs={"origin": "x", "retrieved_at": "2025-01-01"}).id
        for n in range(size):
            if n % 4 == 0:
                ground = batch.add_node("assumption", f"ground {n}").id
            made = batch.add_node(
                "decision", f"decision {n}", attrs={"rationale": "r"}, provenance=Provenance(memo), id=f"d{n}"
            )
            batch.add_edge(made.id, "depends_on", ground)
            ground = made.id
            batch.add_node("evidence", f"against {n}", attrs={"kind": "audit"}, id=f"e{n}")
    return graph


def cost(act: Callable[[], object], file: str | None = None) -> int:
    """Lines that were executed; with a name those of that file alone."""
    lines = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal lines
        if file is not None and frame.f_code.co_filename != file:
            return None
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return lines


def assumption(graph: ContextGraph, n: int) -> str:
    return next(row[0] for row in graph.store.engine.match("named", (None, f"ground {n}")) if isinstance(row[0], str))


def refused(graph: ContextGraph, n: int) -> None:
    with pytest.raises(OntologyError):
        graph.add_edge(f"d{n}", "mentions", f"e{n}")


ACTS: dict[str, Callable[[ContextGraph, int], object]] = {
    "a node": lambda g, n: g.add_node("evidence", f"new {n}", attrs={"kind": "audit"}),
    "an edge": lambda g, n: g.add_edge(f"d{n}", "depends_on", f"d{n + 5}"),
    "an observation again": lambda g, n: g.add_edge(f"d{n + 1}", "depends_on", f"d{n}"),
    "a decision": lambda g, n: g.decide(f"D {n}", rationale="r", source="source:memo-1fd79b", depends_on=[f"d{n}"]),
    "an assumption": lambda g, n: g.assume(f"It rains {n}."),
    "a refused write": refused,
    "a dry run": lambda g, n: g.blast(assumption(g, n)),
    "a rejection": lambda g, n: g.reject(assumption(g, n), evidence_id=f"e{n}"),
    "a lookup": lambda g, n: (g.node(f"d{n}"), g.edges_from(f"d{n}"), g.edges_to(f"d{n}"), g.is_live(f"d{n}")),
    "a name": lambda g, n: g.find(f"Decision {n}"),
    "a lineage": lambda g, n: g.lineage(f"d{n}"),
    "a question": lambda g, n: g.query(f"edge(_, d{n}, T, X)"),
    "a reason": lambda g, n: g.why(f"live(e{n})"),
}


@pytest.fixture(scope="module")
def worlds() -> tuple[ContextGraph, ContextGraph]:
    """A small graph and one ten times as large."""
    return world(200), world(2_000)


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_the_cost_does_not_grow_with_the_graph(
    worlds: tuple[ContextGraph, ContextGraph], act: Callable[[ContextGraph, int], object]
) -> None:
    small, large = worlds
    for graph in worlds:  # relations and indexes are built when first used
        act(graph, 0)
        act(graph, 12)
    few, many = cost(lambda: act(small, 24)), cost(lambda: act(large, 24))

    assert many <= 1.1 * few + 100


def test_a_batch_costs_in_proportion_to_what_it_writes() -> None:
    costs = [cost(lambda size=size: world(size)) for size in (200, 400, 800)]  # type: ignore[misc]

    assert costs[2] - costs[1] <= 2.2 * (costs[1] - costs[0])


SOURCE, ENTITY = {"origin": "x", "retrieved_at": "2025-01-01"}, {"canonical": "c", "aliases": []}


def bulk(graph: ContextGraph, name: str, size: int, sources: int, entities: int) -> None:
    """``size`` edges in one batch, from so many sources to so many entities; the first of them are always the same."""
    with graph.batch("load") as batch:
        for kind, attrs, count in (("source", SOURCE, sources), ("entity", ENTITY, entities)):
            for n in range(count):
                id = f"{kind}{n}" if n == 0 else f"{kind}-{name}-{n}"
                if not batch.has(id):
                    batch.add_node(kind, id, attrs=attrs, id=id)
        for n in range(size):
            start, end = (
                f"{kind}0" if n % count == 0 else f"{kind}-{name}-{n % count}"
                for kind, count in (("source", sources), ("entity", entities))
            )
            batch.link(start, "mentions", end)


def steps_of_rules(act: Callable[[], object]) -> int:
    """Lines of compiled rules that were executed, each row of a bucket that they look through being one at least."""
    return cost(act, "<rules>")


@pytest.mark.parametrize("busy", ["source", "entity"])
def test_many_new_edges_on_one_node_cost_in_proportion_to_their_number(busy: str) -> None:
    """The rules were planned when every node of its kind had one edge or two."""
    costs = []
    for size in (250, 500, 1000):
        graph = ContextGraph()
        few = {"sources": 50, "entities": size} if busy == "entity" else {"sources": size, "entities": 50}
        bulk(graph, "there", size, **few)
        bulk(graph, "planned", 1, 1, 1)
        bulk(graph, "also", 2, 2, 2)
        one = {"sources": size, "entities": 1} if busy == "entity" else {"sources": 1, "entities": size}
        costs.append(steps_of_rules(lambda: bulk(graph, "new", size, **one)))  # noqa: B023 - called at once

    assert costs[2] - costs[1] <= 2.2 * (costs[1] - costs[0])
