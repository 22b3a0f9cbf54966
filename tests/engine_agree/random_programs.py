"""Whole programs as text from a seed, for long runs: rules of any shape, of which those that are refused are left out.

Wilder than tests/strategies.py and much faster, since nothing is shrunk: a seed is the whole report of a failure.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random

from contextmesh.base.errors import RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Row, Value
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
    kept: list[str] = []
    program = _build("", make.facts)
    for rule in make.rules():
        try:
            program = _build("\n".join([*kept, rule]), make.facts)
            kept.append(rule)
        except RuleError:
            continue
    return Sample(program, make.facts, "\n".join(kept))


def _build(text: str, facts: dict[str, list[Row]]) -> Program:
    return build_program([parse_rules(Source("<random>", text))], standalone=True, facts=facts)


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.values = random.sample(VALUES, 7)
        inputs = {f"e{i}": random.randint(1, 3) for i in range(3)}
        self.derived = {f"p{i}": random.randint(1, 3) for i in range(random.randint(1, 5))}
        self.arity = {**inputs, **self.derived}
        self.inputs = list(inputs)
        self.facts = {name: [self._row(n) for _ in range(random.randint(0, 8))] for name, n in inputs.items()}

    def rules(self) -> list[str]:
        names = list(self.derived)
        rules = [self._rule(self.random.choice(names)) for _ in range(self.random.randint(2, 10))]
        if self.random.random() < 0.3:
            name = self.random.choice(names)
            rules.append(f"{name}({', '.join(self._constant() for _ in range(self.arity[name]))}).")
        return rules

    def _rule(self, name: str) -> str:
        names = list(self.derived)
        below = [*self.inputs, *names[: names.index(name)]]
        body = [self._atom([*self.inputs, *names]) for _ in range(self.random.randint(1, 3))]
        for part, share in ((self._negated, 0.35), (self._compared, 0.3), (self._sum, 0.15), (self._aggregate, 0.25)):
            if self.random.random() < share:
                body += part(below)
        self.random.shuffle(body)
        head = ", ".join(self.random.choice([*VARIABLES, "N", self._constant()]) for _ in range(self.arity[name]))
        return f"{name}({head}) :- {', '.join(body)}."

    def _negated(self, below: list[str]) -> list[str]:
        return [f"not {self._atom(below)}"]

    def _compared(self, below: list[str]) -> list[str]:
        return [f"{self._variable()} {self.random.choice(COMPARISONS)} {self._term(0, 0.4)}"]

    def _sum(self, below: list[str]) -> list[str]:
        """Guarded on both sides, so that no rule counts without an end."""
        equation = f"{self._variable()} = {self._variable()} {self.random.choice('+-')} {self.random.randint(0, 2)}"
        return [equation, f"{self._variable()} < 5", f"-5 < {self._variable()}"]

    def _aggregate(self, below: list[str]) -> list[str]:
        kind = self.random.choice(["count", "min", "max", "sum"])
        inner = [self._atom(below) for _ in range(self.random.randint(1, 2))]
        if self.random.random() < 0.3:
            inner += [f"A < {self._variable()}", f"e0({', '.join(['A', *['_'] * (self.arity['e0'] - 1)])})"]
        over = self.random.choice(["X", "Y", "A", "Z"] if kind in ("min", "max") else ["X", "Y, Z", "A", "A, X"])
        result = self.random.choice([*VARIABLES, "N", "N", "N", "2"])
        return [f"{result} = {kind} {{ {over} : {', '.join(inner)} }}"]

    def _atom(self, names: list[str]) -> str:
        name = self.random.choice(names)
        return f"{name}({', '.join(self._term() for _ in range(self.arity[name]))})"

    def _term(self, wildcards: float = 0.1, constants: float = 0.15) -> str:
        chance = self.random.random()
        if chance < wildcards:
            return "_"
        return self._constant() if chance < wildcards + constants else self._variable()

    def _variable(self) -> str:
        return self.random.choice(VARIABLES)

    def _constant(self) -> str:
        value = self.random.choice(self.values)
        return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False)

    def _row(self, arity: int) -> Row:
        return tuple(self.random.choice(self.values) for _ in range(arity))
