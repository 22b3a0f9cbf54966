"""A question over what stands: a temporary rule, run over the engine's own relations and indexes; nothing is copied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.datalog.ast import Query, Row
from contextmesh.datalog.check import atoms
from contextmesh.datalog.compile import Compiler
from contextmesh.datalog.facts import Relation
from contextmesh.datalog.limits import Limits
from contextmesh.datalog.order import row_key
from contextmesh.datalog.program import GOAL
from contextmesh.datalog.seminaive import Temporary

if TYPE_CHECKING:
    from contextmesh.datalog.engine import Engine


@dataclass(frozen=True, slots=True)
class Answer:
    """Distinct rows, sorted (whole numbers before text), one value per named variable of the query."""

    columns: tuple[str, ...]
    rows: list[Row]


def ask(engine: Engine, query: Query, limits: Limits) -> Answer:
    """See Engine.query."""
    standing = engine.program
    program = standing.with_query(query)
    strata = program.strata[len(standing.strata) :]
    relations = dict(engine.relations)
    for name, declaration in program.declarations.items():
        if name not in standing.declarations:
            relations[name] = Relation(name, len(declaration.columns))
    for stratum in strata:
        for rule in stratum.rules:
            for atom in atoms(rule.body):
                if atom.relation in standing.declarations:
                    engine.read(atom.relation)
    for name, row in program.facts[len(standing.facts) :]:
        relations[name].add((row,))
    meter = limits.meter()
    compiler = Compiler(relations)
    for stratum in strata:
        Temporary(0, stratum, relations, compiler).build(meter)
    return Answer(query.columns, sorted(relations[GOAL].scan(), key=row_key))
