"""A trial that is let go leaves rows, their order and every later answer as they were."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import changed, changes_for, facts_for, programs

from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_rules

SLOW = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def ordered(engine: Engine) -> dict[str, list[Any]]:
    """Every relation in order, and every index of every relation in order."""
    state: dict[str, list[Any]] = {}
    for name, relation in engine.relations.items():
        engine.read(name.removesuffix(" given"))
        state[name] = [list(relation.scan()), len(relation)]
        for (columns, where), index in relation._indexes.items():
            state[f"{name} {columns} {where}"] = [list(index.rows(key)) for key in sorted(index.buckets, key=repr)]
    return state


def known_only(state: dict[str, list[Any]], names: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {name: state[name] for name in names}


@SLOW
@given(st.data())
def test_letting_go_restores_rows_order_and_indexes_exactly(data: st.DataObject) -> None:
    program = data.draw(programs())
    facts = data.draw(facts_for(program))
    engine = Engine(program, facts)
    for _ in range(data.draw(st.integers(0, 2))):
        delta = data.draw(changes_for(program, facts))
        facts = changed(facts, delta)
        engine.apply(delta)
    before = ordered(engine)
    with engine.trial():
        inside = facts
        for _ in range(data.draw(st.integers(1, 3))):
            delta = data.draw(changes_for(program, inside))
            inside = changed(inside, delta)
            engine.apply(delta, report=data.draw(st.sampled_from([None, (), ("e",)])))
        if data.draw(st.booleans()):
            assert {n: set(engine.rows(n)) for n in program.declarations} == sets(spec.evaluate(program, inside))

    assert known_only(ordered(engine), before) == before
    delta = data.draw(changes_for(program, facts))
    engine.apply(delta)
    assert {n: set(engine.rows(n)) for n in program.declarations} == sets(spec.evaluate(program, changed(facts, delta)))


def sets(rows: Any) -> Any:
    return {name: set(found) for name, found in rows.items()}


@SLOW
@given(st.data())
def test_trials_nest_and_each_is_kept_or_let_go_by_itself(data: st.DataObject) -> None:
    program = data.draw(programs(5))
    facts = data.draw(facts_for(program))
    engine = Engine(program, facts)
    before = ordered(engine)

    def nested(depth: int, now: Any) -> Any:
        keep = data.draw(st.booleans())
        start = ordered(engine)
        with engine.trial() as trial:
            delta = data.draw(changes_for(program, now))
            inside = changed(now, delta)
            engine.apply(delta)
            if depth:
                inside = nested(depth - 1, inside)
            if keep:
                trial.keep()
        if not keep:
            assert known_only(ordered(engine), start) == start
        return inside if keep else now

    with engine.trial():
        after = nested(2, facts)
        assert {n: set(engine.rows(n)) for n in program.declarations} == sets(spec.evaluate(program, after))

    assert known_only(ordered(engine), before) == before


def check_indexes(engine: Engine) -> None:
    for relation in engine.relations.values():
        rows = list(relation.scan())
        assert len(rows) == len(relation)
        for index in relation.indexes():
            held = [row for key in index.buckets for row in index.rows(key)]
            assert sorted(held, key=repr) == sorted(filter(index.admits, rows), key=repr)


@SLOW
@given(st.data())
def test_every_index_holds_exactly_the_rows_of_its_relation_even_one_made_in_the_middle(data: st.DataObject) -> None:
    program = data.draw(programs(4))
    facts = data.draw(facts_for(program))
    engine = Engine(program, facts)
    if data.draw(st.booleans()):
        engine.apply(Delta())
    with engine.trial() as trial:
        for _ in range(data.draw(st.integers(1, 3))):
            delta = data.draw(changes_for(program, facts))
            facts = changed(facts, delta)
            engine.apply(delta, report=data.draw(st.sampled_from([None, (), ("e",)])))
            check_indexes(engine)
        if data.draw(st.booleans()):
            trial.keep()

    check_indexes(engine)


PATHS = """
    input edge(from, to).
    relation path(from, to).
    output quiet(to).
    path(X, Y) :- edge(X, Y).
    path(X, Z) :- path(X, Y), edge(Y, Z).
    quiet(Y) :- edge(_, Y), not path(Y, Y).
"""


def paths(edges: list[tuple[int, int]]) -> Engine:
    return Engine(build_program([parse_rules(Source("paths.dl", PATHS))]), {"edge": edges})


def test_a_trial_of_some_relations_maintains_only_what_they_need() -> None:
    engine = paths([(1, 2)])
    engine.apply(Delta())
    quiet = engine.stages[engine.program.stratum_of["quiet"]]
    cursors = list(quiet.cursors)
    with engine.trial(wanted=("path",)) as trial:
        told = trial.apply(Delta.of(added={"edge": [(2, 3)]}))

        assert told == Delta.of(added={"path": [(2, 3), (1, 3)]})
        assert quiet.cursors == cursors
        assert engine.rows("quiet") == ((2,), (3,))

    assert engine.rows("quiet") == ((2,),)


def test_a_trial_of_some_relations_cannot_be_kept() -> None:
    engine = paths([(1, 2)])
    with pytest.raises(AssertionError), engine.trial(wanted=("path",)) as trial:
        trial.keep()


def test_an_error_inside_a_trial_lets_it_go_even_if_it_was_kept() -> None:
    engine = paths([(1, 2)])
    with pytest.raises(KeyError), engine.trial() as trial:
        engine.apply(Delta.of(added={"edge": [(2, 3)]}))
        trial.keep()
        raise KeyError

    assert engine.rows("edge") == ((1, 2),)


def test_a_dropped_row_that_comes_back_by_undo_stands_where_it_stood_even_among_many() -> None:
    edges = [(0, n) for n in range(40)]
    engine = paths(edges)
    engine.apply(Delta())
    assert list(engine.match("edge", (0, None))) == edges
    with engine.trial():
        engine.apply(Delta.of(dropped={"edge": [(0, 3), (0, 30)]}, added={"edge": [(0, 77)]}))
        with engine.trial():
            engine.apply(Delta.of(dropped={"edge": [(0, 5)]}, added={"edge": [(0, 3)]}))

        assert list(engine.match("edge", (0, None))) == [e for e in edges if e[1] not in (3, 30)] + [(0, 77)]

    assert list(engine.match("edge", (0, None))) == edges
    assert list(engine.rows("edge")) == edges


def test_a_row_that_goes_and_comes_within_a_trial_keeps_its_place_in_every_reading() -> None:
    edges = [(0, n) for n in range(5)]
    engine = paths(edges)
    assert list(engine.match("edge", (0, None))) == edges
    with engine.trial() as trial:
        engine.apply(Delta.of(dropped={"edge": [(0, 1)]}))
        engine.apply(Delta.of(added={"edge": [(0, 1), (0, 9)]}))
        trial.keep()

    assert list(engine.rows("edge")) == [*edges, (0, 9)]
    assert list(engine.match("edge", (0, None))) == [*edges, (0, 9)]


def test_an_index_made_after_a_loss_has_the_old_order_once_the_trial_is_let_go() -> None:
    edges = [(0, n) for n in range(6)]
    engine = paths(edges)
    with engine.trial():
        engine.apply(Delta.of(dropped={"edge": [(0, 1)]}))
        engine.match("edge", (0, None))
        engine.apply(Delta.of(dropped={"edge": [(0, 3)]}))

    assert list(engine.match("edge", (0, None))) == edges
