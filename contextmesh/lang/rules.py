"""Rules, queries and facts from text: the tree of grammar/rules.lark becomes datalog.ast."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from contextmesh.base.errors import Problem, RuleError, Where
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Atom, Const, Declaration, Literal, Query, RuleText
from contextmesh.datalog.fold import ground, place
from contextmesh.datalog.safety import outer_variables
from contextmesh.lang.parser import Fault, parse_tokens, sentences, span_of
from contextmesh.lang.reader import MAX_DEPTH, Bad, Reader
from contextmesh.lang.syntax import character_problem, syntax_problem

if TYPE_CHECKING:
    from lark import Token

    from contextmesh.lang.parser import Node

GRAMMAR = "rules.lark"
MAX_TEXT = 4 * 1024 * 1024
"""Characters of one text."""
MAX_TOKENS = 50_000
"""Words and signs of one statement."""
MAX_PROBLEMS = 20
"""Problems of one text that are told; a text with more is not a rules text."""

_BAD_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_BYTE_ORDER_MARK = "\ufeff"


def parse_rules(source: Source) -> RuleText:
    """Declarations, rules and facts in the order written.

    A byte order mark at the start is skipped, and places are counted without it.

    Raises:
        RuleError: every problem of the text, at most 20 (codes ``syntax``, ``bad-character``, ``text-too-long``,
            ``too-deep``, ``too-long``, ``integer-range``).
    """
    source = checked_source(source)
    reader = Reader(source)
    for tokens in statements(source, reader.problems):
        if reader.plain(tokens):
            continue
        tree = sentence_tree(source, "statement", tokens, reader.problems)
        if tree is not None:
            reader.statement(tree)
        if len(reader.problems) >= MAX_PROBLEMS:
            break
    refuse(reader.problems)
    return RuleText(source, tuple(reader.declarations), tuple(reader.rules))


def parse_query(source: Source) -> Query:
    """A body, or rules of its own followed by ``?- body.``; the last full stop may be left out.

    Raises:
        RuleError: as parse_rules.
    """
    source = checked_source(source)
    reader = Reader(source)
    runs = list(statements(source, reader.problems))
    local, goal = runs[:-1], runs[-1] if runs else []
    for tokens in local:
        tree = sentence_tree(source, "statement", tokens, reader.problems, query=True)
        if tree is not None:
            reader.statement(tree)
        if len(reader.problems) >= MAX_PROBLEMS:
            break
    reader.problems += [_declared(declaration) for declaration in reader.declarations]
    body: tuple[Literal, ...] = ()
    if not local or goal[0].type == "GOAL":
        tree = sentence_tree(source, "goal", goal, reader.problems, query=True)
        body = reader.goal(tree) if tree is not None else ()
    elif not reader.problems:
        message = "a query with rules of its own ends with the question: `?- body.`"
        reader.problems.append(Problem("syntax", message, where=source.where(span_of(goal[0]))))
    refuse(reader.problems)
    return Query(source, body, outer_variables(body), tuple(reader.rules))


def parse_fact(source: Source) -> Atom:
    """One atom of constants; sums are worked out, the full stop may be left out.

    Raises:
        RuleError: as parse_rules, and ``not-ground`` for a variable or a wildcard.
    """
    source = checked_source(source)
    reader = Reader(source)
    runs = list(statements(source, reader.problems))
    tree = sentence_tree(source, "fact", [token for run in runs for token in run], reader.problems)
    atom = reader.fact(tree) if tree is not None else None
    refuse(reader.problems)
    assert atom is not None
    return Atom(atom.relation, tuple(Const(value) for value in ground(atom)), atom.at)


def statements(source: Source, problems: list[Problem]) -> Iterator[list[Token]]:
    """The statements of a text; a monstrous one is a problem more, and the last."""
    for tokens in sentences(GRAMMAR, source.text, end="DOT", most=MAX_TOKENS):
        if len(tokens) > MAX_TOKENS:
            message = f"a statement of more than {MAX_TOKENS} words and signs starts here"
            problems.append(Problem("too-long", message, where=source.where(span_of(tokens[0]))))
            return
        yield tokens


def checked_source(source: Source) -> Source:
    """The source without a byte order mark, when it is short enough and made of characters a rules text may hold."""
    text = source.text
    if len(text) > MAX_TEXT:
        message = f"the text has {len(text)} characters, more than the {MAX_TEXT} a rules text may have"
        fields = (("characters", len(text)), ("limit", MAX_TEXT))
        hint = "facts in bulk belong in files of tab-separated values"
        where = Where(source.name)
        raise RuleError(Problem("text-too-long", message, subject=source.name, fields=fields, where=where, hint=hint))
    if text.startswith(_BYTE_ORDER_MARK):
        source = Source(source.name, text[1:])
    found = [match.start() for _, match in zip(range(MAX_PROBLEMS), _BAD_CHARACTER.finditer(source.text), strict=False)]
    refuse([character_problem(source, at) for at in found])
    return source


def sentence_tree(
    source: Source, start: str, tokens: Sequence[Token], problems: list[Problem], *, query: bool = False
) -> Node | None:
    """The tree of one sentence, or a problem more. ``query``: the sentence stands in a query, for the words."""
    depth = 0
    for token in tokens:
        depth += (token.type in ("LPAR", "LBRACE")) - (token.type in ("RPAR", "RBRACE"))
        if depth > MAX_DEPTH:
            problems.append(Bad.too_deep(source, span_of(token)).problem)
            return None
    tree = parse_tokens(GRAMMAR, start, tokens)
    if isinstance(tree, Fault):
        problems.append(syntax_problem(source, tree, query=query))
        return None
    return tree


def _declared(declaration: Declaration) -> Problem:
    return Problem("syntax", "a query has rules, never declarations", where=place(declaration.at))


def refuse(problems: Sequence[Problem]) -> None:
    if len(problems) >= MAX_PROBLEMS:
        note = f"reading stopped here: {MAX_PROBLEMS} problems are told at once"
        raise RuleError(*problems[: MAX_PROBLEMS - 1], replace(problems[MAX_PROBLEMS - 1], note=note))
    if problems:
        raise RuleError(*problems)
