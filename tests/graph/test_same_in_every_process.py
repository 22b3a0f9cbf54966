"""What a graph says does not depend on the order in which a process happens to hash text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json
from graph_builders import claim, decision, entity, evidence, source
from contextmesh.graph.graph import ContextGraph

graph = ContextGraph()
told = []
graph.store.observers.append(lambda receipt: told.append(receipt.as_json()))
memo = source(graph).id
grounds = [graph.assume(f"ground {n}").id for n in range(4)]
claims = [claim(graph, f"claim {n}", memo, attrs={"justifications": [[grounds[n], memo], [grounds[3]]]}).id
          for n in range(3)]
for n in range(12):
    made = decision(graph, f"decision {n}", memo).id
    graph.add_edge(made, "depends_on", grounds[n % 3])
    graph.add_edge(made, "derived_from", claims[n % 3])
    graph.add_edge(made, "produces", entity(graph, f"entity {n % 5}").id)
said = [graph.blast(name).as_json() for name in grounds]
said.append(graph.reject(grounds[0], evidence_id=evidence(graph, "no").id, replacement="better").as_json())
said.append(graph.health().as_json())
said.append([list(row) for row in graph.query("fell(X, A), node(X, K)").rows])
said.append([node.id for node in graph.live_nodes()])
try:
    with graph.batch("bad") as batch:
        for n in range(9):
            batch.add_edge(memo, "cites", grounds[n % 4])
            batch.add_node("claim", f"bare {n}")
except Exception as refused:
    said.append([problem.as_json() for problem in refused.problems])
print(json.dumps([said, told, graph.to_json()]))
"""


def test_two_hash_seeds_give_one_text() -> None:
    here = Path(__file__).resolve().parent
    texts = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(here)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "77")
    ]

    assert texts[0]
    assert texts[0] == texts[1] == texts[2]
