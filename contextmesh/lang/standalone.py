"""A rules text that is a whole program: parsed, checked and asked one atom."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from contextmesh.base.errors import Problem, RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Atom, Compared, Declaration, Literal, Query, Row, Var, Wildcard
from contextmesh.datalog.fold import place
from contextmesh.datalog.program import Program, build_program
from contextmesh.datalog.safety import outer_variables
from contextmesh.lang.rules import parse_query, parse_rules

Evaluator = Callable[[Program, Mapping[str, list[Row]], Query], list[Row]]
"""Program, given facts, query: the rows of the query's columns, distinct and sorted (numbers before text)."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The full tuples of one relation that match an atom, distinct and sorted; ``arity`` is its number of columns."""

    relation: str
    arity: int
    rows: list[Row]


def evaluate_text(source: Source, atom: Source, facts: Mapping[str, Sequence[Row]], evaluator: Evaluator) -> Matches:
    """The rows of a stand-alone program that match one atom, such as ``p(X, 1)``.

    Args:
        facts: given facts by relation, such as lang.facts.read_facts gives.
        evaluator: such as datalog.spec.answer; its limits are its own.

    Raises:
        RuleError: every problem of the text, or of the atom; LimitReached from the evaluator.
    """
    query = whole_tuples(parse_query(atom))
    given = {name: list(rows) for name, rows in facts.items()}
    text, literal = parse_rules(source), query.body[0]
    assert isinstance(literal, Atom)
    program = build_program([text], standalone=True, facts=given)
    asked = program.declarations.get(literal.relation)
    if asked is not None and not asked.columns:
        columns = Declaration("input", literal.relation, query.columns)  # given without rows, and only asked
        text = replace(text, declarations=(*text.declarations, columns))
        program = build_program([text], standalone=True, facts=given)
    program.with_query(query)  # an atom that does not fit is refused whatever the evaluator
    return Matches(literal.relation, len(literal.terms), evaluator(program, given, query))


def whole_tuples(query: Query) -> Query:
    """The query of one atom, asking for every column of its relation instead of its variables.

    Raises:
        RuleError: ``not-one-atom``.
    """
    atom = query.body[0]
    if len(query.body) > 1 or query.rules or not isinstance(atom, Atom):
        message = "the question is one atom here, such as p(X, 1)"
        hint = "give the body a rule in the text, and ask for its head"
        where = place(query.body[-1].at)
        raise RuleError(Problem("not-one-atom", message, where=where, hint=hint))
    taken = outer_variables(query.body)
    names = [_fresh(f"C{i}", taken) for i in range(1, len(atom.terms) + 1)]
    variables = tuple(Var(name, term.at) for name, term in zip(names, atom.terms, strict=True))
    fits: list[Literal] = [
        Compared("=", variable, term, term.at)
        for variable, term in zip(variables, atom.terms, strict=True)
        if not isinstance(term, Wildcard)
    ]
    return Query(query.source, (Atom(atom.relation, variables, atom.at), *fits), tuple(names))


def _fresh(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name
