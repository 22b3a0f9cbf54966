"""Formatting changes the layout and nothing else: no rule, no comment, and nothing the second time."""

from __future__ import annotations

from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_texts import rule_texts

from contextmesh.base.errors import RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import RuleText
from contextmesh.lang.format import format_rules
from contextmesh.lang.parser import sentences
from contextmesh.lang.render import render_rules
from contextmesh.lang.rules import GRAMMAR, parse_rules

GAPS = [" ", "\n", "\n\n\n", "\t", "\r\n", " % a comment\n", "\n  % on its own line\n", "%\n", "\n% one\n% two\n\n"]


@st.composite
def written_wildly(draw: st.DrawFn) -> str:
    """A text with white space and comments of any kind between its tokens."""
    text: RuleText = draw(rule_texts)
    tokens = [str(t) for run in sentences(GRAMMAR, render_rules(text), end="DOT") for t in run]
    gaps = draw(st.lists(st.sampled_from(GAPS), min_size=1, max_size=12))
    return "".join(token + gap for token, gap in zip(tokens, cycle(gaps), strict=False))


def comments(text: str) -> list[str]:
    runs = sentences(GRAMMAR, text, end="DOT", keep=("COMMENT",))
    return [str(t).rstrip() for run in runs for t in run if t.type == "COMMENT"]


@given(written_wildly())
def test_formatting_keeps_every_rule_and_comment_and_is_done_after_once(text: str) -> None:
    source = Source("<wild>", text)
    formatted = format_rules(source)
    before, after = parse_rules(source), parse_rules(Source("<formatted>", formatted))

    assert (after.declarations, after.rules) == (before.declarations, before.rules)
    assert comments(formatted) == comments(text)
    assert format_rules(Source("<again>", formatted)) == formatted


def test_a_text_gets_one_layout() -> None:
    text = (
        "%   What is reached.\n\n\n"
        "input  edge( from,to ).        % given\n"
        "relation reach(from,to).\n"
        '@step "{X} -> {Y}"  reach(X,Y):-edge(X,Y).% at once\r\n'
        "reach(X,Y):-edge(X,Z),   % a step, then\n"
        "            reach(Z,Y).  \n"
        "price(a,1).   price(b,2).\n"
        "price(c,3)."
    )

    assert format_rules(Source("<text>", text)) == (
        "%   What is reached.\n\n"
        "input edge(from, to).          % given\n"
        "relation reach(from, to).\n"
        '@step "{X} -> {Y}"\n'
        "reach(X, Y) :- edge(X, Y).                % at once\n"
        "reach(X,Y):-edge(X,Z),   % a step, then\n"
        "            reach(Z,Y).\n"
        "price(a, 1). price(b, 2).\n"
        "price(c, 3).\n"
    )


def test_a_text_that_cannot_be_read_is_not_formatted() -> None:
    with pytest.raises(RuleError):
        format_rules(Source("<text>", "p(1). q("))
