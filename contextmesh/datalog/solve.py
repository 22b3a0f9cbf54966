"""One rule for one row, binding by binding: what explanations ask. Interpreted, over the indexes of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne

from contextmesh.datalog.ast import Aggregate, Atom, Compared, Const, Literal, Not, Row, Rule, Sum, Term, Value, Var
from contextmesh.datalog.limits import Meter, whole
from contextmesh.datalog.order import value_key
from contextmesh.datalog.plan import bound_body, solved
from contextmesh.datalog.safety import group_of, inner_order, rule_variables
from contextmesh.datalog.steps import is_known

Binding = dict[str, Value]
Match = Callable[[str, Sequence[Value | None]], Sequence[Row]]
_OPERATORS = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


class Fit:
    """A rule against one row of its head.

    Attributes:
        start: the values that the head gives, or None when the row does not fit it.
        body: the literals in the order in which they are tried; sums in the head are equations at the front of it.
        deepest: how many literals held at most, and under which binding, once ``solutions`` has run out.
    """

    def __init__(self, rule: Rule, row: Row, match: Match, meter: Meter) -> None:
        self.rule = rule
        self._match = match
        self._meter = meter
        self._outer = rule_variables(rule)
        self.start: Binding | None = {}
        equations: list[Literal] = []
        for term, value in zip(rule.head.terms, row, strict=True):
            if isinstance(term, Sum):
                equations.append(Compared("=", Const(value), term))
            elif (term.value if isinstance(term, Const) else self.start.setdefault(_name(term), value)) != value:
                self.start = None
                break
        self.body = bound_body(rule, self.start, equations) if self.start is not None else ()
        self.deepest: tuple[int, Binding] = (0, self.start or {})

    def solutions(self) -> Iterator[tuple[Binding, dict[int, Row]]]:
        """Each binding that satisfies the body, with the row found for each positive literal (by ``id``)."""
        if self.start is None:
            return
        stack = [iter([(self.start, dict[int, Row]())])]
        while stack:
            found = next(stack[-1], None)
            if found is None:
                stack.pop()
                continue
            self._meter.step()
            depth = len(stack) - 1
            if depth > self.deepest[0]:
                self.deepest = (depth, found[0])
            if depth == len(self.body):
                yield found
            else:
                stack.append(self._extend(self.body[depth], *found))

    def _extend(
        self, literal: Literal, binding: Binding, rows: dict[int, Row]
    ) -> Iterator[tuple[Binding, dict[int, Row]]]:
        if isinstance(literal, Atom):
            for row, wider in self._rows(literal, binding):
                yield wider, {**rows, id(literal): row}
        else:
            for wider in self._test(literal, binding):
                yield wider, rows

    def _rows(self, atom: Atom, binding: Binding) -> Iterator[tuple[Row, Binding]]:
        pattern = [evaluate(term, binding) for term in atom.terms]
        if any(value is None and isinstance(term, Sum) for term, value in zip(atom.terms, pattern, strict=True)):
            return
        free = [(i, t.name) for i, t in enumerate(atom.terms) if isinstance(t, Var) and pattern[i] is None]
        for row in self._match(atom.relation, pattern):
            self._meter.step()
            wider = dict(binding)
            if all(wider.setdefault(name, row[i]) == row[i] for i, name in free):
                yield row, wider

    def _test(self, literal: Literal, binding: Binding) -> Iterator[Binding]:
        match literal:
            case Not(atom):
                pattern = [evaluate(term, binding) for term in atom.terms]
                defined = all(v is not None or not isinstance(t, Sum) for t, v in zip(atom.terms, pattern, strict=True))
                if defined and not self._match(atom.relation, pattern):
                    yield binding
            case Compared():
                yield from _compare(literal, binding)
            case Aggregate():
                value = self._summary(literal, binding)
                if value is not None:
                    yield from _compare(Compared("=", literal.result, Const(value)), binding)

    def _summary(self, literal: Aggregate, binding: Binding) -> Value | None:
        group = {name: binding[name] for name in group_of(literal, self._outer)}
        tuples: dict[tuple[Value | None, ...], None] = {}
        found: list[Binding] = [group]
        for inner in inner_order(literal, group):
            found = [wider for one in found for wider in self._inner(inner, one)]
        for one in found:
            element = tuple(evaluate(term, one) for term in literal.over)
            if None not in element:
                tuples[element] = None
        values = [element[0] for element in tuples if element[0] is not None]
        if literal.kind == "count":
            return len(tuples)
        if literal.kind == "sum":
            numbers = [value for value in values if isinstance(value, int)]
            return whole(sum(numbers)) if len(numbers) == len(values) else None
        return (min if literal.kind == "min" else max)(values, key=value_key, default=None)

    def _inner(self, literal: Literal, binding: Binding) -> Iterator[Binding]:
        if isinstance(literal, Atom):
            return (wider for _, wider in self._rows(literal, binding))
        return self._test(literal, binding)


def evaluate(term: Term, binding: Mapping[str, Value]) -> Value | None:
    """None: a wildcard, a variable without a value, or a sum that has none."""
    match term:
        case Const(value):
            return value
        case Var(name):
            return binding.get(name)
        case Sum(op, a, b):
            left, right = evaluate(a, binding), evaluate(b, binding)
            if isinstance(left, int) and isinstance(right, int):
                return whole(left + right if op == "+" else left - right)
    return None


def _compare(literal: Compared, binding: Binding) -> Iterator[Binding]:
    known = dict.fromkeys(binding)
    if is_known(literal.left, known) and is_known(literal.right, known):
        left, right = evaluate(literal.left, binding), evaluate(literal.right, binding)
        if left is not None and right is not None and _OPERATORS[literal.op](value_key(left), value_key(right)):
            yield binding
        return
    let = solved(literal, known)
    value = evaluate(let.term, binding) if let is not None else None
    if let is not None and value is not None:
        yield {**binding, let.name: value}


def _name(term: Term) -> str:
    assert isinstance(term, Var), "a head is made of constants, variables and sums"
    return term.name
