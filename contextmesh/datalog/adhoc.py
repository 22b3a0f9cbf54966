"""A question over what stands: temporary rules, run over the engine's own relations and indexes; nothing is copied.

Relations of the question's own, and recursive ones of the program that were never evaluated and are asked about
with a constant, are derived only as far as the question needs (see demand). Everything else is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.datalog.ast import Aggregate, Atom, Const, Not, Query, Row, Rule, Var
from contextmesh.datalog.check import atoms
from contextmesh.datalog.choose import FEW_ONCE
from contextmesh.datalog.compile import Compiler
from contextmesh.datalog.demand import Demand, reachable, rewrite
from contextmesh.datalog.facts import Relation
from contextmesh.datalog.limits import Limits, Meter
from contextmesh.datalog.order import row_key
from contextmesh.datalog.program import GOAL
from contextmesh.datalog.seminaive import Temporary
from contextmesh.datalog.strata import stratify

if TYPE_CHECKING:
    from contextmesh.datalog.engine import Engine

GIVEN = " given"
"""Added to the name of a derived relation for the rows of it that were given; no text can name such a relation."""

Rules = Mapping[str, Sequence[Rule]]


@dataclass(frozen=True, slots=True)
class Answer:
    """Distinct rows, sorted (whole numbers before text), one value per named variable of the query."""

    columns: tuple[str, ...]
    rows: list[Row]


def ask(engine: Engine, query: Query, limits: Limits) -> Answer:
    """See Engine.query."""
    meter = limits.meter()
    own, relations = _own(engine, query)
    goal = own.pop(GOAL)[0]
    everything = [goal, *(rule for rules in own.values() for rule in rules)]
    whole = reachable(
        _closed(everything), {name: [a.relation for r in rules for a in atoms(r.body)] for name, rules in own.items()}
    )
    first = [rule for name, rules in own.items() if name in whole for rule in rules]
    _evaluate(engine, first, relations, meter)
    opened: dict[str, Sequence[Rule]] = {name: rules for name, rules in own.items() if name not in whole}
    opened |= _never_evaluated(engine, [goal, *(rule for rules in opened.values() for rule in rules)])
    made = rewrite(goal, opened) if opened else Demand([goal])
    for name, arity in made.arities.items():
        relations[name] = Relation(name, arity)
    made.rules += [rule for name, row in made.seeds for rule in _give(relations, name, row)]
    relations[GOAL] = Relation(GOAL, len(goal.head.terms))
    _evaluate(engine, made.rules, relations, meter)
    return Answer(query.columns, sorted(relations[GOAL].scan(), key=row_key))


def _own(engine: Engine, query: Query) -> tuple[dict[str, list[Rule]], dict[str, Relation]]:
    """The checked rules of the question by relation, and relations for them beside the engine's."""
    standing = engine.program
    program = standing.with_query(query)
    relations = dict(engine.relations)
    own: dict[str, list[Rule]] = {}
    for name, declaration in program.declarations.items():
        if name not in standing.declarations:
            relations[name] = Relation(name, len(declaration.columns))
            own[name] = [rule for rule in program.rules if rule.head.relation == name]
    for name, row in program.facts[len(standing.facts) :]:
        own[name] += _give(relations, name, row)
    return own, relations


def _give(relations: dict[str, Relation], name: str, row: Row) -> list[Rule]:
    """Give a row of a relation that rules derive; the answer is the rule that hands it on, the first time."""
    given = relations.get(name + GIVEN)
    if given is not None:
        given.add((row,))
        return []
    relations[name + GIVEN] = Relation(name + GIVEN, len(row))
    relations[name + GIVEN].add((row,))
    return [handed_on(name, len(row))]


def handed_on(name: str, arity: int) -> Rule:
    """A given row of a derived relation is derived by a rule of its own."""
    terms = tuple(Var(f"C{i}") for i in range(arity))
    return Rule(Atom(name, terms), (Atom(name + GIVEN, terms),))


def _closed(rules: Iterable[Rule]) -> list[str]:
    """What is negated or aggregated over must be there as a whole."""
    parts = (part for rule in rules for part in rule.body if isinstance(part, Not | Aggregate))
    return [atom.relation for atom in atoms(list(parts))]


def _never_evaluated(engine: Engine, rules: Sequence[Rule]) -> dict[str, Sequence[Rule]]:
    """Recursive relations of the program that nobody has read yet, where a constant says which part is wanted."""
    asked = [part for rule in rules for part in rule.body if isinstance(part, Atom)]
    found: dict[str, Sequence[Rule]] = {}
    for atom in asked:
        stage = engine.stage_of(atom.relation)
        if stage is None or stage.built or not stage.recursive or len(stage.names) > 1:
            continue
        constant = any(isinstance(term, Const) for term in atom.terms)
        if constant and atom.relation not in _closed(rules):
            found[atom.relation] = stage.rules
    return found


def _evaluate(engine: Engine, rules: Sequence[Rule], relations: dict[str, Relation], meter: Meter) -> None:
    """Derive the heads of some rules, bottom up, from relations that are whole."""
    if not rules:
        return
    heads = dict.fromkeys(rule.head.relation for rule in rules)
    for rule in rules:
        for atom in atoms(rule.body):
            if atom.relation not in heads and atom.relation in engine.program.declarations:
                engine.read(atom.relation)
    compiler = Compiler(relations, FEW_ONCE)
    for stratum in stratify(rules):
        Temporary(0, stratum, relations, compiler).build(meter)
