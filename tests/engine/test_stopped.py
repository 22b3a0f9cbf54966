"""Nothing runs for ever: each limit stops an evaluation with a coded refusal, and leaves the engine as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import pytest

from contextmesh.base.source import Source
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Delta, Engine, Limits
from contextmesh.datalog.limits import LimitReached
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_query, parse_rules

COUNTER = "count_up(X) :- start(X). count_up(X + 1) :- count_up(X)."
PRODUCT = "out(A, B, C, D) :- p(A), p(B), p(C), p(D)."
BARREN = "out(A) :- p(A), p(B), p(C), p(D), p(E), A + B + C + D + E < 0."
MUTUAL = "a(X) :- start(X). a(X + 1) :- b(X). b(X + 1) :- a(X)."
MANY = [(i,) for i in range(200)]


def engine_of(rules: str, facts: Mapping[str, list[Row]], limits: Limits) -> Engine:
    program = build_program([parse_rules(Source("r.dl", rules))], standalone=True, facts=facts)
    return Engine(program, facts, limits=limits)


def ticking(seconds: float = 0.01) -> Iterator[float]:
    now = 0.0
    while True:
        now += seconds
        yield now


def clocked(seconds: float) -> Limits:
    """A clock that moves on by itself each time it is read: no test waits."""
    return Limits(seconds=seconds, clock=ticking().__next__)


@pytest.mark.parametrize("rules", [COUNTER, MUTUAL])
@pytest.mark.parametrize("limits", [Limits(rows=5000), clocked(0.5)])
def test_counting_without_an_end_is_stopped(rules: str, limits: Limits) -> None:
    engine = engine_of(rules, {"start": [(0,)]}, limits)
    name = "a" if rules == MUTUAL else "count_up"
    with pytest.raises(LimitReached) as stopped:
        engine.rows(name)

    assert stopped.value.code == "limit-reached"
    assert list(engine.relations[name].scan()) == []


def test_rounds_are_limited_where_relations_feed_each_other() -> None:
    engine = engine_of(MUTUAL, {"start": [(0,)]}, Limits(rounds=100))
    with pytest.raises(LimitReached) as stopped:
        engine.rows("a")

    assert stopped.value.problem.subject == "rounds"


@pytest.mark.parametrize("rules", [PRODUCT, BARREN])
def test_a_product_is_stopped_by_the_clock_even_if_it_yields_nothing(rules: str) -> None:
    engine = engine_of(rules, {"p": MANY}, clocked(0.5))
    with pytest.raises(LimitReached):
        engine.rows("out")


def test_a_product_is_stopped_by_rows_long_before_memory_is_full() -> None:
    engine = engine_of(PRODUCT, {"p": MANY}, Limits(rows=1000))
    with pytest.raises(LimitReached) as stopped:
        engine.rows("out")

    assert stopped.value.problem.subject == "rows"


@pytest.mark.parametrize(
    "text",
    [
        "p(A), p(B), p(C), p(D), A + B + C + D < 0",
        "q(X) :- p(X). q(X + 1) :- q(X). ?- q(X).",
        "N = count { A, B, C, D : p(A), p(B), p(C), p(D), A + B + C + D < 0 }",
        "N = count { A, B, C, D : p(A), p(B), p(C), p(D) }",
    ],
)
def test_a_question_is_stopped_too_and_by_its_own_limits(text: str) -> None:
    engine = engine_of("r(X) :- p(X).", {"p": MANY}, Limits())
    with pytest.raises(LimitReached):
        engine.query(parse_query(Source("<query>", text)), Limits(rows=2000, seconds=2.0, clock=ticking().__next__))

    assert engine.count("r") == 200


def test_a_refused_change_leaves_every_relation_as_it_was() -> None:
    rules = COUNTER.replace("count_up(X).", "count_up(X), stop(Y), X < Y.") + " big(X) :- count_up(X), X > 5."
    engine = engine_of(rules, {"start": [(0,)], "stop": [(10,)]}, Limits(rows=500))
    before = {name: engine.rows(name) for name in engine.program.declarations}
    with pytest.raises(LimitReached):
        engine.apply(Delta.of(added={"stop": [(10_000,)]}, dropped={"stop": [(10,)]}))

    assert {name: engine.rows(name) for name in engine.program.declarations} == before
    assert engine.apply(Delta.of(added={"stop": [(12,)]})).plus("big") == [(11,), (12,)]


def test_a_refused_change_inside_a_trial_undoes_itself_and_not_the_trial() -> None:
    engine = engine_of(PRODUCT, {"p": MANY[:3]}, Limits(rows=2000))
    with engine.trial() as trial:
        engine.apply(Delta.of(added={"p": [(3,)]}))
        with pytest.raises(LimitReached):
            engine.apply(Delta.of(added={"p": MANY}))
        assert engine.count("out") == 256
        trial.keep()

    assert engine.rows("p") == ((0,), (1,), (2,), (3,))
    assert engine.count("out") == 256


def test_a_sum_beyond_sixty_four_bits_is_refused() -> None:
    engine = engine_of("out(X + X) :- p(X).", {"p": [(2**62,)]}, Limits())
    with pytest.raises(LimitReached) as stopped:
        engine.rows("out")

    assert stopped.value.code == "integer-range"


def test_a_rule_of_many_literals_needs_no_more_loops_than_python_nests() -> None:
    names = [f"X{i}" for i in range(40)]
    body = ", ".join(f"edge({a}, {b})" for a, b in pairwise(names))
    facts = {"edge": [(i, i + 1) for i in range(45)]}
    engine = engine_of(f"far({names[0]}, {names[-1]}) :- {body}.", facts, Limits())

    far = [(i, i + 39) for i in range(7)]

    assert engine.rows("far") == tuple(far)
    assert sorted(engine.apply(Delta.of(dropped={"edge": [(6, 7)]})).minus("far")) == far
    assert sorted(engine.apply(Delta.of(added={"edge": [(6, 7)]})).plus("far")) == far
