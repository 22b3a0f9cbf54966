"""pyDatalog's terms as a way to ask in Python: ``L.fell(X, A) & L.node(X, "decision")``.

Each relation of the store is a predicate that pyDatalog resolves by asking the engine: a bound argument uses the
engine's index, nothing is asserted and nothing copied. Recursion never reaches pyDatalog, since what it sees is already
concluded. A question is checked like a query in text before it runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, overload

from pyDatalog import Logic as _State
from pyDatalog import pyEngine, pyParser

from contextmesh.base.errors import Problem, RuleError, UnknownError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import (
    Aggregate,
    Atom,
    Compared,
    Const,
    Literal,
    Not,
    Query,
    Row,
    Rule,
    Sum,
    Term,
    Value,
    Var,
    Wildcard,
)
from contextmesh.datalog.limits import Limits, Meter, whole
from contextmesh.datalog.order import row_key, value_key
from contextmesh.datalog.program import GOAL
from contextmesh.datalog.safety import ordered_body
from contextmesh.store.query import QUERY_LIMITS
from contextmesh.store.refusal import did_you_mean
from contextmesh.store.store import Store

_NUMBERS = itertools.count(1)


class Logic:
    """The relations of one store as predicates. Holds nothing but the store; any thread may ask."""

    def __init__(self, store: Store, *, limits: Limits | None = None) -> None:
        self._store = store
        self._limits = limits or QUERY_LIMITS

    def terms(self, names: str) -> Any:
        """Variables by name, separated by spaces or commas: one, or a tuple of several. ``_`` is a wildcard.

        Raises:
            RuleError: ``not-a-variable``: a variable starts with an upper-case letter.
        """
        words = names.replace(",", " ").split()
        variables = tuple(Variable(_variable_name(word)) for word in words)
        if not variables:
            raise RuleError(Problem("not-a-variable", "no name of a variable was given", subject=names))
        return variables[0] if len(variables) == 1 else variables

    def __getattr__(self, name: str) -> Predicate:
        """The predicate of a relation.

        Raises:
            UnknownError: ``unknown-relation``.
        """
        if name.startswith("__"):
            raise AttributeError(name)
        return self.relation(name)

    def relation(self, name: str) -> Predicate:
        """The same by name, for a relation whose name is a method's, such as ``terms``."""
        declaration = self._store.engine.program.declarations.get(name)
        if declaration is None:
            hint = did_you_mean(name, list(self._store.engine.program.declarations))
            raise UnknownError(Problem("unknown-relation", f"no rules file declares `{name}`{hint}", subject=name))
        return Predicate(self._store, self._limits, name, declaration.columns)


class Predicate:
    """A relation, to be called with variables and constants."""

    def __init__(self, store: Store, limits: Limits, name: str, columns: tuple[str, ...]) -> None:
        self._store = store
        self._limits = limits
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
        atom = Atom(self.name, tuple(_term(argument) for argument in arguments))
        return Rows((atom,), self._store, self._limits)


class _Ordered:
    """What can be compared and added; a comparison is a question, not a truth."""

    __slots__ = ()

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
        return Added(Sum("+", _term(self), _term(other)))

    def __radd__(self, other: object) -> Added:
        return Added(Sum("+", _term(other), _term(self)))

    def __sub__(self, other: object) -> Added:
        return Added(Sum("-", _term(self), _term(other)))

    def __rsub__(self, other: object) -> Added:
        return Added(Sum("-", _term(other), _term(self)))


class Variable(_Ordered, pyParser.Term):  # type: ignore[misc]
    """A variable of pyDatalog whose comparisons are checked before they run."""


class Added(_Ordered):
    """A sum or difference of whole numbers."""

    __slots__ = ("term",)

    def __init__(self, term: Sum) -> None:
        self.term = term


