"""Crashes: a writer is killed at every file operation in turn, and at random; what it had acknowledged must be there.

``python -m bench.crash --random 500`` kills a forked writer before each of its file operations, in the middle of each
of its writes, and then so often at random times. After each kill the session is opened again: it must hold exactly
what was acknowledged, or that and the one commit that was going on, whole. Then the next write must succeed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from contextmesh.api import Mesh
from contextmesh.base.disk import Disk, using

STEPS = 6
SAVED = 3
"""The step that writes a whole generation."""


class Killer(Disk):
    """Kills its own process before the file operation of a number, or in the middle of it when it is a write."""

    def __init__(self, at: int, *, half: bool = False) -> None:
        self.at, self.half, self.count = at, half, 0

    def before(self, operation: str, path: str) -> None:
        self.count += 1
        if self.count == self.at and not self.half:
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self, descriptor: int, data: bytes | memoryview, path: str) -> int:
        self.before("write", path)
        if self.count == self.at and self.half:
            os.write(descriptor, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return os.write(descriptor, data)


def labels(mesh: Mesh) -> list[str]:
    return [node.label for node in mesh.graph.store.nodes.values() if node.type == "evidence"]


def said(number: int) -> str:
    return f"The gauge at pier {number} reads {number}"


def template(directory: Path) -> None:
    """A session with a journal, to be copied for each crash."""
    mesh = Mesh.create(directory)
    mesh.graph.add_node("source", "Log", id="source:log", attrs={"origin": "log", "retrieved_at": "2024-01-01"})
    mesh.checkpoint()


def story(directory: Path, acknowledged: Callable[[int], object], steps: int = STEPS) -> None:
    """So many observations and questions, each committed before it is acknowledged."""
    mesh = Mesh.open(directory)
    for number in range(len(labels(mesh)), steps):
        mesh.submit_evidence(said(number), source_id="source:log")
        mesh.ask(f"What does the gauge at pier {number} read?")
        if number == SAVED:
            mesh.save(wait=5.0)
        else:
            mesh.checkpoint(wait=5.0)
        acknowledged(number + 1)


def require_kept(directory: Path, acknowledged: int, *, writes_on: bool = True) -> int:
    """How many commits the session holds.

    Raises:
        AssertionError: something acknowledged is lost, something is half there, or the next write fails.
    """
    mesh = Mesh.open(directory)
    there = labels(mesh)
    assert there == [said(number) for number in range(len(there))], there
    assert acknowledged <= len(there) <= acknowledged + 1, (acknowledged, there)
    assert len(mesh.walks) == len(there), "the walk of a commit came without it"
    if writes_on:
        mesh.submit_evidence(said(len(there)), source_id="source:log")
        mesh.checkpoint(wait=5.0)
        assert labels(Mesh.open(directory)) == [*there, said(len(there))]
    return len(there)


@contextmanager
def forked(directory: Path, disk: Disk) -> Iterator[tuple[int, int]]:
    """A child that plays the story; its process id and a descriptor to read its acknowledgements from."""
    reads, writes = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reads)
            with using(disk):
                story(directory, lambda number: os.write(writes, b"."))
            code = 0
        finally:
            os._exit(code)
    os.close(writes)
    try:
        yield pid, reads
    finally:
        os.close(reads)


def crashed(directory: Path, disk: Disk, kill_after: float | None = None) -> tuple[int, bool]:
    """How many commits the child acknowledged, and whether it was killed."""
    with forked(directory, disk) as (pid, reads):
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(pid, signal.SIGKILL)
        data = b""
        while piece := os.read(reads, 64):
            data += piece
        _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, f"the writer failed: {status}"
    return len(data), os.WIFSIGNALED(status)


def operations(template_of: Path, work: Path) -> int:
    """How many file operations the whole story takes."""
    directory = work / "count"
    shutil.copytree(template_of, directory)
    counter = Killer(0)
    with using(counter):
        story(directory, lambda number: None)
    shutil.rmtree(directory)
    return counter.count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=500, help="how many kills at random times hit it")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    dice = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="contextmesh-crash-") as place:
        work = Path(place)
        template(work / "template")
        total = operations(work / "template", work)
        started = time.perf_counter()
        kills = [0, 0, 0]
        for at in range(1, total + 1):
            for half in (False, True):
                kills[half] += _killed(work, Killer(at, half=half), None)
        print(f"{total} file operations: {kills[0]} kills before one, {kills[1]} kills in the middle of a write")
        directory = work / "timing"
        shutil.copytree(work / "template", directory)
        before = time.perf_counter()
        crashed(directory, Disk())
        whole = time.perf_counter() - before
        tries = 0
        while kills[2] < given.random:
            tries += 1
            kills[2] += _killed(work, Disk(), dice.uniform(0, whole), writes_on=tries % 4 == 0)
        seconds = time.perf_counter() - started
        print(f"{kills[2]} kills at random times hit the writer, of {tries} tried")
        print(f"{sum(kills)} crashes in {seconds:.0f} s: nothing acknowledged was lost, nothing was torn")


def _killed(work: Path, disk: Disk, after: float | None, *, writes_on: bool = True) -> int:
    directory = work / "session"
    shutil.copytree(work / "template", directory)
    try:
        acknowledged, killed = crashed(directory, disk, after)
        require_kept(directory, acknowledged, writes_on=writes_on)
    finally:
        shutil.rmtree(directory)
    return int(killed)


if __name__ == "__main__":
    main()
