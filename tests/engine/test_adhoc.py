"""A question is answered as the definition answers it, whatever was evaluated before, and costs what it touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import ARITY, atoms, facts_for, programs

from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.ast import Atom, Not, Query, Row, Rule, Var
from contextmesh.datalog.engine import Engine, Limits
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_query, parse_rules

SLOW = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def questions(draw: Any, known: Sequence[str]) -> Query:
    """Joins over standing relations and over a relation of the question's own, which may be recursive."""
    rules: list[Rule] = []
    names = list(known)
    if draw(st.booleans()):
        base = draw(atoms(draw(st.sampled_from([n for n in known if ARITY[n] >= 2])), ("X", "Y")))
        rules.append(Rule(Atom("own", (Var("X"), Var("Y"))), (base, _pinned("X"), _pinned("Y"))))
        step = draw(atoms(draw(st.sampled_from(known)), ("X", "Y", "Z")))
        both = draw(st.permutations([step, Atom("own", (Var("Z"), Var("Y"))), _pinned("X"), _pinned("Z")]))
        rules.append(Rule(Atom("own", (Var("X"), Var("Y"))), tuple(both)))
        if draw(st.booleans()):
            swapped = Atom("own", (Var("X"), Var("Z")))
            rules.append(Rule(Atom("own", (Var("X"), Var("Y"))), (swapped, Atom("own", (Var("Z"), Var("Y"))))))
    body: list[Any] = []
    for name in draw(st.lists(st.sampled_from(names), max_size=2)):
        body.append(draw(atoms(name, ("X", "Y", "Z"))))
    if rules:
        terms = draw(atoms("e", ("X", "Y"))).terms
        body.insert(draw(st.integers(0, len(body))), Atom("own", terms))
    elif not body:
        body.append(draw(atoms(names[0], ("X", "Y"))))
    bound = list(dict.fromkeys(t.name for a in body for t in a.terms if isinstance(t, Var)))
    if rules and bound and draw(st.booleans()):
        body.append(Not(Atom("own", (Var(bound[0]), Var(bound[-1])))))
    return Query(Source("<question>", ""), tuple(body), tuple(bound), tuple(rules))


def _pinned(name: str) -> Atom:
    """Something that binds a variable whatever else the rule says: u/1 holds every value."""
    return Atom("n", (Var(name),))


@SLOW
@given(st.data())
def test_a_question_is_answered_as_the_definition_answers_it(data: st.DataObject) -> None:
    program = data.draw(programs(5))
    facts = data.draw(facts_for(program))
    engine = Engine(program, facts)
    if data.draw(st.booleans()):
        for name in data.draw(st.lists(st.sampled_from(list(program.declarations)))):
            engine.read(name)
    known = [name for name in ARITY if name in program.declarations]
    for _ in range(2):
        query = data.draw(questions(known))
        answer = engine.query(query)

        assert answer.columns == query.columns
        assert answer.rows == spec.answer(program, query, facts)


def engine_of(rules: str, facts: Mapping[str, list[Row]]) -> Engine:
    program = build_program([parse_rules(Source("r.dl", rules))], standalone=True, facts=facts)
    return Engine(program, facts)


def asked(engine: Engine, text: str, limits: Limits | None = None) -> list[Row]:
    return engine.query(parse_query(Source("<query>", text)), limits).rows


CHAIN = {"edge": [(i, i + 1) for i in range(10_000)], "root": [(0,)]}
PATHS = [
    "path(X, Y) :- edge(X, Y). path(X, Z) :- edge(X, Y), path(Y, Z).",
    "path(X, Y) :- edge(X, Y). path(X, Z) :- path(Y, Z), edge(X, Y).",
    "path(X, Z) :- path(X, Y), edge(Y, Z). path(X, Y) :- edge(X, Y).",
    "path(X, Z) :- edge(Y, Z), path(X, Y). path(X, Y) :- edge(X, Y).",
]


@pytest.mark.parametrize("rules", PATHS)
def test_what_a_chain_of_ten_thousand_reaches_from_its_start_is_found_in_as_many_rows(rules: str) -> None:
    engine = engine_of(rules, CHAIN)
    rows = asked(engine, "path(0, Y)", Limits(rows=40_000))

    assert len(rows) == 10_000
    assert asked(engine, "path(X, 10000)", Limits(rows=40_000)) == [(i,) for i in range(10_000)]


