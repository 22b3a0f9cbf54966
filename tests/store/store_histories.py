"""Random histories of writes to a graph, of every kind, with attributes, vectors and stated facts of all sorts."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from contextmesh.base.errors import Refusal
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.model import Provenance
from contextmesh.store.store import Store

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
attrs = st.dictionaries(texts.filter(lambda name: name != "justifications"), values, max_size=3)
narrow = st.floats(-4.0, 4.0, width=32)
vectors = st.lists(st.floats(-4.0, 4.0) | narrow, min_size=3, max_size=3) | st.lists(narrow, min_size=3, max_size=3)

WORDS = ("source", "entity", "again", "claim", "assume", "supersede", "bind", "repeat", "decide", "named", "reject",
         "justify", "prune", "build", "date", "fact", "batch", "attrs")  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One write: what to do, two numbers that choose what of, and values for what it records."""

    word: str
    i: int
    j: int
    attrs: dict[str, Any]
    vector: list[float] | None
    text: str


small = st.integers(0, 4)
steps = st.builds(Step, st.sampled_from(WORDS), small, small, attrs, st.none() | vectors, texts)
histories = st.lists(steps, min_size=3, max_size=12)


@dataclass
class Writer:
    """Carries steps out on a graph; what is refused is left out."""

    graph: ContextGraph = field(default_factory=ContextGraph)
    count: int = 0

    def start(self) -> Writer:
        for word in ("source", "assume", "entity", "claim", "decide"):
            for n in range(2):
                self.write(Step(word, n, n, {}, None, ""))
        return self

    def write_all(self, given: Sequence[Step]) -> Writer:
        for step in given:
            self.write(step)
        return self

    def write(self, step: Step) -> None:
        self.count += 1
        with contextlib.suppress(Refusal):
            getattr(self, f"_{step.word}")(step)

    def _pick(self, kind: str, i: int) -> str:
        names = [node.id for node in self.graph.store.nodes.values() if node.type == kind]
        return names[i % len(names)]

    def _source(self, step: Step) -> None:
        given = {"origin": step.text, "retrieved_at": f"2025-0{step.i + 1}", **step.attrs}
        self.graph.add_node("source", f"Memo {self.count}{step.text}", attrs=given, embedding=step.vector)

    def _entity(self, step: Step) -> None:
        label = f"Pump {step.i}"
        given = {"canonical": label, "aliases": [step.text]}
        self.graph.add_node("entity", label, attrs={**step.attrs, **given}, embedding=step.vector)

    _again = _entity

    def _claim(self, step: Step) -> None:
        origin = self._pick("source", step.i)
        provenance = Provenance(origin, (step.i, step.i + step.j), step.text, (step.text,), self.graph.build)
        label = f"Pump {step.j} leaks, by note {self.count}."
        claim = self.graph.add_node("claim", label, attrs=step.attrs, provenance=provenance, embedding=step.vector)
        self.graph.add_edge(claim.id, "derived_from", origin)
        self.graph.add_edge(claim.id, "mentions", self._pick("entity", step.j), weight=0.1 + step.i)

    def _assume(self, step: Step) -> None:
        self.graph.assume(f"The valve {step.i} of {step.j} holds")

    def _supersede(self, step: Step) -> None:
        self.graph.supersede(self._pick("assumption", step.i), f"The valve {self.count} holds better")

    def _bind(self, step: Step) -> None:
        edges = list(self.graph.store.edges)
        self.graph.bind(edges[(step.i * 5 + step.j) % len(edges)], self._pick("assumption", step.j))

    def _repeat(self, step: Step) -> None:
        edges = list(self.graph.store.edges.values())
        edge = edges[(step.i * 5 + step.j) % len(edges)]
        witness = self._pick("entity", step.j)
        self.graph.add_edge(edge.src, edge.type, edge.dst, weight=1.0 / (1 + step.i), evidence=[witness])

    def _decide(self, step: Step, id: str | None = None) -> None:
        self.graph.decide(
            f"Exchange pump {self.count if id is None else id}",
            rationale=f"it leaks {step.text}",
            source=self._pick("source", step.i),
            depends_on=[self._pick("assumption", step.j)],
            derived_from=[self._pick("claim", step.i)],
            produces=[self._pick("entity", step.i)],
            supersedes=self._pick("decision", step.j) if step.i == 1 and self.count > 12 else None,
            id=id,
        )

    def _named(self, step: Step) -> None:
        self._decide(step, f"decision:{step.i}{step.text}")

    def _reject(self, step: Step) -> None:
        label = f"Seen {self.count}: it does not hold"
        seen = self.graph.submit_evidence(label, source_id=self._pick("source", step.i))
        replacement = f"The valve {self.count} is new" if step.j == 0 else None
        self.graph.reject(self._pick("assumption", step.j), evidence_id=seen.id, replacement=replacement)

    def _justify(self, step: Step) -> None:
        self.graph.justify(self._pick("claim", step.i), [self._pick("source", step.j)])

    def _prune(self, step: Step) -> None:
        self.graph.prune()

    def _build(self, step: Step) -> None:
        self.graph.begin_build()

    def _date(self, step: Step) -> None:
        """A date stated of what is no source, and a new one of a source, by its record."""
        with self.graph.batch("date") as batch:
            batch.fact("dated", (self._pick("claim", step.i), 20_000 + step.j))
            batch.set_attrs(self._pick("source", step.i), retrieved_at=f"2025-01-0{step.j + 1}")

    def _fact(self, step: Step) -> None:
        with self.graph.batch("fact") as batch:
            batch.fact("opened", (step.text, step.i))
            batch.fact("accepted", (self._pick("decision", step.i), self._pick("assumption", step.j)))
            batch.fact("near_miss", (f"stated {step.text}",))

    def _batch(self, step: Step) -> None:
        """Several records and a fact of each kind in one transaction, a record of it changed again within it."""
        with self.graph.batch("batch") as batch:
            batch.stage.set_build(self.graph.build + 1)
            node = batch.add_node("evidence", f"Seen by {self.count}", attrs={"kind": "x", **step.attrs})
            batch.fact("dated", (node.id, 20_000 + step.j))
            batch.set_attrs(node.id, seen=step.text)
            batch.add_edge(node.id, "supports", self._pick("claim", step.j))
            batch.fact("opened", (step.text, 100 + step.i))

    def _attrs(self, step: Step) -> None:
        with self.graph.batch("attrs") as batch:
            batch.set_attrs(self._pick("claim", step.i), **step.attrs)


def everything(store: Store) -> dict[str, Any]:
    """Every row of every relation, inputs in their order, every record and counter, as one comparable value."""
    relations = store.policy.program.declarations
    inputs = {name: list(store.engine.rows(name)) for name, d in relations.items() if d.kind == "input"}
    return {
        "inputs": inputs,
        "rows": {name: sorted(map(repr, store.engine.rows(name))) for name in relations if name not in inputs},
        "nodes": list(store.nodes.values()),
        "edges": list(store.edges.values()),
        "assumptions": list(store.assumptions.values()),
        "counters": (store.build, store.seq, store.edge_types_used),
        "telemetry": (dict(store.walks), dict(store.traversals)),
    }
