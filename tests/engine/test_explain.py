"""A row that holds has a shortest derivation made of rows that hold; a row that does not is told where rules fail."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import facts_for, programs

from contextmesh.base.source import Source
from contextmesh.datalog.ast import Atom, Compared, Const, Not, Row, Wildcard
from contextmesh.datalog.engine import Derivation, Engine, Limits
from contextmesh.datalog.program import build_program
from contextmesh.datalog.solve import Fit
from contextmesh.lang.rules import parse_rules

SLOW = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
Fact = tuple[str, Row]


def engine_of(rules: str, facts: Mapping[str, list[Row]], limits: Limits | None = None) -> Engine:
    program = build_program([parse_rules(Source("r.dl", rules))], standalone=True, facts=facts)
    return Engine(program, facts, limits=limits)


def nodes(top: Derivation) -> list[Derivation]:
    """Each once, premises after what stands on them."""
    found: dict[int, Derivation] = {}
    todo = [top]
    for one in todo:
        if id(one) not in found:
            found[id(one)] = one
            todo += one.premises
    return list(found.values())


def heights(engine: Engine) -> dict[Fact, int]:
    """The least height of every row, by trying every instance of every rule until nothing gets lower."""
    meter = Limits().meter()
    known: dict[Fact, int] = {}
    ways: list[tuple[Fact, list[Fact]]] = []
    for name, place in engine.program.stratum_of.items():
        for row in engine.rows(name):
            if place < 0:
                known[name, row] = 0
            for rule in engine.program.rules:
                if rule.head.relation == name:
                    for _, rows in Fit(rule, row, engine.match, meter).solutions():
                        parts = [(p.relation, rows[id(p)]) for p in rule.body if isinstance(p, Atom)]
                        ways.append(((name, row), parts))
    lower = True
    while lower:
        lower = False
        for fact, parts in ways:
            if all(part in known for part in parts):
                height = 1 + max((known[part] for part in parts), default=0)
                if height < known.get(fact, height + 1):
                    known[fact] = height
                    lower = True
    return known


def height(top: Derivation) -> int:
    found: dict[int, int] = {}
    for one in reversed(sorted_by_need(top)):
        found[id(one)] = 0 if one.rule is None else 1 + max((found[id(p)] for p in one.premises), default=0)
    return found[id(top)]


def sorted_by_need(top: Derivation) -> list[Derivation]:
    order: dict[int, Derivation] = {}
    stack: list[tuple[Derivation, bool]] = [(top, False)]
    while stack:
        one, done = stack.pop()
        if done:
            order[id(one)] = one
        elif id(one) not in order:
            stack.append((one, True))
            stack += [(premise, False) for premise in one.premises]
    return list(order.values())[::-1]


@SLOW
@given(st.data())
def test_a_derivation_is_an_instance_of_rules_over_rows_that_hold_and_none_is_lower(data: st.DataObject) -> None:
    program = data.draw(programs(6))
    engine = Engine(program, data.draw(facts_for(program)))
    least = heights(engine)
    for name in program.declarations:
        for row in engine.rows(name)[:3]:
            top = engine.explain(name, row)

            assert top is not None
            assert (top.relation, top.row) == (name, row)
            assert height(top) == least[name, row]
            for one in nodes(top):
                assert engine.holds(one.relation, one.row)
                check_instance(engine, one)


def check_instance(engine: Engine, one: Derivation) -> None:
    if one.rule is None:
        assert engine.program.stratum_of[one.relation] < 0
        return
    atoms = [part for part in one.rule.body if isinstance(part, Atom)]
    assert [p.relation for p in one.premises] == [a.relation for a in atoms]
    values: dict[str, Any] = dict(one.binding)
    for atom, premise in zip(atoms, one.premises, strict=True):
        for term, value in zip(atom.terms, premise.row, strict=True):
            assert not isinstance(term, Const) or term.value == value
            assert not hasattr(term, "name") or values[term.name] == value
    assert len(one.absent) == sum(isinstance(part, Not) for part in one.rule.body)
    for atom in one.absent:
        pattern = [t.value if isinstance(t, Const) else None for t in atom.terms]
        assert not engine.match(atom.relation, pattern)


@SLOW
@given(st.data())
def test_a_row_that_does_not_hold_has_no_derivation_and_one_failure_for_each_rule(data: st.DataObject) -> None:
    program = data.draw(programs(6))
    engine = Engine(program, data.draw(facts_for(program)))
    for name, declaration in program.declarations.items():
        row = tuple(data.draw(st.sampled_from([0, 1, 2, "a"])) for _ in declaration.columns)
        rules = [rule for rule in program.rules if rule.head.relation == name]
        if engine.holds(name, row):
            assert engine.why_not(name, row) == ()
        else:
            assert engine.explain(name, row) is None
            assert [failure.rule for failure in engine.why_not(name, row)] == rules
            assert all(f.literal is None or f.literal in f.rule.body for f in engine.why_not(name, row))


CHAIN = """
    @first "{X} comes first"
    reached(X) :- root(X).
    @next "{Y} <- {X}"
    reached(Y) :- reached(X), edge(X, Y).
