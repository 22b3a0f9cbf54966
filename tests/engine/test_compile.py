"""Compiled rules: nothing a user wrote stands in their text, and large relations are found by lean indexes."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping

import pytest

from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Delta, Engine
from contextmesh.datalog.facts import MANY, Relation
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_query, parse_rules

OURS = re.compile(r"(row|[a-zR])\d+")
FIXED = {
    *("make", "run", "helpers", "data", "drive", "found", "meter", "before", "row", "n", "_", "dict", "len", "set"),
    *("int", "tuple", "list", "plus", "minus", "undo_plus", "undo_minus", "below", "total", "tick", "fewest", "some"),
    "odd",
}
ATTRIBUTES = {"append", "add", "scan", "values", "fromkeys", "all", "__class__"}

HOSTILE = """
    exec(X) :- os(X, "__import__('os').system('true')"), not eval(X), X != "');raise(", X != 7.
    exec(Y) :- exec(X), eval_to(X, Y), N = count { Z : os(Z, X) }, N + 1 < 100.
    data(X, N) :- os(X, _), N = sum { V, W : eval_to(V, W) }.
    data(X, M) :- os(X, _), M = max { V : eval_to(X, V), not eval(V) }.
    run(A, B, C) :- os(A, B), os(B, C), os(C, A), eval_to(A, B).
"""
FACTS: dict[str, list[Row]] = {
    "os": [("import", "__import__('os').system('true')"), ("pass", "def")],
    "eval": [("lambda",)],
    "eval_to": [("import", "del"), ("del", "yield")],
}


def engine_of(rules: str, facts: Mapping[str, list[Row]]) -> Engine:
    return Engine(build_program([parse_rules(Source("r.dl", rules))], standalone=True, facts=facts), facts)


def texts(engine: Engine) -> list[str]:
    return [code.text for name in engine.program.declarations for code in engine.codes(name)]


def test_no_name_and_no_constant_of_a_rule_stands_in_the_text_that_is_run() -> None:
    engine = engine_of(HOSTILE, FACTS)
    engine.apply(Delta())
    engine.apply(
        Delta.of(added={"eval_to": [("yield", "def")]}, dropped={"os": FACTS["os"][:1], "eval": [("lambda",)]})
    )

    assert len(texts(engine)) > 8
    for text in texts(engine):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name):
                assert OURS.fullmatch(node.id) or node.id in FIXED, node.id
            elif isinstance(node, ast.Attribute):
                assert node.attr in ATTRIBUTES
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert OURS.fullmatch(node.value) or node.value in FIXED
            elif isinstance(node, ast.Constant):
                assert node.value is None or isinstance(node.value, bool | int)
        assert "#" not in text
    assert not any(keyword.iskeyword(name) for name in FIXED)


def test_what_the_numbers_of_a_text_stand_for_is_told_beside_it() -> None:
    engine = engine_of("path(X, Z) :- path(X, Y), edge(Y, Z). path(X, Y) :- edge(X, Y).", {"edge": [(1, 2), (2, 3)]})
    engine.rows("path")
    names = {name for code in engine.codes("path") for name in code.names.values()}

    assert names == {"path", "edge", "edge by column 0"}


TYPED = """
    twice(M) :- edge(L, X, T, Y), edge(M, X, T, Y), L != M.
    there(L) :- asked(L, X, Y), edge(L, X, _, Y).
    same(X, Y) :- asked(_, X, Y), edge(_, X, likes, Y).
    none(L) :- asked(L, X, Y), not edge(_, X, likes, Y).
    triangle(X, Y, Z) :- edge(_, X, _, Y), edge(_, Y, _, Z), edge(_, X, likes, Z).
    likes(X, N) :- asked(_, X, Y), N = count { L : edge(L, X, likes, Y) }.