class Rows(Sequence[Row]):
    """The answer to a question: distinct rows, sorted (whole numbers before text), worked out when first read.

    ``columns`` names the values of a row: the variables of the question by first occurrence.
    Combine with ``&``; ``~`` of one relation asks for what is not there.
    """

    def __init__(self, body: tuple[Literal, ...], store: Store | None, limits: Limits | None) -> None:
        self.body = body
        self.columns = tuple(dict.fromkeys(name for literal in body for name in _names(literal)))
        self._store = store
        self._limits = limits
        self._found: list[Row] | None = None

    def __and__(self, other: object) -> Rows:
        if not isinstance(other, Rows):
            return NotImplemented
        if None not in (self._store, other._store) and self._store is not other._store:
            raise RuleError(Problem("two-stores", "the parts of a question are about two different stores"))
        return Rows((*self.body, *other.body), self._store or other._store, self._limits or other._limits)

    def __invert__(self) -> Rows:
        atom = self.body[0]
        if len(self.body) != 1 or not isinstance(atom, Atom):
            hint = "negate one relation at a time: A & ~B & ~C"
            raise RuleError(Problem("not-negatable", "only a single relation can be negated", hint=hint))
        return Rows((Not(atom),), self._store, self._limits)

    @property
    def rows(self) -> list[Row]:
        """The rows as a list.

        Raises:
            RuleError: a variable without a value, or another reason to refuse the same query in text.
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
        if self._store is None or self._limits is None:
            hint = "combine it with a relation: L.node(X, K) & (X != Y)"
            raise RuleError(Problem("no-relation", "a comparison alone asks nothing of a store", hint=hint))
        query = Query(Source("<python>", ""), self.body, self.columns)
        program = self._store.engine.program.with_query(query)
        (goal,) = (rule for rule in program.rules if rule.head.relation == GOAL)
        with _own_state():
            return _Search(self._store, self._limits.meter()).run(goal)


class _Search:
    """One question put to pyDatalog, through predicates that exist only while it runs."""

    def __init__(self, store: Store, meter: Meter) -> None:
        self._store = store
        self._meter = meter
        self._prefix = f"cm{next(_NUMBERS)}"
        self._resolvers: dict[str, Callable[..., Iterator[Row]]] = {}
        self._body: list[Any] = []
        self._made = 0

    def run(self, goal: Rule) -> list[Row]:
        for literal in ordered_body(goal):
            self._literal(literal)
        slots = [self._slot(term) for term in goal.head.terms]
        # A column of our own: a question without variables is a question too.
        head = pyEngine.Literal(f"{self._prefix}_goal", [pyEngine.Const(""), *slots])
        pyEngine.insert(head.pred)
        pyEngine.assert_(pyEngine.Clause(head, self._body))
        pyEngine.Python_resolvers.update(self._resolvers)
        try:
            found = pyEngine.Literal(head.pred.name, [self._fresh() for _ in range(len(slots) + 1)]).ask()
        finally:
            for name in self._resolvers:
                del pyEngine.Python_resolvers[name]
        return sorted((tuple(row[1:]) for row in found), key=row_key)

    def _literal(self, literal: Literal) -> None:
        match literal:
            case Atom():
                self._call(literal.relation, literal.terms, "", self._reader(literal.relation))
            case Not(atom):
                self._call(atom.relation, atom.terms, "~", self._reader(atom.relation))
            case Compared(op="="):
                self._body.append(pyEngine.Literal("==", [self._slot(literal.left), self._slot(literal.right)]))
            case Compared():
                self._call(literal.op, (literal.left, literal.right), "", _tester(literal.op))
            case Aggregate():
                raise AssertionError("no spelling in Python makes one")

    def _call(self, name: str, terms: Sequence[Term], sign: str, resolver: Callable[..., Iterator[Row]]) -> None:
        slots = [self._slot(term) for term in terms]
        # The last underscore keeps pyDatalog, which also looks for name + arity, from finding another's resolver.
        own = f"{self._prefix}_{name}_"
        self._resolvers[f"{own}/{len(slots)}"] = resolver
        self._body.append(pyEngine.Literal(sign + own, slots))

    def _slot(self, term: Term) -> Any:
        match term:
            case Var(name):
                return pyEngine.Var(name)
            case Const(value):
                return pyEngine.Const(value)
            case Wildcard():
                return self._fresh()
            case Sum(op, left, right):
                result = Var(str(self._number()))
                self._call(op, (left, right, result), "", _adder(op))
                return pyEngine.Var(result.name)

    def _fresh(self) -> Any:
        return pyEngine.Var(str(self._number()))

    def _number(self) -> int:
        self._made += 1
        return self._made

    def _reader(self, relation: str) -> Callable[..., Iterator[Row]]:
        engine = self._store.engine

        def read(*terms: Any) -> Iterator[Row]:
            for row in engine.match(relation, [term.id if term.is_const() else None for term in terms]):
                self._meter.row()
                yield row

        return read


@contextmanager
def _own_state() -> Iterator[None]:
    """pyDatalog's state is its thread's. Ours lasts for one question, and what the caller had stands again after."""
    threads, variables, fresh = _State.tl, pyParser.Thread_storage, pyEngine.Fresh_var.tl
    before = getattr(threads, "logic", None), getattr(variables, "variables", None), getattr(fresh, "counter", 0)
    _State()
    try:
        yield
    finally:
        threads.logic, variables.variables, fresh.counter = before
        if before[0] is None:
            _State()


def _tester(op: str) -> Callable[..., Iterator[Row]]:
    def test(left: Any, right: Any) -> Iterator[Row]:
        a, b = value_key(left.id), value_key(right.id)
        holds = {"!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
        if holds:
            yield left.id, right.id

    return test


def _adder(op: str) -> Callable[..., Iterator[Row]]:
    def add(left: Any, right: Any, _: Any) -> Iterator[Row]:
        if isinstance(left.id, int) and isinstance(right.id, int):
            yield left.id, right.id, whole(left.id + right.id if op == "+" else left.id - right.id)

    return add


def _compared(op: Any, left: object, right: object) -> Rows:
    return Rows((Compared(op, _term(left), _term(right)),), None, None)


def _term(argument: object) -> Term:
    if isinstance(argument, pyParser.Term) and argument.is_variable():
        name: str = argument._pyD_name
        return Wildcard() if name == "_" else Var(name)
    if isinstance(argument, Added):
        return argument.term
    if isinstance(argument, bool) or not isinstance(argument, str | int):
        what = type(argument).__name__
        raise RuleError(
            Problem("not-a-term", f"a term is a variable, text or a whole number, not a {what}", subject=what)
        )
    value: Value = str(argument) if isinstance(argument, str) else int(argument)
    return Const(value)


def _variable_name(word: str) -> str:
    if word != "_" and not (word.isidentifier() and word.isascii() and (word[0].isupper() or word[0] == "_")):
        hint = "write X, Node or _other"
        message = f"`{word}` is no variable: one starts with an upper-case letter"
        raise RuleError(Problem("not-a-variable", message, subject=word, hint=hint))
    return word


def _names(literal: Literal) -> Iterator[str]:
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
