"""What is probably a slip in rules that are legal all the same: said, never refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from contextmesh.base.errors import Problem
from contextmesh.datalog.ast import Aggregate, Atom, Compared, Literal, Not, Rule, Sum, Term, Var
from contextmesh.policy.policy import Policy


def advice(policy: Policy) -> tuple[Problem, ...]:
    """Warnings about the rules that a user laid over the shipped ones, in the order of files and lines."""
    standing = set(Policy.load().program.rules)
    return tuple(found for rule in policy.program.rules if rule not in standing for found in of_rule(rule))


def of_rule(rule: Rule) -> Iterator[Problem]:
    """``lone-variable``: a variable that stands once joins nothing; `_` says so, and a misspelt name does not."""
    seen: dict[str, list[Var]] = {}
    for var in _variables(rule):
        seen.setdefault(var.name, []).append(var)
    told = rule.label.words or "" if rule.label is not None else ""
    for name, places in seen.items():
        at = places[0].at
        if len(places) > 1 or name.startswith("_") or f"{{{name}}}" in told or at is None:
            continue
        hint = f"write _ where anything may stand, or the name that was meant; _{name} keeps a name"
        where = at.source.where(at.span)
        yield Problem("lone-variable", f"{name} stands once in this rule", subject=name, where=where, hint=hint)


def _variables(rule: Rule) -> Iterator[Var]:
    yield from _of_terms(rule.head.terms)
    yield from _of_body(rule.body)


def _of_body(body: Iterable[Literal]) -> Iterator[Var]:
    for literal in body:
        match literal:
            case Atom():
                yield from _of_terms(literal.terms)
            case Not():
                yield from _of_terms(literal.atom.terms)
            case Compared():
                yield from _of_terms((literal.left, literal.right))
            case Aggregate():
                yield from _of_terms((literal.result, *literal.over))
                yield from _of_body(literal.body)


def _of_terms(terms: Iterable[Term]) -> Iterator[Var]:
    for term in terms:
        if isinstance(term, Var):
            yield term
        elif isinstance(term, Sum):
            yield from _of_terms((term.left, term.right))
