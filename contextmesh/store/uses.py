"""Every use of a rule that carried failure, as rows found by the rules themselves.

A rule carries failure when its head is ``r(X, A)`` and its body holds ``s(Y, A)``, both derived, beginning with
``fell(X, A)``; its label is what is said between Y and X. The words follow whatever rules are in force. Each such
rule is compiled once for an engine, to be driven by the rows of the literal that carries, as maintenance drives it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from contextmesh.datalog.ast import Atom, Const, Row, Rule, Value, Var
from contextmesh.datalog.check import atoms
from contextmesh.datalog.compile import Code, Compiler
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Relation
from contextmesh.datalog.order import row_key
from contextmesh.datalog.seminaive import Reading, Stage
from contextmesh.datalog.strata import Stratum

FELL = "fell"
USE = " use"
"""The relation of the uses; no text can name it. Its rows: number of the rule, node, node before, values."""

_HOLE = re.compile(r"\{(\w+)\}")


class Step:
    """One rule that carries failure.

    Attributes:
        head, carrier: the relations it carries failure to, and from.
        at: where the carrying literal stands in its body.
        names: variables that its label names, beside the two nodes.
        copies: it hands every row on as it is.
    """

    __slots__ = ("_parts", "_told", "at", "carrier", "copies", "head", "names", "rule")

    def __init__(self, rule: Rule, at: int) -> None:
        carrier = rule.body[at]
        assert isinstance(carrier, Atom), "a literal that carries"
        self.rule = rule
        self.at = at
        self.head = rule.head.relation
        self.carrier = carrier.relation
        self.copies = len(rule.body) == 1 and carrier.terms == rule.head.terms
        nodes = (_name(rule.head.terms[0]), _name(carrier.terms[0]))
        pieces = _HOLE.split(rule.label.words or "") if rule.label is not None else []
        self.names = tuple(dict.fromkeys(name for name in pieces[1::2] if name not in nodes))
        place = {name: i for i, name in enumerate(self.names)}
        self._parts: list[str | int | None] = [
            place.get(piece) if odd % 2 else piece for odd, piece in enumerate(pieces)
        ]
        self._told: dict[tuple[Value, ...], str] = {}

    def via(self, use: Row) -> str:
        """The words of the label for a use, without the two nodes they stand between."""
        values, node, before = use[3:], use[1], use[2]
        if node in values or before in values:
            return self._words([None if value in (node, before) else value for value in values])
        words = self._told.get(values)
        if words is None:
            words = self._told[values] = self._words(values)
        return words

    def _words(self, values: Sequence[Value | None]) -> str:
        label = self.rule.label
        if label is None:
            return "<-"
        told = [values[part] if isinstance(part, int) else part for part in self._parts]
        words = "".join("" if part is None else str(part) for part in told)
        return " ".join(words.split()) or f"<-{label.name}-"


@dataclass(frozen=True, slots=True)
class Uses:
    """What was found for one root.

    Attributes:
        steps: the rules, by number.
        found: the uses, by the relation that they carry failure from: rule, node, node before, values.
        roots: the relations in which failure began with the root itself.
        copies: relations that hold whatever another one does, by that one; such uses are not found, they are known.
        relations: every relation that failure goes through.
    """

    steps: tuple[Step, ...]
    found: Mapping[str, list[Row]]
    roots: list[str]
    copies: Mapping[str, tuple[str, ...]]
    relations: tuple[str, ...]

    def onwards(self) -> dict[str, dict[Value, list[Row]]]:
        """The uses by the relation and the node that they carry failure from, each in the order of the rules."""
        made: dict[str, dict[Value, list[Row]]] = {}
        for carrier, found in self.found.items():
            if not found:
                continue
            by_node = made[carrier] = {}
            for row in found:
                rows = by_node.get(row[2])
                if rows is None:
                    by_node[row[2]] = [row]
                else:
                    rows.append(row)
            for rows in by_node.values():
                if len(rows) > 1:
                    _sort(rows)
        return made


class Tracer:
    """The rules of one engine that carry failure, compiled."""

    def __init__(self, engine: Engine) -> None:
        self._steps = _steps(engine.program.rules)
        width = max((len(step.names) for step in self._steps), default=0)
        self._use = Relation(USE, 3 + width)
        rules = tuple(_use(number, step, width) for number, step in enumerate(self._steps))
        self._relations = {**engine.relations, USE: self._use}
        self._stratum = Stratum((USE,), rules, False)
        self._read = list(dict.fromkeys(atom.relation for rule in rules for atom in atoms(rule.body)))
        self._names = tuple(dict.fromkeys([FELL, *(n for step in self._steps for n in (step.head, step.carrier))]))
        self._copies: dict[str, tuple[str, ...]] = {}
        for step in self._steps:
            if step.copies:
                self._copies[step.carrier] = (*self._copies.get(step.carrier, ()), step.head)
        self._codes: dict[str, Code] = {}
        self._planned: list[int] = []

    def uses(self, engine: Engine, root: str) -> Uses:
        """Every use for one root, in the state the engine shows now.

        Raises:
            LimitReached: there are more than the engine's limits allow.
        """
        for name in self._read:
            engine.read(name)
        meter = engine.limits.meter()
        uses: dict[str, list[Row]] = {}
        for carrier, code in self._compiled().items():
            found = uses[carrier] = []
            try:
                code.run(engine.match(carrier, (None, root)), (found,), meter, ())
            finally:
                self._use.rows.clear()
            meter.row(len(found))
        roots = [name for name in self._names if engine.holds(name, (root, root))]
        return Uses(self._steps, uses, roots, self._copies, self._names)

    def _compiled(self) -> Mapping[str, Code]:
        """Compiled anew when the engine plans anew: indexes that only these functions read are let go then."""
        planned = [self._relations[name].planned for name in self._read]
        if planned != self._planned:
            stage = Stage(0, self._stratum, self._relations, Compiler(self._relations))
            readings: dict[str, list[Reading]] = {}
            for number, step in enumerate(self._steps):
                if step.copies:
                    continue
                reading = Reading(number, step.at, None, step.carrier, "positive")
                readings.setdefault(step.carrier, []).append(reading)
            self._codes = {carrier: stage.code("derive", found) for carrier, found in readings.items()}
            self._planned = planned
        return self._codes


_TRACERS: WeakKeyDictionary[Engine, Tracer] = WeakKeyDictionary()


def uses(engine: Engine, root: str) -> Uses:
    """See ``Tracer.uses``."""
    tracer = _TRACERS.get(engine)
    if tracer is None:
        tracer = _TRACERS[engine] = Tracer(engine)
    return tracer.uses(engine, root)


def _steps(rules: tuple[Rule, ...]) -> tuple[Step, ...]:
    heads = dict.fromkeys(rule.head.relation for rule in rules)
    steps: list[Step] = []
    todo = [FELL]
    for relation in todo:
        for rule in rules:
            at = _carrier(rule, heads) if rule.head.relation == relation else None
            if at is not None:
                steps.append(Step(rule, at))
                if steps[-1].carrier not in todo:
                    todo.append(steps[-1].carrier)
    return tuple(steps)


def _carrier(rule: Rule, heads: Mapping[str, None]) -> int | None:
    """Where the literal ``s(Y, A)`` of a rule for ``r(X, A)`` stands; one of the same relation first."""
    terms = rule.head.terms
    if len(terms) != 2 or not all(isinstance(term, Var) for term in terms):
        return None
    able = {
        at: part.relation
        for at, part in enumerate(rule.body)
        if isinstance(part, Atom)
        and part.relation in heads
        and len(part.terms) == 2
        and isinstance(part.terms[0], Var)
        and part.terms[1] == terms[1]
    }
    return next((at for at, name in able.items() if name == rule.head.relation), next(iter(able), None))


def _use(number: int, step: Step, width: int) -> Rule:
    """``use(number, X, Y, values …) :- body`` for one rule."""
    carrier = step.rule.body[step.at]
    assert isinstance(carrier, Atom), "a step has one"
    values = [Var(name) for name in step.names]
    padding = [Const("")] * (width - len(values))
    head = Atom(USE, (Const(number), step.rule.head.terms[0], carrier.terms[0], *values, *padding))
    return Rule(head, step.rule.body)


def _sort(rows: list[Row]) -> None:
    try:
        rows.sort()
    except TypeError:  # whole numbers beside text
        rows.sort(key=row_key)


def _name(term: object) -> str:
    assert isinstance(term, Var), "a node is a variable"
    return term.name
