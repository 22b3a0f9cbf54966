"""A program is checked rules in strata; a query is checked against it and never changes it."""

from __future__ import annotations

import pytest

from contextmesh.base.errors import RuleError
from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.ast import Atom, Const, Rule, RuleText, Var
from contextmesh.datalog.program import GOAL, Program, build_program
from contextmesh.lang.rules import parse_query, parse_rules

TEXT = """
input edge(from, to).
relation reach(from, to).
relation apart(from, to).
output lonely(id).
relation price(type, cents).
price(a, 1 + 1). price(b, 3). price(a, 2).
lonely(X) :- edge(X, _), not reach(X, X).
reach(X, Y) :- edge(X, Y).
reach(X, Y) :- reach(X, Z), edge(Z, Y).
apart(X, Y) :- edge(X, _), edge(_, Y), not reach(X, Y).
"""


def program(*texts: str, standalone: bool = False) -> Program:
    return build_program([parse_rules(Source(f"{i}.dl", t)) for i, t in enumerate(texts)], standalone=standalone)


def refused(*texts: str, standalone: bool = False) -> list[tuple[str, str | None]]:
    with pytest.raises(RuleError) as refusal:
        program(*texts, standalone=standalone)
    return [(problem.code, str(problem.where) if problem.where else None) for problem in refusal.value.problems]


def test_rules_and_facts_are_kept_apart_and_sums_of_facts_are_worked_out() -> None:
    built = program(TEXT)

    assert [rule.head.relation for rule in built.rules] == ["lonely", "reach", "reach", "apart"]
    assert built.facts == (("price", ("a", 2)), ("price", ("b", 3)))


def test_a_stratum_comes_after_those_it_reads_and_says_whether_it_is_recursive() -> None:
    built = program(TEXT)

    assert [(s.relations, s.recursive, len(s.rules)) for s in built.strata] == [
        (("reach",), True, 2),
        (("lonely",), False, 1),
        (("apart",), False, 1),
    ]
    assert built.stratum_of == {"edge": -1, "reach": 0, "lonely": 1, "apart": 2, "price": -1}


def test_relations_that_need_each_other_share_a_stratum() -> None:
    text = "p(1). a(X) :- p(X). b(X) :- a(X). a(X) :- b(X). c(X) :- b(X), not d(X). d(X) :- p(X)."
    built = program(text, standalone=True)

    assert [sorted(s.relations) for s in built.strata] == [["a", "b"], ["d"], ["c"]]


def test_a_chain_of_a_thousand_relations_is_stratified_without_recursion() -> None:
    text = "r0(1). " + " ".join(f"r{i + 1}(X) :- r{i}(X)." for i in range(1_000))

    assert len(program(text, standalone=True).strata) == 1_000


def test_several_texts_make_one_program() -> None:
    built = program("input p(x).", "relation q(x). q(X) :- p(X).")

    assert list(built.declarations) == ["p", "q"]


def test_problems_are_told_by_text_and_place() -> None:
    assert refused("relation b(x). b(X) :- c(X).", "relation a(x).\na(X) :- d(X).\na(Y) :- b(X). a(X, X) :- b(X).") == [
        ("unknown-relation", "0.dl:1:24"),
        ("unknown-relation", "1.dl:2:9"),
        ("unsafe-variable", "1.dl:3:3"),
        ("arity", "1.dl:3:15"),
    ]


def test_every_relation_must_be_declared_unless_the_program_stands_alone() -> None:
    text = "q(X) :- p(X)."

    assert [code for code, _ in refused(text)] == ["unknown-relation", "unknown-relation"]
    alone = program(text, standalone=True)
    assert {d.name: d.kind for d in alone.declarations.values()} == {"q": "relation", "p": "input"}


def test_a_relation_that_is_only_given_exists() -> None:
    texts = [parse_rules(Source("q.dl", "q(1)."))]
    built = build_program(texts, standalone=True, facts={"p": [(1, 2)], "none": []})

    assert {name: len(d.columns) for name, d in built.declarations.items()} == {"p": 2, "none": 0, "q": 1}


def test_given_facts_are_checked_and_are_no_part_of_the_program() -> None:
    texts = [parse_rules(Source("q.dl", "q(X) :- p(X)."))]

    assert build_program(texts, standalone=True, facts={"p": [(1,)]}).facts == ()
    with pytest.raises(RuleError, match="a given fact of p has 2 columns, and p has 1 column"):
        build_program(texts, standalone=True, facts={"p": [(1,), (1, 2)]})


def test_a_tree_built_by_hand_is_checked_like_a_text() -> None:
    unsafe = Rule(Atom("q", (Var("X"),)), (Atom("p", (Const(1),)),))
    with pytest.raises(RuleError) as refusal:
        build_program([RuleText(Source("<hand>", ""), (), (unsafe,))], standalone=True)

    assert (refusal.value.code, refusal.value.problem.where) == ("unsafe-variable", None)


# ---- queries ---------------------------------------------------------------------------------


def test_a_query_adds_its_rules_and_its_goal_after_all_strata() -> None:
    built = program(TEXT)
    asked = built.with_query(parse_query(Source("<query>", "far(X) :- apart(X, _). far(z). ?- far(X), not lonely(X).")))

    assert asked.strata[: len(built.strata)] == built.strata
    assert [s.relations for s in asked.strata[len(built.strata) :]] == [("far",), (GOAL,)]
    assert asked.declarations[GOAL].columns == ("X",)
    assert asked.facts == (*built.facts, ("far", ("z",)))
    assert asked.stratum_of["far"] == 3
    assert GOAL not in built.declarations


def test_a_question_without_variables_is_answered_by_one_empty_row_or_none() -> None:
    built = program(TEXT)
    facts = {"edge": [("a", "b")]}

    assert spec.answer(built, parse_query(Source("<query>", "reach(a, b), 1 < 2")), facts) == [()]
    assert spec.answer(built, parse_query(Source("<query>", "reach(b, a)")), facts) == []


def test_the_rows_of_an_answer_are_distinct_and_sorted_numbers_first() -> None:
    built = program('p(b). p(10). p("9"). p(2). p(2).', standalone=True)

    assert spec.answer(built, parse_query(Source("<query>", "p(X)")), {}) == [(2,), (10,), ("9",), ("b",)]


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("reach(X, Y, Z)", ["arity"]),
        ("raech(X, Y)", ["unknown-relation"]),
        ("reach(X, Y), not apart(Y, Z)", ["unsafe-variable"]),
        ("reach(X, Y), _ = X", ["unsafe-variable"]),
        ("reach(X, Y) :- edge(Y, X). ?- reach(X, Y).", ["standing-relation"]),
        ("edge(a, b). ?- edge(X, Y).", ["standing-relation"]),
        ("mine(X) :- edge(X, _), not mine(X). ?- mine(X).", ["not-stratified"]),
        ('price(T, "2")', ["constant-kind"]),
        ("price(T, P), P + x > 1", ["constant-kind"]),
        ("mine(1). mine(1, 2). ?- mine(X).", ["arity"]),
    ],
)
def test_a_query_is_refused_like_a_program(query: str, codes: list[str]) -> None:
    with pytest.raises(RuleError) as refusal:
        program(TEXT).with_query(parse_query(Source("<query>", query)))

    assert [problem.code for problem in refusal.value.problems] == codes
