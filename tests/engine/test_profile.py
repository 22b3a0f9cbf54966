"""The cost of rules is counted while they run: by hand on a small program, and against the engine on others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from contextmesh.base.errors import LimitReached
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.limits import Limits
from contextmesh.datalog.profile import Cost, profile
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.rules import parse_rules


def ticks() -> Iterator[float]:
    return (float(number) for number in count())


def program_of(rules: str, facts: dict[str, list[Row]]) -> Program:
    return build_program([parse_rules(Source("r.dl", rules))], standalone=True, facts=facts)


def profiled(rules: str, facts: dict[str, list[Row]]) -> list[Cost]:
    clock = ticks()
    return list(profile(program_of(rules, facts), facts, lambda: next(clock)))


def numbers(cost: Cost) -> tuple[int, ...]:
    return cost.runs, cost.driven, cost.lookups, cost.scanned, cost.rows


def test_a_join_is_counted_by_hand() -> None:
    facts: dict[str, list[Row]] = {"edge": [("a", "b"), ("b", "c"), ("b", "d"), ("c", "e")], "end": [("d",), ("e",)]}
    (join,) = profiled("two(X, Z) :- edge(X, Y), edge(Y, Z), not end(Z).", facts)

    # Each of four edges looks up what goes on: b-c, b-d, c-e are found, and each of them is looked up in end.
    assert numbers(join) == (1, 4, 4 + 3, 3, 1)
    assert join.work == 4 + 7 + 3


def test_a_recursive_rule_runs_once_a_round_from_what_the_round_before_found() -> None:
    facts: dict[str, list[Row]] = {"edge": [("a", "b"), ("b", "c"), ("c", "d")]}
    base, step = profiled("path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y), edge(Y, Z).", facts)

    assert numbers(base) == (1, 3, 0, 0, 3)
    # Driven by 3 edges, then by the 2 paths they make, then by the 1 that those make, which finds nothing.
    assert numbers(step) == (3, 3 + 2 + 1, 6, 3, 3)


def test_a_row_counts_for_the_first_rule_that_concludes_it() -> None:
    facts: dict[str, list[Row]] = {"p": [(1,), (2,)], "q": [(2,), (3,)]}

    assert [cost.rows for cost in profiled("r(X) :- p(X).\nr(X) :- q(X).", facts)] == [2, 1]


def test_time_is_what_the_clock_says_around_each_run() -> None:
    facts: dict[str, list[Row]] = {"edge": [("a", "b"), ("b", "c"), ("c", "d")]}
    costs = profiled("path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y), edge(Y, Z).", facts)

    assert [cost.seconds for cost in costs] == [float(cost.runs) for cost in costs]


PROGRAMS = {
    "aggregates": "size(X, N) :- node(X), N = count { Y : edge(X, Y) }.\ntop(M) :- M = max { N : size(_, N) }.",
    "mutual": "even(X) :- start(X).\neven(Y) :- odd(X), edge(X, Y).\nodd(Y) :- even(X), edge(X, Y).",
    "negation": "reach(X) :- start(X).\nreach(Y) :- reach(X), edge(X, Y).\nlost(X) :- node(X), not reach(X).",
    "nonlinear": "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y), path(Y, Z).",
    "facts beside rules": "p(7). p(X) :- node(X), X < 3.\nq(X) :- p(X), not p(8).",
    "nothing to join": "yes(1) :- not edge(9, 9).",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_rows_are_those_of_the_engine(name: str) -> None:
    facts: dict[str, list[Row]] = {
        "node": [(i,) for i in range(12)],
        "edge": [(i, (i * 5 + 1) % 12) for i in range(12)] + [(i, (i + 3) % 7) for i in range(7)],
        "start": [(0,), (4,)],
    }
    program = program_of(PROGRAMS[name], facts)
    engine = Engine(program, facts)
    costs = profile(program, facts, lambda: 0.0)
    derived = dict.fromkeys(rule.head.relation for rule in program.rules)
    given = sum(1 for relation, _ in program.facts if relation in derived)

    assert sum(cost.rows for cost in costs) == sum(engine.count(relation) for relation in derived) - given
    assert [numbers(cost) for cost in profile(program, facts, lambda: 0.0)] == [numbers(cost) for cost in costs]


def test_a_program_that_counts_without_end_is_stopped() -> None:
    facts: dict[str, list[Row]] = {"p": [(0,)]}
    with pytest.raises(LimitReached):
        profile(program_of("q(X) :- p(X).\nq(X + 1) :- q(X).", facts), facts, lambda: 0.0, Limits(rows=1000))
