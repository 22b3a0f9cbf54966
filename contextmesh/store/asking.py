"""Questions put together with Python's operators, checked like a query in text, and answered when read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as Choice
from typing import overload

from contextmesh.base.errors import Problem, RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Atom, Compared, Const, Literal, Not, Query, Row, Rule, Sum, Term, Var
from contextmesh.datalog.limits import Limits, Meter
from contextmesh.datalog.program import GOAL
from contextmesh.store.store import Store

Operator = Choice["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Asker:
    """Who answers: a store, what one question may cost, and what runs a checked goal rule."""

    store: Store
    limits: Limits
    run: Callable[[Store, Meter, Rule], list[Row]]


class Predicate:
    """A relation, to be called with variables and constants."""

    def __init__(self, asker: Asker, name: str, columns: tuple[str, ...]) -> None:
        self._asker = asker
        self.name = name
        self.columns = columns

    def __call__(self, *arguments: object) -> Rows:
        """The rows that fit.

        Raises:
            RuleError: ``arity`` or ``not-a-term``.
        """
        if len(arguments) != len(self.columns):
            shape = f"`{self.name}({', '.join(self.columns)})`"
            message = f"{shape} takes {len(self.columns)} terms, not {len(arguments)}"
            raise RuleError(Problem("arity", message, subject=self.name))
        return Rows((Atom(self.name, tuple(_term(argument) for argument in arguments)),), self._asker)


class Ordered:
    """What can be compared and added; a comparison is a part of a question, not a truth."""

    __slots__ = ()

    def as_term(self) -> Term:
        raise AssertionError("each kind says what it is")

    def __eq__(self, other: object) -> Rows:  # type: ignore[override]
        return _compared("=", self, other)

    def __ne__(self, other: object) -> Rows:  # type: ignore[override]
        return _compared("!=", self, other)

    def __lt__(self, other: object) -> Rows:
        return _compared("<", self, other)

    def __le__(self, other: object) -> Rows:
        return _compared("<=", self, other)

    def __gt__(self, other: object) -> Rows:
        return _compared(">", self, other)

    def __ge__(self, other: object) -> Rows:
        return _compared(">=", self, other)

    def __add__(self, other: object) -> Added:
        return Added(Sum("+", self.as_term(), _term(other)))

    def __radd__(self, other: object) -> Added:
        return Added(Sum("+", _term(other), self.as_term()))

    def __sub__(self, other: object) -> Added:
        return Added(Sum("-", self.as_term(), _term(other)))

    def __rsub__(self, other: object) -> Added:
        return Added(Sum("-", _term(other), self.as_term()))


class Added(Ordered):
    """A sum or difference of whole numbers."""

    __slots__ = ("_sum",)

    def __init__(self, term: Sum) -> None:
        self._sum = term

    def as_term(self) -> Term:
        return self._sum


class Rows(Sequence[Row]):
    """The answer to a question: distinct rows, sorted (whole numbers before text), worked out when first read.

    ``columns`` names the values of a row: the variables of the question by first occurrence.
    Combine with ``&``; ``~`` of one relation asks for what is not there.
    """

    def __init__(self, body: tuple[Literal, ...], asker: Asker | None) -> None:
        self.body = body
        self.columns = tuple(dict.fromkeys(name for literal in body for name in names(literal)))
        self._asker = asker
        self._found: list[Row] | None = None

    def __and__(self, other: object) -> Rows:
        """Raises RuleError ``two-stores`` when the parts are about different ones."""
        if not isinstance(other, Rows):
            return NotImplemented
        mine, others = self._asker, other._asker
        if mine is not None and others is not None and mine.store is not others.store:
            raise RuleError(Problem("two-stores", "the parts of a question are about two different stores"))
        return Rows((*self.body, *other.body), mine or others)

    def __invert__(self) -> Rows:
        """Raises RuleError ``not-negatable`` for anything but one relation."""
        atom = self.body[0]
        if len(self.body) != 1 or not isinstance(atom, Atom):
            hint = "negate one relation at a time: A & ~B & ~C"
            raise RuleError(Problem("not-negatable", "only a single relation can be negated", hint=hint))
        return Rows((Not(atom),), self._asker)

    @property
    def rows(self) -> list[Row]:
        """The rows as a list.

        Raises:
            RuleError: ``no-relation``, or what the same query in text would be refused for.
            LimitReached: it would cost more than allowed.
        """
        if self._found is None:
            self._found = self._ask()
        return self._found

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        return self.rows[at]

    def __repr__(self) -> str:
        return f"Rows(columns={self.columns!r}, rows={self.rows!r})"

    def _ask(self) -> list[Row]:
        if self._asker is None:
            hint = "combine it with a relation: L.node(X, K) & (X != Y)"
            raise RuleError(Problem("no-relation", "a comparison alone asks nothing of a store", hint=hint))
        query = Query(Source("<python>", ""), self.body, self.columns)
        program = self._asker.store.engine.program.with_query(query)
        (goal,) = (rule for rule in program.rules if rule.head.relation == GOAL)
        return self._asker.run(self._asker.store, self._asker.limits.meter(), goal)


def names(literal: Literal) -> Iterator[str]:
    """The variables of an atom, a negation or a comparison."""
    match literal:
        case Atom():
            yield from _in_terms(literal.terms)
        case Not(atom):
            yield from _in_terms(atom.terms)
        case Compared():
            yield from _in_terms((literal.left, literal.right))


def _in_terms(terms: Sequence[Term]) -> Iterator[str]:
    for term in terms:
        if isinstance(term, Var):
            yield term.name
        elif isinstance(term, Sum):
            yield from _in_terms((term.left, term.right))


def _compared(op: Operator, left: Ordered, right: object) -> Rows:
    return Rows((Compared(op, left.as_term(), _term(right)),), None)


def _term(argument: object) -> Term:
    if isinstance(argument, Ordered):
        return argument.as_term()
    if isinstance(argument, bool) or not isinstance(argument, str | int):
        what = type(argument).__name__
        message = f"a term is a variable, text or a whole number, not a {what}"
        hint = "make variables with Logic.terms"
        raise RuleError(Problem("not-a-term", message, subject=what, hint=hint))
    return Const(str(argument) if isinstance(argument, str) else int(argument))
