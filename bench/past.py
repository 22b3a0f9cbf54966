"""What the past costs: the first answer of a date, and the next ones, by learning and by source date.

python -m bench.past --sizes 10000,100000        CPU milliseconds of each, and how they grow
"""

from __future__ import annotations

from bench.ask import QUESTIONS, figure, main, register
from bench.graph import build_mesh
from bench.graph_world import world
from bench.measure import Figure

SAID = "2025-01-05"
"""All but the last source is dated before it."""


def jobs(size: int) -> list[Figure]:
    """Views of a graph that was asked in the present already, as one that is served has been."""
    from contextmesh.api import Mesh

    mesh = Mesh(graph=build_mesh(world(size)))
    register(mesh)
    question = QUESTIONS["named entity"]
    seq = mesh.graph.store.seq
    for month in ("02", "03"):
        mesh.commits_on(f"2025-{month}-01")
        attrs = {"origin": "file", "retrieved_at": f"2025-{month}-01"}
        mesh.graph.add_node("source", f"Report of month {month}", attrs=attrs)
    mesh.ask(question)
    return [
        figure("by learning, first answer", size, lambda: mesh.as_of(seq).ask(question)),
        figure("by learning, another date", size, lambda: mesh.as_of(seq + 1).ask(question)),
        figure("by learning, again", size, lambda: mesh.as_of(seq).ask(question), times=5),
        figure("by source date, first answer", size, lambda: mesh.as_of(valid_at=SAID).ask(question)),
        figure("by source date, another date", size, lambda: mesh.as_of(valid_at="2025-02-03").ask(question)),
        figure("by source date, again", size, lambda: mesh.as_of(valid_at=SAID).ask(question), times=5),
        figure("reconstruct, first", size, lambda: mesh.as_of(seq).reconstruct("decision:3-7")),
        figure("reconstruct, again", size, lambda: mesh.as_of(seq).reconstruct("decision:3-7"), times=3),
        figure("health, first", size, lambda: mesh.as_of(seq).health()),
    ]


if __name__ == "__main__":
    main("bench.past", "What the past costs.", jobs)
