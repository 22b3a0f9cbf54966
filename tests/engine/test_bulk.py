"""Many rows at once: a rule that is seen to add nothing is not run, and what the engine says stays what is defined."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import changed, changes_for, facts_for, programs

from contextmesh.base.source import Source
from contextmesh.datalog import bulk, maintain, spec
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_rules

RULES = """
    input new(id, from, type, to).
    input edge(id, from, type, to).
    input node(id, kind).
    input kind(name).
    output bad(why, id).
    bad(repeated, L) :- new(L, X, T, Y), edge(M, X, T, Y), L != M.
    bad(taken, L)    :- new(L, X, _, _), edge(L, A, _, _), A != X.
    bad(below, L)    :- new(L, X, _, _), edge(L, A, _, _), X < A.
    bad(two, L)      :- new(L, X, _, _), node(X, A), node(X, B), A < B.
    bad(unknown, L)  :- new(L, X, _, _), not node(X, _).
    bad(untyped, L)  :- new(L, _, T, _), not kind(T).
    bad(unfit, L)    :- new(L, X, T, _), not node(X, T).
    bad(node, L)     :- new(L, _, _, _), node(L, _).
    bad(loop, L)     :- new(L, X, _, X).
"""
PROGRAM = build_program([parse_rules(Source("r.dl", RULES))])
SLOW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@contextmanager
def every_change_is_a_bulk() -> Iterator[None]:
    before = maintain.BULK, bulk.MANY_MORE
    maintain.BULK, bulk.MANY_MORE = 0, 1000
    try:
        yield
    finally:
        maintain.BULK, bulk.MANY_MORE = before


few = st.sampled_from(["a", "b", 1])
edges = st.lists(st.tuples(st.sampled_from(["l", "m", "n", "a"]), few, few, few), max_size=4)
nodes = st.lists(st.tuples(few, few), max_size=3)
kinds = st.lists(st.tuples(few), max_size=3)


@SLOW
@given(edges, edges, nodes, kinds, st.booleans())
def test_what_the_rules_find_in_a_bulk_is_what_they_are_defined_to_find(
    new: list[Row], edge: list[Row], node: list[Row], kind: list[Row], among: bool
) -> None:
    engine = Engine(PROGRAM)
    engine.rows("bad")
    facts = {"new": new, "edge": [*edge, *new] if among else edge, "node": node, "kind": kind}
    with every_change_is_a_bulk():
        engine.apply(Delta.of(added=facts))

        assert dict.fromkeys(engine.rows("bad")) == spec.evaluate(PROGRAM, facts)["bad"]


@SLOW
@given(st.data())
def test_any_program_is_kept_true_by_bulks(data: st.DataObject) -> None:
    program = data.draw(programs())
    facts = data.draw(facts_for(program))
    engine = Engine(program, facts)
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
    new: list[Row] = [(f"edge{i}", f"node{i}", "t", f"node{i + 1}") for i in range(count)]
    return {"new": new, "edge": list(new), "node": [(f"node{i}", "t") for i in range(count + 1)], "kind": [("t",)]}


def judged(facts: dict[str, list[Row]]) -> tuple[tuple[Row, ...], int, int]:
    """What is found bad when these come at once; how many loops were run for it, and how many indexes were made."""
    engine = Engine(PROGRAM)
    engine.rows("bad")
    with engine.trial():  # what is planned for many rows is forgotten when they are kept
        engine.apply(Delta.of(added=facts))
        loops = sum(code.text.count("for ") for code in engine.codes("bad"))
        return tuple(engine.rows("bad")), loops, sum(len(list(r.indexes())) for r in engine.relations.values())


def test_a_bulk_that_breaks_no_rule_needs_no_index() -> None:
    assert judged(many(bulk.BULK + 1)) == ((), 1, 0), "a rule that compares what came with itself has the one loop"


def test_a_bulk_that_breaks_one_rule_runs_that_rule() -> None:
    facts = many(bulk.BULK + 1)
    for name in ("new", "edge"):
        facts[name].append(("again", "node3", "t", "node4"))
    bad, loops, _ = judged(facts)

    assert bad == (("repeated", "edge3"), ("repeated", "again"))
    assert loops == 2


def test_few_rows_are_not_looked_through() -> None:
    bad, loops, indexes = judged(many(bulk.BULK))

    assert bad == ()
    assert loops > 2 and indexes > 2
