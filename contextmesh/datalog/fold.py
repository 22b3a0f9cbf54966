"""Places of parts, and atoms of constants worked out to rows before evaluation."""

from __future__ import annotations

from dataclasses import replace

from contextmesh.base.errors import LimitReached, Problem, RuleError, Where
from contextmesh.datalog.ast import At, Atom, Const, Row, Sum, Term, Value
from contextmesh.datalog.limits import whole


def place(at: At | None) -> Where | None:
    """Where a part was written; parts built by hand have no place."""
    return at.source.where(at.span) if at is not None else None


def ground(atom: Atom) -> Row:
    """The row of an atom of constants and sums of them.

    Raises:
        RuleError: ``not-ground`` for a variable or wildcard, ``constant-kind`` for a sum over text,
            ``integer-range`` for a sum beyond 64 bits.
    """
    return tuple(_value(term, atom) for term in atom.terms)


def _value(term: Term, atom: Atom) -> Value:
    """Recursion is safe: the reader bounds how deep sums stand in each other."""
    if isinstance(term, Const):
        return term.value
    if not isinstance(term, Sum):
        message = f"{atom.relation} stands here as one fact, so each term is a constant"
        raise RuleError(Problem("not-ground", message, subject=atom.relation, where=place(term.at or atom.at)))
    left, right = _value(term.left, atom), _value(term.right, atom)
    if isinstance(left, str) or isinstance(right, str):
        message = f"`{term.op}` is over whole numbers, and here it meets text"
        raise RuleError(Problem("constant-kind", message, subject=atom.relation, where=place(term.at or atom.at)))
    try:
        return whole(left + right if term.op == "+" else left - right)
    except LimitReached as refusal:
        where = place(term.at or atom.at)
        raise RuleError(replace(refusal.problem, subject=atom.relation, where=where, hint=None)) from None
