"""Generators of programs, facts and changes, small enough that the definition evaluates them at once.

``programs()`` are well formed by construction: safe, stratified, ending. ``wild_texts()`` are not: most are
refused. Relations e/2, n/1 and t/3 are inputs; p0, p1, … are derived, two to a level: positive literals reach
down to a relation's own level (so recursion, also mutual, is common), ``not`` and aggregates only below it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import note
from hypothesis import strategies as st

from contextmesh.base.errors import RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import (
    Aggregate,
    Atom,
    Compared,
    Const,
    Literal,
    Not,
    Row,
    Rule,
    RuleText,
    Sum,
    Term,
    Value,
    Var,
    Wildcard,
)
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.render import render_rules

INPUTS = {"e": 2, "n": 1, "t": 3}
DERIVED = {"p0": 1, "p1": 2, "p2": 2, "p3": 1, "p4": 2, "p5": 1}
ARITY = {**INPUTS, **DERIVED}
NAMES = ("X", "Y", "Z", "W")

values: st.SearchStrategy[Value] = st.sampled_from([0, 1, 2, "a"])
constants = values.map(Const)


def rows_of(arity: int) -> st.SearchStrategy[Row]:
    return st.tuples(*[values] * arity)


# ---- programs ------------------------------------------------------------------------------------


def programs(most_rules: int = 8) -> st.SearchStrategy[Program]:
    """Programs that are accepted and end."""
    return _rules(most_rules).map(_built)


@st.composite
def _rules(draw: Any, most: int) -> list[Rule]:
    """A first rule for each of some derived relations, then more for any of them."""
    derived = draw(st.lists(st.sampled_from(list(DERIVED)), min_size=1, max_size=min(4, most), unique=True))
    more = draw(st.lists(st.sampled_from(derived), max_size=most - len(derived)))
    return [
        draw(rules_for(name, [*INPUTS, *INPUTS, *derived], first=i < len(derived)))
        for i, name in enumerate([*derived, *more])
    ]


def _built(rules: Sequence[Rule]) -> Program:
    """Rules that can be proved to mix text and numbers are left out; nothing else is refused."""
    kept: list[Rule] = []
    program = _program(kept)
    for rule in rules:
        try:
            program = _program([*kept, rule])
            kept.append(rule)
        except RuleError as refusal:
            assert {problem.code for problem in refusal.problems} == {"constant-kind"}, refusal
    note(render_rules(text_of(kept)))
    return program


def _program(rules: Sequence[Rule]) -> Program:
    return build_program([text_of(rules)], standalone=True, facts={n: [(0,) * arity] for n, arity in ARITY.items()})


def text_of(rules: Sequence[Rule]) -> RuleText:
    return RuleText(Source("<generated>", ""), (), tuple(rules))


def _level(relation: str) -> int:
    return int(relation[1:]) // 2 if relation in DERIVED else -1


@st.composite
def rules_for(draw: Any, relation: str, known: Sequence[str], *, first: bool = False) -> Rule:
    """A safe rule for one derived relation over the known ones; a first rule does not read its own level."""
    level = _level(relation)
    below = [name for name in known if _level(name) < level]
    near = below if first else [name for name in known if _level(name) <= level]
    body: list[Literal] = []
    bound: dict[str, None] = {}
    for name in draw(st.lists(st.sampled_from(near), min_size=1, max_size=2 if first else 3)):
        atom = draw(atoms(name, NAMES))
        body.append(atom)
        bound.update(dict.fromkeys(t.name for t in atom.terms if isinstance(t, Var)))
    for extra in draw(st.lists(st.sampled_from(["not", "not", "compare", "let", "sum", "fold", "fold"]), max_size=2)):
        body += draw(_extra(extra, below, bound, NAMES[len(bound) :]))
    terms: list[Term] = []
    for _ in range(DERIVED[relation]):
        terms.append(draw(_term(bound)))
    if draw(st.integers(0, 5)) == 0 and bound:
        # A counter that ends: the sum is guarded by a comparison.
        name = draw(st.sampled_from(list(bound)))
        terms[-1] = Sum("+", Var(name), Const(1))
        body.append(Compared("<", Var(name), Const(4)))
    return Rule(Atom(relation, tuple(terms)), tuple(draw(st.permutations(body))))


def atoms(name: str, names: Sequence[str]) -> st.SearchStrategy[Atom]:
    """Mostly variables, some constants and wildcards, repetitions welcome."""
    variable = st.sampled_from(list(names)).map(Var)
    other = st.one_of(constants, st.just(Wildcard()), variable)
    term = st.integers(0, 5).flatmap(lambda n: variable if n else other)
    return st.tuples(*[term] * ARITY[name]).map(lambda terms: Atom(name, terms))


def _term(bound: Mapping[str, None]) -> st.SearchStrategy[Term]:
    if not bound:
        return constants
    variable = st.sampled_from(list(bound)).map(Var)
    return st.one_of(variable, variable, variable, constants)


@st.composite
def _extra(draw: Any, kind: str, below: Sequence[str], bound: dict[str, None], free: Sequence[str]) -> list[Literal]:
    term = _term(bound)
    match kind:
        case "not":
            name = draw(st.sampled_from(list(below)))
            loose = st.one_of(term, term, term, st.just(Wildcard()))
            return [Not(Atom(name, tuple(draw(loose) for _ in range(ARITY[name]))))]
        case "compare":
            return [Compared(draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">="])), draw(term), draw(term))]
        case "let" if free:
            bound[free[0]] = None
            sides = (Var(free[0]), draw(term))
            return [Compared("=", *draw(st.permutations(sides)))]
        case "sum" if bound:
            amount = Sum(draw(st.sampled_from(["+", "-"])), draw(term), draw(st.integers(0, 2).map(Const)))
            return [Compared("<", amount, Const(5)) if draw(st.booleans()) else Atom("n", (amount,))]
        case "fold":
            return [draw(_fold(below, bound, free))]
    return []


@st.composite
def _fold(draw: Any, below: Sequence[str], bound: dict[str, None], free: Sequence[str]) -> Literal:
    kind = draw(st.sampled_from(["count", "min", "max", "sum"]))
    shared = list(bound)[:2]
    body: list[Literal] = []
    inside: dict[str, None] = {}
    for name in draw(st.lists(st.sampled_from(list(below)), min_size=1, max_size=2)):
        atom = draw(atoms(name, [*shared, "U", "V"]))
        body.append(atom)
        inside.update(dict.fromkeys(t.name for t in atom.terms if isinstance(t, Var)))
    if draw(st.booleans()) and shared and inside:
        body.append(
            Compared(draw(st.sampled_from(["<", "!="])), Var(draw(st.sampled_from(list(inside)))), Var(shared[0]))
        )
    if draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from(list(below)))
        body.append(
            Not(Atom(name, tuple(draw(st.one_of(_term(inside), st.just(Wildcard()))) for _ in range(ARITY[name]))))
        )
    over = tuple(draw(_term(inside)) for _ in range(draw(st.integers(1, 2)) if kind in ("count", "sum") else 1))
    if free and draw(st.booleans()):
        bound[free[-1]] = None
        return Aggregate(kind, Var(free[-1]), over, tuple(body))
    return Aggregate(kind, draw(_term(bound)), over, tuple(body))


@st.composite
def wild_texts(draw: Any) -> RuleText:
    """Rules of any shape over the same names: unsafe, unstratified, of wrong arity, or by luck well formed."""
    rules = []
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(list(DERIVED)))
        body: list[Literal] = []
        for _ in range(draw(st.integers(0, 4))):
            atom = draw(atoms(draw(st.sampled_from(list(ARITY))), NAMES))
            if draw(st.integers(0, 9)) == 0:
                atom = Atom(atom.relation, (*atom.terms, Const(0)))
            kind = draw(st.sampled_from(["atom", "atom", "not", "compare", "fold"]))
            if kind == "atom":
                body.append(atom)
            elif kind == "not":
                body.append(Not(atom))
            elif kind == "compare":
                body.append(Compared(draw(st.sampled_from(["=", "<"])), Var("X"), Sum("+", Var("Y"), Const(1))))
            else:
                body.append(Aggregate("count", Var("W"), (Var("U"),), (atom, Atom("n", (Var("U"),)))))
        head = draw(atoms(name, NAMES))
        rules.append(Rule(head, tuple(body)))
    return text_of(rules)


# ---- facts and changes ---------------------------------------------------------------------------


@st.composite
def facts_for(draw: Any, program: Program, most: int = 14) -> dict[str, list[Row]]:
    """Facts for the inputs that the program declares; now and then none for one of them."""
    facts = {}
    for name, least in (("e", 4), ("n", 1), ("t", 4)):
        if name in program.declarations:
            some = st.lists(rows_of(INPUTS[name]), min_size=least, max_size=4 if name == "n" else most, unique=True)
            facts[name] = draw(some) if draw(st.integers(0, 6)) else []
    return facts


@st.composite
def changes_for(draw: Any, program: Program, facts: Mapping[str, Sequence[Row]], most: int = 3) -> Delta:
    """A few rows to add, present or not, and to drop, mostly present; now and then all rows of a relation."""
    added, dropped = {}, {}
    for name in facts:
        some = rows_of(len(program.declarations[name].columns))
        added[name] = draw(st.lists(some, max_size=most, unique=True))
        there = st.sampled_from(list(facts[name])) if facts[name] else some
        dropped[name] = draw(st.lists(there, max_size=most, unique=True))
        if draw(st.integers(0, 7)) == 0:
            dropped[name] = list(facts[name])
    return Delta.of(added=added, dropped=dropped)


def changed(facts: Mapping[str, Sequence[Row]], delta: Delta) -> dict[str, list[Row]]:
    """The facts after a change: what is dropped goes first."""
    after = {}
    for name, rows in facts.items():
        kept = {row: None for row in rows if row not in delta.minus(name)}
        kept.update(dict.fromkeys(delta.plus(name)))
        after[name] = list(kept)
    return after
