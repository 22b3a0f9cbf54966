"""What an ask costs: a named entity, a decision, a seed by word, and a dead end; and the index they start from.

python -m bench.ask --sizes 10000,100000        CPU milliseconds of each, and how they grow
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable
from typing import Any

from bench.graph import build_mesh, resident
from bench.graph_world import world
from bench.measure import Figure, in_its_own_process, table

QUESTIONS = {
    "named entity": "What holds of Thing entity:77?",
    "decision": "What does Decided decision:3-7 depend on?",
    "word seed": "Is it said that claim:77 holds",
    "dead end": "What colour is the zebra's xylophone?",
}
TIMES = 10


def jobs(size: int) -> list[Figure]:
    """Every question at one size; the first ask of each apart from those that follow it."""
    from contextmesh.api import Mesh

    mesh = Mesh(graph=build_mesh(world(size)))
    register(mesh)
    before = resident()
    figures = [figure("index, a node", size, lambda: mesh.words, per=len(mesh.graph.store.nodes))]
    grown = (resident() - before) / len(mesh.graph.store.nodes)
    figures.append(Figure("index, memory a node", "contextmesh", size, None, note=f"{grown:.0f} B"))
    for name, question in QUESTIONS.items():
        figures.append(figure(f"first: {name}", size, lambda q=question: mesh.ask(q)))  # type: ignore[misc]
        figures.append(figure(name, size, lambda q=question: mesh.ask(q), times=TIMES))  # type: ignore[misc]
    return figures


def register(mesh: Any) -> None:
    """The table of names, as a reader of documents would have filled it."""
    for node in mesh.graph.store.nodes.values():
        if node.type == "entity":
            mesh.resolver.register(node.id, node.label)


def figure(job: str, size: int, work: Callable[[], Any], *, times: int = 1, per: int = 1) -> Figure:
    """CPU seconds of one of ``times`` repetitions, by ``per``."""
    gc.collect()
    start = time.process_time()
    for _ in range(times):
        found = work()
    spent = (time.process_time() - start) / times / per
    return Figure(job, "contextmesh", size, spent, getattr(found, "expanded", None))


def main(module: str, prog: str, own: Callable[[int], list[Figure]]) -> None:
    """The command of this module and of its neighbours: each size in a process of its own."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=prog)
    parser.add_argument("--sizes", default="10000,100000", help="numbers of nodes")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds until a measurement is stopped")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    if given.here:
        print(json.dumps([f.as_json() for size in sizes for f in own(size)]))
        return
    found: list[Figure] = []
    for size in sizes:
        got = in_its_own_process(module, ["--sizes", str(size), "--here"], given.timeout)
        found += [Figure("all", "contextmesh", size, None, note=got)] if isinstance(got, str) else got
    if given.json:
        print(json.dumps([f.as_json() for f in found], indent=2))
        return
    order = list(dict.fromkeys(f.job for f in found))
    print(table(sorted(found, key=lambda f: (order.index(f.job), f.size)), "contextmesh"))


if __name__ == "__main__":
    main("bench.ask", "What an ask costs.", jobs)