"""


def test_a_chain_of_ten_thousand_is_explained_without_recursion_and_in_linear_memory() -> None:
    stopped = Limits(clock=lambda: 0.0)  # so that a busy machine decides nothing

    def cost(length: int) -> int:
        engine = engine_of(CHAIN, {"root": [(0,)], "edge": [(i, i + 1) for i in range(length)]})
        engine.rows("reached")
        tracemalloc.start()
        top = engine.explain("reached", (length,), stopped)
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert top is not None
        assert len(nodes(top)) == 2 * length + 2
        return size

    assert cost(10_000) < 12 * cost(1000)


def test_a_value_that_looks_like_a_place_in_the_words_is_shown_as_it_is() -> None:
    engine = engine_of('@said "{X} beside {Y}"\npair(X, Y) :- given(X, Y).', {"given": [("{Y}", "b")]})
    top = engine.explain("pair", ("{Y}", "b"))

    assert top is not None
    assert top.words == "{Y} beside b"


def test_a_cycle_never_explains_itself() -> None:
    engine = engine_of(CHAIN, {"root": [(1,)], "edge": [(1, 2), (2, 3), (3, 1), (3, 2)]})
    top = engine.explain("reached", (1,))
    three = engine.explain("reached", (3,))

    assert top is not None
    assert top.words == "1 comes first"
    assert three is not None
    assert [one.words for one in nodes(three) if one.words] == ["3 <- 2", "2 <- 1", "1 comes first"]


def test_of_two_derivations_as_short_the_rows_that_came_first_win() -> None:
    engine = engine_of(CHAIN, {"root": [(1,), (2,)], "edge": [(2, 3), (1, 3)]})
    engine.rows("reached")
    top = engine.explain("reached", (3,))

    assert top is not None
    assert top.binding == {"X": 2, "Y": 3}


def test_absent_rows_are_shown_with_what_stays_open() -> None:
    engine = engine_of("free(X) :- n(X), not e(X, _), not b(X, 1).", {"n": [(1,)], "e": [(2, 3)], "b": []})
    top = engine.explain("free", (1,))

    assert top is not None
    assert top.absent == (Atom("e", (Const(1), Wildcard())), Atom("b", (Const(1), Const(1))))


def test_a_result_of_an_aggregate_stands_in_the_binding() -> None:
    engine = engine_of("size(X, N) :- n(X), N = count { Y : e(X, Y) }.", {"n": [(1,)], "e": [(1, 5), (1, 6)]})
    top = engine.explain("size", (1, 2))

    assert top is not None
    assert top.binding == {"X": 1, "N": 2}
    assert [(p.relation, p.row) for p in top.premises] == [("n", (1,))]


def test_a_given_row_of_a_derived_relation_is_its_own_reason() -> None:
    engine = engine_of("p(X) :- n(X). p(7).", {"n": [(1,)]})
    seven, one = engine.explain("p", (7,)), engine.explain("p", (1,))

    assert seven is not None
    assert seven.rule is None
    assert one is not None
    assert one.rule is not None


def test_why_not_names_the_first_literal_that_fails_and_what_was_known_then() -> None:
    engine = engine_of("p(X, Y) :- e(X, Z), e(Z, Y), X < Y. p(3, 3) :- e(3, 3).", {"e": [(1, 2), (2, 0), (2, 1)]})
    steps, fixed = engine.why_not("p", (1, 0))
    compared = Compared("<", steps.rule.body[2].left, steps.rule.body[2].right)  # type: ignore[union-attr]

    assert steps.literal == compared
    assert steps.binding == {"X": 1, "Y": 0}
    assert fixed.literal is None
    missing = engine.why_not("p", (1, 7))[0]
    assert missing.literal in missing.rule.body[:2]
