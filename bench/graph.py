"""Graph jobs through ContextGraph, beside the same jobs in straight Python.

python -m bench.graph WHO SIZE    all jobs at one size, as JSON

What a job does for the first time (rules compiled, relations evaluated, indexes made) is a figure of its own.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench import straight
from bench.graph_world import HALF, World, world
from bench.measure import Figure, cpu, in_its_own_process

WHO = ("contextmesh", "straight")
REPEATS = 20
BYTES = 5_000
"""What a node with its edges takes at most, the names of the world itself included."""


def build_mesh(made: World) -> Any:
    """One batch, so one transaction."""
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.store.model import Provenance

    graph = ContextGraph()
    with graph.batch("bench") as batch:
        for node in made.nodes:
            owed = None if node.source is None else Provenance(node.source)
            batch.add_node(node.type, node.label, id=node.id, attrs=node.attrs, provenance=owed)
        for src, type_, dst in made.edges:
            batch.add_edge(src, type_, dst)
    return graph


def mesh_jobs(made: World, size: int) -> list[Figure]:
    from contextmesh.policy import Policy

    Policy.load()
    before = resident()
    seconds, graph = cpu(lambda: build_mesh(made))
    figures = [_per_node(made, "contextmesh", size, seconds)]
    take = _taker(figures, "contextmesh", size)
    take("health, first", lambda: graph.health().nodes_live, 1)
    figures.append(_memory(made, "contextmesh", size, resident() - before))
    take("blast, first", lambda: _told(graph.blast(made.groups[0])), 1)
    take("blast of 100", lambda: _told(graph.blast(made.groups[0])), REPEATS)
    take("blast of half", lambda: _told(graph.blast(HALF)), 3)
    new = new_edges(made)
    take("add an edge", lambda: bool(graph.add_edge(*next(new))), 10 * REPEATS)

    def write_and_look() -> int:
        graph.add_edge(*next(new))
        return graph.health().nodes_live

    take("health after a write", write_and_look, REPEATS)
    witness = graph.submit_evidence("It was measured and is not so.", source_id="source:0")
    for assumption in made.groups[:REPEATS]:
        graph.add_edge(witness.id, "contradicts", assumption)
    left = iter(made.groups[:REPEATS])
    take(
        "reject of 100", lambda: _told(graph.reject(next(left), evidence_id=witness.id)), min(REPEATS, len(made.groups))
    )
    return figures


def _told(receipt: Any) -> int:
    """The receipt is read: every fallen node with its reason."""
    return sum(1 for fallen in receipt.invalidated if fallen.because)


def straight_jobs(made: World, size: int) -> list[Figure]:
    before = resident()
    seconds, graph = cpu(lambda: straight.build(made))
    figures = [_per_node(made, "straight", size, seconds)]
    take = _taker(figures, "straight", size)
    figures.append(_memory(made, "straight", size, resident() - before))
    live = len(graph.nodes)
    take("health, first", lambda: graph.health() and live, 1)
    take("blast, first", lambda: len(graph.told(graph.blast(made.groups[0]))), 1)
    take("blast of 100", lambda: len(graph.told(graph.blast(made.groups[0]))), REPEATS)
    take("blast of half", lambda: len(graph.told(graph.blast(HALF))), 3)
    new = new_edges(made)

    def add() -> bool:
        graph.add_edge(*next(new))
        return True

    take("add an edge", add, 10 * REPEATS)
    take("health after a write", lambda: add() and graph.health() and live, REPEATS)
    graph.add_node("evidence:0", "evidence", "It was measured and is not so.", {"kind": "measurement"}, None)
    for assumption in made.groups[:REPEATS]:
        graph.add_edge("evidence:0", "contradicts", assumption)
    left = iter(made.groups[:REPEATS])
    take("reject of 100", lambda: len(graph.reject(next(left), "evidence:0")), min(REPEATS, len(made.groups)))
    return figures


def new_edges(made: World) -> Iterator[tuple[str, str, str]]:
    """Legal edges that are not there yet, as many as anyone asks for here; the search for them is done at once."""
    claims = made.names("claim")
    return (
        (claim, "cites", claims[(i + ahead) % len(claims)])
        for ahead in range(1, len(claims))
        for i, claim in enumerate(claims)
    )


def resident() -> int:
    """Bytes of this process in memory now."""
    gc.collect()
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
    except FileNotFoundError:  # not Linux: the most it ever had
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def available() -> int | None:
    """Bytes of memory that are free for a new process; None where nothing says so."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _taker(figures: list[Figure], who: str, size: int) -> Callable[[str, Callable[[], int], int], None]:
    def take(job: str, work: Callable[[], int], times: int) -> None:
        """CPU seconds of a repetition, the median of ``times``: on a shared machine the mean tells of the others."""
        gc.collect()
        result = None
        if times > 1 and ", first" not in job:
            seconds, result = cpu(work)
            figures.append(Figure(f"{job}, first", who, size, seconds, result))
            times -= 1
        taken = []
        for _ in range(times):
            start = time.process_time()
            result = work()
            taken.append(time.process_time() - start)
        figures.append(Figure(job, who, size, median(taken), result))

    return take


def _per_node(made: World, who: str, size: int, seconds: float) -> Figure:
    return Figure("build, a node with its edges", who, size, seconds / len(made.nodes), len(made.nodes))


def _memory(made: World, who: str, size: int, grown: int) -> Figure:
    note = f"{grown / len(made.nodes):.0f} B"
    return Figure("memory, a node with its edges", who, size, None, len(made.edges), note)


def figures(sizes: Sequence[int], timeout: float) -> list[Figure]:
    """Every job at every size; each size in a process of its own."""
    found: list[Figure] = []
    for size in sizes:
        for who in WHO:
            if size * BYTES > (available() or size * BYTES):
                found.append(Figure("all", who, size, None, note="does not fit in memory"))
                continue
            got = in_its_own_process("bench.graph", [who, str(size)], timeout)
            found += [Figure("all", who, size, None, note=got)] if isinstance(got, str) else got
    order = list(dict.fromkeys(f.job for f in found))
    return sorted(found, key=lambda f: (order.index(f.job), f.size))


if __name__ == "__main__":
    who_, size_ = sys.argv[1:]
    jobs = mesh_jobs if who_ == "contextmesh" else straight_jobs
    print(json.dumps([figure.as_json() for figure in jobs(world(int(size_)), int(size_))]))
