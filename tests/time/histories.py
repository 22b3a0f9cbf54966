"""Random histories of writes, of every kind that changes or replaces a record."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from contextmesh.api import Mesh
from contextmesh.base.dates import day_text
from contextmesh.base.errors import Refusal
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.model import Provenance

WORDS = ("source", "entity", "alias", "claim", "assume", "supersede", "bind", "again", "decide", "reject", "justify",
         "prune", "build", "replace", "retitle")  # fmt: skip

Step = tuple[str, int, int]

steps = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=8)


@dataclass
class Writer:
    """Carries steps out on a graph; what the rules refuse is left out."""

    mesh: Mesh = field(default_factory=Mesh)
    count: int = 0

    @property
    def graph(self) -> ContextGraph:
        return self.mesh.graph

    def start(self) -> None:
        for n in range(2):
            self.write("source", n, n)
            self.write("assume", n, n)
            self.write("entity", n, n)
            self.write("claim", n, n)
            self.write("decide", n, n)

    def write(self, word: str, i: int, j: int) -> None:
        self.count += 1
        with contextlib.suppress(Refusal):
            getattr(self, f"_{word}")(i, j)

    def _pick(self, kind: str, i: int) -> str:
        names = [node.id for node in self.graph.store.nodes.values() if node.type == kind]
        return names[i % len(names)]

    def _source(self, i: int, j: int) -> None:
        attrs: dict[str, Any] = {"origin": "memo", "retrieved_at": day_text(20_000 + 10 * i + j)}
        self.graph.add_node("source", f"Memo {self.count}", attrs=attrs)

    def _entity(self, i: int, j: int) -> None:
        node = self.graph.add_node("entity", f"Pump {i}", attrs={"canonical": f"Pump {i}", "aliases": []})
        self.mesh.resolver.register(node.id, node.label)

    def _alias(self, i: int, j: int) -> None:
        node = self.graph.node(self._pick("entity", i))
        attrs = {"canonical": node.label, "aliases": [f"the pump of {j}"]}
        self.graph.add_node("entity", node.label, id=node.id, attrs=attrs)

    def _claim(self, i: int, j: int) -> None:
        origin = self._pick("source", i)
        claim = self.graph.add_node("claim", f"Pump {j} leaks, by note {self.count}.", provenance=Provenance(origin))
        self.graph.add_edge(claim.id, "derived_from", origin)
        self.graph.add_edge(claim.id, "mentions", self._pick("entity", j))

    def _assume(self, i: int, j: int) -> None:
        self.graph.assume(f"The valve {i} of {j} holds")

    def _supersede(self, i: int, j: int) -> None:
        self.graph.supersede(self._pick("assumption", i), f"The valve {self.count} holds better")

    def _bind(self, i: int, j: int) -> None:
        edges = list(self.graph.store.edges)
        self.graph.bind(edges[(i * 6 + j) % len(edges)], self._pick("assumption", j))

    def _again(self, i: int, j: int) -> None:
        edges = list(self.graph.store.edges.values())
        edge = edges[(i * 6 + j) % len(edges)]
        self.graph.add_edge(edge.src, edge.type, edge.dst)

    def _decide(self, i: int, j: int) -> None:
        self.graph.decide(
            f"Exchange pump {self.count}",
            rationale="it leaks",
            source=self._pick("source", i),
            depends_on=[self._pick("assumption", j)],
            derived_from=[self._pick("claim", i)],
            produces=[self._pick("entity", i)],
        )

    def _reject(self, i: int, j: int) -> None:
        seen = self.graph.submit_evidence(f"Seen {self.count}: it does not hold", source_id=self._pick("source", i))
        replacement = f"The valve {self.count} is new" if j == 0 else None
        self.graph.reject(self._pick("assumption", j), evidence_id=seen.id, replacement=replacement)

    def _justify(self, i: int, j: int) -> None:
        self.graph.justify(self._pick("claim", i), [self._pick("source", j)])

    def _prune(self, i: int, j: int) -> None:
        self.graph.prune()

    def _build(self, i: int, j: int) -> None:
        self.graph.begin_build()

    def _replace(self, i: int, j: int) -> None:
        decisions = [node.id for node in self.graph.store.nodes.values() if node.type == "decision"]
        self.graph.add_edge(decisions[i % len(decisions)], "supersedes", decisions[j % len(decisions)])

    def _retitle(self, i: int, j: int) -> None:
        """A record changed in place, as a later reading of the same document does it."""
        with self.graph.batch("retitle") as batch:
            batch.set_attrs(self._pick("source", i), retrieved_at=day_text(20_100 + j))


def picture(graph: ContextGraph) -> dict[str, Any]:
    """Everything a reader can learn from a graph, but counters."""
    engine = graph.store.engine
    nodes = graph.to_json()
    return {
        "file": nodes,
        "health": graph.health().as_json(),
        "lineage": {id: [n.id for n in graph.lineage(id)] for id in graph.store.nodes},
        "known": sorted(map(repr, engine.rows("known"))),
        "fell": sorted(map(repr, engine.rows("fell"))),
        "build": graph.build,
    }


def trace(mesh: Mesh) -> dict[str, Any]:
    """Everything of a mesh that a read might leave a trace in."""
    store = mesh.graph.store
    inputs = [name for name, d in store.policy.program.declarations.items() if d.kind == "input"]
    return {
        "facts": {name: list(store.engine.rows(name)) for name in inputs},
        "records": (list(store.nodes.values()), list(store.edges.values()), list(store.assumptions.values())),
        "counters": (store.seq, store.build, dict(store.walks), dict(store.traversals)),
        "resolver": mesh.resolver.to_json(),
    }
