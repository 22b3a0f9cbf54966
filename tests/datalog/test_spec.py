"""The definition, held to what it says by other means: brute force, and laws that any meaning of rules must keep."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.ast import Row
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_rules

pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14)


def evaluated(text: str, **facts: list[Row]) -> dict[str, dict[Row, None]]:
    program = build_program([parse_rules(Source("<text>", text))], standalone=True, facts=facts)
    return spec.evaluate(program, facts)


def closure(edges: list[tuple[int, int]]) -> set[Row]:
    reach = set(edges)
    for _ in range(6):
        reach |= {(a, d) for a, b in reach for c, d in reach if b == c}
    return set(reach)


@given(pairs)
def test_reachability_is_the_transitive_closure(edges: list[tuple[int, int]]) -> None:
    rows = evaluated(
        "reach(X, Y) :- edge(X, Y). reach(X, Y) :- edge(X, Z), reach(Z, Y).apart(X, Y) :- n(X), n(Y), not reach(X, Y).",
        edge=list(edges),
        n=[(i,) for i in range(6)],
    )

    assert set(rows["reach"]) == closure(edges)
    assert set(rows["apart"]) == set(product(range(6), repeat=2)) - closure(edges)


@given(pairs)
def test_aggregates_summarise_distinct_tuples_by_group(edges: list[tuple[int, int]]) -> None:
    rows = evaluated(
        "s(X, C, S) :- n(X), C = count { Y : edge(X, Y) }, S = sum { Y : edge(X, Y) }."
        "m(X, L, H) :- n(X), L = min { Y : edge(X, Y) }, H = max { Y : edge(X, Y) }.",
        edge=list(edges),
        n=[(i,) for i in range(6)],
    )
    group = {x: {b for a, b in edges if a == x} for x in range(6)}

    assert set(rows["s"]) == {(x, len(g), sum(g)) for x, g in group.items()}
    assert set(rows["m"]) == {(x, min(g), max(g)) for x, g in group.items() if g}


@given(pairs, pairs)
def test_more_facts_never_take_away_what_rules_without_negation_conclude(
    few: list[tuple[int, int]], more: list[tuple[int, int]]
) -> None:
    text = "reach(X, Y) :- edge(X, Y). reach(X, Y) :- reach(X, Z), reach(Z, Y). two(X) :- reach(X, Y), X != Y, Y > 1."
    small, large = evaluated(text, edge=list(few)), evaluated(text, edge=[*few, *more])

    assert all(set(small[name]) <= set(large[name]) for name in ("reach", "two"))


@given(pairs)
def test_what_is_concluded_is_a_model_and_concluding_again_adds_nothing(edges: list[tuple[int, int]]) -> None:
    text = "reach(X, Y) :- edge(X, Y). reach(X, Y) :- reach(X, Z), edge(Z, Y)."
    first = evaluated(text, edge=list(edges))
    again = evaluated(text, edge=list(edges), reach=list(first["reach"]))

    assert set(again["reach"]) == set(first["reach"])


def test_rows_stand_in_the_order_in_which_they_were_found() -> None:
    rows = evaluated("p(c). p(a). p(b). q(X) :- p(X). q(z).")

    assert list(rows["p"]) == [("c",), ("a",), ("b",)]
    assert list(rows["q"]) == [("z",), ("c",), ("a",), ("b",)]


def test_every_relation_of_the_program_is_in_the_result_even_when_it_is_empty() -> None:
    assert evaluated("q(X) :- p(X).") == {"q": {}, "p": {}}
