"""A constant of a kind that a column or variable can never have is refused, when that is proved and only then."""

from __future__ import annotations

import pytest

from contextmesh.base.errors import RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.kinds import ANY, NUMBER, TEXT
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.rules import parse_rules

TEXT_OF = """
input node(id, kind).
relation price(kind, cents).
relation size(n).
relation more(n).
relation mixed(x).
relation empty(x).
relation word(x).
relation q(x).
more(N) :- size(N).
size(N) :- more(N).
size(N + 1) :- size(N), N < 9.
size(N) :- N = count { X : node(X, _) }.
price(claim, 80). price(entity, 90).
mixed(1). mixed(a).
mixed(X) :- node(X, _).
empty(X) :- empty(X).
word(K) :- price(K, _).
"""


def program(rule: str) -> Program:
    return build_program([parse_rules(Source("<text>", TEXT_OF + rule))])


def test_columns_are_proved_through_recursion_sums_and_aggregates() -> None:
    columns = program("").columns

    assert columns["size"] == columns["more"] == (NUMBER,)
    assert columns["price"] == (TEXT, NUMBER)
    assert columns["word"] == (TEXT,)
    assert columns["mixed"] == (ANY,)
    assert columns["node"] == (ANY, ANY)


@pytest.mark.parametrize(
    "rule",
    [
        'q(X) :- size("3"), mixed(X).',
        "q(X) :- more(many), mixed(X).",
        "q(X) :- mixed(X), not word(3).",
        'q(K) :- price(K, P), P = "80".',
        'q(K) :- price(K, P), P != "80".',
        'q(K) :- price(K, P), Q = P, Q > "80".',
        "q(X) :- mixed(X), N = count { K : price(K, many) }, N > 0.",
        "q(M) :- M = max { P : price(_, P) }, M < many.",
        "q(X) :- mixed(X), few = count { K : price(K, _) }.",
        "q(X) :- mixed(X), X + 1 < a.",
        "q(X) :- mixed(X), price(_, X), X != a.",
        "q(a + 1).",
        "q(X - a) :- mixed(X).",
        "q(X) :- mixed(X), not price(X, 1 + a).",
        "q(S) :- S = sum { K + a : mixed(K) }.",
        "q(X) :- word(X + 1), mixed(X).",
    ],
)
def test_a_proved_contradiction_is_refused(rule: str) -> None:
    with pytest.raises(RuleError) as refusal:
        program(rule)

    assert {problem.code for problem in refusal.value.problems} == {"constant-kind"}


@pytest.mark.parametrize(
    "rule",
    [
        'q(X) :- node(X, "3").',
        "q(X) :- node(X, 3), mixed(X).",
        "q(X) :- mixed(X), X != a, X < 3.",
        'q(X) :- mixed(X), 1 = "1".',
        'q(X) :- mixed(X), 1 != "1".',
        "q(X) :- empty(X), X = 3.",
        "q(X) :- empty(3), mixed(X).",
        "q(X) :- word(X), size(X).",
        "q(M) :- M = min { X : mixed(X) }, M < many.",
        "q(X) :- mixed(X), X < zzz.",
        "q(X) :- mixed(X), size(N), N < Y, Y = a.",
    ],
)
def test_what_some_facts_could_make_true_is_allowed(rule: str) -> None:
    assert program(rule).rules


def test_facts_of_a_stand_alone_text_prove_nothing() -> None:
    text = parse_rules(Source("<text>", 'p(1). q(X) :- p(X), X = "1". r(X) :- p("1"), p(X).'))

    assert build_program([text], standalone=True).columns["p"] == (ANY,)
