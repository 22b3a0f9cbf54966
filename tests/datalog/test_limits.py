"""No evaluation goes beyond its limits of rows, rounds and seconds, nor a number beyond 64 bits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from contextmesh.base.errors import LimitReached
from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.limits import WHOLE_MAX, WHOLE_MIN, Limits, whole
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_rules

COUNTING = "n(0). n(X + 1) :- n(X)."
PRODUCT = (
    "d(0). d(1). d(2). d(3). d(4). d(5). d(6). d(7). none(9). hit(A) :- "
    + ", ".join(f"d({v})" for v in "ABCDEFGH")
    + ", none(A)."
)


def reached(text: str, limits: Limits) -> LimitReached:
    program = build_program([parse_rules(Source("<text>", text))], standalone=True)
    with pytest.raises(LimitReached) as refusal:
        spec.evaluate(program, {}, limits)
    return refusal.value


def ticking(step: float) -> Iterator[float]:
    now = 0.0
    while True:
        now += step
        yield now


def test_a_rule_that_counts_upward_without_an_end_stops_at_the_rows() -> None:
    refusal = reached(COUNTING, Limits(rows=100))

    assert (refusal.code, refusal.problem.subject) == ("limit-reached", "rows")
    assert refusal.problem.fields == (("limit", 100),)


def test_a_rule_that_counts_upward_without_an_end_stops_at_the_rounds() -> None:
    assert reached(COUNTING, Limits(rounds=50)).problem.subject == "rounds"


def test_work_that_derives_nothing_stops_at_the_seconds() -> None:
    """The clock is the test's own: one second a look, and a join of eight columns that finds no row."""
    seconds = ticking(1.0)

    assert reached(PRODUCT, Limits(seconds=30.0, clock=lambda: next(seconds))).problem.subject == "seconds"


def test_a_limit_is_not_reached_by_exactly_as_many_rows_and_rounds() -> None:
    program = build_program([parse_rules(Source("<text>", "p(1). p(2). q(X) :- p(X)."))], standalone=True)

    assert list(spec.evaluate(program, {}, Limits(rows=2, rounds=2))["q"]) == [(1,), (2,)]


@pytest.mark.parametrize("number", [WHOLE_MIN, -1, 0, 1, WHOLE_MAX])
def test_a_whole_number_has_64_bits(number: int) -> None:
    assert whole(number) == number


@pytest.mark.parametrize("number", [WHOLE_MIN - 1, WHOLE_MAX + 1, 10**100])
def test_a_number_beyond_64_bits_ends_the_evaluation(number: int) -> None:
    with pytest.raises(LimitReached) as refusal:
        whole(number)

    assert refusal.value.code == "integer-range"


@pytest.mark.parametrize(
    "text",
    [
        "p(9223372036854775807). q(X + 1) :- p(X).",
        "p(-9223372036854775807). q(Y) :- p(X), Y = X - 2.",
        "p(9223372036854775807). p(1). q(S) :- S = sum { X : p(X) }.",
        "n(1). n(X + X) :- n(X).",
    ],
)
def test_arithmetic_beyond_64_bits_is_a_coded_refusal_while_rules_run(text: str) -> None:
    assert reached(text, Limits()).code == "integer-range"


def test_limits_are_equal_whatever_their_clock() -> None:
    assert Limits(rows=1) == Limits(rows=1, clock=lambda: 0.0)
