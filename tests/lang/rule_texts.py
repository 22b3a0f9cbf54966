"""Generated rules texts: any tree the grammar can write (safe or not), and any characters at all."""

from __future__ import annotations

from hypothesis import strategies as st

from contextmesh.base.source import Source
from contextmesh.datalog.ast import (
    Aggregate,
    Atom,
    Compared,
    Const,
    Declaration,
    Label,
    Literal,
    Not,
    Query,
    Rule,
    RuleText,
    Sum,
    Term,
    Var,
    Wildcard,
)
from contextmesh.datalog.limits import WHOLE_MAX, WHOLE_MIN
from contextmesh.datalog.safety import outer_variables

NOWHERE = Source("<generated>", "")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.one_of(
    st.sampled_from(["p", "q", "edge", "input", "relation", "output", "count", "min", "notable", "not_x"]),
    st.from_regex(r"[a-z][A-Za-z0-9_]{0,6}", fullmatch=True).filter(lambda name: name != "not"),
)
variables = st.one_of(
    st.sampled_from(["X", "Y", "Z", "_X"]), st.from_regex(r"[A-Z][A-Za-z0-9_]{0,4}|_[A-Za-z0-9_]{1,4}", fullmatch=True)
).map(Var)
wholes = st.one_of(st.integers(-9, 9), st.integers(WHOLE_MIN, WHOLE_MAX), st.sampled_from([WHOLE_MIN, WHOLE_MAX]))
constants = st.one_of(names, texts, wholes, st.sampled_from(["not", "", "007", '"', "\\", "a\nb", "\u2028"])).map(Const)
terms: st.SearchStrategy[Term] = st.recursive(
    st.one_of(variables, constants, st.just(Wildcard())),
    lambda inner: st.builds(Sum, st.sampled_from(["+", "-"]), inner, inner),
    max_leaves=6,
)
atoms = st.builds(Atom, names, st.lists(terms, min_size=1, max_size=4).map(tuple))
comparisons = st.builds(Compared, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), terms, terms)
simple: st.SearchStrategy[Literal] = st.one_of(atoms, st.builds(Not, atoms), comparisons)
aggregates = st.one_of(
    st.builds(
        Aggregate,
        st.sampled_from(["count", "sum"]),
        terms,
        st.lists(terms, min_size=1, max_size=3).map(tuple),
        st.lists(simple, min_size=1, max_size=3).map(tuple),
    ),
    st.builds(
        Aggregate,
        st.sampled_from(["min", "max"]),
        terms,
        st.tuples(terms),
        st.lists(simple, min_size=1, max_size=3).map(tuple),
    ),
)
literals: st.SearchStrategy[Literal] = st.one_of(simple, aggregates)
labels = st.builds(Label, names, st.none() | texts)
rules = st.builds(Rule, atoms, st.lists(literals, max_size=4).map(tuple), st.none() | labels)
declarations = st.builds(
    Declaration,
    st.sampled_from(["input", "relation", "output"]),
    names,
    st.lists(names, min_size=1, max_size=4, unique=True).map(tuple),
)
rule_texts = st.builds(
    RuleText,
    st.just(NOWHERE),
    st.lists(declarations, max_size=3).map(tuple),
    st.lists(rules, max_size=3).map(tuple),
)
plain_atoms = st.builds(
    Atom, names, st.lists(st.one_of(variables, constants, st.just(Wildcard())), min_size=1, max_size=4).map(tuple)
)
plain_bodies = st.lists(st.one_of(plain_atoms, st.builds(Not, plain_atoms)), max_size=4).map(tuple)
plain_rules = st.builds(Rule, plain_atoms, plain_bodies)


def query_of(body: tuple[Literal, ...], own: tuple[Rule, ...]) -> Query:
    return Query(NOWHERE, body, outer_variables(body), own)


queries = st.builds(
    query_of, st.lists(literals, min_size=1, max_size=3).map(tuple), st.lists(rules, max_size=2).map(tuple)
)

WORDS = [
    *("p", "q(X)", "X", "_", "not", "count", "input", "relation", "@a", ":-", "?-", "(", ")", "{", "}", ",", ".", ":"),
    *('"a"', '"', "\\", "1", "-", "+", "=", "!=", "<", "%", "\n", "\r\n", "\r", "\t", "\x00", "\ufeff", "\ud800", "é"),
    *("99999999999999999999", "1.5", "==", "!", "#", "p(1).", "q(X) :- p(X).", "\u2028"),
]
anything = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
"""Any text, and texts made of words that are nearly a program."""
