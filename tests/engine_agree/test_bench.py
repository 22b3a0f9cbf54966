"""Whoever does a job of the benchmark has the same result; figures of unequal work would say nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def bench(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("job", ["same generation", "packages with cycles"])
def test_a_program_has_as_many_rows_for_each_engine(job: str) -> None:
    results = [json.loads(bench("bench.programs", job, who, "100"))[0]["result"] for who in ("engine", "clingo")]

    assert results[0] == results[1] > 0


def test_a_graph_job_has_the_same_result_by_rules_and_by_hand() -> None:
    lines = bench("bench", "graph", "--sizes", "200,400").splitlines()

    assert "contextmesh / straight" in lines[0]
    assert len([line for line in lines if " 400 " in line]) == 13
    assert [line for line in lines if "≠" in line or "Error" in line] == []
    assert any("n^" in line for line in lines)


@pytest.mark.slow
def test_every_program_has_as_many_rows_for_each_engine() -> None:
    found = json.loads(bench("bench", "programs", "--sizes", "1000", "--timeout", "30", "--json"))["programs"]
    results: dict[tuple[str, int], set[int]] = {}
    for figure in found:
        if figure["result"] is not None:
            results.setdefault((figure["job"], figure["size"]), set()).add(figure["result"])

    assert {job: rows for job, rows in results.items() if len(rows) != 1} == {}
