"""A checkpoint costs what is new, and what it acknowledged is there when the session is opened again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from contextmesh.api import Mesh
from contextmesh.base.errors import InputError, SessionError, SessionLockedError
from contextmesh.session.lock import writer_lock

from .places import listing, log_mesh, same


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir() if "lock" not in path.name)


def test_the_first_checkpoint_is_a_generation_with_a_journal_and_the_next_are_lines(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    first = mesh.checkpoint()
    assert (first.generation, first.lines, len(first.written)) == (2, 0, 4)
    before = listing(tmp_path / "s")
    mesh.submit_evidence("The pier is closed", source_id=source)
    second = mesh.checkpoint()
    assert (second.generation, second.lines, second.written) == (2, 1, ())
    after = listing(tmp_path / "s")
    assert [name for name in after if after[name] != before[name]] == ["journal-000002.jsonl"]
    same(Mesh.open(tmp_path / "s"), mesh)


def test_a_checkpoint_of_nothing_new_writes_nothing(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    mesh.submit_evidence("The pier is closed", source_id=source)
    mesh.checkpoint()
    before = listing(tmp_path / "s")
    assert mesh.checkpoint().lines == 0
    again = Mesh.open(tmp_path / "s")
    assert (again.checkpoint().lines, again.checkpoint().written) == (0, ())
    assert listing(tmp_path / "s") == before


def test_what_was_asked_and_learned_is_there_when_the_session_is_opened_again(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    entity = mesh.graph.add_node("entity", "Harbour Master Office", attrs={"canonical": "x", "aliases": []})
    mesh.resolver.register(entity.id, entity.label)
    mesh.submit_evidence("The pier is closed for repair", source_id=source)
    answer = mesh.ask("Why is the pier closed for repair?")
    mesh.ask("Who is Nemo?")
    mesh.resolver.resolve("harbour master offices")
    assert mesh.checkpoint().lines == 4
    opened = Mesh.open(tmp_path / "s")
    same(opened, mesh)
    assert [walked.question for walked in opened.walks] == ["Why is the pier closed for repair?", "Who is Nemo?"]
    assert opened.walks[0].answer == answer.answer.id  # type: ignore[union-attr]
    assert opened.walks[1].dead_end is not None
    assert opened.graph.store.walks == mesh.graph.store.walks != {}
    assert [a.mention for a in opened.resolver.log] == [a.mention for a in mesh.resolver.log]


def test_saving_starts_the_journal_anew_and_keeps_the_last_walks(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    mesh.submit_evidence("The pier is closed for repair", source_id=source)
    mesh.ask("Why is the pier closed for repair?")
    mesh.checkpoint()
    assert mesh.save() == 3
    before = listing(tmp_path / "s")
    assert mesh.save() == 3
    assert Mesh.open(tmp_path / "s").save() == 3
    assert listing(tmp_path / "s") == before
    opened = Mesh.open(tmp_path / "s")
    same(opened, mesh)
    assert len(opened.walks) == 1


def test_a_plain_version_2_is_written_when_it_is_asked_for(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    mesh.submit_evidence("The pier is closed", source_id=source)
    mesh.save(tmp_path / "plain", version=2)
    assert names(tmp_path / "plain") == [
        *("digests-000001.json", "graph-000001.json", "resolver-000001.json", "session-000001.json", "session.json")
    ]
    assert json.loads((tmp_path / "plain" / "session.json").read_text())["version"] == 2
    assert list(Mesh.open(tmp_path / "plain").graph.store.nodes) == list(mesh.graph.store.nodes)
    with pytest.raises(InputError) as caught:
        mesh.save(tmp_path / "other", version=1)
    assert caught.value.code == "out-of-range"


def test_a_mesh_saved_elsewhere_goes_on_there_and_its_first_home_is_untouched(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    before = listing(tmp_path / "s")
    mesh.submit_evidence("The pier is closed", source_id=source)
    mesh.save(tmp_path / "copy")
    mesh.submit_evidence("The mole is open", source_id=source)
    assert mesh.checkpoint().lines == 1
    assert listing(tmp_path / "s") == before
    same(Mesh.open(tmp_path / "copy"), mesh)


def test_a_journal_that_has_grown_past_its_share_becomes_a_new_generation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["contextmesh.session.checkpoint"]
    monkeypatch.setattr(module, "LEAST", 2_000)
    monkeypatch.setattr(module, "SHARE", 1_000)
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    numbers = []
    for number in range(8):
        mesh.submit_evidence(f"Wave {number}", source_id=source)
        numbers.append(mesh.checkpoint().generation)
        same(Mesh.open(tmp_path / "s"), mesh)
    assert numbers[0] == 2
    assert numbers[-1] > 3
    sizes = [path.stat().st_size for path in (tmp_path / "s").glob("journal-*")]
    assert max(sizes) <= 2_000


def test_a_journal_of_many_lines_becomes_a_new_generation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["contextmesh.session.checkpoint"], "LINES", 3)
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    numbers = []
    for number in range(8):
        mesh.submit_evidence(f"Wave {number}", source_id=source)
        numbers.append(mesh.checkpoint().generation)
    assert numbers == [2, 2, 2, 3, 3, 3, 3, 4]
    same(Mesh.open(tmp_path / "s"), mesh)


def test_a_change_as_large_as_the_session_is_a_new_generation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["contextmesh.session.checkpoint"], "LARGE", 3)
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    for number in range(4):
        mesh.submit_evidence(f"Wave {number}", source_id=source)
    assert (mesh.checkpoint().lines, mesh.generation) == (0, 3)
    same(Mesh.open(tmp_path / "s"), mesh)
    mesh.submit_evidence("Wave 4", source_id=source)
    assert (mesh.checkpoint().lines, mesh.generation) == (1, 3)


def test_a_mesh_without_a_directory_has_no_checkpoints() -> None:
    with pytest.raises(InputError) as caught:
        Mesh().checkpoint()
    assert caught.value.code == "missing-session"


def test_a_held_session_refuses_a_checkpoint_that_does_not_wait(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    mesh.submit_evidence("The pier is closed", source_id=source)
    with writer_lock(tmp_path / "s"), pytest.raises(SessionLockedError):
        mesh.checkpoint(wait=0.01)
    assert mesh.checkpoint().lines == 1


def test_a_torn_tail_is_left_out_and_said_and_the_next_write_cuts_it_off(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    mesh.submit_evidence("The pier is closed", source_id=source)
    mesh.checkpoint()
    path = tmp_path / "s" / "journal-000002.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:200])
    opened = Mesh.open(tmp_path / "s")
    same(opened, mesh)
    assert [(notice.code, dict(notice.fields)["bytes"]) for notice in opened.notices] == [("torn-tail", 200)]
    assert path.stat().st_size == len(whole) + 200, "a read writes nothing"
    opened.submit_evidence("The mole is open", source_id=source)
    opened.checkpoint()
    assert path.read_bytes().startswith(whole + b'{"at":2,')
    assert Mesh.open(tmp_path / "s").notices == ()


def test_a_session_of_other_rules_is_refused_until_they_are_adopted(tmp_path: Path) -> None:
    from contextmesh.policy import Policy

    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.dl").write_text(
        'output lonely(id).\n@alone "{X} is an entity"\nlonely(X) :- node(X, entity).\n'
    )
    own = Policy.load(tmp_path)
    mesh, source = log_mesh(tmp_path / "s")
    mesh.checkpoint()
    before = listing(tmp_path / "s")
    with pytest.raises(SessionError) as caught:
        Mesh.open(tmp_path / "s", own)
    assert caught.value.code == "policy-differs"
    assert "rules diff" in str(caught.value.problem.hint)
    adopted = Mesh.open(tmp_path / "s", own, adopt_policy=True)
    assert [notice.code for notice in adopted.notices] == ["policy-adopted"]
    assert listing(tmp_path / "s") == before
    adopted.submit_evidence("The pier is closed", source_id=source)
    assert adopted.checkpoint().generation == 3
    assert Mesh.open(tmp_path / "s", own).notices == ()


def test_the_past_of_a_session_is_what_it_was_when_it_is_opened_again(tmp_path: Path) -> None:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.commits_on("2024-01-10")
    pier = mesh.graph.add_node("entity", "Pier", attrs={"canonical": "Pier", "aliases": [], "depth": 4})
    mesh.checkpoint()
    mesh.commits_on("2024-02-10")
    with mesh.graph.batch("edit") as batch:
        batch.set_attrs(pier.id, depth=9)
    mesh.submit_evidence("The pier is closed", source_id=source)
    mesh.checkpoint()
    mesh.save()
    mesh.commits_on("2024-03-10")
    mesh.submit_evidence("The pier is open", source_id=source)
    mesh.checkpoint()
    opened = Mesh.open(tmp_path / "s")
    for one in (mesh, opened):
        then = one.as_of("2024-01-15")
        assert then.graph.node(pier.id).attrs["depth"] == 4
        assert [node.label for node in then.graph.store.nodes.values()] == ["Log", "Pier"]
        later = one.as_of("2024-02-20")
        assert [node.label for node in later.graph.store.nodes.values()] == ["Log", "Pier", "The pier is closed"]
        assert one.as_of(2).past.graph.node(pier.id).attrs["depth"] == 4


def test_a_mesh_with_dated_commits_is_saved_in_the_version_that_keeps_them(tmp_path: Path) -> None:
    mesh = Mesh()
    mesh.commits_on("2024-01-10")
    mesh.assume("Load is even")
    mesh.save(tmp_path / "s")
    assert json.loads((tmp_path / "s" / "session.json").read_text())["version"] == 3
    assert Mesh.open(tmp_path / "s").as_of("2024-01-10").graph.store.assumptions
