"""pyDatalog's terms as a way to ask in Python: ``L.fell(X, A) & L.node(X, "decision")``.

Each relation of the store is a predicate that pyDatalog resolves by asking the engine: a bound argument uses the
engine's index, nothing is asserted and nothing copied. Recursion never reaches pyDatalog, since what it sees is already
concluded.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from contextmesh.base.errors import Problem, RuleError, UnknownError
from contextmesh.datalog.ast import Aggregate, Atom, Compared, Const, Literal, Not, Row, Rule, Sum, Term, Var, Wildcard
from contextmesh.datalog.limits import Limits, Meter, whole
from contextmesh.datalog.order import row_key, value_key
from contextmesh.datalog.safety import ordered_body
from contextmesh.store.asking import Asker, Ordered, Predicate, Rows, names
from contextmesh.store.query import QUERY_LIMITS
from contextmesh.store.refusal import did_you_mean
from contextmesh.store.store import Store

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what Python says of its source, should it be compiled only now
    from pyDatalog import Logic as _State
    from pyDatalog import pyEngine, pyParser

__all__ = ["Logic", "Predicate", "Rows", "Variable"]

Resolver = Callable[..., Iterator[Row]]

_NUMBERS = itertools.count(1)


class Logic:
    """The relations of one store as predicates. Holds nothing but the store; any thread may ask."""

    def __init__(self, store: Store, *, limits: Limits | None = None) -> None:
        self._asker = Asker(store, limits or QUERY_LIMITS, _search)

    def terms(self, names: str) -> Any:
        """Variables by name, separated by spaces or commas: one, or a tuple of several. ``_`` is a wildcard.

        Raises:
            RuleError: ``not-a-variable``: a variable starts with an upper-case letter.
        """
        variables = tuple(Variable(_variable_name(word)) for word in names.replace(",", " ").split())
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
        declarations = self._asker.store.engine.program.declarations
        declaration = declarations.get(name)
        if declaration is None:
            hint = did_you_mean(name, list(declarations))
            raise UnknownError(Problem("unknown-relation", f"no rules file declares `{name}`{hint}", subject=name))
        return Predicate(self._asker, name, declaration.columns)


class Variable(Ordered, pyParser.Term):  # type: ignore[misc]
    """A variable of pyDatalog whose comparisons are checked before they run."""

    def as_term(self) -> Term:
        name: str = self._pyD_name
        return Wildcard() if name == "_" else Var(name)


def _variable_name(word: str) -> str:
    if word != "_" and not (word.isidentifier() and word.isascii() and (word[0].isupper() or word[0] == "_")):
        message = f"`{word}` is no variable: one starts with an upper-case letter"
        raise RuleError(Problem("not-a-variable", message, subject=word, hint="write X, Node or _other"))
    return word


# ---- one question in pyDatalog --------------------------------------------------------------------


def _search(store: Store, meter: Meter, goal: Rule) -> list[Row]:
    with _own_state():
        return _Search(store, meter).run(goal)


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


class _Search:
    """A goal rule as a clause over predicates that exist only while it runs."""

    def __init__(self, store: Store, meter: Meter) -> None:
        self._engine = store.engine
        self._meter = meter
        self._prefix = f"cm{next(_NUMBERS)}"
        self._resolvers: dict[str, Resolver] = {}
        self._body: list[Any] = []
        self._made = 0

    def run(self, goal: Rule) -> list[Row]:
        bound: dict[str, None] = {}
        for literal in ordered_body(goal):
            self._literal(literal)
            if isinstance(literal, Atom):
                joined = bool(bound)
                bound.update(dict.fromkeys(names(literal)))
                if joined:  # a reading counts its own rows; what a join makes of them is counted here
                    self._call("count", tuple(Var(name) for name in bound), "", self._count)
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

    # ---- literals and terms ----------------------------------------------------------------------

    def _literal(self, literal: Literal) -> None:
        match literal:
            case Atom():
                terms, equal = self._apart(literal.terms)
                self._call(literal.relation, terms, "", self._reader(literal.relation))
                self._body += [pyEngine.Literal("==", [self._slot(a), self._slot(b)]) for a, b in equal]
            case Not(atom):
                self._call(atom.relation, atom.terms, "~", self._reader(atom.relation))
            case Compared(op="="):
                self._body.append(pyEngine.Literal("==", [self._slot(literal.left), self._slot(literal.right)]))
            case Compared():
                self._call(literal.op, (literal.left, literal.right), "", _tester(literal.op))
            case Aggregate():
                raise AssertionError("no spelling in Python makes one")

    def _apart(self, terms: Sequence[Term]) -> tuple[list[Term], list[tuple[Term, Term]]]:
        """A variable that stands twice as two, and what is equal: pyDatalog never matches a resolver's row to it."""
        seen: dict[Term, None] = {}
        apart: list[Term] = []
        equal: list[tuple[Term, Term]] = []
        for term in terms:
            if isinstance(term, Var) and term in seen:
                apart.append(Var(str(self._number())))
                equal.append((apart[-1], term))
            else:
                apart.append(term)
            seen[term] = None
        return apart, equal

    def _call(self, name: str, terms: Sequence[Term], sign: str, resolver: Resolver) -> None:
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

    # ---- what pyDatalog asks back ------------------------------------------------------------------

    def _reader(self, relation: str) -> Resolver:
        def read(*terms: Any) -> Iterator[Row]:
            for row in self._engine.match(relation, [term.id if term.is_const() else None for term in terms]):
                self._meter.row()
                yield row

        return read

    def _count(self, *terms: Any) -> Iterator[Row]:
        self._meter.row()
        yield tuple(term.id for term in terms)


def _tester(op: str) -> Resolver:
    def test(left: Any, right: Any) -> Iterator[Row]:
        a, b = value_key(left.id), value_key(right.id)
        holds = {"!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
        if holds:
            yield left.id, right.id

    return test


def _adder(op: str) -> Resolver:
    def add(left: Any, right: Any, _: Any) -> Iterator[Row]:
        if isinstance(left.id, int) and isinstance(right.id, int):
            yield left.id, right.id, whole(left.id + right.id if op == "+" else left.id - right.id)

    return add
