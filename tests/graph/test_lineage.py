"""Lineage is oldest first, and the same whatever member one asks about allows."""

from __future__ import annotations

from graph_builders import decision, evidence, source
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.graph.graph import ContextGraph


def records(graph: ContextGraph, *names: str) -> list[str]:
    memo = source(graph).id
    return [decision(graph, name, memo).id for name in names]


def labels(graph: ContextGraph, node_id: str) -> str:
    return " ".join(node.label for node in graph.lineage(node_id))


def test_a_chain_is_told_oldest_first_from_any_of_its_members(graph: ContextGraph) -> None:
    memo = source(graph).id
    one = graph.decide("one", rationale="r", source=memo).id
    two = graph.decide("two", rationale="r", source=memo, supersedes=one).id
    three = graph.decide("three", rationale="r", source=memo, supersedes=two).id

    assert [labels(graph, name) for name in (one, two, three)] == ["one two three"] * 3


def test_a_node_that_replaces_nothing_is_its_own_lineage(graph: ContextGraph) -> None:
    (lone,) = records(graph, "lone")

    assert labels(graph, lone) == "lone"


def test_assumptions_have_a_lineage_that_a_rejection_does_not_end(graph: ContextGraph) -> None:
    first = graph.assume("one")
    second = graph.supersede(first.id, "two")
    done = graph.reject(second.id, evidence_id=evidence(graph, "no").id, replacement="three")

    assert labels(graph, done.replacement_id or "") == "one two three"


def test_several_predecessors_and_several_successors_come_in_the_order_written(graph: ContextGraph) -> None:
    b, a, mid, z, y = records(graph, "b", "a", "mid", "z", "y")
    for old in (a, b):
        graph.add_edge(mid, "supersedes", old)
    for new in (z, y):
        graph.add_edge(new, "supersedes", mid)

    assert labels(graph, mid) == "b a mid z y"
    assert labels(graph, a) == "a mid z y"
    assert labels(graph, y) == "b a mid y"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14), st.integers(0, 7))
def test_each_member_comes_after_everything_it_replaced(pairs: list[tuple[int, int]], at: int) -> None:
    graph = ContextGraph()
    ids = records(graph, *(f"record {n}" for n in range(8)))
    for one, other in pairs:
        if one != other:
            graph.add_edge(ids[max(one, other)], "supersedes", ids[min(one, other)])
    order = [node.id for node in graph.lineage(ids[at])]

    place = {name: n for n, name in enumerate(order)}
    replaced = {(str(n), str(o)) for n, o in graph.store.engine.rows("replaced")}
    wanted = {ids[at], *(o for n, o in replaced if n == ids[at]), *(n for n, o in replaced if o == ids[at])}
    assert set(order) == wanted
    assert all(place[o] < place[n] for n, o in replaced if n in place and o in place)
