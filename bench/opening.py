"""What opening costs: ``python -m bench.opening --sizes 10000,100000``: CPU seconds to parse, load and first answer.

Three ways in, each in a process of its own: the graph file (version 1), the records file never seen before, and the
records file with a stamp of this user. ``parse`` is the reading of JSON alone; ``load`` is a store ready to be asked,
parsing included; ``first`` is the first question asked of it, whether one node is live. Each row ends with how the
cost grew.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from bench.graph_world import World, world
from bench.measure import Figure, cpu, exponent, in_its_own_process, spell
from contextmesh.base.strict import parse
from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.history import History
from contextmesh.policy import Policy
from contextmesh.store.model import Provenance
from contextmesh.store.records import records_from_bytes, records_to_bytes
from contextmesh.store.records_codec import decode
from contextmesh.store.records_format import kind_of, lines_of
from contextmesh.store.snapshot import graph_from_bytes, graph_to_bytes

FORMS = ("graph", "records", "stamped")
JOBS = ("parse", "load", "first")


def written(made: World, folder: Path) -> None:
    """The same graph in both forms."""
    graph = ContextGraph()
    history = History(graph.store)
    with graph.batch("bench") as batch:
        for node in made.nodes:
            provenance = None if node.source is None else Provenance(node.source)
            batch.add_node(node.type, node.label, id=node.id, attrs=node.attrs, provenance=provenance)
        for src, type_, dst in made.edges:
            batch.add_edge(src, type_, dst)
    (folder / "graph").write_bytes(graph_to_bytes(graph.store))
    (folder / "records").write_bytes(records_to_bytes(graph.store, history.chronicle())[0])


def measured(form: str, size: int, folder: Path) -> list[Figure]:
    """The three jobs of one form."""
    policy = Policy.load()
    data = (folder / ("graph" if form == "graph" else "records")).read_bytes()
    if form == "graph":
        parsed, _ = cpu(lambda: parse(data, "graph"))
        loaded, store = cpu(lambda: graph_from_bytes(data, policy, "graph"))
    else:
        lines = [line for number, line in lines_of(data, "records") if number > 1]
        parsed, _ = cpu(lambda: [decode(kind_of(line), line) for line in lines])
        stamped = form == "stamped"
        loaded, (store, _) = cpu(lambda: records_from_bytes(data, None, "records", policy, verified=stamped))
    last = next(reversed(store.nodes))
    first, _ = cpu(lambda: store.engine.holds("live", (last,)))
    seconds = dict(zip(JOBS, (parsed, loaded, first), strict=True))
    return [Figure(job, form, size, seconds[job], len(store.edges)) for job in JOBS]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.opening", description=__doc__)
    parser.add_argument("--sizes", default="10000,100000", help="numbers of nodes; 2.6 times as many edges")
    parser.add_argument("--one", nargs=3, metavar=("FORM", "SIZE", "DIR"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        form, size, folder = given.one
        print(json.dumps([figure.as_json() for figure in measured(form, int(size), Path(folder))]))
        return
    sizes = [int(size) for size in given.sizes.split(",")]
    found: dict[tuple[str, str], list[Figure]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            written(world(size), Path(folder))
            for form in FORMS:
                figures = in_its_own_process("bench.opening", ["--one", form, str(size), folder], 600.0)
                if isinstance(figures, str):
                    sys.exit(f"{form} {size}: {figures}")
                for figure in figures:
                    found.setdefault((form, figure.job), []).append(figure)
    print(f"{'form':10}{'job':8}" + "".join(f"{size:>12,}" for size in sizes) + f"{'growth':>9}")
    for (form, job), figures in found.items():
        grown = exponent([(figure.size, figure.seconds or 0.0) for figure in figures])
        cells = "".join(f"{spell(figure.seconds):>12}" for figure in figures)
        print(f"{form:10}{job:8}{cells}" + (f"{grown:>9.2f}" if grown is not None else ""))


if __name__ == "__main__":
    main()
