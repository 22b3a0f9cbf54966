"""Statements of plain atoms read straight from their tokens: as the grammar's tree would be read, without making it.

Most of a long text is such facts, and most small programs are such rules; making their trees takes most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from contextmesh.base.source import Source, Span
from contextmesh.datalog.ast import At, Atom, Const, Not, Rule, Term, Value, Var, Wildcard

if TYPE_CHECKING:
    from lark import Token

SURE_DIGITS = 18
"""A whole number of no more digits is in range."""

_CONSTANT: dict[str, Callable[[str], Value]] = {"NAME": str, "INT": int, "STRING": lambda quoted: quoted[1:-1]}


def plain_rule(source: Source, tokens: Sequence[Token], *, literals: int, columns: int) -> Rule | None:
    """The rule or fact ``head :- literal, …`` of one statement, or None: then its tree says what it is.

    A literal is an atom or ``not`` and one, of at most so many columns; a term is a variable, a wildcard, a short whole
    number, a symbol, or a text without escapes. There are at most so many literals.
    """
    body: list[Atom | Not] = []
    read = _atom(source, tokens, 0, columns)
    if read is None:
        return None
    head, at = read
    follows = "IF"
    while at < len(tokens) - 1:
        if tokens[at].type != follows:
            return None
        follows = "COMMA"
        negated = tokens[at + 1].type == "NOT" and at + 2 < len(tokens)
        read = _atom(source, tokens, at + 1 + negated, columns)
        if read is None:
            return None
        atom, end = read
        body.append(Not(atom, _place(source, tokens[at + 1], tokens[end - 1])) if negated else atom)
        at = end
    if at != len(tokens) - 1 or tokens[at].type != "DOT" or len(body) > literals:
        return None
    return Rule(head, tuple(body), None, _place(source, tokens[0], tokens[-1]))


def _atom(source: Source, tokens: Sequence[Token], start: int, columns: int) -> tuple[Atom, int] | None:
    """The atom that starts at a token, and the place after it."""
    if start + 1 >= len(tokens) or tokens[start].type != "NAME" or tokens[start + 1].type != "LPAR":
        return None
    terms: list[Term] = []
    for at in range(start + 2, len(tokens) - 1, 2):
        term = _term(source, tokens[at])
        if term is None:
            return None
        terms.append(term)
        after = tokens[at + 1]
        if after.type == "RPAR":
            if len(terms) > columns:
                return None
            return Atom(str(tokens[start]), tuple(terms), _place(source, tokens[start], after)), at + 2
        if after.type != "COMMA":
            return None
    return None


def _term(source: Source, token: Token) -> Term | None:
    kind = token.type
    if kind == "VAR":
        return Var(str(token), _place(source, token, token))
    if kind == "WILDCARD":
        return Wildcard(_place(source, token, token))
    make = _CONSTANT.get(kind)
    if make is None or (kind == "STRING" and "\\" in token) or (kind == "INT" and len(token) > SURE_DIGITS):
        return None
    return Const(make(token), _place(source, token, token))


def _place(source: Source, first: Token, last: Token) -> At:
    assert first.start_pos is not None and last.end_pos is not None, "a token was read from a text"
    return At(source, Span(first.start_pos, last.end_pos))
