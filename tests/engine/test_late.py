"""Facts that are made when they are first looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import changes_for, facts_for, programs

from contextmesh.base.source import Source
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.index import count_of, first_of
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_rules

SLOW = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@SLOW
@given(st.data())
def test_an_engine_over_late_facts_is_the_engine_over_the_facts(data: st.DataObject) -> None:
    program = data.draw(programs())
    facts = data.draw(facts_for(program))
    base = [name for name in facts if program.stratum_of[name] < 0 and name not in dict(program.facts)]
    late: dict[str, Callable[[], Iterable[Row]]] = {name: lambda rows=facts[name]: rows for name in base}  # type: ignore[misc]
    one = Engine(program, facts)
    other = Engine(program, {name: rows for name, rows in facts.items() if name not in late}, late=late)
    delta = data.draw(changes_for(program, facts))

    with other.trial():
        assert other.apply(delta) == one.apply(delta)
        assert [other.rows(name) for name in program.declarations] == [one.rows(name) for name in program.declarations]
    one = Engine(program, facts)
    assert [other.rows(name) for name in program.declarations] == [one.rows(name) for name in program.declarations]


def test_what_nobody_reads_is_never_made() -> None:
    rules = "input near(a, b).\ninput far(a).\nrelation both(a).\nboth(X) :- near(X, _), far(X).\n"
    program = build_program([parse_rules(Source("r.dl", rules))])
    made: list[str] = []

    def rows(name: str, row: Row) -> Callable[[], Iterable[Row]]:
        return lambda: made.append(name) or [row]  # type: ignore[func-returns-value]

    engine = Engine(program, late={"near": rows("near", (1, 2)), "far": rows("far", (1,))})
    assert made == []
    assert engine.match("near", (1, None)) == ((1, 2),)
    assert made == ["near"]
    assert engine.rows("both") == ((1,),)
    assert made == ["near", "far"]


def test_the_first_rows_of_a_key_and_their_number_are_read_without_the_rest() -> None:
    program = build_program([parse_rules(Source("r.dl", "input near(a, b).\n"))])
    engine = Engine(program, {"near": [(at % 3, at) for at in range(100)]})
    buckets = engine.read("near").reader(0).buckets
    for most in (1, 5, 50):
        assert first_of(buckets[1], most) == tuple(engine.match("near", (1, None)))[:most]
    assert [count_of(buckets[a]) for a in (0, 1)] == [34, 33]
    engine.apply(Delta(added={"near": [(8, 0)]}))
    assert (first_of(buckets[8], 3), count_of(buckets[8])) == (((8, 0),), 1)
