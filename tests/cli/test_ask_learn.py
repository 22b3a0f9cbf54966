"""A question changes nothing, unless it is told to learn: then what it learned, counted and walked is committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.api import Mesh
from contextmesh.session.lock import writer_lock

from .conftest import Run

QUESTION = 'Who is "Office Harbour Master"?'


@pytest.fixture
def place(tmp_path: Path) -> Path:
    mesh = Mesh.create(tmp_path / "s")
    attrs = {"canonical": "Harbour Master Office", "aliases": []}
    node = mesh.graph.add_node("entity", "Harbour Master Office", attrs=attrs)
    mesh.resolver.register(node.id, node.label)
    mesh.checkpoint()
    return tmp_path / "s"


def files(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir() if "lock" not in path.name}


def test_a_question_changes_nothing(run: Run, place: Path) -> None:
    before = files(place)

    run("ask", QUESTION, "--session", place)

    assert files(place) == before


def test_a_question_that_learns_is_remembered_with_the_name_it_taught(run: Run, place: Path) -> None:
    known = dict(Mesh.open(place).resolver.aliases)

    first = run("ask", QUESTION, "--session", place, "--learn", "--json")
    second = run("ask", QUESTION, "--session", place, "--learn")

    again = Mesh.open(place)
    assert first.code == second.code
    assert [walked.question for walked in again.walks] == [QUESTION, QUESTION]
    assert len(again.resolver.aliases) > len(known)
    assert again.resolver.log


def test_a_question_learns_in_a_session_of_the_present(run: Run, place: Path) -> None:
    before = files(place)

    assert run("ask", QUESTION, "--learn", "--json").json["error"]["code"] == "missing-session"
    past = run("ask", QUESTION, "--session", place, "--learn", "--as-of", "2025-01-01", "--json")

    assert (past.code, past.json["error"]["code"]) == (2, "usage")
    with writer_lock(place):
        told = run("ask", QUESTION, "--session", place, "--learn", "--json")
    assert (told.code, told.json["error"]["code"]) == (4, "locked")
    assert files(place) == before
