"""Several writers on one session: what each was told is stored is there, and what both changed is refused with both."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from contextmesh.api import Mesh
from contextmesh.base.errors import SessionError, SessionLockedError

from .places import listing, log_mesh, same

ROOT = Path(__file__).resolve().parents[2]


def run_writers(directory: Path, source: str, processes: int, count: int, wait: float = 60.0) -> list[list[str]]:
    """What each process printed, as words."""
    command = [sys.executable, "-m", "session.writer", str(directory), source]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    running = [
        subprocess.Popen(
            [*command, f"writer {number}", str(count), str(wait)],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for number in range(processes)
    ]
    return [line.split() for one in running for line in one.communicate(timeout=300)[0].splitlines()]


def test_four_processes_that_submit_ten_observations_each_leave_forty(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    told = run_writers(tmp_path / "s", source, 4, 10)
    assert [words[0] for words in told] == ["stored"] * 40
    opened = Mesh.open(tmp_path / "s")
    assert opened.notices == ()
    there = [node.id for node in opened.graph.store.nodes.values() if node.type == "evidence"]
    assert sorted(there) == sorted(words[1] for words in told)
    assert not [name for name in listing(tmp_path / "s") if name.startswith(".")]


def test_a_second_writer_writes_on_top_of_the_first_and_holds_both(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    first, second = Mesh.open(tmp_path / "s"), Mesh.open(tmp_path / "s")
    graph, names = second.graph, second.resolver
    first.graph.add_node("entity", "Harbour", attrs={"canonical": "Harbour", "aliases": []})
    first.checkpoint()
    second.submit_evidence("The pier is closed", source_id=source)
    second.ask("Is the pier closed?")
    second.resolver.resolve("Nobody")
    done = second.checkpoint()
    assert done.rebased
    assert (second.graph, second.resolver) == (graph, names)
    assert [node.label for node in graph.store.nodes.values()] == ["Log", "Harbour", "The pier is closed"]
    assert graph.find("Harbour")
    assert second.ask("Is the pier closed?").answer is not None
    second.submit_evidence("The mole is open", source_id=source)
    assert not second.checkpoint().rebased
    same(Mesh.open(tmp_path / "s"), second)


def test_a_second_writer_finds_its_place_after_a_new_generation(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    second = Mesh.open(tmp_path / "s")
    for label in ("A", "B", "C"):
        mesh.submit_evidence(label, source_id=source)
        mesh.save()
    second.submit_evidence("D", source_id=source)
    assert second.checkpoint().rebased
    assert [node.label for node in second.graph.store.nodes.values()] == ["Log", "A", "B", "C", "D"]
    same(Mesh.open(tmp_path / "s"), second)


def test_what_both_changed_is_refused_with_both_versions_and_nothing_is_lost(tmp_path: Path) -> None:
    mesh, _ = log_mesh(tmp_path / "s")
    node = mesh.graph.add_node("entity", "Harbour", attrs={"canonical": "Harbour", "aliases": []})
    mesh.checkpoint()
    first, second = Mesh.open(tmp_path / "s"), Mesh.open(tmp_path / "s")
    with first.graph.batch("edit") as batch:
        batch.set_attrs(node.id, depth=9)
    with second.graph.batch("edit") as batch:
        batch.set_attrs(node.id, depth=11)
    first.checkpoint()
    before = listing(tmp_path / "s")
    for _ in range(2):
        with pytest.raises(SessionError) as caught:
            second.checkpoint()
        stale, both = caught.value.problems
        assert stale.code == "stale-session"
        fields = dict(stale.fields)
        assert (fields["current"], fields["seen"]) == (2, 2)
        assert (fields["current_line"], fields["seen_line"]) == (1, 0)
        assert (both.code, both.subject, dict(both.fields)) == ("changed-by-both", node.id, {"fields": "attrs"})
        assert second.graph.node(node.id).attrs["depth"] == 11
    assert {n: v for n, v in listing(tmp_path / "s").items() if "lock" not in n} == {
        n: v for n, v in before.items() if "lock" not in n
    }
    same(Mesh.open(tmp_path / "s"), first)


def test_what_both_wrote_the_same_is_stored_once(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    first, second = Mesh.open(tmp_path / "s"), Mesh.open(tmp_path / "s")
    for one in (first, second):
        one.submit_evidence("The pier is closed", source_id=source)
        one.checkpoint()
    same(first, second)
    same(Mesh.open(tmp_path / "s"), second)


def test_a_change_that_the_rules_refuse_on_what_is_there_now_is_refused(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    ground = mesh.assume("Load is even")
    evidence = mesh.submit_evidence("Load is not even", source_id=source)
    mesh.graph.add_edge(evidence.id, "contradicts", ground.id)
    mesh.checkpoint()
    first, second = Mesh.open(tmp_path / "s"), Mesh.open(tmp_path / "s")
    first.reject(ground.id, evidence_id=evidence.id)
    first.checkpoint()
    second.graph.supersede(ground.id, "Load is nearly even")
    with pytest.raises(SessionError) as caught:
        second.checkpoint()
    assert caught.value.code == "stale-session"
    assert len(caught.value.problems) > 1


def test_builds_of_two_writers_meet_in_the_later_one(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    first, second = Mesh.open(tmp_path / "s"), Mesh.open(tmp_path / "s")
    for one, times in ((first, 3), (second, 1)):
        for _ in range(times):
            one.graph.begin_build()
        one.submit_evidence(f"Seen in {times} builds", source_id=source)
        one.checkpoint()
    assert second.graph.build == 3
    same(Mesh.open(tmp_path / "s"), second)


def test_a_session_is_refreshed_with_what_others_appended_and_keeps_what_is_new_here(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    reader = Mesh.open(tmp_path / "s")
    reader.ask("Is the pier closed?")
    mesh.submit_evidence("The pier is closed", source_id=source)
    mesh.ask("Who closed the pier?")
    mesh.resolver.resolve("Nobody")
    mesh.checkpoint()
    reader.refresh()
    assert [walked.question for walked in reader.walks] == ["Who closed the pier?", "Is the pier closed?"]
    reader.checkpoint()
    store = reader.graph.store
    mesh.refresh()
    mesh.submit_evidence("The mole is open", source_id=source)
    mesh.checkpoint()
    before = listing(tmp_path / "s")
    reader.refresh()
    assert reader.graph.store is store, "lines are folded in, and nothing is read anew"
    assert not reader.checkpoint().lines
    assert listing(tmp_path / "s") == before
    same(reader, mesh)
    same(reader, Mesh.open(tmp_path / "s"))


def test_who_writes_while_holding_the_session_stands_on_what_others_committed(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    other = Mesh.open(tmp_path / "s")
    for number in range(3):
        for one in (mesh, other):
            with one.writing(wait=1.0):
                with pytest.raises(SessionLockedError):
                    second = Mesh.open(tmp_path / "s")
                    second.assume("It is calm")
                    second.checkpoint()
                one.submit_evidence(f"Tide {number} of {one is mesh}", source_id=source)
    mesh.refresh()
    same(mesh, other)
    same(Mesh.open(tmp_path / "s"), other)
    with pytest.raises(ZeroDivisionError), mesh.writing():
        mesh.submit_evidence("A slip", source_id=source)
        raise ZeroDivisionError
    same(Mesh.open(tmp_path / "s"), other)
