"""A commit whose date somebody wrote by hand is refused with its code and its place, whichever file it stands in.

Each case is a pair of files: what stands there as the day, and all that is said of it. Every digest and chain is made
to fit, so that nothing else is wrong with the session.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from bench.mutants_files import signed
from bench.mutants_subjects import files_of
from contextmesh.api import Mesh
from contextmesh.base.errors import SessionError
from contextmesh.base.source import render_refusal
from contextmesh.cli.app import main

from .places import listing

CASES = Path(__file__).parent / "refused_days"
NEWEST = 2


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session with two dated commits in its records and two in its journal."""
    home = tmp_path_factory.mktemp("dated") / "s"
    mesh = Mesh.create(home)
    for day in ("2025-01-30", "2025-01-31"):
        mesh.commits_on(day)
        mesh.assume(f"It rained before {day}")
    assert mesh.save() == NEWEST
    for day in ("2025-02-01", "2025-02-02"):
        mesh.commits_on(day)
        mesh.assume(f"It rained before {day}")
    mesh.checkpoint()
    return home


def bent(home: Path, kind: str, day: Any) -> None:
    """The last commit that a file holds, dated so, with everything that guards the file made anew."""
    name = f"{kind}-{NEWEST:06d}.jsonl"
    lines = (home / name).read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    if kind == "records":
        at = next(number for number, row in enumerate(rows) if isinstance(row, list) and row[0] == "transactions")
        assert rows[at][1][-1][2] == "2025-01-31"
        rows[at][1][-1][2] = day
    else:
        at = max(number for number, row in enumerate(rows) if row["kind"] == "transaction")
        assert rows[at]["body"]["day"] == "2025-02-02"
        rows[at]["body"]["day"] = day
    lines[at] = json.dumps(rows[at], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    (home / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    for file, data in signed(files_of(home), name).items():
        (home / file).write_bytes(data)


@pytest.mark.parametrize("case", sorted(CASES.glob("*/*.json")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_day_that_is_none_is_refused_in_full(home: Path, tmp_path: Path, case: Path) -> None:
    place = Path(shutil.copytree(home, tmp_path / "s"))
    bent(place, case.parent.name, json.loads(case.read_text("utf-8")))
    before = listing(place)

    with pytest.raises(SessionError) as refused:
        Mesh.open(place)

    told = render_refusal(refused.value).replace(str(place), "DIR")
    assert told + "\n" == case.with_suffix(".txt").read_text("utf-8")
    assert listing(place) == before


@pytest.mark.parametrize("kind", ["records", "journal"])
def test_every_command_says_so_and_writes_nothing(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    place = Path(shutil.copytree(home, tmp_path / "s"))
    bent(place, kind, "2025-00")
    before = listing(place)

    for code, command in (
        (2, ("session", "inspect")),
        (2, ("health",)),
        (2, ("ask", "Did it rain?", "--as-of", "2025-02-01")),
        (1, ("session", "log")),
        (1, ("doctor",)),
    ):
        assert main([*command, "--session", str(place)]) == code, command
        told = capsys.readouterr()
        assert "impossible-date" in told.out + told.err and "Traceback" not in told.err, command
    assert listing(place) == before


@pytest.mark.parametrize("kind", ["records", "journal"])
def test_a_day_that_is_one_is_read(home: Path, tmp_path: Path, kind: str) -> None:
    for number, day in enumerate((None, "2026", "2025-03", "2025-03-01T10:00+02:00", "9999-12-31")):
        if kind == "records" and number:
            continue  # the journal goes on from there
        place = Path(shutil.copytree(home, tmp_path / str(number)))
        bent(place, kind, day)
        history = Mesh.open(place).state.history
        assert history is not None
        assert [commit.day for commit in history.commits][-1 if kind == "journal" else -3] == day


def test_every_case_has_its_words_and_all_words_their_case() -> None:
    for folder in ("records", "journal"):
        names = {path.stem for path in (CASES / folder).glob("*.json")}
        assert names == {path.stem for path in (CASES / folder).glob("*.txt")}
        assert len(names) > 10
