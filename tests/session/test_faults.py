"""A disk that refuses costs nothing that was acknowledged, and what it refused can be tried again."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from contextmesh.api import Mesh
from contextmesh.base.disk import Disk, using
from contextmesh.base.errors import Refusal

from .faulty import Counting, Failing, PowerCut, ReadOnly, Trickling, Unsafe
from .places import listing, log_mesh, same

ACTS: dict[str, Callable[[Mesh], object]] = {
    "a checkpoint": lambda mesh: mesh.checkpoint(),
    "a new generation": lambda mesh: mesh.save(),
}


EVERY = {"a checkpoint": 1, "a new generation": 3}
"""One operation in so many is broken here; ``CONTEXTMESH_EVERY=1`` breaks each of them."""
if "CONTEXTMESH_EVERY" in os.environ:
    EVERY = dict.fromkeys(ACTS, int(os.environ["CONTEXTMESH_EVERY"]))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    mesh, source = log_mesh(tmp_path / "home")
    mesh.checkpoint()
    mesh.submit_evidence("The pier is closed", source_id=source)
    mesh.ask("Is the pier closed?")
    mesh.checkpoint()
    return tmp_path / "home"


def changed(home: Path) -> Mesh:
    """The session with something new of each kind that a line tells."""
    mesh = Mesh.open(home)
    (source,) = [node.id for node in mesh.graph.store.nodes.values() if node.type == "source"]
    mesh.submit_evidence("The mole is open", source_id=source)
    mesh.ask("Is the mole open?")
    mesh.resolver.resolve("Nobody")
    return mesh


def operations(home: Path, act: Callable[[Mesh], object], tmp_path: Path) -> list[tuple[str, str]]:
    copy = shutil.copytree(home, tmp_path / "counted")
    mesh, counting = changed(copy), Counting()
    with using(counting):
        act(mesh)
    shutil.rmtree(copy)
    return counting.log


def test_a_checkpoint_costs_one_sync(home: Path, tmp_path: Path) -> None:
    log = operations(home, ACTS["a checkpoint"], tmp_path)
    journal = "journal-000002.jsonl"
    ours = [entry for entry in log if "lock" not in entry[1]]
    assert [entry for entry in ours if entry[0] != "open"] == [("write", journal), ("fsync", journal)]
    assert [entry for entry in log if entry[0] == "fsync"] == [("fsync", journal)]


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("how", ["once", "from there on", "in the middle of a write"])
def test_a_refused_operation_is_told_and_the_old_state_serves_and_a_retry_succeeds(
    home: Path, tmp_path: Path, act: str, how: str
) -> None:
    every = EVERY[act]
    first = 1 + len(how) % every
    for at in range(first, len(operations(home, ACTS[act], tmp_path)) + 1, every):
        copy = shutil.copytree(home, tmp_path / "copy")
        mesh, before = changed(copy), Mesh.open(copy)
        error = (errno.ENOSPC, errno.EIO)[at // every % 2]
        disk = Failing(at, error, lasting=how == "from there on", short=how == "in the middle of a write")
        refused = None
        with using(disk):
            try:
                ACTS[act](mesh)
            except Refusal as refusal:
                refused = refusal
        now = Mesh.open(copy)
        if refused is None:  # what is said of the holder, and the pointer, may fail
            same(now, mesh)
        else:
            assert refused.code == "unwritable-file"
            if how != "from there on":
                same(now, before)
            assert mesh.find("mole"), "the session in memory is still usable"
        ACTS[act](mesh)
        same(Mesh.open(copy), mesh)
        assert [walked.question for walked in Mesh.open(copy).walks] == ["Is the pier closed?", "Is the mole open?"]
        shutil.rmtree(copy)


@pytest.mark.parametrize("act", ACTS)
def test_a_commit_that_was_refused_and_stands_all_the_same_is_not_made_twice(
    home: Path, tmp_path: Path, act: str
) -> None:
    """The disk takes everything, cannot confirm it, and cannot take it back; then others build on it, or do not."""
    log = operations(home, ACTS[act], tmp_path)
    last = max(at for at, (operation, _) in enumerate(log, 1) if operation == "fsync" and at <= len(log))
    for others in (False, True):
        for at in range(1 + others, last + 1, EVERY[act]):
            copy = shutil.copytree(home, tmp_path / "copy")
            mesh = changed(copy)
            with using(Failing(at, errno.EIO, lasting=True)):
                try:
                    ACTS[act](mesh)
                except Refusal:
                    pass
                else:
                    shutil.rmtree(copy)
                    continue
            if others:
                second = Mesh.open(copy)
                second.graph.add_node("entity", "Ferry", attrs={"canonical": "Ferry", "aliases": []})
                second.checkpoint()
            mesh.checkpoint()
            opened = Mesh.open(copy)
            same(opened, mesh)
            labels = [node.label for node in opened.graph.store.nodes.values()]
            assert sorted(labels) == sorted(["Log", "The pier is closed", "The mole is open", *["Ferry"] * others])
            assert [w.question for w in opened.walks] == ["Is the pier closed?", "Is the mole open?"]
            assert [a.mention for a in opened.resolver.log].count("Nobody") == 1
            shutil.rmtree(copy)


@pytest.mark.parametrize("act", ACTS)
def test_the_power_may_go_at_any_time(home: Path, tmp_path: Path, act: str) -> None:
    """What was not synced is gone as if it was never done: the session is what it was before, or what it became."""
    outcomes = []
    total = len(operations(home, ACTS[act], tmp_path))
    for at in (*range(1, total + 1, EVERY[act]), total + 1):
        copy = shutil.copytree(home, tmp_path / "copy")
        mesh, before, disk = changed(copy), Mesh.open(copy), Unsafe(at)
        acknowledged = True
        with using(disk):
            try:
                ACTS[act](mesh)
            except PowerCut:
                acknowledged = False
        disk.cut(copy)
        opened = Mesh.open(copy)
        arrived = bool(opened.find("mole"))
        assert arrived or not acknowledged
        outcomes.append(arrived)
        if not arrived:
            same(opened, before)
        (source,) = [node.id for node in opened.graph.store.nodes.values() if node.type == "source"]
        opened.submit_evidence("The tide is high", source_id=source)
        opened.checkpoint()
        same(Mesh.open(copy), opened)
        shutil.rmtree(copy)
    assert outcomes[0] is False
    assert outcomes[-1] is True


@pytest.mark.parametrize("act", ACTS)
def test_a_disk_that_takes_little_at_a_time_gets_it_all(home: Path, act: str) -> None:
    mesh = changed(home)
    with using(Trickling()):
        ACTS[act](mesh)
    same(Mesh.open(home), mesh)


# ---- renames under Windows ------------------------------------------------------------------


class Sharing(Disk):
    """A rename meets somebody's open file so many times."""

    def __init__(self, times: int, code: int) -> None:
        self.times, self.code, self.waits = times, code, list[float]()

    def rename(self, source: Path, target: Path) -> None:
        if self.times > 0:
            self.times -= 1
            error = PermissionError(errno.EACCES, "in use", str(target))
            error.winerror = self.code  # type: ignore[attr-defined, unused-ignore]
            raise error
        super().rename(source, target)

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)


