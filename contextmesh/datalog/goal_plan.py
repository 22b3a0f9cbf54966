"""A checked program as steps for pyDatalog: plain lists that cross to the child process as JSON.

A variable is a list of its name, a constant is itself. The translation keeps pyDatalog where it is sound:

- A cycle of three or more unfinished subgoals never ends there. So the relations of a recursive stratum become one
  predicate, told apart by a tag, and every call of it inside the stratum leaves all arguments free and
  stands first, with equations after it: one subgoal, which waits for itself alone. Its rows are then
  facts for all that follows.
- Negation reads only what is finished: ``not p(X, _)`` becomes a helper predicate that is filled before.
- pyDatalog's own aggregates have no value for nothing and one order for all types. So the braces of an aggregate
  become a clause that is asked when its group is known, and we fold the rows: pyDatalog evaluates, we count.
- Sums, in heads too, become equations, over whole numbers alone.

Steps, in order: ``facts`` name rows; ``clause`` head body; ``fill`` head body (ask, and keep the rows as facts);
``fold`` name kind source widths of group and tuple; ``answer`` relation name arity.
Body items: ``call`` and ``absent`` name slots; ``compare`` operator left right; ``sum`` operator left right result;
``folded`` name slots.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contextmesh.datalog.ast import (
    Aggregate,
    Atom,
    Compared,
    Const,
    Literal,
    Not,
    Row,
    Sum,
    Term,
    Value,
    Var,
    Wildcard,
)
from contextmesh.datalog.program import Program
from contextmesh.datalog.safety import group_of, rule_variables
from contextmesh.datalog.strata import Stratum

Slot = Value | tuple[str]
Item = list[Any]
Step = list[Any]


def plan(program: Program, facts: Mapping[str, Iterable[Row]], wanted: Sequence[str]) -> list[Step]:
    """The steps that answer each wanted relation in full, over the relations it needs and no others."""
    needed = _needed(program, wanted)
    arity = {name: len(program.declarations[name].columns) for name in needed}
    planner = _Planner()
    rows = {name: dict.fromkeys(facts.get(name, ())) for name in needed}
    for name, row in program.facts:
        if name in rows:
            rows[name][row] = None
    derived = {name for stratum in program.strata for name in stratum.relations}
    for name in needed:
        planner.steps.append(
            ["facts", _base(name) if name in derived else _relation(name), arity[name], list(rows[name])]
        )
    for stratum in program.strata:
        if any(name in arity for name in stratum.relations):
            planner.stratum(stratum, arity, [name for name in stratum.relations if rows.get(name)])
    planner.steps += [["answer", name, _relation(name), arity[name]] for name in wanted]
    return planner.steps


def _needed(program: Program, wanted: Sequence[str]) -> list[str]:
    reads: dict[str, list[str]] = {}
    for stratum in program.strata:
        for rule in stratum.rules:
            reads.setdefault(rule.head.relation, []).extend(_read(rule.body))
    found = dict.fromkeys(wanted)
    left = list(found)
    while left:
        for name in reads.get(left.pop(), ()):
            if name not in found:
                found[name] = None
                left.append(name)
    return list(found)


def _read(body: Iterable[Literal]) -> Iterator[str]:
    for literal in body:
        match literal:
            case Atom():
                yield literal.relation
            case Not():
                yield literal.atom.relation
            case Aggregate():
                yield from _read(literal.body)


def _relation(name: str) -> str:
    return f"r_{name}"


def _base(name: str) -> str:
    return f"b_{name}"


@dataclass(slots=True)
class _Planner:
    steps: list[Step] = field(default_factory=list)
    made: int = 0

    def fresh(self) -> int:
        self.made += 1
        return self.made

    def stratum(self, stratum: Stratum, arity: Mapping[str, int], given: Iterable[str]) -> None:
        """The clauses of a stratum; a recursive one is also filled, so that later readings use its index.

        ``given``: its relations that have facts beside their rules.
        """
        loop = _Loop.of(stratum, arity, self.fresh()) if stratum.recursive else None
        for name in given:
            columns: list[Slot] = [_var(self.fresh()) for _ in range(arity[name])]
            head = loop.head(name, columns) if loop else [_relation(name), columns]
            self.steps.append(["clause", head, [["call", _base(name), columns]]])
        for rule in stratum.rules:
            body = _Body(self, loop, rule_variables(rule))
            body.add(rule.body)
            columns = [body.slot(term) for term in rule.head.terms]
            name = rule.head.relation
            head = loop.head(name, columns) if loop else [_relation(name), columns]
            self.steps.append(["clause", head, body.items])
        for name in stratum.relations if loop else ():
            columns = [_var(self.fresh()) for _ in range(arity[name])]
            self.steps.append(["fill", [_relation(name), columns], [["call", *loop.head(name, columns)]]])  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class _Loop:
    """The one predicate that stands for all relations of a recursive stratum."""

    name: str
    width: int
    arity: Mapping[str, int]

    @classmethod
    def of(cls, stratum: Stratum, arity: Mapping[str, int], number: int) -> _Loop:
        own = {name: arity[name] for name in stratum.relations}
        return cls(f"s_{number}", max(own.values()), own)

    def head(self, relation: str, columns: Sequence[Slot]) -> Item:
        """The call with its tag in front and padded to the widest; a relation alone needs neither."""
        if len(self.arity) == 1:
            return [self.name, [*columns]]
        return [self.name, [relation, *columns, *[""] * (self.width - len(columns))]]


class _Body:
    """One body in the order pyDatalog can run it: recursive calls first, each literal when its variables are bound."""

    __slots__ = ("_bound", "_left", "_loop", "_outer", "_planner", "items")

    def __init__(self, planner: _Planner, loop: _Loop | None, outer: Collection[str]) -> None:
        self._planner = planner
        self._loop = loop
        self._outer = outer
        self._bound: dict[str, None] = {}
        self._left: list[Literal] = []
        self.items: list[Item] = []

    def add(self, literals: Iterable[Literal]) -> None:
        self._left += literals
        while (at := self._next()) is not None:
            self._emit(self._left.pop(at))
        assert not self._left, "a checked body can be run"

    # ---- which literal is next -------------------------------------------------------------

    def _next(self) -> int | None:
        loops = [i for i, literal in enumerate(self._left) if self._recursive(literal)]
        if loops and not self.items:
            return loops[0]
        ready = [i for i, literal in enumerate(self._left) if i not in loops and self._ready(literal)]
        checks = [i for i in ready if not isinstance(self._left[i], Atom)]
        joined = [i for i in ready if self._is_joined(self._left[i])]
        return next(iter([*checks, *joined, *ready, *loops]), None)

    def _recursive(self, literal: Literal) -> bool:
        return self._loop is not None and isinstance(literal, Atom) and literal.relation in self._loop.arity

    def _is_joined(self, literal: Literal) -> bool:
        return isinstance(literal, Atom) and any(
            isinstance(t, Const) or (isinstance(t, Var) and t.name in self._bound) for t in literal.terms
        )

    def _ready(self, literal: Literal) -> bool:
        match literal:
            case Atom():
                return all(self._is_bound(t) for t in literal.terms if isinstance(t, Sum))
            case Not():
                return all(self._is_bound(t) for t in literal.atom.terms if not isinstance(t, Wildcard))
            case Compared(op="=", left=left, right=right):
                return (self._is_bound(left) and (self._is_bound(right) or isinstance(right, Var))) or (
                    self._is_bound(right) and isinstance(left, Var)
                )
            case Compared():
                return self._is_bound(literal.left) and self._is_bound(literal.right)
            case Aggregate():
                free = () if isinstance(literal.result, Var) else _names([literal.result])
                return all(name in self._bound for name in (*free, *group_of(literal, self._outer)))

    def _is_bound(self, term: Term) -> bool:
        return not isinstance(term, Wildcard) and all(name in self._bound for name in _names([term]))

    # ---- what it becomes ---------------------------------------------------------------------

    def _emit(self, literal: Literal) -> None:
        match literal:
            case Atom() if self._recursive(literal):
                self._call_loop(literal)
            case Atom():
                slots = [self.slot(term) for term in literal.terms]
                self.items.append(["call", _relation(literal.relation), slots])
                self._bind(slots)
            case Not():
                self._absent(literal)
            case Compared():
                left, right = self.slot(literal.left), self.slot(literal.right)
                self.items.append(["compare", literal.op, left, right])
                self._bind([left, right])
            case Aggregate():
                self._aggregate(literal)

    def _call_loop(self, atom: Atom) -> None:
        """All arguments free, so that it is the one subgoal of the stratum; equations narrow it afterwards."""
        assert self._loop is not None
        names: dict[str, None] = {}
        columns: list[Slot] = []
        checks: list[tuple[Slot, Term]] = []
        for term in atom.terms:
            if isinstance(term, Var) and term.name not in self._bound and term.name not in names:
                names[term.name] = None
                columns.append((term.name,))
            else:
                columns.append(_var(self._planner.fresh()))
                checks.append((columns[-1], term))
        name, slots = self._loop.head(atom.relation, columns)
        free = [slot if isinstance(slot, tuple) else _var(self._planner.fresh()) for slot in slots]
        self.items.append(["call", name, free])
        if len(self._loop.arity) > 1:
            self.items.append(["compare", "=", free[0], atom.relation])
        self._bind(columns)
        for column, term in checks:
            match term:
                case Wildcard():
                    continue
                case Sum():  # its variables may be bound only later
                    self._left.append(Compared("=", Var(_name(column)), term))
                case _:
                    self.items.append(["compare", "=", column, self.slot(term)])

    def _absent(self, literal: Not) -> None:
        """A helper of the named variables, filled now: the relation is of an earlier stratum, so finished."""
        slots = [self.slot(term) for term in literal.atom.terms]
        names = dict.fromkeys(_name(s) for s, t in zip(slots, literal.atom.terms, strict=True) if not _is_open(s, t))
        columns: list[Slot] = ["", *((name,) for name in names)]
        helper = f"n_{self._planner.fresh()}"
        self._planner.steps.append(["fill", [helper, columns], [["call", _relation(literal.atom.relation), slots]]])
        self.items.append(["absent", helper, columns])

    def _aggregate(self, literal: Aggregate) -> None:
        """The braces as a clause of (group, tuple), asked for one group at a time when the group is known."""
        group: list[Slot] = [(name,) for name in group_of(literal, self._outer)]
        inner = _Body(self._planner, None, ())
        inner._bind(group)
        inner.add(literal.body)
        over = [inner.slot(term) for term in literal.over]
        source, target = f"a_{self._planner.fresh()}", f"g_{self._planner.fresh()}_"
        self._planner.steps.append(["clause", [source, [*group, *over]], inner.items])
        self._planner.steps.append(["fold", target, literal.kind, source, len(group), len(over)])
        result = self.slot(literal.result)
        self.items.append(["folded", target, [*group, result]])
        self._bind([result])

    def slot(self, term: Term) -> Slot:
        """A term as an argument; a sum is worked out first, into a variable of its own."""
        match term:
            case Const(value=value):
                return value
            case Var(name=name):
                return (name,)
            case Wildcard():
                return _var(self._planner.fresh())
            case Sum():
                left, right = self.slot(term.left), self.slot(term.right)
                result = _var(self._planner.fresh())
                self.items.append(["sum", term.op, left, right, result])
                self._bind([result])
                return result

    def _bind(self, slots: Iterable[Slot]) -> None:
        self._bound.update(dict.fromkeys(_name(slot) for slot in slots if isinstance(slot, tuple)))


def _var(number: int) -> tuple[str]:
    """A variable of ours: no variable of a rules text is a number."""
    return (str(number),)


def _name(slot: Slot) -> str:
    assert isinstance(slot, tuple)
    return slot[0]


def _is_open(slot: Slot, term: Term) -> bool:
    return isinstance(term, Wildcard) or not isinstance(slot, tuple)


def _names(terms: Iterable[Term]) -> Iterator[str]:
    for term in terms:
        if isinstance(term, Var):
            yield term.name
        elif isinstance(term, Sum):
            yield from _names([term.left, term.right])
