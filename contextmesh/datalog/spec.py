"""The definition: what a program means. Naive evaluation that nobody optimises; every other evaluator must agree.

Stratum by stratum, every rule is applied to everything until nothing is new. A sum over text has no value: a
literal, a head or an element of an aggregate that holds such a sum does not hold, and neither does ``sum`` over
text. A sum outside 64 bits ends the evaluation (``integer-range``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne

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
)
from contextmesh.datalog.limits import Limits, Meter, whole
from contextmesh.datalog.order import row_key, value_key
from contextmesh.datalog.program import GOAL, Program
from contextmesh.datalog.safety import group_of, inner_order, ordered_body, rule_variables

Rows = dict[str, dict[Row, None]]
Binding = dict[str, Value]
_OPERATORS = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def evaluate(program: Program, facts: Mapping[str, Iterable[Row]], limits: Limits | None = None) -> Rows:
    """Every relation of the program with its rows, in the order they were found.

    Raises:
        LimitReached: the evaluation passed a limit, or a sum left 64 bits.
    """
    rows: Rows = {name: {} for name in program.declarations}
    for name, given in facts.items():
        assert name in rows, f"{name} is no relation of the program"
        rows[name].update(dict.fromkeys(given))
    for name, row in program.facts:
        rows[name][row] = None
    world = _World(rows, (limits or Limits()).meter())
    for stratum in program.strata:
        grew = True
        while grew:
            world.meter.round()
            found = [(rule.head.relation, world.conclusions(rule)) for rule in stratum.rules]
            grew = any(new for _, new in found)
            for name, new in found:
                rows[name].update(new)
    return rows


def answer(
    program: Program, query: Query, facts: Mapping[str, Iterable[Row]], limits: Limits | None = None
) -> list[Row]:
    """The rows of a query, distinct and sorted: whole numbers before text.

    Raises:
        RuleError: the query does not fit the program.
        LimitReached: as evaluate.
    """
    return sorted(evaluate(program.with_query(query), facts, limits)[GOAL], key=row_key)


class _World:
    """The rows so far. Relations only grow, so an index over as many rows as there are is up to date."""

    def __init__(self, rows: Rows, meter: Meter) -> None:
        self.rows = rows
        self.meter = meter
        self.indexes: dict[tuple[str, tuple[int, ...]], tuple[int, dict[Row, list[Row]]]] = {}

    def conclusions(self, rule: Rule) -> dict[Row, None]:
        """What the rule says now and was not known."""
        known = self.rows[rule.head.relation]
        outer = rule_variables(rule)
        new: dict[Row, None] = {}
        for binding in self.solve(ordered_body(rule), {}, outer):
            row = _values(rule.head.terms, binding)
            if row is not None and row not in known and row not in new:
                self.meter.row()
                new[row] = None
        return new

    def solve(self, body: Sequence[Literal], start: Binding, outer: Sequence[str]) -> Iterator[Binding]:
        bindings = iter([start])
        for literal in body:
            bindings = self.extend(bindings, literal, outer)
        return bindings

    def extend(self, bindings: Iterator[Binding], literal: Literal, outer: Sequence[str]) -> Iterator[Binding]:
        for binding in bindings:
            self.meter.step()
            match literal:
                case Atom():
                    yield from self.matches(literal, binding)
                case Not(atom):
                    if _defined(atom, binding) and next(self.matches(atom, binding), None) is None:
                        yield binding
                case Compared():
                    yield from _compare(literal, binding)
                case Aggregate():
                    yield from self.aggregate(literal, binding, outer)

    def matches(self, atom: Atom, binding: Binding) -> Iterator[Binding]:
        """The binding with the atom's variables added, once for each row that fits."""
        if not _defined(atom, binding):
            return
        bound = {i: v for i, term in enumerate(atom.terms) if (v := _value(term, binding)) is not None}
        free = [(i, term.name) for i, term in enumerate(atom.terms) if isinstance(term, Var) and i not in bound]
        for row in self.lookup(atom.relation, bound):
            self.meter.step()
            new = dict(binding)
            if all(new.setdefault(name, row[i]) == row[i] for i, name in free):
                yield new

    def lookup(self, relation: str, bound: Mapping[int, Value]) -> list[Row]:
        columns = tuple(bound)
        rows = self.rows[relation]
        size, index = self.indexes.get((relation, columns), (-1, {}))
        if size != len(rows):
            index = {}
            for row in rows:
                index.setdefault(tuple(row[i] for i in columns), []).append(row)
            self.indexes[relation, columns] = len(rows), index
        return index.get(tuple(bound.values()), [])

    def aggregate(self, literal: Aggregate, binding: Binding, outer: Sequence[str]) -> Iterator[Binding]:
        group = {name: binding[name] for name in group_of(literal, outer)}
        tuples: dict[Row, None] = {}
        for inner in self.solve(inner_order(literal, group), group, ()):
            element = _values(literal.over, inner)
            if element is not None:
                tuples[element] = None
        value = _summary(literal.kind, [element[0] for element in tuples])
        if value is not None:
            yield from _compare(Compared("=", literal.result, Const(value)), binding)


def _summary(kind: str, values: Sequence[Value]) -> Value | None:
    """``values`` are the first parts of the distinct tuples."""
    match kind:
        case "count":
            return len(values)
        case "sum":
            numbers = [value for value in values if isinstance(value, int)]
            return whole(sum(numbers)) if len(numbers) == len(values) else None
        case "min":
            return min(values, key=value_key, default=None)
        case _:
            return max(values, key=value_key, default=None)


def _compare(literal: Compared, binding: Binding) -> Iterator[Binding]:
    left, right = _value(literal.left, binding), _value(literal.right, binding)
    if left is not None and right is not None:
        if _OPERATORS[literal.op](value_key(left), value_key(right)):
            yield binding
    elif isinstance(literal.left, Var) and right is not None:
        yield {**binding, literal.left.name: right}
    elif isinstance(literal.right, Var) and left is not None:
        yield {**binding, literal.right.name: left}


def _value(term: Term, binding: Binding) -> Value | None:
    """None: a wildcard, a variable without a value yet, or a sum over text."""
    match term:
        case Const(value):
            return value
        case Var(name):
            return binding.get(name)
        case Sum(op, a, b):
            left, right = _value(a, binding), _value(b, binding)
            if isinstance(left, int) and isinstance(right, int):
                return whole(left + right if op == "+" else left - right)
    return None


def _values(terms: Sequence[Term], binding: Binding) -> Row | None:
    values = [_value(term, binding) for term in terms]
    return None if None in values else tuple(value for value in values if value is not None)


def _defined(atom: Atom, binding: Binding) -> bool:
    """No sum of the atom is over text."""
    return all(_value(term, binding) is not None for term in atom.terms if isinstance(term, Sum))
