"""What a checkpoint costs at different sizes: ``python -m bench.checkpoint --sizes 10000,100000``.

For each size a session is saved and opened again; then, so many times, a question is asked or an observation is
written and a checkpoint made. Printed are medians: CPU of the checkpoint alone, and how long it took on the clock, most
of which is the disk's one sync. ``sync`` is what appending the same bytes to a bare file and syncing it takes here.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from contextmesh.api import Mesh
from contextmesh.store.model import Provenance


def grown(size: int) -> Mesh:
    """A mesh of so many nodes: claims of a few sources, each of which mentions an entity."""
    mesh = Mesh()
    graph = mesh.graph
    graph.begin_build()
    with graph.batch("sources") as batch:
        for number in range(10):
            attrs = {"origin": f"log {number}", "retrieved_at": "2024-01-01"}
            batch.add_node("source", f"Log {number}", id=f"source:{number}", attrs=attrs)
    entities = max(1, size // 10)
    for start in range(0, size, 5_000):
        with graph.batch("grow") as batch:
            for number in range(start, min(size, start + 5_000)):
                if number < entities:
                    label = f"Gauge {number}"
                    batch.add_node("entity", label, id=f"entity:{number}", attrs={"canonical": label, "aliases": []})
                    continue
                read = Provenance(f"source:{number % 10}", (number, number + 20))
                claim = batch.add_node("claim", f"Reading {number} of a gauge", id=f"claim:{number}", provenance=read)
                batch.add_edge(claim.id, "derived_from", f"source:{number % 10}")
                batch.add_edge(claim.id, "mentions", f"entity:{number % entities}")
    return mesh


def medians(act: Callable[[int], object], commit: Callable[[], object], times: int) -> tuple[float, float, float]:
    """CPU and clock of a commit in milliseconds, and the CPU of what was done before it."""
    cpu, clock, before = [], [], []
    for number in range(times):
        started = time.process_time()
        act(number)
        busy, at = time.process_time(), time.perf_counter()
        before.append(busy - started)
        commit()
        cpu.append(time.process_time() - busy)
        clock.append(time.perf_counter() - at)
    cpu_ms, clock_ms, before_ms = (1000 * statistics.median(values) for values in (cpu, clock, before))
    return cpu_ms, clock_ms, before_ms


def bare_sync(folder: Path, times: int) -> float:
    """Milliseconds to append 600 bytes to a file and sync it."""
    took = []
    with (folder / "bare").open("ab", buffering=0) as file:
        for _ in range(times):
            at = time.perf_counter()
            file.write(b"x" * 600)
            os.fsync(file.fileno())
            took.append(time.perf_counter() - at)
    return 1000 * statistics.median(took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--times", type=int, default=50)
    given = parser.parse_args()
    print(f"{'nodes':>9} {'after':<12} {'CPU ms':>8} {'clock ms':>9} {'sync ms':>8}   opening, CPU s")
    for size in (int(text) for text in given.sizes.split(",")):
        with tempfile.TemporaryDirectory(prefix="contextmesh-checkpoint-") as place:
            made = grown(size)
            made.save(Path(place) / "s", version=3)
            del made
            started = time.process_time()
            mesh = Mesh.open(Path(place) / "s")
            opening = time.process_time() - started
            mesh.ask("What is reading 4711 of the gauge?")
            mesh.checkpoint()
            sync = bare_sync(Path(place), given.times)
            acts: dict[str, Callable[[int], object]] = {
                "a question": lambda number, mesh=mesh: mesh.ask(f"What is reading {4711 + number} of the gauge?"),
                "evidence": lambda number, mesh=mesh: mesh.submit_evidence(f"Seen {number}", source_id="source:1"),
            }
            for name, act in acts.items():
                cpu, clock, _ = medians(act, mesh.checkpoint, given.times)
                print(f"{size:>9,} {name:<12} {cpu:>8.2f} {clock:>9.2f} {sync:>8.2f}   {opening:.2f}")


if __name__ == "__main__":
    main()
