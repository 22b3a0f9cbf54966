"""A maintained engine moved from one set of facts to another; what it holds and what it tells are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.program import Program

Facts = Mapping[str, Sequence[Row]]
Right = Mapping[str, frozenset[Row]]


class Mover:
    """Keeps one engine; ``move`` changes its facts into others by their difference."""

    def __init__(self, program: Program, facts: Facts) -> None:
        self._inputs = [name for name, d in program.declarations.items() if d.kind == "input"]
        self._facts = facts
        self._engine = Engine(program, facts)
        self._rows = {name: frozenset(self._engine.rows(name)) for name in program.declarations}

    def move(self, facts: Facts, right: Right) -> list[str]:
        """What is wrong afterwards; ``right`` is the definition's answer for the new facts."""
        added = {name: [row for row in facts[name] if row not in self._facts[name]] for name in self._inputs}
        dropped = {name: [row for row in self._facts[name] if row not in facts[name]] for name in self._inputs}
        told = self._engine.apply(Delta.of(added=added, dropped=dropped))
        wrong = []
        for name, before in self._rows.items():
            came, went = frozenset(told.plus(name)), frozenset(told.minus(name))
            if frozenset(self._engine.rows(name)) != right[name]:
                wrong.append(f"rows of {name}")
            if came != right[name] - before or went != before - right[name]:
                wrong.append(f"delta of {name}")
        self._facts, self._rows = facts, dict(right)
        return wrong
