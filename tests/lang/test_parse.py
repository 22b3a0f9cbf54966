"""Any text at all is read or refused with a code, and every part knows its place."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rule_texts import anything, plain_rules

from contextmesh.base.errors import Problem, RuleError
from contextmesh.base.source import Source, render_refusal
from contextmesh.datalog.ast import At, Atom, Const, Not, Rule, Var
from contextmesh.lang.reader import MAX_DEPTH
from contextmesh.lang.render import render_rule
from contextmesh.lang.rules import MAX_PROBLEMS, MAX_TEXT, MAX_TOKENS, parse_fact, parse_query, parse_rules

CODES = {"syntax", "bad-character", "integer-range", "too-deep", "too-long"}


def codes(text: str, read: object = parse_rules) -> list[str]:
    assert callable(read)
    with pytest.raises(RuleError) as refusal:
        read(Source("<text>", text))
    assert render_refusal(refusal.value)
    return [problem.code for problem in refusal.value.problems]


@given(anything)
@example("p(1).\ud800")
@example("\ufeff")
def test_any_text_is_read_or_refused_with_codes_and_places(text: str) -> None:
    for read in (parse_rules, parse_query, parse_fact):
        try:
            read(Source("<text>", text))
        except RuleError as refusal:
            assert {problem.code for problem in refusal.problems} <= CODES | {"not-ground", "constant-kind"}
            assert len(refusal.problems) <= MAX_PROBLEMS
            assert all(problem.where is not None and problem.where.line for problem in refusal.problems)
            assert render_refusal(refusal)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("p(" + "(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1) + ").", "too-deep"),
        ("p(" + "1 - (" * 100_000, "too-long"),
        ("p(" + "(" * 40_000, "too-deep"),
        ("p(" + "1 + " * 20_000 + "1).", "too-deep"),
        ("p(X) :- q(" + "not " * 30_000 + "X).", "syntax"),
        ("p(" + "1," * MAX_TOKENS + "1).", "too-long"),
        ("p(" + "9" * 100_000 + ").", "integer-range"),
        ("p(-" + "9" * 100_000 + ").", "integer-range"),
        ("p(9223372036854775808).", "integer-range"),
        ("p(-9223372036854775809).", "integer-range"),
        ('p("' + "\\" * 99_999, "syntax"),
        ("%" * 1000 + "\np(", "syntax"),
        ("p(a). \x00", "bad-character"),
        ("p(a). % \x1b[31m", "bad-character"),
        ('p("\ud800").', "bad-character"),
        ("p(a). % \udfff", "bad-character"),
    ],
    ids=lambda part: part if len(part) < 20 else f"{part[:12]}…",
)
def test_a_hostile_text_is_refused_with_a_code(text: str, code: str) -> None:
    assert codes(text)[0] == code


@pytest.mark.parametrize("line", ["a" * 50_000_000, "p(1). " * 8_000_000], ids=["one word", "facts"])
def test_a_line_of_fifty_megabytes_is_refused_by_its_length(line: str) -> None:
    assert codes(line) == ["text-too-long"]
    assert codes(line, parse_query) == ["text-too-long"]


def test_a_text_may_be_as_long_as_the_limit() -> None:
    text = "%" + "x" * (MAX_TEXT - 2) + "\n"

    assert parse_rules(Source("<text>", text)).rules == ()


@pytest.mark.parametrize("depth", [MAX_DEPTH - 1, 1])
def test_parentheses_and_sums_may_stand_as_deep_as_the_limit(depth: int) -> None:
    nested = "p(" + "(" * depth + "1" + ")" * depth + ")."
    summed = "p(" + "1 + " * depth + "1)."

    assert parse_rules(Source("<text>", nested)).rules[0].head.terms == (Const(1),)
    assert len(parse_rules(Source("<text>", summed)).rules) == 1


@pytest.mark.parametrize("text", ["", " \t\r\n", "% only words", "%", "\ufeff", "\ufeff% words"])
def test_a_text_may_say_nothing(text: str) -> None:
    assert parse_rules(Source("<text>", text)).rules == ()


def test_a_byte_order_mark_at_the_start_is_skipped_and_not_counted() -> None:
    assert parse_rules(Source("<text>", "\ufeffp(1).")).rules[0].head == Atom("p", (Const(1),))
    with pytest.raises(RuleError) as refusal:
        parse_rules(Source("<text>", "\ufeffp(!)."))
    assert refusal.value.problem.where is not None
    assert refusal.value.problem.where.column == 3


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_comment_ends_with_its_line_however_lines_end(newline: str) -> None:
    text = parse_rules(Source("<text>", newline.join(["p(1). % one", "p(2). % two", "% three", "p(3)."])))

    assert [rule.head.terms for rule in text.rules] == [(Const(1),), (Const(2),), (Const(3),)]


def test_every_part_keeps_its_place() -> None:
    source = Source("a.dl", 'relation q(x).\n@r "w"\n  q(X + 1) :- p(X), not r("a b", _), N = count { Y : p(Y) }.\n')
    text = parse_rules(source)
    rule = text.rules[0]

    def written(part: object) -> str:
        at = getattr(part, "at", None)
        assert isinstance(at, At)
        return source.text[at.span.start : at.span.end]

    assert written(text.declarations[0]) == "relation q(x)."
    assert written(rule) == 'q(X + 1) :- p(X), not r("a b", _), N = count { Y : p(Y) }.'
    assert written(rule.head) == "q(X + 1)"
    assert [written(literal) for literal in rule.body] == ["p(X)", 'not r("a b", _)', "N = count { Y : p(Y) }"]
    assert isinstance(rule.body[1], Not)
    assert [written(term) for term in rule.body[1].atom.terms] == ['"a b"', "_"]


@given(st.lists(plain_rules, max_size=4))
def test_a_plain_rule_is_read_from_its_tokens_as_it_is_from_its_tree(written: list[Rule]) -> None:
    """A label sends a statement the long way, and changes nothing else here."""
    lines = [render_rule(rule) for rule in written]
    quick = parse_rules(Source("<quick>", "".join(f"   {line}\n" for line in lines))).rules
    slow = parse_rules(Source("<quick>", "".join(f"@a {line}\n" for line in lines))).rules

    assert [(rule.head, rule.body) for rule in quick] == [(rule.head, rule.body) for rule in slow]
    assert [(rule.head, rule.body) for rule in quick] == [(rule.head, rule.body) for rule in written]
    assert [places(rule) for rule in quick] == [places(rule) for rule in slow]


def places(rule: Rule) -> list[tuple[int, int]]:
    negated = [literal for literal in rule.body if isinstance(literal, Not)]
    atoms = [rule.head, *(part.atom if isinstance(part, Not) else part for part in rule.body)]
    terms = [term for atom in atoms if isinstance(atom, Atom) for term in atom.terms]
    ats = [getattr(part, "at", None) for part in (rule, *negated, *atoms, *terms)]
    return [(at.span.start, at.span.end) for at in ats if isinstance(at, At)]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "p(X Y Z) :- q(X).",
            "p(X) :- q(X)",
            "p(X) :- .",
            "p(X) :- q(X),.",
            "p(X) q(X).",
            "p(X), q(X).",
            "p(X) :- q(X) r(X).",
            "p().",
            "p.",
        ),
        *(
            "p(X) :- not .",
            "p(X) :- not not q(X).",
            "p(X) :- q(X",
            "p(X,) :- q(X).",
            "not p(X) :- q(X).",
            "p(X) :- q(X):- r(X).",
        ),
    ],
)
def test_what_is_nearly_a_plain_rule_is_refused_as_its_tree_is(text: str) -> None:
    with pytest.raises(RuleError) as quick:
        parse_rules(Source("<text>", f"   {text}"))
    with pytest.raises(RuleError) as slow:
        parse_rules(Source("<text>", f"@a {text}"))

    assert list(map(told, quick.value.problems)) == list(map(told, slow.value.problems))


def told(problem: Problem) -> tuple[str, int | None, int | None, int | None]:
    where = problem.where
    assert where is not None
    return problem.code, where.line, where.column, where.width


def test_a_symbol_and_a_string_are_one_value_and_a_number_is_another() -> None:
    (rule,) = parse_rules(Source("<text>", 'p(abc, "abc", 1, "1", -1).')).rules

    assert rule.head.terms == (Const("abc"), Const("abc"), Const(1), Const("1"), Const(-1))


# ---- queries and facts -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["p(X), q(X, Y)", "p(X), q(X, Y).", "?- p(X), q(X, Y)", " ?- p(X),\n q(X, Y) . % asked"]
)
def test_the_question_mark_and_the_last_full_stop_may_be_left_out(text: str) -> None:
    query = parse_query(Source("<query>", text))

    assert query.body == (Atom("p", (Var("X"),)), Atom("q", (Var("X"), Var("Y"))))
    assert query.columns == ("X", "Y")


def test_the_columns_are_the_variables_outside_braces_by_first_occurrence() -> None:
    query = parse_query(Source("<query>", "N = count { Y, Z : p(Y, Z), q(B) }, r(B, _, A), A < C, C = N"))

    assert query.columns == ("N", "B", "A", "C")


def test_a_query_may_bring_rules_and_facts_of_its_own() -> None:
    query = parse_query(Source("<query>", "near(X) :- edge(a, X). near(b). ?- near(X), not far(X)."))

    assert [rule.head.relation for rule in query.rules] == ["near", "near"]
    assert query.columns == ("X",)


def test_a_fact_is_one_atom_of_constants() -> None:
    assert parse_fact(Source("<fact>", 'fell("a b", n1).')) == Atom("fell", (Const("a b"), Const("n1")))
    assert parse_fact(Source("<fact>", "n(2 + 3 - 1)")) == Atom("n", (Const(4),))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fell(X)", "not-ground"),
        ("fell(_)", "not-ground"),
        ("fell(a), fell(b)", "syntax"),
        ("fell(a). fell(b).", "syntax"),
        ("", "syntax"),
        ("fell(a + 1)", "constant-kind"),
        ("fell(9223372036854775807 + 1)", "integer-range"),
        ("fell(a) :- p(b).", "syntax"),
    ],
)
def test_what_is_no_fact_is_refused(text: str, code: str) -> None:
    assert codes(text, parse_fact) == [code]


@given(st.sampled_from(["p(X)", "?- p(X).", "q(X) :- p(X). ?- q(X)."]), st.sampled_from(["\n", "\r\n", " ", "\t"]))
def test_white_space_of_any_kind_may_surround_a_query(text: str, space: str) -> None:
    assert parse_query(Source("<query>", space + text.replace(" ", space) + space)).columns == ("X",)


def test_single_quotes_and_double_quotes_write_the_same_text() -> None:
    double = parse_rules(Source("a", 'p("it\'s", "a\\"b").')).rules
    single = parse_rules(Source("a", "p('it\\'s', 'a\"b').")).rules

    assert single == double