@pytest.mark.parametrize("rules", PATHS)
def test_rules_of_the_question_itself_are_followed_only_where_its_constants_lead(rules: str) -> None:
    engine = engine_of("reached(X) :- root(X). reached(Y) :- reached(X), edge(X, Y).", CHAIN)

    assert asked(engine, f"{rules} ?- path(9990, Y).", Limits(rows=100)) == [(i,) for i in range(9991, 10_001)]
    assert len(engine.rows("reached")) == 10_001


ENDS = {"edge": [(0, 1), (1, 2), (2, 3), (3, 1)], "tag": [(1, 5), (2, 6), (3, 7)]}


@pytest.mark.parametrize(
    "rules",
    [
        "far(X, Y) :- tag(X, Y). far(X, W) :- edge(X, Z), far(Z, Y), W = Y.",
        "far(X, Y) :- tag(X, Y). far(X, W) :- edge(X, Z), far(Z, Y), tag(W, Y).",
        "far(X, Y) :- tag(X, Y). far(X, Y) :- edge(X, Z), far(Z, Y), tag(X, Y).",
        "far(X, Y) :- tag(X, Y). far(X, Y) :- edge(X, Z), far(Z, Y), far(Y, Z).",
        "far(X, Y) :- tag(X, Y). far(X, 9) :- edge(X, Z), far(Z, 7).",
        "far(X, Y) :- tag(X, Y). far(X, X) :- edge(X, Z), far(Z, X).",
        "far(X, Y) :- tag(X, Y). far(Y, X) :- edge(X, Z), far(Z, Y).",
    ],
)
def test_recursion_that_does_not_hand_its_arguments_through_is_followed_step_by_step(rules: str) -> None:
    program = build_program([parse_rules(Source("r.dl", rules))], standalone=True, facts=ENDS)
    for text in ("far(0, Y)", "far(X, 7)", "far(1, X), tag(X, _)", "far(1, 7)", "far(X, X)"):
        query = parse_query(Source("<query>", text))

        assert Engine(program, ENDS).query(query).rows == spec.answer(program, query, ENDS)


def test_what_a_sum_in_a_head_makes_is_asked_for_without_an_end_of_wants() -> None:
    engine = engine_of("up(0). up(X + 1) :- up(X), X < 50.", {})

    assert asked(engine, "up(30)", Limits(rows=200)) == [()]
    assert asked(engine, "up(70)", Limits(rows=200)) == []


def test_a_bound_argument_is_looked_up_and_not_scanned() -> None:
    engine = engine_of("two(X, Z) :- edge(X, Y), edge(Y, Z).", CHAIN)
    engine.read("two")
    asked(engine, "two(5000, X)")
    limits = Limits(rows=10)

    assert asked(engine, "two(5000, X), edge(X, Y), not root(Y)", limits) == [(5002, 5003)]
    assert asked(engine, "hop(X, Y) :- two(X, Z), two(Z, Y). ?- hop(17, Y).", limits) == [(21,)]


def test_asking_leaves_nothing_behind() -> None:
    engine = engine_of(PATHS[0], {"edge": [(1, 2), (2, 3)]})
    before = {name: list(r.scan()) for name, r in engine.relations.items()}

    assert asked(engine, "own(X) :- path(1, X). ?- own(X), X > 2.") == [(3,)]
    assert {name: list(r.scan()) for name, r in engine.relations.items()} == before
    assert engine.rows("path") == ((1, 2), (2, 3), (1, 3))


def test_the_columns_of_an_answer_are_the_variables_in_order_and_its_rows_are_sorted() -> None:
    engine = engine_of("p(X, Y) :- e(Y, X).", {"e": [("b", 2), (1, "a"), ("a", 2)]})
    answer = engine.query(parse_query(Source("<query>", "p(Y, X), X != 5")))

    assert answer.columns == ("Y", "X")
    assert answer.rows == [(2, "a"), (2, "b"), ("a", 1)]


def test_a_question_without_variables_is_answered_by_one_empty_row_or_none() -> None:
    engine = engine_of("p(X) :- e(X).", {"e": [(1,)]})

    assert asked(engine, "p(1)") == [()]
    assert asked(engine, "p(2)") == []
    assert asked(engine, "not p(2)") == [()]
