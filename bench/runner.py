"""Plans of many tasks: what each round costs, and how that grows; beside a bare scheduler that records nothing.

python -m bench.runner [--sizes 1000,2000,4000] [--shape chain|wide] [--json]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import Any

from bench.measure import Figure, cpu, table

SHAPES = ("chain", "wide")
SIZES = (1250, 2500, 5000, 10_000)
WHO = ("contextmesh", "straight")


def needs_of(shape: str, size: int) -> list[list[int]]:
    """A chain, or layers of fifty in which each task needs two of the layer before."""
    if shape == "chain":
        return [[number - 1] if number else [] for number in range(size)]
    return [[number - 50, number - 50 + (number % 7)] if number >= 50 else [] for number in range(size)]


def mesh_jobs(shape: str, size: int) -> list[Figure]:
    from contextmesh.policy import Policy
    from contextmesh.run import Runner, TaskRegistry

    Policy.load()
    bad: set[str] = set()
    registry = TaskRegistry()
    registry.register_worker("work.v1", lambda context: {"task": context.name, "attempt": context.attempt})
    registry.register_auditor(
        "look.v1", lambda context: context.disproved("no more") if context.name in bad else context.ok("fine")
    )
    runner = Runner("bench", registry=registry, workers=1)
    needs = needs_of(shape, size)
    last, middle = f"task {size - 1}", f"task {size // 2}"
    jobs: list[tuple[str, Callable[[], Any]]] = []

    def declare() -> int:
        for number in range(size):
            name = f"task {number}"
            runner.task(
                name,
                worker_key="work.v1",
                auditor_key="look.v1" if name in (last, middle) else None,
                assumes=f"ground {number}",
                needs=[f"task {need}" for need in needs[number]],
            )
        runner.open()
        return size

    def break_(name: str) -> Callable[[], int]:
        def work() -> int:
            bad.add(name)
            report = runner.recheck()
            bad.clear()
            return len(report.invalidations[0]["invalidated"])

        return work

    def mend(name: str) -> Callable[[], int]:
        def work() -> int:
            runner.repair(name, assumes=f"another ground of {name}")
            return len(runner.run().executed)

        return work

    jobs += [
        ("declare", declare),
        ("first round", lambda: len(runner.run().executed)),
        ("idle round", lambda: len(runner.run().executed)),
        ("last falls", break_(last)),
        ("last again", mend(last)),
        ("middle falls", break_(middle)),
        ("middle again", mend(middle)),
        ("write files", lambda: len(runner.snapshot()["tasks"])),
    ]
    return [_figure(job, "contextmesh", size, work) for job, work in jobs]


def straight_jobs(shape: str, size: int) -> list[Figure]:
    """Dictionaries alone: no graph, no reasons, no ledger. What is left is the order and the calls."""
    needs = needs_of(shape, size)
    after: list[list[int]] = [[] for _ in range(size)]
    for number, before in enumerate(needs):
        for need in before:
            after[need].append(number)
    outputs: dict[int, dict[str, Any]] = {}

    def run() -> int:
        ran = 0
        for number in range(size):
            if number not in outputs:
                outputs[number] = {"task": number, "inputs": [outputs[need]["task"] for need in needs[number]]}
                ran += 1
        return ran

    def fall(number: int) -> int:
        stack, fell = [number], 0
        while stack:
            one = stack.pop()
            if outputs.pop(one, None) is not None:
                fell += 1
                stack += after[one]
        return fell

    jobs: list[tuple[str, Callable[[], Any]]] = [
        ("first round", run),
        ("idle round", run),
        ("last falls", lambda: fall(size - 1)),
        ("last again", run),
        ("middle falls", lambda: fall(size // 2)),
        ("middle again", run),
    ]
    return [_figure(job, "straight", size, work) for job, work in jobs]


def _figure(job: str, who: str, size: int, work: Callable[[], Any]) -> Figure:
    seconds, result = cpu(work)
    return Figure(job, who, size, seconds, result)


def figures(shape: str, sizes: Sequence[int]) -> list[Figure]:
    """Every job at every size, in this process."""
    found: list[Figure] = []
    for size in sizes:
        found += mesh_jobs(shape, size)
        found += straight_jobs(shape, size)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.runner", description="What rounds of a plan cost.")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of tasks")
    parser.add_argument("--shape", choices=SHAPES, help="one shape instead of both")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    found = {shape: figures(shape, sizes) for shape in ([given.shape] if given.shape else SHAPES)}
    if given.json:
        print(json.dumps({shape: [figure.as_json() for figure in rows] for shape, rows in found.items()}, indent=2))
        return
    for shape, rows in found.items():
        print(f"{shape}\n{table(rows, 'straight')}\n")


if __name__ == "__main__":
    main()