"""


def typed(count: int) -> list[Row]:
    """Edges with a name of their own, a busy source and a busy target."""
    kinds = ("likes", "knows", "likes", "owes")
    spread = [(f"e{i}", i * 7 % 113, kinds[i % 4], i * 11 % 131) for i in range(count)]
    busy = [(f"in{i}", i, "likes", 500) for i in range(count // 4)]
    return [*spread, *busy, *((f"out{i}", 600, "knows", i) for i in range(count // 4))]


ASKED: list[Row] = [("e5", 35, 55), ("e6", 42, 66), ("in3", 3, 500), ("in3", 4, 500), ("x", 600, 7), ("y", 600, 999)]


@pytest.mark.parametrize("steps", [1, 7])
def test_many_rows_are_found_by_indexes_on_single_columns_with_the_same_result(steps: int) -> None:
    edges = typed(400)
    engine = engine_of(TYPED, {"edge": [], "asked": ASKED})
    names = list(engine.program.declarations)
    if steps > 1:
        engine.apply(Delta())
    for step in range(steps):
        engine.apply(Delta.of(added={"edge": edges[step::steps]}), report=("there",))
    shown = {name: set(engine.rows(name)) for name in names}
    expected = spec.evaluate(engine.program, {"edge": edges, "asked": ASKED})

    assert shown == {name: set(rows) for name, rows in expected.items()}
    engine.apply(Delta.of(dropped={"edge": edges[::3]}))
    left = [edge for i, edge in enumerate(edges) if i % 3]
    expected = spec.evaluate(engine.program, {"edge": left, "asked": ASKED})

    assert {name: set(engine.rows(name)) for name in names} == {name: set(rows) for name, rows in expected.items()}


def wide(relation: Relation) -> list[tuple[int, ...]]:
    return [index.columns for index in relation.indexes() if len(index.columns) > 1]


def test_plans_made_while_a_relation_was_small_and_their_indexes_are_left_when_it_has_grown() -> None:
    rules = "again(M) :- new(L, X, Y), edge(M, X, Y), L != M. new(L, X, Y) :- edge(L, X, Y), mark(L)."
    engine = engine_of(rules, {"edge": [("e", 1, 2)], "mark": [("e",), ("e9",)]})
    engine.rows("again")
    engine.apply(Delta.of(added={"edge": [("f", 1, 2)]}))
    assert engine.rows("again") == (("f",),)
    assert wide(engine.relations["edge"]) == [(1, 2)]

    for start in range(0, 12 * MANY, 50):
        engine.apply(Delta.of(added={"edge": [(f"e{i}", i % 1500, i) for i in range(start, start + 50)]}))
    assert wide(engine.relations["edge"]) == []
    assert engine.apply(Delta.of(added={"edge": [("g", 9, 9)]})).plus("again") == [("g",)]


def test_a_question_finds_rows_by_an_index_that_a_reader_made() -> None:
    engine = engine_of("p(X) :- edge(_, X, _, _).", {"edge": typed(300)})
    assert [row[0] for row in engine.match("edge", (None, 35, None, 55))] == ["e5"]
    rows = engine.query(parse_query(Source("<query>", "edge(L, 35, T, 55)"))).rows

    assert rows == [("e5", "knows")]


def test_a_key_that_became_busy_after_the_plan_is_looked_up_by_the_other_column_with_the_same_result() -> None:
    rules = "again(L) :- new(L, X, T, Y), edge(M, X, T, Y), L != M."
    engine = engine_of(rules, {"new": [], "edge": []})
    there: list[Row] = [(f"e{i}", i, i % 2, -(i % 40)) for i in range(2 * MANY)]
    engine.apply(Delta.of(added={"edge": there, "new": []}))
    engine.apply(Delta.of(added={"new": [("f", 7, 1, -7)]}))
    assert engine.rows("again") == (("f",),)
    assert wide(engine.relations["edge"]) == []

    busy: list[Row] = [(f"b{i}", 0, 0, i) for i in range(2 * MANY)]
    twice: list[Row] = [("c", 0, 0, 9), ("d", 0, 1, 9), ("g", 0, 1, 0), ("h", 0, 0, 0)]
    came = engine.apply(Delta.of(added={"edge": [*busy, *twice], "new": [*busy, *twice]})).plus("again")
    given = {"edge": [*there, *busy, *twice], "new": [("f", 7, 1, -7), *busy, *twice]}

    assert set(engine.rows("again")) == set(spec.evaluate(engine.program, given)["again"])
    assert {row[0] for row in came} == {"b0", "b9", "c", "h"}
