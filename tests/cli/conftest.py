"""Runs a command line in this process and gives what a shell would see."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contextmesh.cli.app import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in ("CONTEXTMESH_SESSION", "CONTEXTMESH_POLICY", "CONTEXTMESH_ON"):
        monkeypatch.delenv(name, raising=False)

    def call(*args: str | Path) -> Outcome:
        code = main([str(arg) for arg in args])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of three small records: one superseded, one that requires another."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "rfc-0001.rst").write_text(
        "RFC: 1\nTitle: Ferry timetable format\nStatus: Superseded\nCreated: 03-Feb-2021\nSuperseded-By: 2\n\n"
        "Abstract\n========\n\nThe timetable of the ferry is kept as a table of departures.\n",
        encoding="utf-8",
    )
    (folder / "rfc-0002.rst").write_text(
        "RFC: 2\nTitle: Ferry timetable as intervals\nStatus: Final\nCreated: 09-Sep-2022\nReplaces: 1\nRequires: 3\n\n"
        "Abstract\n========\n\nThe timetable of the ferry is kept as intervals, because departures drift in winter.\n",
        encoding="utf-8",
    )
    (folder / "rfc-0003.rst").write_text(
        "RFC: 3\nTitle: Interval notation\nStatus: Final\nCreated: 01-Mar-2022\n\n"
        "Abstract\n========\n\nAn interval names its first and its last minute.\n",
        encoding="utf-8",
    )
    return folder


@pytest.fixture
def session(run: Run, notes: Path, tmp_path: Path) -> Path:
    home = tmp_path / "notes.mesh"
    assert run("ingest", notes, "--session", home).code == 0
    return home