def test_a_rename_is_tried_again_while_somebody_has_the_file_open(home: Path) -> None:
    mesh = changed(home)
    with using(Sharing(3, 32)) as disk:
        mesh.save()
    assert disk.waits == [0.01, 0.02, 0.04]  # type: ignore[attr-defined]
    same(Mesh.open(home), mesh)


@pytest.mark.parametrize(("times", "code", "waits"), [(99, 32, 6), (1, 112, 0), (1, 0, 0)])
def test_other_refusals_and_endless_ones_end_the_save(home: Path, times: int, code: int, waits: int) -> None:
    mesh, before = changed(home), Mesh.open(home)
    with using(Sharing(times, code)) as disk, pytest.raises(Refusal) as caught:
        mesh.save()
    assert caught.value.code == "unwritable-file"
    assert len(disk.waits) == waits  # type: ignore[attr-defined]
    same(Mesh.open(home), before)
    mesh.save()
    same(Mesh.open(home), mesh)


# ---- reading --------------------------------------------------------------------------------


def test_a_read_only_session_is_read_asked_and_compared_and_a_write_is_refused(home: Path) -> None:
    before = listing(home)
    with using(ReadOnly()):
        mesh = Mesh.open(home)
        assert mesh.ask("Is the pier closed?").answer is not None
        assert mesh.health().status
        with pytest.raises(Refusal) as caught:
            mesh.checkpoint()
    assert caught.value.code == "unwritable-file"
    assert listing(home) == before


def test_no_system_call_of_a_read_changes_anything(home: Path) -> None:
    """In a process of its own, where an audit hook sees every file that is opened, whatever it is opened with."""
    code = (
        "import os, sys\n"
        "from contextmesh.api import Mesh\n"
        "from contextmesh.policy import Policy\n"
        "Policy.load()\n"
        "def hook(event, args):\n"
        "    if event == 'open' and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC):\n"
        "        raise AssertionError(args)\n"
        "    if event in ('os.rename', 'os.remove', 'os.mkdir', 'os.rmdir', 'os.truncate', 'os.chmod', 'os.link',\n"
        "                 'os.symlink', 'os.utime'):\n"
        "        raise AssertionError((event, args))\n"
        "sys.dont_write_bytecode = True\n"
        "sys.addaudithook(hook)\n"
        "mesh = Mesh.open(sys.argv[1])\n"
        "assert mesh.ask('Is the pier closed?').answer is not None\n"
        "mesh.health(), mesh.find('pier'), mesh.query('node(X, source)')\n"
    )
    environment = {**os.environ, "CONTEXTMESH_CACHE": ""}
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", code, str(home)], check=True, cwd=root, env=environment)


def test_a_reader_of_a_session_that_is_compacted_and_swept_meanwhile_gets_a_whole_one(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextmesh.session.files import read_member

    busy, done = False, 0

    def commits_meanwhile(place: Path, name: str, **how: int) -> bytes:
        nonlocal busy, done
        if name.startswith("records-") and not busy and done < 2:
            busy = True
            done += 1
            writer = changed(home)
            for _ in range(2):
                writer.submit_evidence(f"Tide {done} {writer.generation}", source_id=_source(writer))
                writer.save()
            busy = False
        return read_member(place, name, **how)

    monkeypatch.setattr(sys.modules["contextmesh.session.load"], "read_member", commits_meanwhile)
    opened = Mesh.open(home)
    assert opened.generation == 6
    assert opened.find("tide 2")


def _source(mesh: Mesh) -> str:
    return next(node.id for node in mesh.graph.store.nodes.values() if node.type == "source")
