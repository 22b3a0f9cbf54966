"""Why a row holds: its shortest derivation. Why one does not: where each rule for it fails.

The length of a derivation is its height: a given fact has none, a derived row one more than its highest
premise. Rows are resolved height by height (Knuth 1977, the shortest way through an and-or graph), so a row can
never stand among its own premises; of two derivations as short, the earlier rule and then the earlier rows win.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from contextmesh.datalog.ast import Atom, Const, Literal, Not, Row, Rule, Value, Wildcard
from contextmesh.datalog.limits import Meter
from contextmesh.datalog.solve import Binding, Fit, evaluate

Fact = tuple[str, Row]

_HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derivation:
    """How a row came to hold. Premises are shared: one row is one object, however often it is used.

    Attributes:
        rule: the rule used, or None for a given fact.
        binding: the values of the rule's variables; results of aggregates are among them.
        premises: the rows of the rule's positive literals, in the order written.
        absent: what its negated literals say is not there, in the order written.
    """

    relation: str
    row: Row
    rule: Rule | None
    binding: Mapping[str, Value]
    premises: tuple[Derivation, ...]
    absent: tuple[Atom, ...]

    @property
    def words(self) -> str | None:
        """The words of the rule's label, with ``{X}`` replaced by the value of X."""
        if self.rule is None or self.rule.label is None or self.rule.label.words is None:
            return None
        return _HOLE.sub(lambda hole: str(self.binding.get(hole[1], hole[0])), self.rule.label.words)

    def __repr__(self) -> str:
        return f"Derivation({self.relation}{self.row!r}, {len(self.premises)} premises)"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one rule does not derive a row.

    Attributes:
        literal: the first literal that no binding satisfied; None when the row does not fit the head.
        binding: the values known when it failed (of several ways that came as far, the first).
    """

    rule: Rule
    literal: Literal | None
    binding: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class _Way:
    """One instance of a rule."""

    fact: Fact
    rule: Rule
    binding: Binding
    premises: tuple[Fact, ...]
    absent: tuple[Atom, ...]


class Explainer:
    """Explanations over one state.

    Args:
        rules: the rules of each derived relation, in order.
        match: rows of a relation that agree with a pattern.
        given: whether a fact was given rather than derived (or as well).
    """

    def __init__(
        self,
        rules: Mapping[str, Sequence[Rule]],
        match: Callable[[str, Sequence[Value | None]], Sequence[Row]],
        given: Callable[[str, Row], bool],
        meter: Meter,
    ) -> None:
        self._rules = rules
        self._match = match
        self._given = given
        self._meter = meter

    def explain(self, relation: str, row: Row) -> Derivation | None:
        if not self._match(relation, row):
            return None
        goal = (relation, row)
        waiting, ready = self._explore(goal)
        made: dict[Fact, Derivation] = {}
        while goal not in made:
            fresh = self._resolve(ready, made)
            assert fresh, "a row that holds has a derivation"
            ready = []
            for fact in fresh:
                for number, way in waiting.get(fact, ()):
                    if way.fact not in made and all(premise in made for premise in way.premises):
                        ready.append((number, way))
        return made[goal]

    def _explore(self, goal: Fact) -> tuple[dict[Fact, list[tuple[int, _Way]]], list[tuple[int, _Way | Fact]]]:
        """Every instance of a rule that can have part in a derivation, by premise; and those that need none."""
        waiting: dict[Fact, list[tuple[int, _Way]]] = {}
        ready: list[tuple[int, _Way | Fact]] = []
        seen: dict[Fact, None] = {goal: None}
        todo = [goal]
        number = 0
        for fact in todo:
            if self._given(*fact):
                ready.append((number, fact))
                continue
            for way in self._ways(fact):
                number += 1
                self._meter.row()
                for premise in dict.fromkeys(way.premises):
                    waiting.setdefault(premise, []).append((number, way))
                    if premise not in seen:
                        seen[premise] = None
                        todo.append(premise)
                if not way.premises:
                    ready.append((number, way))
        return waiting, ready

    def _resolve(self, ready: Iterable[tuple[int, _Way | Fact]], made: dict[Fact, Derivation]) -> list[Fact]:
        """Make the derivations of one height, each by its first instance."""
        fresh: list[Fact] = []
        for _, way in sorted(ready, key=lambda numbered: numbered[0]):
            fact = way.fact if isinstance(way, _Way) else way
            if fact in made:
                continue
            if isinstance(way, _Way):
                premises = tuple(made[premise] for premise in way.premises)
                made[fact] = Derivation(*fact, way.rule, way.binding, premises, way.absent)
            else:
                made[fact] = Derivation(*fact, None, {}, (), ())
            fresh.append(fact)
        return fresh

    def _ways(self, fact: Fact) -> Iterable[_Way]:
        relation, row = fact
        for rule in self._rules[relation]:
            for binding, rows in Fit(rule, row, self._match, self._meter).solutions():
                premises = tuple((part.relation, rows[id(part)]) for part in rule.body if isinstance(part, Atom))
                absent = tuple(_ground(part.atom, binding) for part in rule.body if isinstance(part, Not))
                yield _Way(fact, rule, binding, premises, absent)

    def why_not(self, relation: str, row: Row) -> tuple[Failure, ...]:
        if self._match(relation, row):
            return ()
        failures = []
        for rule in self._rules.get(relation, ()):
            fit = Fit(rule, row, self._match, self._meter)
            assert next(fit.solutions(), None) is None, "a row that a rule derives holds"
            if fit.start is None:
                failures.append(Failure(rule, None, {}))
                continue
            depth, binding = fit.deepest
            literal = fit.body[depth]
            of_head = not any(literal is part for part in rule.body)
            failures.append(Failure(rule, None if of_head else literal, binding))
        return tuple(failures)


def _ground(atom: Atom, binding: Binding) -> Atom:
    values = (evaluate(term, binding) for term in atom.terms)
    return Atom(atom.relation, tuple(Wildcard() if value is None else Const(value) for value in values))
