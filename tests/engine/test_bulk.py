"""Many rows at once: a rule that is seen to add nothing is not run, and what the engine says stays what is defined."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import changed, changes_for, facts_for, programs

from contextmesh.base.source import Source
from contextmesh.datalog import alike, bulk, maintain, spec
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_rules

INPUTS = """
    input new(id, from, type, to).
    input edge(id, from, type, to).
    input node(id, kind).
    input kind(name).
    input fits(type, from, to).
    output bad(why, id).
"""
RULES = """
    bad(repeated, L) :- new(L, X, T, Y), edge(M, X, T, Y), L != M.
    bad(taken, L)    :- new(L, X, _, _), edge(L, A, _, _), A != X.
    bad(below, L)    :- new(L, X, _, _), edge(L, A, _, _), X < A.
    bad(two, L)      :- new(L, X, _, _), node(X, A), node(X, B), A < B.
    bad(unknown, L)  :- new(L, X, _, _), not node(X, _).
    bad(untyped, L)  :- new(L, _, T, _), not kind(T).
    bad(unfit, L)    :- new(L, X, T, _), not node(X, T).
    bad(node, L)     :- new(L, _, _, _), node(L, _).
    bad(loop, L)     :- new(L, X, _, X).
    bad(same, L)     :- new(L, a, _, b).
    bad(pair, L)     :- new(L, X, T, Y), X != Y, node(X, A), node(Y, B), not fits(T, A, B).
"""
OTHERS = """
    bad(twin, L)     :- new(L, X, _, Y), node(X, A), node(Y, A), X < Y.
    bad(by, X)       :- new(_, X, _, Y), node(Y, k).
    bad(lone, L)     :- new(L, X, _, _), N = count { Y : fits(X, _, Y) }, N > 1.
