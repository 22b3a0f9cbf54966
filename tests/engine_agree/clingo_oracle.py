"""clingo as the outside oracle: a checked program as an answer-set program whose one model is its meaning.

Independent of every evaluator of ours. Whole numbers must stay inside 32 bits, and text free of NUL. The greatest
whole number alone has a stand-in, ``#sup``, which rules may compare with other numbers and must not add to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import clingo

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
from contextmesh.datalog.limits import WHOLE_MAX
from contextmesh.datalog.order import row_key
from contextmesh.datalog.program import GOAL, Program

Rows = dict[str, dict[Row, None]]


def evaluate(program: Program, facts: Mapping[str, Iterable[Row]]) -> Rows:
    """Every declared relation with its rows, sorted."""
    text = [f"{_call(name, row)}." for name, rows in facts.items() for row in rows]
    text += [f"{_call(name, row)}." for name, row in program.facts]
    text += [_Words().rule(rule) for rule in program.rules]
    control = clingo.Control(["--warn=none"], logger=lambda code, message: None)
    control.add("base", [], "\n".join(text))
    control.ground([("base", [])])
    found: dict[str, list[Row]] = {name: [] for name in program.declarations}
    models = 0
    with control.solve(yield_=True) as handle:
        for model in handle:
            models += 1
            for symbol in model.symbols(atoms=True):
                found[symbol.name.removeprefix("r_")].append(tuple(_value(part) for part in symbol.arguments))
    assert models == 1, f"a stratified program has one model, not {models}"
    return {name: dict.fromkeys(sorted(rows, key=row_key)) for name, rows in found.items()}


def answer(program: Program, query: Query, facts: Mapping[str, Iterable[Row]]) -> list[Row]:
    """The rows of a query, distinct and sorted."""
    return list(evaluate(program.with_query(query), facts)[GOAL])


def _value(symbol: clingo.Symbol) -> Value:
    if symbol.type is clingo.SymbolType.Supremum:
        return WHOLE_MAX
    return symbol.number if symbol.type is clingo.SymbolType.Number else symbol.string


def _call(relation: str, row: Sequence[Value]) -> str:
    return f"r_{relation}({','.join(_constant(value) for value in row)})"


def _constant(value: Value) -> str:
    if value == WHOLE_MAX:
        return "#sup"
    if isinstance(value, int):
        assert -(2**31) < value < 2**31, "clingo has 32 bits"
        return str(value)
    assert "\0" not in value, "clingo's text ends at NUL"
    escaped = value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
    return f'"{escaped}"'


@dataclass
class _Words:
    """One rule as text; its variables are renamed, since clingo's own syntax for them is narrower."""

    names: dict[str, str] = field(default_factory=dict)

    def rule(self, rule: Rule) -> str:
        body = [part for literal in rule.body for part in self.literal(literal)]
        return f"{self.atom(rule.head)} :- {', '.join(body)}."

    def literal(self, literal: Literal) -> Iterable[str]:
        match literal:
            case Atom():
                yield self.atom(literal)
            case Not():
                yield f"not {self.atom(literal.atom)}"
            case Compared():
                yield f"{self.term(literal.left)} {literal.op} {self.term(literal.right)}"
            case Aggregate():
                yield from self.aggregate(literal)

    def aggregate(self, literal: Aggregate) -> Iterable[str]:
        over = ",".join(self.term(term) for term in literal.over)
        body = ", ".join(part for inner in literal.body for part in self.literal(inner))
        yield f"{self.term(literal.result)} = #{literal.kind} {{ {over} : {body} }}"
        if literal.kind in ("min", "max"):  # of nothing clingo has #sup and #inf, we have no value
            yield f"0 < #count {{ {over} : {body} }}"
        if literal.kind == "sum":  # over text clingo leaves it out, we have no value
            yield f'0 = #count {{ {over} : {body}, {self.term(literal.over[0])} >= "" }}'

    def atom(self, atom: Atom) -> str:
        return f"r_{atom.relation}({','.join(self.term(term) for term in atom.terms)})"

    def term(self, term: Term) -> str:
        match term:
            case Const(value=value):
                return _constant(value)
            case Var(name=name):
                return self.names.setdefault(name, f"V{len(self.names)}")
            case Sum():
                return f"({self.term(term.left)} {term.op} {self.term(term.right)})"
            case _:
                return "_"
