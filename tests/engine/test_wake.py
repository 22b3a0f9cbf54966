"""A change wakes the strata that it can matter to, and what was slept through is not lost."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.events import Evaluated, Event
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.rules import parse_rules

RULES = """
input edge(x, t, y).
input carries(t, way).
input told(x).
input off(x).
relation older(a, b).
relation hit(x).
relation loud(x).
relation free(x).
relation many(x, n).
relation both(x).
older(X, Y) :- edge(X, old, Y).
older(X, Z) :- older(X, Y), edge(Y, old, Z).
hit(X) :- told(X).
hit(X) :- hit(Y), edge(X, T, Y), carries(T, back), not off(X).
hit(Y) :- hit(X), edge(X, T, Y), carries(T, on).
loud(X) :- hit(X), not edge(X, mute, _).
free(X) :- edge(X, _, _), not hit(X).
many(X, N) :- edge(X, T, _), carries(T, _), N = count { Y : edge(X, old, Y) }.
both(X) :- older(X, _), told(X).
"""
SLOW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
names = st.sampled_from(["a", "b", "c"])
types = st.sampled_from(["old", "mute", "cites", "leads"])
ROWS: dict[str, st.SearchStrategy[tuple[Any, ...]]] = {
    "edge": st.tuples(names, types, names),
    "carries": st.tuples(types, st.sampled_from(["back", "on"])),
    "told": st.tuples(names),
    "off": st.tuples(names),
}


def program() -> Program:
    return build_program([parse_rules(Source("r.dl", RULES))])


@st.composite
def deltas(draw: Any) -> Delta:
    """Small: what sleeps is only seen where little changes at a time."""
    sides: list[dict[str, list[Any]]] = [{}, {}]
    for side in sides:
        for name in draw(st.lists(st.sampled_from(list(ROWS)), max_size=2, unique=True)):
            side[name] = draw(st.lists(ROWS[name], max_size=2, unique=True))
    return Delta(*sides)


def with_delta(facts: dict[str, dict[Any, None]], delta: Delta) -> dict[str, dict[Any, None]]:
    after = {name: dict(rows) for name, rows in facts.items()}
    for name, rows in delta.dropped.items():
        for row in rows:
            after[name].pop(row, None)
    for name, rows in delta.added.items():
        after[name].update(dict.fromkeys(rows))
    return after


@SLOW
@given(st.data())
def test_rows_and_deltas_are_those_of_the_definition_whatever_slept(data: st.DataObject) -> None:
    rules = program()
    facts: dict[str, dict[Any, None]] = {name: {} for name in ROWS}
    engine = Engine(rules)
    stood = spec.evaluate(rules, facts)
    for _ in range(data.draw(st.integers(3, 9))):
        delta = data.draw(deltas())
        after = with_delta(facts, delta)
        expected = spec.evaluate(rules, after)
        keep = data.draw(st.booleans())
        with engine.trial() as trial:
            told = engine.apply(delta)
            for name in rules.declarations:
                assert set(engine.rows(name)) == set(expected[name])
                assert set(told.plus(name)) == set(expected[name]) - set(stood[name])
                assert set(told.minus(name)) == set(stood[name]) - set(expected[name])
            if keep:
                trial.keep()
        if keep:
            facts, stood = after, expected


def test_a_row_that_no_constant_and_no_table_lets_through_wakes_nothing() -> None:
    woken: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Evaluated):
            woken.extend(event.relations)

    facts = {"edge": [("a", "old", "b"), ("c", "leads", "a")], "carries": [("leads", "back")], "told": [("a",)]}
    engine = Engine(program(), facts, listener=listen)
    engine.apply(Delta())
    woken.clear()
    engine.apply(Delta({"edge": [("b", "cites", "c")]}))
    assert woken == ["free"]
    woken.clear()
    engine.apply(Delta({"carries": [("cites", "back")], "told": [("c",)]}))
    assert engine.holds("hit", ("b",)), "the edge that was slept through is found where it stands"
    assert "hit" in woken
    engine.apply(Delta({"edge": [("d", "cites", "c")]}))
    assert engine.holds("hit", ("d",)), "a table that changed is looked at anew"


def test_checks_stand_only_while_they_are_judged() -> None:
    seen: list[int] = []
    engine = Engine(program(), {"edge": [("a", "old", "b")]})
    delta = Delta({"edge": [("b", "old", "c")]})
    told = engine.apply(delta, checks={"told": [("a",)]}, judge=("both", lambda relation: seen.append(len(relation))))
    assert seen == [1]
    assert told.plus("both") == [("a",)]
    assert engine.rows("both") == () == engine.rows("told")
    assert engine.count("older") == 3
