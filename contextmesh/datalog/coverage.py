"""What of a rule held over one state: how often each literal was tried and held, and what the body concluded.

The literals are taken in the order of the engine's plans, over the engine's rows and indexes, binding by binding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from contextmesh.datalog.ast import Atom, Literal, Row, Rule
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.limits import Meter
from contextmesh.datalog.solve import Binding, Fit, Match, evaluate


@dataclass(slots=True)
class Tally:
    """Counts of one rule, over all states it was looked at in.

    Attributes:
        body: the literals in the order in which they are tried.
        tried: for each, the bindings with which it was tried.
        held: for each, those with which it held; a literal that finds several rows holds once for each.
        rows: rows that the rule concluded, each state counted by itself.
    """

    rule: Rule
    body: tuple[Literal, ...]
    tried: list[int] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    rows: int = 0

    @property
    def stuck(self) -> Literal | None:
        """The first literal that never held, None for a rule that concluded something."""
        if self.rows:
            return None
        return next((part for part, held in zip(self.body, self.held, strict=True) if not held), None)


class Tallies:
    """Counts of every rule of a program."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.of: dict[int, Tally] = {}
        self.by_head: dict[str, list[Tally]] = {}
        for rule in rules:
            body = _Count.fit(rule, _nothing, None).body
            tally = self.of[id(rule)] = Tally(rule, body, [0] * len(body), [0] * len(body))
            self.by_head.setdefault(rule.head.relation, []).append(tally)

    def look(self, engine: Engine, relations: Sequence[str]) -> list[Rule]:
        """Count the rules behind some relations over what stands now; those that concluded something.

        Raises:
            LimitReached: counting, or bringing a relation up to date, passed a limit of the engine.
        """
        meter = engine.limits.meter()
        return [
            tally.rule
            for name in behind(engine, relations)
            for tally in self.by_head.get(name, ())
            if _Count.fit(tally.rule, engine.match, meter).run(tally)
        ]


def behind(engine: Engine, relations: Sequence[str]) -> list[str]:
    """The derived relations that some relations are concluded from, themselves included."""
    found = dict.fromkeys(relations)
    todo = list(found)
    for name in todo:
        stage = engine.stage_of(name)
        for read in [*(r.name for r in stage.inputs), *stage.names] if stage is not None else ():
            if read not in found:
                found[read] = None
                todo.append(read)
    return [name for name in found if engine.stage_of(name) is not None] if found else []


class _Count(Fit):
    @classmethod
    def fit(cls, rule: Rule, match: Match, meter: Meter | None) -> _Count:
        """The body alone, so that every row of the head is looked for."""
        return cls(Rule(Atom(rule.head.relation, ()), rule.body), (), match, meter)  # type: ignore[arg-type]

    def run(self, tally: Tally) -> int:
        """Count one state into a tally; how many rows it concludes."""
        assert self.start is not None
        found: dict[Row, None] = {}
        stack = [iter([(self.start, dict[int, Row]())])]
        while stack:
            here = next(stack[-1], None)
            if here is None:
                stack.pop()
                continue
            self._meter.step()
            depth = len(stack) - 1
            if depth:
                tally.held[depth - 1] += 1
            if depth < len(self.body):
                tally.tried[depth] += 1
                stack.append(self._extend(self.body[depth], *here))
                continue
            row = _row(tally.rule, here[0])
            if row is not None and row not in found:
                found[row] = None
                self._meter.row()
        tally.rows += len(found)
        return len(found)


def _row(rule: Rule, binding: Binding) -> Row | None:
    values = [evaluate(term, binding) for term in rule.head.terms]
    return tuple(v for v in values if v is not None) if None not in values else None


def _nothing(_: str, __: object) -> Sequence[Row]:
    return ()
