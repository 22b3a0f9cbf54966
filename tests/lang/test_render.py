"""What is rendered is read back as it was."""

from __future__ import annotations

from hypothesis import given
from rule_texts import queries, rule_texts

from contextmesh.base.source import Source
from contextmesh.datalog.ast import Query, RuleText
from contextmesh.lang.render import render_query, render_rules
from contextmesh.lang.rules import parse_query, parse_rules


@given(rule_texts)
def test_a_rendered_text_is_read_back_as_it_was(text: RuleText) -> None:
    read = parse_rules(Source("<rendered>", render_rules(text)))

    assert (read.declarations, read.rules) == (text.declarations, text.rules)


@given(queries)
def test_a_rendered_query_is_read_back_as_it_was(query: Query) -> None:
    read = parse_query(Source("<rendered>", render_query(query)))

    assert (read.body, read.columns, read.rules) == (query.body, query.columns, query.rules)


def test_a_long_rule_has_a_literal_a_line() -> None:
    line = "reach(From, To) :- " + ", ".join(f"step(From, To, number_{i})" for i in range(4)) + "."
    text = parse_rules(Source("<long>", line))

    assert render_rules(text) == (
        "reach(From, To) :-\n"
        "    step(From, To, number_0),\n"
        "    step(From, To, number_1),\n"
        "    step(From, To, number_2),\n"
        "    step(From, To, number_3).\n"
    )
