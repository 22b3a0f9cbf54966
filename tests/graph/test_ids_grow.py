"""Two things whose ids begin alike: the digest grows, and nothing is merged or refused."""

from __future__ import annotations

from hashlib import sha1

from graph_builders import entity, source

from contextmesh.base.ids import edge_key
from contextmesh.graph.graph import ContextGraph


def twins(start: str, prefix: str = "") -> tuple[str, str]:
    """Two texts of which the SHA-1 begins with the same 24 bits, by trying; a birthday takes a few thousand."""
    seen: dict[str, str] = {}
    n = 0
    while True:
        text = f"{start}{n}"
        key = sha1((prefix + text).encode()).hexdigest()[:6]
        if key in seen:
            return seen[key], text
        seen[key] = text
        n += 1


def test_a_node_id_grows_when_another_label_owns_it(graph: ContextGraph) -> None:
    start = "a label that is longer than forty characters, and goes on: "
    one, two = twins(start)
    first, second = entity(graph, one), entity(graph, two)

    assert first.id == f"entity:{first.id.split(':')[1][:40]}-{sha1(one.encode()).hexdigest()[:6]}"
    assert second.id == f"{first.id[:-6]}{sha1(two.encode()).hexdigest()[:10]}"
    assert second.id.startswith(first.id)
    assert entity(graph, one).id == first.id
    assert entity(graph, two).id == second.id
    assert [graph.node(name).label for name in (first.id, second.id)] == [one, two]


def test_an_edge_id_grows_when_another_edge_owns_it(graph: ContextGraph) -> None:
    memo = source(graph)
    stem = "entity:" + "x" * 40
    one, two = twins(stem, prefix=edge_key(memo.id, "mentions", ""))
    for name in (one, two):
        graph.add_node("entity", name, id=name, attrs={"canonical": name, "aliases": []})
    first = graph.add_edge(memo.id, "mentions", one)
    second = graph.add_edge(memo.id, "mentions", two)

    assert second.id == first.id + sha1(edge_key(memo.id, "mentions", two).encode()).hexdigest()[6:10]
    assert graph.add_edge(memo.id, "mentions", one).id == first.id
    assert graph.add_edge(memo.id, "mentions", two).id == second.id
    assert [e.weight for e in graph.edges_from(memo.id)] == [2.0, 2.0]


def test_an_assumption_id_grows_too(graph: ContextGraph) -> None:
    one, two = twins("a statement that is longer than forty characters: ")
    first, second = graph.assume(one), graph.assume(two)

    assert second.id.startswith(first.id)
    assert len(second.id) == len(first.id) + 4
    assert graph.assume(two) == second


def test_a_node_never_takes_the_id_of_an_edge_nor_an_edge_that_of_a_node(graph: ContextGraph) -> None:
    memo, oven = source(graph), entity(graph, "Oven")
    edge = graph.add_edge(memo.id, "mentions", oven.id)
    other = ContextGraph()
    taken = other.add_node("evidence", "Seen.", id=edge.id, attrs={"kind": "x"})
    source(other)
    entity(other, "Oven")
    grown = other.add_edge(memo.id, "mentions", oven.id)

    assert grown.id != taken.id
    assert grown.id.startswith(edge.id)