"""
PROGRAM = build_program([parse_rules(Source("r.dl", INPUTS + RULES))])
MORE = build_program([parse_rules(Source("r.dl", INPUTS + RULES + OTHERS))])
EACH = [rule for rule in (RULES + OTHERS).splitlines() if rule.strip()]
SLOW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@contextmanager
def every_change_is_a_bulk() -> Iterator[None]:
    before = maintain.BULK, bulk.MANY_MORE, alike.SHARE
    maintain.BULK, bulk.MANY_MORE, alike.SHARE = 0, 1000, 0
    try:
        yield
    finally:
        maintain.BULK, bulk.MANY_MORE, alike.SHARE = before


few = st.sampled_from(["a", "b", 1])
edges = st.lists(st.tuples(st.sampled_from(["l", "m", "n", "a"]), few, few, few), max_size=4)
nodes = st.lists(st.tuples(few, few), max_size=3)
kinds = st.lists(st.tuples(few), max_size=3)
fits = st.lists(st.tuples(few, few, few), max_size=4)
keys = st.sampled_from([(), ("node",), ("new", "edge", "node", "kind")])


@SLOW
@given(edges, edges, nodes, kinds, fits, st.booleans(), keys)
def test_what_the_rules_find_in_a_bulk_is_what_they_are_defined_to_find(
    new: list[Row],
    edge: list[Row],
    node: list[Row],
    kind: list[Row],
    fit: list[Row],
    among: bool,
    keyed: tuple[str, ...],
) -> None:
    engine = Engine(MORE, keyed=keyed)
    engine.rows("bad")
    facts = {"new": new, "edge": [*edge, *new] if among else edge, "node": node, "kind": kind, "fits": fit}
    with every_change_is_a_bulk():
        engine.apply(Delta.of(added=facts))

        assert dict.fromkeys(engine.rows("bad")) == spec.evaluate(MORE, facts)["bad"]


ends = st.sampled_from(["a", "b", "c", "d"])


@SLOW
@given(
    st.lists(st.lists(st.tuples(ends, st.sampled_from("ku"), ends), max_size=6), min_size=1, max_size=3),
    st.fixed_dictionaries({name: st.sampled_from("kuv") for name in "abcd"}),
    st.sets(st.tuples(st.sampled_from("ku"), st.sampled_from("kuv"), st.sampled_from("kuv")), min_size=9),
    st.lists(st.sampled_from(EACH), min_size=1, max_size=3, unique=True),
)
def test_bulk_after_bulk_of_edges_between_known_nodes_is_judged_as_defined(
    bulks: list[list[tuple[str, str, str]]], typed: dict[str, str], fitting: set[Row], rules: list[str]
) -> None:
    program = build_program([parse_rules(Source("r.dl", INPUTS + "\n".join(rules)))])
    facts: dict[str, list[Row]] = {"node": [*typed.items()], "kind": [("k",)], "fits": sorted(fitting), "new": []}
    engine = Engine(program, facts, keyed=("new", "edge", "node"))
    engine.rows("bad")
    with every_change_is_a_bulk():
        for edges in bulks:
            new: list[Row] = [(f"l{len(facts['new']) + n}", *edge) for n, edge in enumerate(edges)]
            facts["new"] += new
            engine.apply(Delta.of(added={"new": new}))

            assert dict.fromkeys(engine.rows("bad")) == spec.evaluate(program, facts)["bad"]


@SLOW
@given(st.data())
def test_any_program_is_kept_true_by_bulks(data: st.DataObject) -> None:
    program = data.draw(programs())
    facts = data.draw(facts_for(program))
    inputs = [name for name, declared in program.declarations.items() if declared.kind == "input"]
    engine = Engine(program, facts, keyed=inputs if data.draw(st.booleans()) else ())
    engine.apply(Delta())
    with every_change_is_a_bulk():
        for _ in range(data.draw(st.integers(1, 4))):
            delta = data.draw(changes_for(program, facts))
            facts = changed(facts, delta)
            engine.apply(delta)
            right = spec.evaluate(program, facts)

            assert {name: dict.fromkeys(engine.rows(name)) for name in right} == right


def many(count: int) -> dict[str, list[Row]]:
    """Edges that break no rule."""
    new: list[Row] = [(f"edge{i}", f"node{i}", f"k{i % 3}", f"node{i + 1}") for i in range(count)]
    node: list[Row] = [(f"node{i}", f"k{i % 3}") for i in range(count + 1)]
    kind: list[Row] = [(f"k{i}",) for i in range(3)]
    fitting: list[Row] = [(f"k{i}", f"k{i}", f"k{(i + 1) % 3}") for i in range(3)]
    return {"new": new, "edge": list(new), "node": node, "kind": kind, "fits": fitting}


def judged(facts: dict[str, list[Row]], keyed: tuple[str, ...] = ()) -> tuple[tuple[Row, ...], list[int], int]:
    """What is found bad when these come at once, from how many rows each function was run, how many indexes it took."""
    engine = Engine(PROGRAM, keyed=keyed)
    engine.rows("bad")
    stage = engine.stage_of("bad")
    assert stage is not None
    runs: list[int] = []
    made = stage.code

    def counted(*arguments: Any) -> Any:
        code = made(*arguments)

        def run(drive: list[Row], *others: Any) -> None:
            runs.append(len(drive))
            code.run(drive, *others)

        return replace(code, run=run)

    stage.code = counted  # type: ignore[method-assign]
    with engine.trial():  # what is planned for many rows is forgotten when they are kept
        engine.apply(Delta.of(added=facts))
        return tuple(engine.rows("bad")), runs, sum(len(list(r.indexes())) for r in engine.relations.values())


KEYED = ("new", "edge", "node")


def test_a_bulk_that_breaks_no_rule_is_run_from_one_row_of_each_kind_without_an_index() -> None:
    bad, runs, indexes = judged(many(bulk.BULK + 1), KEYED)

    assert (bad, indexes) == ((), 0)
    assert len(runs) > 5 and max(runs) == 3, "three types of nodes, one after the other"


def test_a_bulk_is_passed_over_where_no_table_is_by_key() -> None:
    bad, runs, _ = judged(many(bulk.BULK + 1))

    assert bad == ()
    assert [run for run in runs if run > 3] == [bulk.BULK + 1], "rules of pairs and kinds are run together from each"


def test_a_bulk_that_breaks_one_rule_runs_that_rule() -> None:
    facts = many(bulk.BULK + 1)
    for name in ("new", "edge"):
        facts[name].append(("again", "node3", "k0", "node4"))
    bad, runs, _ = judged(facts, KEYED)

    assert bad == (("repeated", "edge3"), ("repeated", "again"))
    assert [run for run in runs if run > 3] == [bulk.BULK + 2]


@pytest.mark.parametrize("place", [0, 500, bulk.BULK + 1])
def test_one_edge_of_many_whose_ends_do_not_fit_is_found(place: int) -> None:
    facts = many(bulk.BULK + 1)
    for name in ("new", "edge"):
        facts[name].insert(place, ("unfit", "node0", "k0", "node2"))
    bad, runs, _ = judged(facts, KEYED)

    assert bad == (("pair", "unfit"),)
    assert [run for run in runs if run > 4] == [bulk.BULK + 2]


def test_few_rows_are_not_looked_through() -> None:
    bad, runs, indexes = judged(many(bulk.BULK), KEYED)

    assert bad == ()
    assert max(runs) == bulk.BULK and indexes > 1
