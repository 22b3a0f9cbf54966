"""Whole programs as text from a seed, for long runs: rules of any shape, of which those that are refused are left out.

Wilder than tests/strategies.py and much faster, since nothing is shrunk: a seed is the whole report of a failure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from contextmesh.base.errors import RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Row, RuleText, Value
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.rules import parse_rules

VALUES: tuple[Value, ...] = (0, 1, 2, 3, -1, "a", "b", "1", "True", "", 'q"\\', "é", "\U0001d11e", "\ufb00")
VARIABLES = ("X", "Y", "Z", "W")
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Sample:
    """A program with the facts it is evaluated over, and the text it was read from."""

    program: Program
    facts: dict[str, list[Row]]
    text: str


def sample(seed: int) -> Sample:
    """The sample of a seed; the same on every machine."""
    make = _Maker(Random(seed))
    kept: list[RuleText] = []
    program = build_program([], standalone=True, facts=make.facts)
    for rule in make.rules():
        try:
            text = parse_rules(Source("<random>", rule))
            program = build_program([*kept, text], standalone=True, facts=make.facts)
            kept.append(text)
        except RuleError:
            continue
    return Sample(program, make.facts, "\n".join(text.source.text for text in kept))


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.bound = list(VARIABLES)
        self.values = random.sample(VALUES, 5) if random.random() < 0.6 else [*VALUES[:5]]
        inputs = {f"e{i}": random.choice([1, 2, 2, 3]) for i in range(3)}
        self.derived = {f"p{i}": random.randint(1, 3) for i in range(random.randint(1, 5))}
        self.arity = {**inputs, **self.derived}
        self.inputs = list(inputs)
        self.facts = {name: [self._row(n) for _ in range(random.randint(2, 14))] for name, n in inputs.items()}

    def rules(self) -> list[str]:
        names = list(self.derived)
        rules = [self._rule(self.random.choice(names)) for _ in range(self.random.randint(3, 10))]
        if self.random.random() < 0.3:
            name = self.random.choice(names)
            rules.append(f"{name}({', '.join(self._constant() for _ in range(self.arity[name]))}).")
        return rules

    def _rule(self, name: str) -> str:
        """Nine names in ten are bound where they must be; the rest is for the checker to refuse."""
        names = list(self.derived)
        below = [*self.inputs, *names[: names.index(name)]]
        self.bound = list(VARIABLES)
        body = [self._atom([*self.inputs, *names]) for _ in range(self.random.randint(1, 3))]
        self.bound = [name for name in _names(body) if name in VARIABLES]
        for part, share in ((self._negated, 0.35), (self._compared, 0.3), (self._sum, 0.15), (self._aggregate, 0.25)):
            if self.random.random() < share:
                body += part(below)
        self.random.shuffle(body)
        head = ", ".join(self._term(0, 0.1) for _ in range(self.arity[name]))
        return f"{name}({head}) :- {', '.join(body)}."

    def _negated(self, below: list[str]) -> list[str]:
        return [f"not {self._atom(below)}"]

    def _compared(self, below: list[str]) -> list[str]:
        return [f"{self._variable()} {self.random.choice(COMPARISONS)} {self._term(0, 0.4)}"]

    def _sum(self, below: list[str]) -> list[str]:
        """Guarded on both sides, so that no rule counts without an end."""
        amount = f"{self._variable()} {self.random.choice('+-')} {self.random.randint(0, 2)}"
        self.bound.append("S")
        return [f"S = {amount}", "S < 5", "-5 < S"]

    def _aggregate(self, below: list[str]) -> list[str]:
        kind = self.random.choice(["count", "min", "max", "sum"])
        inner = [self._atom(below, ["A", "B"]) for _ in range(self.random.randint(1, 3))]
        names = _names(inner) or ["X"]
        if self.random.random() < 0.3:
            inner.append(f"{self.random.choice(names)} {self.random.choice(COMPARISONS)} {self._variable()}")
        width = 1 if kind in ("min", "max") else self.random.randint(1, 2)
        over = ", ".join(self.random.sample(names, min(width, len(names))))
        if self.random.random() < 0.7:
            result = "N"
            self.bound.append("N")
        else:
            result = self._term(0, 0.3)
        return [f"{result} = {kind} {{ {over} : {', '.join(inner)} }}"]

    def _atom(self, names: list[str], more: Sequence[str] = ()) -> str:
        name = self.random.choice(names)
        return f"{name}({', '.join(self._term(more=more) for _ in range(self.arity[name]))})"

    def _term(self, wildcards: float = 0.1, constants: float = 0.06, more: Sequence[str] = ()) -> str:
        chance = self.random.random()
        if chance < wildcards:
            return "_"
        return self._constant() if chance < wildcards + constants else self._variable(more)

    def _variable(self, more: Sequence[str] = ()) -> str:
        """``more`` are names as likely as all others together."""
        if more and self.random.random() < 0.5:
            return self.random.choice(more)
        return self.random.choice(self.bound if self.bound and self.random.random() < 0.9 else VARIABLES)

    def _constant(self) -> str:
        value = self.random.choice(self.values)
        return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False)

    def _row(self, arity: int) -> Row:
        return tuple(self.random.choice(self.values) for _ in range(arity))


def _names(atoms: Sequence[str]) -> list[str]:
    """The variables of some atoms, each once."""
    return list(dict.fromkeys(re.findall(r"\b[A-Z]\b", re.sub(r'"[^"]*"', "", " ".join(atoms)))))
