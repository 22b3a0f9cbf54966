"""What the dashboard costs: its data and its page, of a graph in memory and of a session opened first.

python -m bench.dashboard --sizes 10000,100000        CPU seconds of each, bytes, and how they grow
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.graph import build_mesh
from bench.graph_world import world
from bench.measure import Figure, cpu, exponent, in_its_own_process, spell

JOBS = ("open", "data, first", "data again", "page", "bytes of data", "bytes of page")


def measured(size: int) -> list[Figure]:
    """Each job once, of a session that is opened as ``contextmesh export`` opens it; size 0 is the bundled demo."""
    from contextmesh.api import Mesh
    from contextmesh.dashboard.inline import inlined
    from contextmesh.dashboard.payload import payload, payload_text
    from contextmesh.demo.build import demo_mesh

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "bench.mesh"
        (Mesh(graph=build_mesh(world(size))) if size else demo_mesh()).save(home)
        opened, mesh = cpu(lambda: Mesh.open(home))
        first, value = cpu(lambda: payload(mesh))
        again, _ = cpu(lambda: payload(mesh))
        text, page = payload_text(value), ""

        def write() -> Any:
            nonlocal page
            page = inlined(value)

        paged, _ = cpu(write)
    nodes = len(mesh.graph.store.nodes)
    seconds = (opened, first, again, paged)
    figures = [Figure(job, "dashboard", nodes, took) for job, took in zip(JOBS, seconds, strict=False)]
    sizes = (len(text), len(page.encode()))
    return figures + [Figure(job, "dashboard", nodes, None, n) for job, n in zip(JOBS[4:], sizes, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.dashboard", description=__doc__)
    parser.add_argument("--sizes", default="0,10000,100000", help="numbers of nodes; 0 is the bundled demo")
    parser.add_argument("--one", type=int, metavar="SIZE", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps([figure.as_json() for figure in measured(given.one)]))
        return
    found: dict[str, list[Figure]] = {}
    for size in given.sizes.split(","):
        figures = in_its_own_process("bench.dashboard", ["--one", size], 900.0)
        if isinstance(figures, str):
            sys.exit(f"{size}: {figures}")
        for figure in figures:
            found.setdefault(figure.job, []).append(figure)
    columns = next(iter(found.values()))
    print(f"{'job':14}" + "".join(f"{figure.size:>12,}" for figure in columns) + f"{'growth':>9}")
    for job, figures in found.items():
        cells = [spell(f.seconds) if f.result is None else f"{f.result:,} B" for f in figures]
        grown = exponent([(f.size, float(f.seconds or f.result or 0)) for f in figures[-2:]])
        print(f"{job:14}" + "".join(f"{cell:>12}" for cell in cells) + (f"{grown:>9.2f}" if grown is not None else ""))


if __name__ == "__main__":
    main()
