"""One writer at a time, and none that has not seen what the others committed; readers wait for nobody."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from contextmesh import session
from contextmesh.base.errors import SessionError, SessionLockedError
from contextmesh.session.files import read_member
from contextmesh.session.lock import LOCK, writer_lock

from .places import generations_of, grown, listing, small


def test_a_held_session_is_locked_for_writers_and_names_its_holder(tmp_path: Path) -> None:
    state = generations_of(tmp_path / "s", 1)
    with writer_lock(tmp_path / "s"):
        before = listing(tmp_path / "s")
        with pytest.raises(SessionLockedError) as caught:
            session.save(tmp_path / "s", grown(state, "A"))
        assert listing(tmp_path / "s") == before
        assert session.load(tmp_path / "s").generation == 1
    problem = caught.value.problem
    assert (problem.code, caught.value.exit_code) == ("locked", 4)
    assert dict(problem.fields)["pid"] == os.getpid()
    assert session.save(tmp_path / "s", state).generation == 2


def test_the_lock_of_another_process_ends_with_it(tmp_path: Path) -> None:
    state = generations_of(tmp_path / "s", 1)
    code = (
        "import sys; from pathlib import Path; from contextmesh.session.lock import writer_lock\n"
        "with writer_lock(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", code, str(tmp_path / "s")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(SessionLockedError) as caught:
            session.save(tmp_path / "s", grown(state, "A"))
        assert dict(caught.value.problem.fields)["pid"] == holder.pid
        holder.kill()
        holder.wait()
    assert session.save(tmp_path / "s", state).generation == 2


def test_the_lock_file_stays_the_same_file(tmp_path: Path) -> None:
    state = generations_of(tmp_path / "s", 1)
    inode = (tmp_path / "s" / LOCK).stat().st_ino
    session.save(tmp_path / "s", grown(state, "A"))
    assert (tmp_path / "s" / LOCK).stat().st_ino == inode
    assert json.loads((tmp_path / "s" / LOCK).read_text())["pid"] == os.getpid()


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    state = generations_of(tmp_path / "s", 1)
    (tmp_path / "s" / LOCK).unlink()
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / "s" / LOCK).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SessionError) as caught:
        session.save(tmp_path / "s", grown(state, "A"))
    assert caught.value.code == "linked-file"
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_a_writer_that_missed_a_commit_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 1)
    first, second = session.load(tmp_path / "s"), session.load(tmp_path / "s")
    session.save(tmp_path / "s", grown(first, "A"))
    before = listing(tmp_path / "s")
    with pytest.raises(SessionError) as caught:
        session.save(tmp_path / "s", grown(second, "B"))
    assert caught.value.code == "stale-session"
    assert dict(caught.value.problem.fields) == {"current": 2, "seen": 1}
    after = listing(tmp_path / "s")
    assert {n: v for n, v in after.items() if "lock" not in n} == {n: v for n, v in before.items() if "lock" not in n}
    assert session.save(tmp_path / "s", second, replace_session=True).generation == 3


def test_an_earlier_generation_is_not_saved_over_a_later_one_unasked(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 3)
    old = session.load(tmp_path / "s", generation=2)
    with pytest.raises(SessionError) as caught:
        session.save(tmp_path / "s", old)
    assert caught.value.code == "stale-session"
    saved = session.save(tmp_path / "s", old, replace_session=True)
    assert saved.generation == 4
    assert list(session.load(tmp_path / "s").resolver.labels.values()) == ["Harbour", "Pier 2"]


def test_a_built_session_does_not_replace_another_unasked(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 1)
    before = listing(tmp_path / "s")
    with pytest.raises(SessionError) as caught:
        session.save(tmp_path / "s", small(("Other",)))
    assert caught.value.code == "session-exists"
    assert sorted(listing(tmp_path / "s")) == sorted(before)
    assert session.save(tmp_path / "s", small(("Other",)), replace_session=True).generation == 2
    assert session.load(tmp_path / "s", generation=1).resolver.peek("Harbour").id is not None


def test_a_home_that_was_exchanged_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    state = generations_of(tmp_path / "s", 1)
    (tmp_path / "s").rename(tmp_path / "moved")
    with pytest.raises(SessionError) as caught:
        session.save(tmp_path / "s", grown(state, "A"))
    assert caught.value.code == "home-changed"
    assert not (tmp_path / "s").exists()
    (tmp_path / "s").mkdir()
    with pytest.raises(SessionError):
        session.save(tmp_path / "s", state)
    assert list((tmp_path / "s").iterdir()) == []
    assert session.save(tmp_path / "moved", state).generation == 2


def test_a_commit_that_the_disk_refuses_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    state = generations_of(tmp_path / "s", 1)
    (tmp_path / "s" / "session-000002.json").mkdir()
    before = sorted(listing(tmp_path / "s"))
    with pytest.raises(SessionError) as caught:
        session.save(tmp_path / "s", grown(state, "A"))
    assert caught.value.code == "unwritable-file"
    assert sorted(listing(tmp_path / "s")) == before
    (tmp_path / "s" / "session-000002.json").rmdir()
    assert session.save(tmp_path / "s", state).generation == 2


def test_a_read_that_a_commit_swept_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = tmp_path / "s"
    state = generations_of(directory, 1)
    waits: list[float] = []
    done: list[str] = []
    busy = False

    def commits_meanwhile(place: Path, name: str, **how: int) -> bytes:
        nonlocal state, busy
        if name.startswith("graph-") and not busy and len(done) < 4:
            busy = True
            for label in ("A", "B"):
                done.append(label)
                state = session.save(directory, grown(state, f"{label}{len(done)}")).state
            busy = False
        return read_member(place, name, **how)

    monkeypatch.setattr(sys.modules["contextmesh.session.load"], "read_member", commits_meanwhile)
    loaded = session.load(directory, wait=waits.append)
    assert loaded.generation == 5
    assert waits == [0.05, 0.1]


def test_a_companion_that_is_gone_for_good_is_not_waited_for(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 1)
    (tmp_path / "s" / "graph-000001.json").unlink()
    waits: list[float] = []
    with pytest.raises(SessionError) as caught:
        session.load(tmp_path / "s", wait=waits.append)
    assert (caught.value.code, waits) == ("missing-file", [])
