"""Any place of any file bent in any way is refused with a code and a place, or read as what it says.

``python -m bench.mutants`` bends far more of them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench import mutants
from bench.mutants_cli import COMMANDS, commanded
from bench.mutants_plan import a_few, named
from bench.mutants_subjects import FORMATS, Subject, kind_of
from bench.mutants_try import Mutant, attempt
from bench.mutants_values import WAYS

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="what a reader may take is bounded by signals")

SEED = 1


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Subject]:
    return mutants.subjects_in(tmp_path_factory.mktemp("mutants"), ("v1", "v2", "v3"))


@pytest.fixture(scope="module")
def few(subjects: dict[str, Subject]) -> list[Mutant]:
    return a_few([*subjects.values()], SEED)


def test_a_mutant_of_any_file_is_refused_with_a_code_or_read_as_what_it_says(
    subjects: dict[str, Subject], few: list[Mutant], tmp_path: Path
) -> None:
    found = mutants.tried(subjects, few, tmp_path / "work", SEED)

    assert [(mutant.name, outcome.words) for mutant, outcome in mutants.findings(found)] == []
    assert {outcome.verdict for _, outcome in found} >= {"refused", "equal", "another"}
    assert len(mutants.codes(found)) > 20


def test_the_few_that_are_tried_are_of_every_file_and_of_every_way(
    subjects: dict[str, Subject], few: list[Mutant]
) -> None:
    assert {(mutant.subject, mutant.kind) for mutant in few} == {
        (subject.name, kind_of(file)) for subject in subjects.values() for file in subject.formats
    }
    assert {mutant.kind for mutant in few} >= {*FORMATS}
    ways = {(mutant.family, mutant.way) for mutant in few}
    assert {(family, way) for family, of_it in WAYS.items() for way in of_it} <= ways
    assert all(named(mutant.name) == mutant for mutant in few)


def test_a_command_given_a_mutant_leaves_with_a_code_of_the_documentation_and_changes_nothing_it_only_reads(
    subjects: dict[str, Subject], tmp_path: Path
) -> None:
    found = commanded(subjects, len(COMMANDS), tmp_path / "work", SEED)

    assert [(mutant.name, outcome.words) for mutant, outcome in mutants.findings(found)] == []
    assert {outcome.verdict for _, outcome in found} == {"refused", "equal"}


def test_a_reader_that_raises_what_is_no_refusal_is_a_finding(
    subjects: dict[str, Subject], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(row: object, key: str) -> bool:
        raise KeyError(key)

    monkeypatch.setattr("contextmesh.base.fields.flag", broken)
    mutant = Mutant("v1", "graph-000001.json", "number", "next", "nodes.[].build")
    outcome = attempt(subjects["v1"], mutant, tmp_path / "work", SEED)

    assert outcome.verdict == "finding"
    assert outcome.words.startswith("KeyError")
