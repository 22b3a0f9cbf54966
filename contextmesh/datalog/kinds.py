"""Kinds: which columns and variables can only be whole numbers, or only text, and what contradicts it.

A finding is a proof: it holds for any facts the inputs may be given. What cannot be proved is not told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from contextmesh.base.errors import Problem
from contextmesh.datalog.ast import Aggregate, Atom, Compared, Const, Literal, Not, Rule, Sum, Term, Var
from contextmesh.datalog.fold import place
from contextmesh.datalog.safety import outer_terms

NUMBER, TEXT, ANY = 1, 2, 3
Kind = int
"""A set of kinds as bits; 0 where nothing can stand."""

Columns = Mapping[str, tuple[Kind, ...]]
Env = dict[str, Kind]

_WORDS = {NUMBER: "whole numbers", TEXT: "text"}


def column_kinds(rules: Sequence[Rule], given: Columns) -> dict[str, tuple[Kind, ...]]:
    """The kinds of each derived column, by least fixpoint over the rules and facts.

    Args:
        given: relations that are complete already, or open to any facts (ANY).
    """
    columns = {rule.head.relation: (0,) * len(rule.head.terms) for rule in rules if rule.head.relation not in given}
    grew = True
    while grew:
        grew = False
        for rule in rules:
            old = columns.get(rule.head.relation)
            all_columns = {**given, **columns}
            if old is None or len(old) != len(rule.head.terms) or _is_idle(rule, all_columns):
                continue
            env = _environment(rule.body, all_columns)
            new = tuple(k | _kind(t, env) for k, t in zip(old, rule.head.terms, strict=True))
            if new != old:
                columns[rule.head.relation] = new
                grew = True
    return {**given, **columns}


def _is_idle(rule: Rule, columns: Columns) -> bool:
    """Some relation that the rule reads has no row yet."""
    return any(isinstance(a, Atom) and 0 in columns.get(a.relation, ()) for a in rule.body)


def check_kinds(rule: Rule, columns: Columns) -> list[Problem]:
    """Sums over text, order between text and numbers, constants that a column or variable can never be."""
    env = _environment(rule.body, columns)
    problems = [_sum_over_text(c) for term in rule.head.terms for c in _text_in_sums(term)]
    for literal in rule.body:
        problems += _literal(literal, env, columns)
    return list(dict.fromkeys(problems))


def _literal(literal: Literal, env: Env, columns: Columns) -> Iterator[Problem]:
    match literal:
        case Atom():
            yield from _atom(literal, columns)
        case Not():
            yield from _atom(literal.atom, columns)
        case Compared():
            yield from (_sum_over_text(c) for t in (literal.left, literal.right) for c in _text_in_sums(t))
            yield from _compared(literal, env)
        case Aggregate():
            inner = _environment(literal.body, columns, env)
            yield from (_sum_over_text(c) for t in (literal.result, *literal.over) for c in _text_in_sums(t))
            if literal.kind == "sum" and isinstance(literal.over[0], Const) and isinstance(literal.over[0].value, str):
                yield _problem("sum is over whole numbers, and here it is over text", literal.over[0], literal)
            for part in literal.body:
                yield from _literal(part, inner, columns)
            if isinstance(literal.result, Const) and _aggregate_kind(literal, inner) not in (0, ANY):
                result = Compared("=", Var("", literal.result.at), literal.result, literal.at)
                yield from _compared(result, {"": _aggregate_kind(literal, inner)})


def _atom(atom: Atom, columns: Columns) -> Iterator[Problem]:
    for term in atom.terms:
        yield from (_sum_over_text(c) for c in _text_in_sums(term))
    kinds = columns.get(atom.relation, ())
    if len(kinds) != len(atom.terms):
        return
    for i, (term, kind) in enumerate(zip(atom.terms, kinds, strict=True), 1):
        if isinstance(term, Const | Sum) and kind and not kind & _kind(term, {}):
            yield _problem(f"column {i} of {atom.relation} only ever holds {_WORDS[kind]}", term, atom)


def _compared(literal: Compared, env: Env) -> Iterator[Problem]:
    left, right = _kind(literal.left, env), _kind(literal.right, env)
    constants = [t for t in (literal.right, literal.left) if isinstance(t, Const)]
    if not left or not right or left & right or not constants:
        return
    if len(constants) == 2 and literal.op in ("=", "!="):
        return
    message = f"`{literal.op}` compares {_WORDS[left]} with {_WORDS[right]}"
    yield _problem(message, constants[0], literal)


def _environment(body: Sequence[Literal], columns: Columns, outer: Mapping[str, Kind] | None = None) -> Env:
    """The kinds each variable can have; two passes, since an equation may stand before what it reads."""
    env: Env = dict(outer or {})
    for literal in (*body, *body):
        match literal:
            case Atom():
                kinds = columns.get(literal.relation, ())
                for term, kind in zip(literal.terms, kinds, strict=False):
                    _narrow(env, term, kind)
            case Compared(op="="):
                _narrow(env, literal.left, _kind(literal.right, env))
                _narrow(env, literal.right, _kind(literal.left, env))
            case Aggregate():
                _narrow(env, literal.result, _aggregate_kind(literal, _environment(literal.body, columns, env)))
            case _:
                pass
        for term in outer_terms(literal):
            _number_inside(env, term)
    return env


def _aggregate_kind(literal: Aggregate, inner: Env) -> Kind:
    return NUMBER if literal.kind in ("count", "sum") else _kind(literal.over[0], inner)


def _number_inside(env: Env, term: Term) -> None:
    if isinstance(term, Sum):
        for part in (term.left, term.right):
            _narrow(env, part, NUMBER)
            _number_inside(env, part)


def _narrow(env: Env, term: Term, kind: Kind) -> None:
    """A contradiction leaves the kind as it is, so that what comes after can be compared with it."""
    if isinstance(term, Var):
        old = env.get(term.name, ANY)
        env[term.name] = old & kind or old


def _kind(term: Term, env: Env) -> Kind:
    match term:
        case Const(value=str()):
            return TEXT
        case Const() | Sum():
            return NUMBER
        case Var():
            return env.get(term.name, ANY)
        case _:
            return ANY


def _text_in_sums(term: Term) -> Iterator[Const]:
    if isinstance(term, Sum):
        for part in (term.left, term.right):
            if isinstance(part, Const) and isinstance(part.value, str):
                yield part
            yield from _text_in_sums(part)


def _sum_over_text(constant: Const) -> Problem:
    message = "`+` and `-` are over whole numbers, and here they meet text"
    return _problem(message, constant, constant)


def _problem(message: str, term: Const | Sum, whole: Literal | Const) -> Problem:
    subject = str(term.value) if isinstance(term, Const) else None
    hint = None
    if isinstance(term, Const) and isinstance(term.value, str) and term.value.lstrip("-").isdigit():
        hint = f"the number is written {term.value}, without quotes"
    return Problem("constant-kind", message, subject=subject, where=place(term.at or whole.at), hint=hint)
