"""One program under every evaluator: rows of all relations, compared with the definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine_agree import clingo_oracle
from engine_agree.second_engine import second_engine

from contextmesh.datalog import spec
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.program import Program

Facts = Mapping[str, Sequence[Row]]
Found = dict[str, dict[str, frozenset[Row]]]


def everyone(program: Program, facts: Facts) -> Found:
    """Each evaluator's rows by relation; no evaluator may give a row twice."""
    engine = Engine(program, facts)
    return {
        "spec": _sets(spec.evaluate(program, facts)),
        "engine": _sets({name: engine.rows(name) for name in program.declarations}),
        "pydatalog": _sets(second_engine().evaluate(program, facts)),
        "clingo": _sets(clingo_oracle.evaluate(program, facts)),
    }


def disagreements(found: Found) -> dict[str, dict[str, tuple[list[Row], list[Row]]]]:
    """For each evaluator that differs from the definition: relation, rows too many, rows missing."""
    right = found["spec"]
    differ: dict[str, dict[str, tuple[list[Row], list[Row]]]] = {}
    for who, relations in found.items():
        assert relations.keys() == right.keys()
        for name, rows in relations.items():
            if rows != right[name]:
                differ.setdefault(who, {})[name] = (
                    sorted(rows - right[name], key=repr),
                    sorted(right[name] - rows, key=repr),
                )
    return differ


def _sets(relations: Mapping[str, Sequence[Row] | Mapping[Row, None]]) -> dict[str, frozenset[Row]]:
    found = {}
    for name, rows in relations.items():
        found[name] = frozenset(rows)
        assert len(found[name]) == len(rows), f"a row of {name} was given twice"
        assert all(type(value) in (int, str) for row in rows for value in row)
    return found
