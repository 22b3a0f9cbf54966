"""What is served and what is on disk stay one thing, at the cost of what changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from served_places import DECISION, SOURCE, harbour, served

from contextmesh import session
from contextmesh.api import Mesh
from contextmesh.base.errors import Refusal
from contextmesh.mcp import tools
from contextmesh.mcp.calls import call
from contextmesh.mcp.served import EVERY_ASK, Served
from contextmesh.session.lock import writer_lock

QUESTION = {"question": "Which ferry sails at noon?"}


def submit(here: Served, number: int) -> dict[str, Any]:
    given = {"text": f"Fog number {number}", "source_id": SOURCE, "external_id": f"e{number}"}
    return call(here, "mesh_submit_evidence", given)


def what(mesh: Mesh) -> tuple[Any, ...]:
    store = mesh.graph.store
    counters = dict(store.walks), dict(store.traversals)
    return (mesh.graph.to_json(), store.seq, *counters, mesh.resolver.to_json()["aliases"], mesh.health().as_json())


def test_after_writes_and_walks_what_is_served_is_what_is_on_disk(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    for number in range(5):
        submit(here, number)
        call(here, "mesh_ask", QUESTION)
        submit(here, number)
    submit(here, 9)

    there = Mesh.open(tmp_path / "s")

    assert here.read(what) == what(there)
    assert [walk.question for walk in there.walks] == [QUESTION["question"]] * 5


def test_a_write_after_the_first_reads_nothing_again_and_keeps_what_readers_have_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = served(harbour(tmp_path / "s"))
    submit(here, 0)
    mesh = here.read(lambda mesh: mesh)

    def load(*_: object, **__: object) -> None:
        raise AssertionError("the session is read again")

    monkeypatch.setattr(session, "load", load)
    generations = [submit(here, number)["generation"] for number in range(1, 6)]

    assert here.read(lambda mesh: mesh) is mesh
    assert generations == [2] * 5, "a commit is lines of a journal"
    monkeypatch.undo()
    assert here.read(what) == what(Mesh.open(tmp_path / "s"))


def test_a_refused_submission_writes_nothing(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    submit(here, 0)
    before = sorted((p.name, p.read_bytes()) for p in (tmp_path / "s").iterdir() if "lock" not in p.name)

    with pytest.raises(Refusal):
        call(here, "mesh_submit_evidence", {"text": "Fog", "source_id": DECISION})
    submit(here, 0)

    assert sorted((p.name, p.read_bytes()) for p in (tmp_path / "s").iterdir() if "lock" not in p.name) == before


def test_two_servers_of_one_session_lose_no_write_and_see_each_others(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    one, two = served(place), served(place)
    made = [submit(here, number)["id"] for number in range(6) for here in ((one, two)[number % 2],)]

    for here in (one, two):
        assert [call(here, "mesh_get_node", {"id": id})["id"] for id in made] == made
    assert set(made) <= set(Mesh.open(place).graph.store.nodes)
    assert one.read(what)[:2] == two.read(what)[:2] == what(Mesh.open(place))[:2]


def test_a_write_waits_for_another_process_and_is_refused_when_it_takes_too_long(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    here = served(place, wait=0.05)
    submit(here, 0)
    call(here, "mesh_ask", QUESTION)

    with writer_lock(place), pytest.raises(Refusal) as refused:
        submit(here, 1)

    assert refused.value.code == "locked"
    assert call(here, "mesh_query", {"query": "node(X, evidence)"})["row_count"] == 2
    assert submit(here, 1)["new"]
    assert Mesh.open(place).walks


def test_every_ask_is_on_disk_at_once_when_that_is_wanted(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    here = served(place, checkpoint=EVERY_ASK)
    generations = []
    for number in range(1, 4):
        call(here, "mesh_ask", QUESTION)
        there = Mesh.open(place)
        generations.append(there.generation)
        assert len(there.walks) == number

    assert generations == [2, 2, 2]
    call(here, "mesh_get_node", {"id": DECISION})
    assert here.read(what) == what(Mesh.open(place))


def test_an_answer_is_given_where_its_walk_cannot_be_written_and_says_so(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    here = served(place, checkpoint=EVERY_ASK, wait=0.05)

    with writer_lock(place):
        answer = call(here, "mesh_ask", QUESTION)

    assert answer["answer"]["id"] == DECISION
    assert [note["code"] for note in answer["notes"]] == ["locked"]
    assert str(tmp_path) not in str(answer)
    assert "notes" not in call(here, "mesh_ask", QUESTION)
    assert [walk.question for walk in Mesh.open(place).walks] == [QUESTION["question"]] * 2


def test_a_disk_that_refuses_leaves_what_is_served_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = harbour(tmp_path / "s")
    here = served(place)
    submit(here, 0)
    call(here, "mesh_ask", QUESTION)
    before = here.read(lambda mesh: mesh.graph.to_json())

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(Refusal) as refused:
            submit(here, 1)

    assert refused.value.code == "unwritable-file"
    assert here.read(lambda mesh: mesh.graph.to_json()) == before
    submit(here, 1)
    assert here.read(what) == what(Mesh.open(place))


def test_a_proof_that_costs_too_much_is_refused_so_that_others_need_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = served(harbour(tmp_path / "s"))
    fact = {"fact": f"live('{DECISION}')"}
    assert call(here, "mesh_why", fact)["holds"]

    monkeypatch.setattr(tools, "ROWS", 0)
    with pytest.raises(Refusal) as refused:
        call(here, "mesh_why", fact)

    assert refused.value.code.startswith("limit"), refused.value.code
