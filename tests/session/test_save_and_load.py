"""A session survives in its directory: whole generations, nothing lost, nothing written that did not change."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from interop.make_ferry import FERRY

from contextmesh import session
from contextmesh.base.errors import SessionError
from contextmesh.session import Manifest, WalkerSettings
from contextmesh.session.manifest import generation_of, numbered

from .places import edit, ferry_session, generations_of, grown, listing, small


def test_a_session_of_another_writer_loads_whole(tmp_path: Path) -> None:
    state = session.load(ferry_session(tmp_path / "s"))
    assert len(state.graph.store.nodes) == 22
    assert len(state.resolver.labels) == 5
    assert state.walker == WalkerSettings(5, ("mentions", "derived_from", "cites"), 30, 200)
    assert (state.generation, state.rounds) == (1, 1)
    assert state.carried is not None


def test_saving_what_was_loaded_writes_nothing(tmp_path: Path) -> None:
    directory = ferry_session(tmp_path / "s")
    before = listing(directory)
    saved = session.save(directory, session.load(directory))
    assert (saved.written, saved.generation) == ((), 1)
    assert listing(directory) == before


def test_a_plan_and_its_ledger_go_on_byte_for_byte(tmp_path: Path) -> None:
    directory = ferry_session(tmp_path / "s")
    state = session.load(directory)
    saved = session.save(directory, grown(state, "Lighthouse"))
    assert saved.generation == 2
    for kind in ("execution", "runledger"):
        assert (directory / numbered(kind, 2)).read_bytes() == (FERRY / numbered(kind, 1)).read_bytes()
    again = session.load(directory)
    assert again.carried == state.carried
    assert again.manifest == saved.state.manifest
    assert json.loads((directory / "session.json").read_text("utf-8"))["ledger_head"] == state.carried.ledger_head  # type: ignore[union-attr]


def test_a_copy_elsewhere_is_the_same_files(tmp_path: Path) -> None:
    state = session.load(ferry_session(tmp_path / "s"))
    session.save(tmp_path / "copy", state)
    for path in FERRY.iterdir():
        assert (tmp_path / "copy" / path.name).read_bytes() == path.read_bytes()


def test_each_change_is_one_generation_and_the_one_before_stays(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "s"
    state = generations_of(directory, 4)
    assert state.generation == 4
    kinds = ("digests", "graph", "resolver", "session")
    expected = [numbered(kind, number) for kind in kinds for number in (3, 4)]
    assert sorted(listing(directory)) == sorted([*expected, "session.json", "session.lock", "session.lock.meta"])
    assert (directory / "session.json").read_bytes() == (directory / "session-000004.json").read_bytes()
    assert list(session.load(directory).resolver.labels.values()) == ["Harbour", "Pier 2", "Pier 3", "Pier 4"]
    assert list(session.load(directory, generation=3).resolver.labels.values()) == ["Harbour", "Pier 2", "Pier 3"]


def test_a_large_session_is_written_so_that_it_opens_fast_unless_it_was_another_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = ("Harbour", "Quay", "Buoy", "Pier")
    older = session.save(tmp_path / "older", small(labels)).state
    monkeypatch.setattr("contextmesh.session.generation.LARGE", 3)
    made = {count: session.save(tmp_path / str(count), small(labels[:count])).state.manifest for count in (3, 4)}
    assert [manifest.version for manifest in made.values() if manifest is not None] == [2, 3]
    asked = session.save(tmp_path / "asked", small(labels), version=2).state.manifest
    assert asked is not None and asked.version == 2

    assert older.generation == session.save(tmp_path / "older", session.load(tmp_path / "older")).state.generation
    assert [node.label for node in session.load(tmp_path / "4").graph.store.nodes.values()] == list(labels)


def test_files_are_private_and_the_lock_is_not(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 2)
    for path in (tmp_path / "s").iterdir():
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == 0o600 if path.suffix == ".json" else mode & 0o600 == 0o600


def test_a_change_of_settings_alone_is_a_generation(tmp_path: Path) -> None:
    from dataclasses import replace

    state = generations_of(tmp_path / "s", 1)
    saved = session.save(tmp_path / "s", replace(state, walker=WalkerSettings(hop_budget=9)))
    assert saved.generation == 2
    assert session.load(tmp_path / "s").walker.hop_budget == 9
    assert session.save(tmp_path / "s", saved.state).written == ()


def test_only_files_that_a_manifest_named_are_swept(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    state = generations_of(directory, 1)
    own = ["graph-notes.json", "graph-000000.json", "graph-000009.json", "resolver-1.json", "notes.txt"]
    for name in own:
        (directory / name).write_text("mine")
    (directory / ".staging-graph-000001.json-1-0.tmp").write_text("half")
    (directory / ".staging-folder.tmp").mkdir()
    for label in ("A", "B", "C"):
        state = session.save(directory, grown(state, label)).state
    left = listing(directory)
    assert set(own) <= set(left)
    assert ".staging-folder.tmp" in left
    assert ".staging-graph-000001.json-1-0.tmp" not in left
    assert "graph-000001.json" not in left
    assert "graph-000002.json" not in left


def test_an_older_directory_is_read_and_the_next_save_brings_it_up(tmp_path: Path) -> None:
    directory = ferry_session(tmp_path / "s")
    for name in ("session-000001.json", "execution-000001.json", "runledger-000001.json"):
        (directory / name).unlink()

    def old(manifest: dict[str, object]) -> None:
        manifest["version"] = 1
        for key in ("execution", "ledger", "ledger_head"):
            del manifest[key]

    edit(directory / "session.json", old)
    state = session.load(directory)
    assert state.manifest is not None
    assert (state.generation, state.manifest.version, state.carried) == (1, 1, None)
    saved = session.save(directory, state)
    assert saved.generation == 2
    assert json.loads((directory / "session-000002.json").read_text("utf-8"))["version"] == 2
    assert "graph-000001.json" not in listing(directory)
    assert session.load(directory).generation == 2


def test_generations_grow_past_six_digits(tmp_path: Path) -> None:
    assert [generation_of(n) for n in ("session-999999.json", "session-1000000.json")] == [999_999, 1_000_000]
    for name in ("session-0000001.json", "session-000000.json", "session-1.json", "session-٠٠٠٠٠١.json", "x"):
        assert generation_of(name) is None
    directory = tmp_path / "s"
    generations_of(directory, 1)
    manifest = Manifest(999_999, 0, WalkerSettings(), "graph-999999.json", "resolver-999999.json")
    for kind in ("graph", "resolver"):
        (directory / numbered(kind, 1)).rename(directory / numbered(kind, 999_999))
    (directory / "session-000001.json").unlink()
    (directory / manifest.name).write_text(json.dumps(manifest.to_json()))
    saved = session.save(directory, grown(session.load(directory), "Far"))
    assert saved.generation == 1_000_000
    assert session.load(directory).generation == 1_000_000


def test_a_session_is_saved_under_any_name_of_its_home(tmp_path: Path) -> None:
    state = generations_of(tmp_path / "s", 1)
    (tmp_path / "link").symlink_to(tmp_path / "s")
    assert session.save(tmp_path / "link", state).written == ()
    assert session.save(tmp_path / "link", grown(state, "A")).generation == 2
    assert session.load(tmp_path / "link").generation == 2


@pytest.mark.parametrize("policy", [(), ("cites",)])
def test_a_walker_may_prefer_few_edge_types_or_none(tmp_path: Path, policy: tuple[str, ...]) -> None:
    directory = ferry_session(tmp_path / "s")
    edit(directory / "session-000001.json", lambda m: m["walker"].update(policy=list(policy), later_key=1))
    assert session.load(directory).walker.policy == policy


def test_what_is_no_session_is_refused_by_code(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    for name, code in (("none", "no-session"), ("file", "not-a-folder"), ("empty", "no-session")):
        with pytest.raises(SessionError) as caught:
            session.load(tmp_path / name)
        assert caught.value.code == code
    with pytest.raises(SessionError) as caught:
        session.save(tmp_path / "file", small())
    assert caught.value.code in ("not-a-folder", "unwritable-file")
    with pytest.raises(SessionError) as caught:
        session.load(ferry_session(tmp_path / "s"), generation=7)
    assert caught.value.code == "no-generation"
    assert caught.value.problem.hint == "generations that are there: 1"
