"""Graphs with something of everything, drawn or fixed, and all that one holds as a comparable value."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from contextmesh.base.errors import Refusal
from contextmesh.graph.graph import ContextGraph
from contextmesh.resolve.resolver import Resolver
from contextmesh.store.model import Provenance
from contextmesh.store.store import Store

HOSTILE = 'Say "hi" <b> & #35; [x](y) `end` | a-->b\nline\u2028two\x07\x00 end 日本'


def ferry() -> tuple[ContextGraph, Resolver]:
    """Sources, claims, decisions that fell and stand, verdicts, an entity made again, vectors, counters, names."""
    graph, resolver = ContextGraph(), Resolver()
    graph.begin_build()
    log = graph.add_node(
        "source", "Harbour log", id="source:log", attrs={"origin": "log", "retrieved_at": "2024-03-01"}
    )
    quay = graph.add_node("entity", "Quay", attrs={"canonical": "Quay", "aliases": ["the quay"]}, embedding=[0.6, 0.8])
    claim = graph.add_node(
        "claim", "The quay floods.", provenance=Provenance(log.id, (0, 16)), attrs={"quote": "The quay floods."}
    )
    graph.add_edge(claim.id, "mentions", quay.id, weight=2.5)
    graph.add_edge(claim.id, "derived_from", log.id)
    dry = graph.assume("The quay stays dry", created_by="planner")
    calm = graph.assume("The sea stays calm")
    build = graph.decide("Build a hut", rationale="it is dry", source=log.id, depends_on=[dry.id], produces=[quay.id])
    graph.decide("Paint the hut", rationale="rust", source=log.id, derived_from=[claim.id], depends_on=[build.id])
    graph.begin_build()
    seen = graph.submit_evidence("Water stood on the quay", source_id=log.id)
    graph.add_edge(seen.id, "contradicts", dry.id)
    graph.add_edge(claim.id, "depends_on", calm.id, assumption=dry.id)
    graph.reject(dry.id, evidence_id=seen.id)
    graph.decide("Build a wall", rationale="water", source=log.id, produces=[quay.id], supersedes=build.id)
    graph.supersede(calm.id, "The sea stays calm in summer")
    resolver.register(quay.id, "Quay", ["the quay"])
    resolver.resolve("the quays")
    resolver.resolve("Lighthouse")
    graph.store.walks[quay.id] = 3
    graph.store.traversals[next(iter(graph.store.edges))] = 2
    return graph, resolver


def hostile() -> ContextGraph:
    """Labels, ids and attributes that every other syntax would trip over."""
    graph = ContextGraph()
    source = graph.add_node("source", HOSTILE, id=f"source:{HOSTILE}", attrs={"origin": "", "retrieved_at": ""})
    entity = graph.add_node("entity", "end", id='a"]; drop', attrs={"canonical": "end", "aliases": []})
    graph.add_edge(source.id, "mentions", entity.id)
    return graph


def everything(store: Store, resolver: Resolver) -> dict[str, Any]:
    """Every record, every row from outside and every conclusion, every counter, every name."""
    declarations = store.policy.program.declarations
    return {
        "inputs": {n: sorted(store.engine.rows(n), key=repr) for n, d in declarations.items() if d.kind == "input"},
        "rows": {name: sorted(map(repr, store.engine.rows(name))) for name in declarations},
        "nodes": list(store.nodes.values()),
        "edges": list(store.edges.values()),
        "assumptions": sorted(store.assumptions.values(), key=lambda record: record.id),
        "counters": (store.build, store.seq, dict(store.walks), dict(store.traversals)),
        "names": resolver.to_json(),
    }


_STEP = st.tuples(
    st.sampled_from(
        ["node", "node", "edge", "edge", "assume", "decide", "evidence", "reject", "build", "prune", "fact"]
    ),
    st.integers(0, 7),
    st.integers(0, 7),
    st.integers(0, 9),
)
Steps = list[tuple[str, int, int, int]]


def steps() -> st.SearchStrategy[Steps]:
    """Writes to carry out; what the rules refuse is left out."""
    return st.lists(_STEP, min_size=1, max_size=24)


def played(done: Steps) -> tuple[ContextGraph, Resolver]:
    """A graph these writes were carried out on."""
    graph, resolver = ContextGraph(), Resolver()
    graph.begin_build()
    attrs = {"origin": "x", "retrieved_at": "2024-01-01"}
    graph.add_node("source", "origin", id="source:origin", attrs=attrs)
    for word, one, other, third in done:
        try:
            _play(graph, resolver, word, one, other, third)
        except Refusal:
            continue
    return graph, resolver


def _play(graph: ContextGraph, resolver: Resolver, word: str, one: int, other: int, third: int) -> None:
    ids = list(graph.store.nodes)
    here, there = ids[one % len(ids)], ids[other % len(ids)]
    if word == "node" and third % 2:
        graph.add_node("claim", f"claim {one}", provenance=Provenance("source:origin", (0, other)))
    elif word == "node":
        label = f"thing {one}"
        node = graph.add_node("entity", label, attrs={"canonical": label, "aliases": []})
        resolver.register(node.id, label, [f"alias {other}"])
        resolver.resolve(f"thing {other}")
    elif word == "edge":
        types = graph.policy.ontology.edge_types
        grounds = list(graph.store.assumptions)
        bound = grounds[third % len(grounds)] if grounds and third > 6 else None
        graph.add_edge(here, types[third % len(types)], there, assumption=bound, weight=1.0 + third)
    elif word == "assume":
        graph.assume(f"assumption {one}")
    elif word == "decide":
        grounds = [here] if here in graph.store.assumptions else []
        graph.decide(f"decision {one}", rationale=f"r {other}", source="source:origin", depends_on=grounds)
    elif word == "evidence":
        graph.submit_evidence(f"seen {one}", source_id="source:origin")
    elif word == "reject" and graph.store.assumptions:
        target = list(graph.store.assumptions)[one % len(graph.store.assumptions)]
        seen = graph.submit_evidence(f"against {third}", source_id="source:origin")
        graph.add_edge(seen.id, "contradicts", target)
        graph.reject(target, evidence_id=seen.id)
    elif word == "build":
        graph.begin_build()
    elif word == "prune":
        graph.prune()
    elif word == "fact":
        with graph.batch("fact") as batch:
            batch.fact("dated", (here, third))
