"""Every way to evaluate a program; each runs all cases, and each must agree with the definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine_agree import clingo_oracle
from engine_agree.second_engine import second_engine

from contextmesh.datalog import spec
from contextmesh.datalog.ast import Query, Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.program import Program

EVALUATORS: dict[str, Callable[[Program, Mapping[str, list[Row]], Query], list[Row]]] = {
    "engine": lambda program, facts, query: Engine(program, facts).query(query).rows,
    "spec": lambda program, facts, query: spec.answer(program, query, facts),
    "pydatalog": lambda program, facts, query: second_engine().answer(program, query, facts),
    "clingo": lambda program, facts, query: clingo_oracle.answer(program, query, facts),
}
