"""Bytes bent anywhere are refused with a code and a line, or read as what they say; nothing else ever happens."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.errors import Refusal
from contextmesh.exchange.lines import lines_to_bytes
from contextmesh.exchange.lines_read import read_lines
from contextmesh.exchange.memory import import_memory
from contextmesh.graph.graph import ContextGraph
from contextmesh.policy import Policy
from contextmesh.resolve.resolver import Resolver

from .world_of_exchange import ferry

POLICY = Policy.load()
LINES = lines_to_bytes(*(lambda graph, names: (graph.store, names))(*ferry()))
MEMORY = (
    b'{"type":"entity","name":"Ada","entityType":"person","observations":["Repairs ferries","hej"]}\n'
    b'{"type":"relation","from":"Ada","to":"Yard","relationType":"works_at"}\n'
)

_EDIT = st.tuples(st.integers(0, 1 << 20), st.integers(0, 12), st.binary(max_size=6))
_VALUE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=4),
    st.just([]),
    st.just({}),
    st.just(10**400),
)


def bent(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for place, length, put in edits:
        at = place % (len(data) + 1)
        data = data[:at] + put + data[at + length :]
    return data


@settings(max_examples=150, deadline=None)
@given(st.lists(_EDIT, min_size=1, max_size=3))
def test_bent_json_lines_are_refused_with_a_code_or_say_what_was_read(edits: list[tuple[int, int, bytes]]) -> None:
    data = bent(LINES, edits)
    try:
        read = read_lines(data, "bent", POLICY)
    except Refusal as refusal:
        assert all(problem.code and problem.where is not None for problem in refusal.problems)
        return
    again = lines_to_bytes(read.store, read.resolver)
    assert lines_to_bytes(*(lambda f: (f.store, f.resolver))(read_lines(again, "again", POLICY))) == again


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1 << 20), st.integers(0, 1 << 20), _VALUE)
def test_any_value_in_any_field_of_any_line_is_refused_or_read(line: int, key: int, value: Any) -> None:
    rows = [json.loads(row) for row in LINES.splitlines()]
    row = rows[line % len(rows)]
    row[list(row)[key % len(row)]] = value
    data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    try:
        read_lines(data, "bent", POLICY)
    except Refusal as refusal:
        where = refusal.problem.where
        assert where is not None and where.line is not None


@settings(max_examples=150, deadline=None)
@given(st.lists(_EDIT, min_size=1, max_size=3))
def test_a_bent_memory_file_is_refused_with_its_line_or_read(edits: list[tuple[int, int, bytes]]) -> None:
    graph, resolver = ContextGraph(POLICY), Resolver()
    try:
        import_memory(graph, resolver, bent(MEMORY, edits), "bent")
    except Refusal as refusal:
        assert refusal.problem.where is not None and refusal.problem.where.line is not None
        assert not graph.store.nodes and not resolver.labels
        return
    graph.to_json()
