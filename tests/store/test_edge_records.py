"""Edges of a file are a mapping like any other, whatever was looked at before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.store.edges import EdgeRecords, More, bound_of, of_type, rows_of
from contextmesh.store.model import Edge

grounds = st.sampled_from([None, "a", "b"])
more: st.SearchStrategy[More] = st.tuples(
    grounds, st.sampled_from([(), ("e",)]), st.sampled_from([1.0, 2.5]), st.just(3)
)
lines = st.lists(
    st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("tu"), st.sampled_from("xy"), more), max_size=4)
)

LOOKS: dict[str, Callable[[EdgeRecords | dict[str, Edge]], Any]] = {
    "first": lambda edges: edges[next(iter(edges))] if edges else None,
    "last": lambda edges: edges.get(next(reversed(edges))) if edges else None,
    "none": lambda edges: edges.get("nobody"),
    "ids": lambda edges: (list(edges), list(edges.keys()), len(edges), "l0" in edges, "nobody" in edges),
    "values": lambda edges: list(edges.values()),
    "items": lambda edges: list(edges.items()),
    "copy": lambda edges: edges.copy(),
    "rows": rows_of,
    "bound": bound_of,
    "of type": lambda edges: [of_type(edges, type_) for type_ in "tuv"],
    "put new": lambda edges: edges.update({"new": Edge("new", "p", "u", "q", "a")}),
    "put again": lambda edges: edges.update({id: replace(edges[id], assumption_id="z") for id in [*edges][1:2]}),
}


Lines = list[list[tuple[str, str, str, More]]]


def read(lines: Lines) -> EdgeRecords:
    edges = EdgeRecords()
    for line in lines:
        ids = [f"l{len(edges) + number}" for number in range(len(line))]
        rows = [(id, src, type_, dst) for id, (src, type_, dst, _) in zip(ids, line, strict=True)]
        keys = [(repr(one),) for *_, one in line]
        edges.add(rows, Counter(row[2] for row in rows), {(repr(one),): one for *_, one in line}, keys)
    return edges


@settings(deadline=None)
@given(lines, st.lists(st.sampled_from(sorted(LOOKS)), max_size=8))
def test_edges_read_from_lines_are_those_that_were_written_whatever_is_looked_at_first(
    lines: Lines, looks: list[str]
) -> None:
    written = [one for line in lines for one in line]
    right = {f"l{n}": Edge(f"l{n}", src, type_, dst, *more) for n, (src, type_, dst, more) in enumerate(written)}
    assert bound_of(read(lines)) == bound_of(right)

    edges = read(lines)
    for look in looks:
        assert LOOKS[look](edges) == LOOKS[look](right), look

    assert edges.by_id() == {row[0]: row for row in rows_of(right)}
    assert edges.kinds() == Counter(edge.type for edge in right.values())
    assert edges == right and list(edges) == list(right)
    assert all(edges[id] is edges[id] for id in edges)
