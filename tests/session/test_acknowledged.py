"""What is acknowledged can be read back, now and after the next generation; what cannot be is refused before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contextmesh.api import Mesh
from contextmesh.base.errors import Refusal
from contextmesh.session.checkpoint import checkpoint
from contextmesh.store.records import records_from_bytes
from contextmesh.store.records_stamp import VARIABLE

from .places import listing, log_mesh, same

ENTITY = {"canonical": "x", "aliases": []}


def relabelled_ground(mesh: Mesh) -> Callable[[], object]:
    was = mesh.graph.store.nodes[mesh.assume("Load is even").id]

    def put(label: str) -> None:
        with mesh.graph.batch("amend") as batch:
            batch.replace_node(replace(batch.node(was.id), label=label))

    put("Load is odd")
    return lambda: put("Load is even")


def relabelled_entity(mesh: Mesh) -> Callable[[], object]:
    node = mesh.graph.add_node("entity", "Harbour Master", attrs=ENTITY)
    mesh.resolver.register(node.id, node.label)

    def put(label: str) -> None:
        with mesh.graph.batch("amend") as batch:
            batch.replace_node(replace(batch.node(node.id), label=label))

    put("Pilot")
    return lambda: put("Harbour Master")


def a_name_of_nothing(mesh: Mesh) -> Callable[[], object]:
    mesh.resolver.register("entity:nobody", "Nobody")
    return lambda: mesh.graph.add_node("entity", "Nobody", id="entity:nobody", attrs=ENTITY)


def rejected_by_its_record(mesh: Mesh) -> Callable[[], object]:
    ground = mesh.assume("Load is even")

    def put(build: int | None) -> None:
        stage = mesh.graph.store.stage("amend")
        stage.put_assumption(replace(ground, rejected_at_build=build))
        stage.commit()

    put(0)
    return lambda: put(None)


def vectors_of_two_widths(mesh: Mesh) -> Callable[[], object]:
    mesh.graph.add_node("entity", "Pier", attrs=ENTITY, embedding=[0.5, 0.25])
    mesh.graph.add_node("entity", "Crane", attrs=ENTITY, embedding=[0.5, 0.25, 0.125])
    return lambda: mesh.graph.add_node("entity", "Crane", attrs=ENTITY, embedding=[0.5, 0.25])


WAYS = (relabelled_ground, relabelled_entity, a_name_of_nothing, rejected_by_its_record, vectors_of_two_widths)


@pytest.mark.parametrize("journalled", [False, True], ids=["save", "checkpoint"])
@pytest.mark.parametrize("way", WAYS)
def test_what_a_reader_would_refuse_is_not_acknowledged_and_can_be_mended(
    tmp_path: Path, way: Callable[[Mesh], Callable[[], object]], journalled: bool
) -> None:
    mesh, _ = log_mesh(tmp_path / "s")
    if journalled:
        mesh.checkpoint()
    commit: Callable[[], object] = mesh.checkpoint if journalled else mesh.save
    mend = way(mesh)
    before = listing(tmp_path / "s")

    for _ in range(2):
        with pytest.raises(Refusal) as refused:
            commit()
        assert refused.value.code in ("unwritable-record", "resolver-differs")
        after = listing(tmp_path / "s")
        assert {name: after[name] for name in after if "lock" not in name} == {
            name: before[name] for name in before if "lock" not in name
        }
    mend()
    commit()

    again = Mesh.open(tmp_path / "s")
    checkpoint(again._state, compact=True)
    for opened in (again, Mesh.open(tmp_path / "s")):
        assert dict(opened.graph.store.nodes) == dict(mesh.graph.store.nodes)
        assert dict(opened.graph.store.assumptions) == dict(mesh.graph.store.assumptions)
        assert opened.resolver.labels == mesh.resolver.labels


def test_a_commit_that_comes_in_after_a_later_dated_one_is_dated_no_earlier_and_survives(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.commits_on("2025-01-01")
    mesh.submit_evidence("The pier is open", source_id=source)
    mesh.checkpoint()
    first, second = Mesh.open(tmp_path / "s"), Mesh.open(tmp_path / "s")
    first.commits_on("2025-03-01")
    first.submit_evidence("The pier is closed", source_id=source)
    first.checkpoint()
    second.commits_on("2025-02-01")
    seen = second.submit_evidence("The crane is idle", source_id=source)

    assert second.checkpoint().rebased

    again = Mesh.open(tmp_path / "s")
    assert again._state.history is not None
    assert [c.day for c in again._state.history.commits][-2:] == ["2025-03-01", "2025-03-01"]
    again.submit_evidence("The crane is gone", source_id=source)
    checkpoint(again._state, compact=True)
    assert seen.id in Mesh.open(tmp_path / "s").graph.store.nodes


@pytest.mark.parametrize("looks_first", [False, True])
def test_a_writer_is_told_that_what_it_wrote_bears_a_later_date(tmp_path: Path, looks_first: bool) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    first, second = Mesh.open(tmp_path / "s"), Mesh.open(tmp_path / "s")
    second.commits_on("2025-02-01")
    first.commits_on("2025-03-01")
    first.submit_evidence("The pier is closed", source_id=source)
    assert first.checkpoint().notices == ()
    if looks_first:
        second.refresh()
    second.submit_evidence("The crane is idle", source_id=source)

    done = second.checkpoint()

    told = [(notice.code, notice.subject, dict(notice.fields)["given"]) for notice in done.notices]
    assert told == [("later-date", "2025-03-01", "2025-02-01")]
    assert second.notices == done.notices
    history = Mesh.open(tmp_path / "s").state.history
    assert history is not None
    assert [commit.day for commit in history.commits][-2:] == ["2025-03-01", "2025-03-01"]
    second.commits_on("2025-04-01")
    second.submit_evidence("The crane is gone", source_id=source)
    assert second.checkpoint().notices == (), "it is said of what was written under it"


def test_who_saved_a_session_does_not_judge_it_again_at_the_first_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    mesh.submit_evidence("The pier is closed", source_id=source)
    checkpoint(mesh._state, compact=True)
    seen: list[bool] = []

    def followed(*given: Any, verified: bool, **named: Any) -> Any:
        seen.append(verified)
        return records_from_bytes(*given, verified=verified, **named)

    monkeypatch.setattr("contextmesh.store.records_stamp.records_from_bytes", followed)

    same(Mesh.open(tmp_path / "s"), mesh)

    assert seen == [True]
    records = max((tmp_path / "s").glob("records-*"))
    records.write_bytes(records.read_bytes().replace(b"closed", b"opened"))
    with pytest.raises(Refusal):
        Mesh.open(tmp_path / "s")
    assert seen[1] is False
