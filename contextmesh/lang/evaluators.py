"""The ways to evaluate a stand-alone program, by name: the incremental engine, the definition, the second engine."""

from __future__ import annotations

from collections.abc import Mapping

from contextmesh.base.errors import InputError, Problem
from contextmesh.datalog.ast import Query, Row
from contextmesh.datalog.limits import Limits
from contextmesh.datalog.program import Program
from contextmesh.lang.standalone import Evaluator

NAMES = ("incremental", "spec", "pydatalog")


def evaluator(name: str, limits: Limits) -> Evaluator:
    """An evaluator of stand-alone programs, within limits.

    Raises:
        InputError: ``unknown-engine``.
    """
    if name not in NAMES:
        hint = f"one of {', '.join(NAMES)}"
        raise InputError(Problem("unknown-engine", f"there is no engine {name!r}", subject=name, hint=hint))

    def run(program: Program, facts: Mapping[str, list[Row]], query: Query) -> list[Row]:
        if name == "incremental":
            from contextmesh.datalog.engine import Engine

            return Engine(program, facts, limits=limits).query(query, limits).rows
        if name == "spec":
            from contextmesh.datalog.spec import answer

            return answer(program, query, facts, limits)
        from contextmesh.datalog.goal import answer as second

        return second(program, query, facts, limits)

    return run
