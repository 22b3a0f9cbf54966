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


def test_the_literals_of_a_long_rule_fill_lines_behind_its_head() -> None:
    line = "reach(From, To) :- " + ", ".join(f"step(From, To, number_{i})" for i in range(6)) + "."
    text = parse_rules(Source("<long>", line))

    assert render_rules(text) == (
        "reach(From, To) :- step(From, To, number_0), step(From, To, number_1), step(From, To, number_2),\n"
        "                   step(From, To, number_3), step(From, To, number_4), step(From, To, number_5).\n"
    )


def test_behind_a_very_long_head_the_literals_stand_four_spaces_in() -> None:
    head = f"reach({', '.join(f'Column{i}' for i in range(9))})"
    text = parse_rules(Source("<long>", f"{head} :- {', '.join(['step(Column0, Column1)'] * 3)}."))

    assert render_rules(text) == (
        f"{head} :- step(Column0, Column1),\n    step(Column0, Column1), step(Column0, Column1).\n"
    )
