"""A checked rule has an order in which every literal can be evaluated when it is reached."""

from __future__ import annotations

import pytest

from contextmesh.base.errors import RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Aggregate, Rule
from contextmesh.datalog.program import build_program
from contextmesh.datalog.safety import group_of, ordered_body, rule_variables
from contextmesh.lang.render import render_literal
from contextmesh.lang.rules import parse_rules


def rule(text: str) -> Rule:
    return parse_rules(Source("<text>", text)).rules[0]


@pytest.mark.parametrize(
    ("body", "order"),
    [
        ("p(X), q(Y)", "p(X), q(Y)"),
        ("not q(X), p(X)", "p(X), not q(X)"),
        ("X > 1, p(X)", "p(X), X > 1"),
        ("p(X + 1), q(X)", "q(X), p(X + 1)"),
        ("X = Y, Y = Z, Z = 1", "Z = 1, Y = Z, X = Y"),
        ("Y = X + 1, p(X)", "p(X), Y = X + 1"),
        ("1 = X, p(X)", "1 = X, p(X)"),
        ("N = count { Z : q(X, Z) }, p(X)", "p(X), N = count { Z : q(X, Z) }"),
        ("X < N, N = max { Z : q(Z) }, p(X)", "N = max { Z : q(Z) }, p(X), X < N"),
        ("not q(_, X), not r(_), p(X)", "not r(_), p(X), not q(_, X)"),
    ],
)
def test_the_written_order_is_kept_as_far_as_it_can_be_evaluated(body: str, order: str) -> None:
    assert ", ".join(map(render_literal, ordered_body(rule(f"h(X) :- {body}.")))) == order


def test_the_group_of_an_aggregate_is_what_the_rest_of_its_rule_shares() -> None:
    written = rule("h(X, N, W) :- p(X, V), N = count { Y, X : q(X, Y, V, Z) }, M = min { Y : r(Y) }, M < W, s(W).")
    (count, least) = [literal for literal in written.body if isinstance(literal, Aggregate)]

    assert group_of(count, rule_variables(written)) == ("X", "V")
    assert group_of(least, rule_variables(written)) == ()


def test_the_variables_of_a_rule_are_those_outside_braces() -> None:
    assert rule_variables(rule("h(X, N) :- p(X), N = count { Y : q(X, Y, Z) }.")) == ("X", "N")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("h(X, Y) :- p(X).", ["Y"]),
        ("h(X) :- p(X), not q(Y), Y < 1, q(Z + 1).", ["Y", "Z"]),
        ("h(X) :- X = Y, Y = X.", ["X", "Y"]),
        ("h(X) :- X = Y + 1, Y = X + 1.", ["X", "Y"]),
        ("h(N) :- N = count { X : p(X, Y) }, r(Z), not q(Y).", ["Y"]),
        ("h(X) :- X = Y + 1, p(X, W), q(Z + W).", ["Y", "Z"]),
        ("h(X) :- X = Y + 1.", ["Y"]),
        ("h(_) :- p(_), not q(_), _ < _.", ["_", "_", "_"]),
        ("h(M) :- M = min { X + Y : p(X) }.", ["Y"]),
        ("h(M) :- M = min { _ : p(_) }.", ["_"]),
        ("h(X) :- p(X), _ = count { Y : q(Y) }.", ["_"]),
    ],
)
def test_the_cause_is_told_and_not_what_follows_from_it(text: str, told: list[str]) -> None:
    with pytest.raises(RuleError) as refusal:
        build_program([parse_rules(Source("<text>", text))], standalone=True)

    assert sorted(problem.subject or "" for problem in refusal.value.problems) == sorted(told)
    assert {problem.code for problem in refusal.value.problems} == {"unsafe-variable"}
