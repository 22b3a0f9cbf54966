"""The cases of tests/cases: facts, rules, a question, and the wanted rows or the codes of the refusal.

A case is a JSON file `tests/cases/<topic>/<name>.json`:

    says      a true sentence about the language
    facts     {relation: [[value, …], …]}; a relation with [] exists and is empty
    rules     the program, a list of lines
    query     one atom
    rows      the full tuples of its relation that match, in any order; or
    refused   the codes of all problems, in order
    without   names of evaluators that cannot run it, each with the reason (optional)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from contextmesh.datalog.ast import Row

CASES = Path(__file__).resolve().parent.parent / "cases"


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    says: str
    facts: dict[str, list[Row]]
    rules: str
    query: str
    rows: list[Row] | None
    refused: list[str] | None
    without: dict[str, str]


def load_cases() -> list[Case]:
    """All cases, by name."""
    return [_load(path) for path in sorted(CASES.rglob("*.json"))]


def _load(path: Path) -> Case:
    data = json.loads(path.read_text(encoding="utf-8"))
    extra = sorted(data.keys() - {"says", "facts", "rules", "query", "rows", "refused", "without"})
    assert not extra, f"{path} has unknown fields {extra}"
    assert ("rows" in data) != ("refused" in data), f"{path} wants rows or a refusal"
    facts = {name: [tuple(row) for row in rows] for name, rows in data.get("facts", {}).items()}
    return Case(
        path.relative_to(CASES).with_suffix("").as_posix(),
        data["says"],
        facts,
        "\n".join(data["rules"]),
        data["query"],
        [tuple(row) for row in data["rows"]] if "rows" in data else None,
        data.get("refused"),
        data.get("without", {}),
    )
