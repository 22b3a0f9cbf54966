"""The engine after any changes says what the definition says, and tells exactly what became different."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import changed, changes_for, facts_for, programs

from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.rules import parse_rules

SLOW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
Sets = dict[str, dict[Row, None]]


def defined(program: Program, facts: Mapping[str, list[Row]]) -> Sets:
    return spec.evaluate(program, facts)


def shown(engine: Engine) -> Sets:
    return {name: dict.fromkeys(engine.rows(name)) for name in engine.program.declarations}


def difference(before: Sets, after: Sets) -> tuple[dict[str, set[Row]], dict[str, set[Row]]]:
    added = {name: after[name].keys() - before[name].keys() for name in after}
    dropped = {name: before[name].keys() - after[name].keys() for name in after}
    return {k: v for k, v in added.items() if v}, {k: v for k, v in dropped.items() if v}


def as_sets(delta: Delta) -> tuple[dict[str, set[Row]], dict[str, set[Row]]]:
    return {k: set(v) for k, v in delta.added.items()}, {k: set(v) for k, v in delta.dropped.items()}


@SLOW
@given(st.data())
def test_after_each_change_rows_equal_the_definition_and_the_delta_is_their_difference(data: st.DataObject) -> None:
    program = data.draw(programs())
    facts = data.draw(facts_for(program))
    engine = Engine(program, facts)
    before = defined(program, facts)

    assert shown(engine) == before
    for _ in range(data.draw(st.integers(1, 4))):
        delta = data.draw(changes_for(program, facts))
        facts = changed(facts, delta)
        told = engine.apply(delta)
        after = defined(program, facts)

        assert shown(engine) == after
        assert as_sets(told) == difference(before, after)
        before = after


@SLOW
@given(st.data())
def test_relations_that_nobody_asked_about_are_right_when_they_are_read(data: st.DataObject) -> None:
    program = data.draw(programs())
    facts = data.draw(facts_for(program))
    engine = Engine(program, facts)
    names = list(program.declarations)
    for _ in range(data.draw(st.integers(1, 6))):
        delta = data.draw(changes_for(program, facts, 2))
        report = data.draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
        before = defined(program, facts)
        facts = changed(facts, delta)
        told = engine.apply(delta, report=report)
        after = defined(program, facts)
        added, dropped = difference(before, after)

        assert as_sets(told) == (
            {k: v for k, v in added.items() if k in report},
            {k: v for k, v in dropped.items() if k in report},
        )
        for name in data.draw(st.lists(st.sampled_from(names), max_size=1)):
            assert dict.fromkeys(engine.rows(name)) == after[name]

    assert shown(engine) == defined(program, facts)


@SLOW
@given(st.data())
def test_given_rows_of_a_derived_relation_come_and_go_beside_its_rules(data: st.DataObject) -> None:
    program = data.draw(programs(4))
    derived = [name for name in program.declarations if program.stratum_of[name] >= 0]
    facts = data.draw(facts_for(program))
    for name in derived:
        arity = len(program.declarations[name].columns)
        facts[name] = data.draw(st.lists(st.tuples(*[st.integers(0, 3)] * arity), max_size=3, unique=True))
    engine = Engine(program, facts)

    assert shown(engine) == defined(program, facts)
    gone = {name: rows[:1] for name, rows in facts.items()}
    engine.apply(Delta.of(dropped=gone))

    assert shown(engine) == defined(program, changed(facts, Delta.of(dropped=gone)))


@SLOW
@given(st.data())
def test_matching_a_pattern_gives_the_rows_that_agree_in_their_order(data: st.DataObject) -> None:
    program = data.draw(programs(4))
    facts = data.draw(facts_for(program))
    engine = Engine(program, facts)
    engine.apply(data.draw(changes_for(program, facts)))
    for name in program.declarations:
        for row in engine.rows(name):
            pattern = [value if data.draw(st.booleans()) else None for value in row]
            expected = [
                r for r in engine.rows(name) if all(p is None or p == v for p, v in zip(pattern, r, strict=True))
            ]

            assert list(engine.match(name, pattern)) == expected


def engine_of(rules: str, facts: dict[str, list[Row]]) -> Engine:
    return Engine(build_program([parse_rules(Source("r.dl", rules))], standalone=True, facts=facts), facts)


def test_the_last_row_that_forbade_a_conclusion_may_go_while_nothing_is_concluded() -> None:
    engine = engine_of("p(X) :- n(X), not e(X).", {"n": [(1,)], "e": [(1,)]})
    engine.apply(Delta())
    engine.apply(Delta.of(dropped={"e": [(1,)]}), report=())

    assert engine.rows("p") == ((1,),)


def test_a_rule_that_was_passed_over_for_an_empty_relation_is_taken_up_once_it_has_rows() -> None:
    engine = engine_of("p(X) :- a(X), b(X).", {"a": [(1,)], "b": []})
    engine.apply(Delta())

    assert not engine.apply(Delta.of(added={"a": [(2,)]})).plus("p")
    assert not engine.apply(Delta.of(added={"b": [(3,)]})).plus("p")
    assert engine.apply(Delta.of(added={"a": [(3,)]})).plus("p") == [(3,)]
