"""Every negation and aggregate has an order of evaluation, or the cycle is spelled out."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.base.errors import Problem, RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Atom, Literal, Not, Rule, RuleText, Var
from contextmesh.datalog.program import build_program
from contextmesh.datalog.strata import check_strata, stratify
from contextmesh.lang.rules import parse_rules

X = (Var("X"),)
names = st.sampled_from(["a", "b", "c", "d", "e"])
literals: st.SearchStrategy[Literal] = st.one_of(
    st.builds(Atom, names, st.just(X)), st.builds(Not, st.builds(Atom, names, st.just(X)))
)
graphs = st.lists(st.builds(Rule, st.builds(Atom, names, st.just(X)), st.tuples(literals, literals)), max_size=9)


def problems(text: str) -> list[Problem]:
    with pytest.raises(RuleError) as refusal:
        build_program([parse_rules(Source("<text>", text))], standalone=True)
    return list(refusal.value.problems)


def cycles(text: str) -> list[object]:
    return [dict(problem.fields)["cycle"] for problem in problems(text)]


def reads(rule: Rule) -> list[tuple[str, bool]]:
    found = []
    for literal in rule.body:
        assert isinstance(literal, Atom | Not)
        found.append((literal.atom.relation, True) if isinstance(literal, Not) else (literal.relation, False))
    return found


@given(graphs)
def test_rules_are_stratified_exactly_when_no_cycle_has_a_negation(rules: list[Rule]) -> None:
    """The other side is worked out by brute force: a closure of who reads whom."""
    edges = {(rule.head.relation, name) for rule in rules for name, _ in reads(rule)}
    closure = set(edges)
    for _ in range(5):
        closure |= {(a, d) for a, b in closure for c, d in closure if b == c}
    negated = [(rule.head.relation, name) for rule in rules for name, negative in reads(rule) if negative]
    looped = any(name == head or (name, head) in closure for head, name in negated)

    assert bool(check_strata(rules)) == looped


@given(graphs)
def test_each_stratum_reads_only_finished_relations_where_it_negates(rules: list[Rule]) -> None:
    if check_strata(rules):
        return
    place = {name: i for i, stratum in enumerate(stratify(rules)) for name in stratum.relations}
    for i, stratum in enumerate(stratify(rules)):
        for rule in stratum.rules:
            assert all(place.get(name, -1) <= i - negative for name, negative in reads(rule))
    assert sorted(map(str, rules)) == sorted(str(rule) for stratum in stratify(rules) for rule in stratum.rules)


@given(graphs)
def test_a_told_cycle_is_made_of_the_rules(rules: list[Rule]) -> None:
    written = {(rule.head.relation, name, negative) for rule in rules for name, negative in reads(rule)}
    for problem in check_strata(rules):
        steps = str(dict(problem.fields)["cycle"]).split(" -> ")
        assert steps[0] == steps[-1] == problem.subject
        at = 0
        while at < len(steps) - 1:
            negative = steps[at + 1].startswith("not ")
            to = steps[at + 1].removeprefix("not ")
            assert (steps[at], to, negative) in written
            at += 2 if negative else 1


def test_the_absence_of_each_other_is_spelled_with_both_literals_shown() -> None:
    text = "ok(X) :- task(X), not held(X).\nheld(X) :- needs(X, Y), not ok(Y)."
    (problem,) = problems(text)

    assert dict(problem.fields)["cycle"] == "ok -> not held -> held -> not ok -> ok"
    assert problem.where is not None
    assert [(w.line, w.column, w.width) for w in (problem.where, *problem.also)] == [(1, 19, 11), (2, 25, 9)]


def test_a_cycle_through_an_aggregate_names_the_aggregate() -> None:
    assert cycles("p(1). a(X) :- p(X). a(N) :- b(N). b(N) :- N = max { X : a(X) }.") == ["b -> max over a -> a -> b"]


def test_of_two_ways_back_the_shortest_is_told() -> None:
    text = "p(1). a(X) :- p(X), not d(X). d(X) :- c(X). c(X) :- b(X). b(X) :- a(X). d(X) :- a(X)."

    assert cycles(text) == ["a -> not d -> d -> a"]


def test_each_negation_that_is_on_no_told_cycle_is_told_too() -> None:
    assert cycles("p(1). a(X) :- p(X), not b(X), not c(X). b(X) :- a(X). c(X) :- a(X).") == [
        "a -> not b -> b -> a",
        "a -> not c -> c -> a",
    ]


def test_a_cycle_tells_of_as_many_negations_as_its_length_allows() -> None:
    text = "p(1). a(X) :- p(X), not b(X). b(X) :- a(X). b(X) :- p(X), not a(X)."

    assert cycles(text) == ["a -> not b -> b -> not a -> a"]


def test_the_order_of_rules_never_decides_whether_a_program_is_stratified() -> None:
    text = "live(X) :- claim(X). dead(X) :- struck(X). stands(X) :- live(X), not dead(X). shown(X) :- stands(X)."
    rules = parse_rules(Source("<text>", text)).rules
    for order in permutations(rules):
        strata = build_program([RuleText(Source("<text>", ""), (), order)], standalone=True).strata
        place = {name: i for i, stratum in enumerate(strata) for name in stratum.relations}
        assert max(place["live"], place["dead"]) < place["stands"] < place["shown"]
