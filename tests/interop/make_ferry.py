"""The ferry: a small graph with one of everything the formats can hold. Run it to see that the files are its own.

``python -m interop.make_ferry`` (from the tests folder) writes the files anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from contextmesh.base.canon import pretty_bytes
from contextmesh.base.chain import GENESIS, link
from contextmesh.graph.graph import ContextGraph
from contextmesh.resolve.embed import dense, embed, node_text
from contextmesh.resolve.resolver import Resolver
from contextmesh.store.model import Node, Provenance
from contextmesh.store.snapshot import graph_to_bytes


def ferry() -> ContextGraph:
    """Three builds: what was read, what was decided, what turned out to be wrong."""
    graph = ContextGraph()
    graph.begin_build()
    _read(graph)
    graph.begin_build()
    _decided(graph)
    graph.begin_build()
    _wrong(graph)
    graph.store.walks.update({"source:log": 3, "claim:pier": 2})
    graph.store.traversals[graph.edges_from("claim:pier")[0].id] = 4
    return graph


def names(graph: ContextGraph) -> Resolver:
    """Every entity by name, and a few questions asked."""
    resolver = Resolver()
    for node in graph.store.nodes.values():
        if node.type == "entity":
            resolver.register(node.id, node.label, node.attrs["aliases"])
    for mention in ("the North Pier", "north pier closed", "Fährhaus", "渡し場", "south", "pier", "the"):
        resolver.resolve(mention)
    return resolver


def _read(graph: ContextGraph) -> None:
    for id, label, day in (("source:log", "Harbour log", "2024-03-01"), ("source:memo", "Tide memo", "some day")):
        graph.add_node("source", label, id=id, attrs={"origin": "harbour office", "retrieved_at": day})
    for id, label, aliases in (
        ("entity:pier", "North Pier", ["Pier 1", "the old pier"]),
        ("entity:house", "Fährhaus", []),
        ("entity:landing", "渡し場", []),
        ("entity:table", "Timetable", []),
        ("entity:card", "Fare card", []),
    ):
        vector = dense(embed(node_text(Node(id, "entity", label)))) if id == "entity:pier" else None
        graph.add_node("entity", label, id=id, attrs={"canonical": label, "aliases": aliases}, embedding=vector)
    for id, label, source, span in (
        ("claim:pier", "The North Pier was closed for two days in January.", "source:log", (0, 50)),
        ("claim:tide", "Spring tides reach the 渡し場 by noon.", "source:memo", (0, 36)),
        ("claim:wrong", "The pier never closes.", "source:memo", (37, 59)),
    ):
        checks = ("assertive", "span-bounded")
        graph.add_node("claim", label, id=id, provenance=Provenance(source, span, "assertive-span", checks, 1))
        graph.add_edge(id, "derived_from", source)
    graph.add_edge("claim:pier", "mentions", "entity:pier", weight=2.5)
    graph.add_edge("source:log", "mentions", "entity:pier")
    graph.add_edge("source:log", "mentions", "entity:pier")
    graph.add_edge("claim:pier", "contradicts", "claim:wrong")


def _decided(graph: ContextGraph) -> None:
    for statement in ("The pier is open all year", "Tides follow the printed table", "One crew is enough"):
        graph.assume(statement, created_by="planner")
    pier, tides, crew = graph.store.assumptions
    graph.decide(
        "Sail hourly",
        rationale="Most people ask for it.",
        source="source:log",
        cites=["source:memo"],
        derived_from=["claim:pier"],
        depends_on=[pier],
        produces=["entity:table", "entity:card"],
        id="decision:hourly",
    )
    graph.decide("Print the table", rationale="It is asked for.", source="source:memo", depends_on=["decision:hourly"])
    plan = graph.add_node(
        "source", "execution plan: summer", attrs={"origin": "runner", "retrieved_at": "at plan time"}
    )
    graph.decide("Hire a second crew", rationale="Night runs.", source="source:log", cites=[plan.id], depends_on=[crew])
    graph.supersede(tides, "Tides follow the measured table")
    edge = graph.add_edge("claim:tide", "mentions", "entity:landing", evidence=["source:memo"])
    graph.bind(edge.id, pier)
    seen = graph.submit_evidence(
        "A notice on the gate: closed until May.", source_id="source:log", external_id="photo-7"
    )
    graph.add_edge(seen.id, "contradicts", pier)


def _wrong(graph: ContextGraph) -> None:
    pier = next(iter(graph.store.assumptions))
    seen = next(node.id for node in graph.store.nodes.values() if node.type == "evidence")
    graph.decide("Move the landing", rationale="To be safe.", source="source:log", produces=["entity:landing"])
    graph.reject(pier, evidence_id=seen, replacement="The pier is open from May to October")
    graph.decide(
        "Sail in summer",
        rationale="The pier is open then.",
        source="source:log",
        depends_on=[list(graph.store.assumptions)[-1]],
        produces=["entity:table"],
        supersedes="decision:hourly",
        id="decision:summer",
    )


def plan() -> dict[str, Any]:
    """One task, done on an assumption that still stands."""
    task = {
        "name": "crew",
        "title": "Crew",
        "rationale": "Somebody must sail.",
        "assumes": "One crew is enough",
        "state": "done",
        "attempt": 1,
        "needs": [],
        "produces": ["Fare card"],
        "artefacts": ["entity:card"],
        "worker_key": "ferry.crew.v1",
        "auditor_key": None,
        "node_id": "decision:auto:hire-a-second-crew-1-e0b37c",
        "assumption_id": "assumption:one-crew-is-enough-d9339e",
        "output": {"sailors": 4},
    }
    return {"schema": "contextmesh.execution", "version": 1, "plan": "summer", "round": 1, "tasks": [task]}


def ledger() -> dict[str, Any]:
    """What happened to the task."""
    entries: list[dict[str, Any]] = []
    previous = GENESIS
    for seq, (event, detail) in enumerate((("audited", "holds: no auditor declared"), ("executed", "attempt 1")), 1):
        entry: dict[str, Any] = {
            "seq": seq,
            "round": 1,
            "event": event,
            "task": "crew",
            "detail": detail,
            "node_id": None if event == "audited" else "decision:auto:hire-a-second-crew-1-e0b37c",
            "assumption_id": "assumption:one-crew-is-enough-d9339e",
            "data": {},
        }
        previous = link(entry, previous)
        entries.append({**entry, "digest": previous})
    return {"schema": "contextmesh.runledger", "version": 1, "head": previous, "entries": entries}


def manifest() -> dict[str, Any]:
    """The first generation."""
    policy = ["mentions", "derived_from", "cites"]
    return {
        "schema": "contextmesh.session",
        "version": 2,
        "generation": 1,
        "rounds": 1,
        "walker": {"hop_budget": 5, "policy": policy, "flat_k": 30, "max_expand": 200},
        "graph": "graph-000001.json",
        "resolver": "resolver-000001.json",
        "execution": "execution-000001.json",
        "ledger": "runledger-000001.json",
        "ledger_head": ledger()["head"],
    }


def files() -> dict[str, bytes]:
    """Every file of the session, as another writer would leave it."""
    graph = ferry()
    stated = pretty_bytes(manifest())
    return {
        "graph-000001.json": graph_to_bytes(graph.store),
        "resolver-000001.json": pretty_bytes(names(graph).to_json()),
        "execution-000001.json": pretty_bytes(plan()),
        "runledger-000001.json": pretty_bytes(ledger()),
        "session-000001.json": stated,
        "session.json": stated,
    }


FERRY = Path(__file__).resolve().parent / "ferry"

if __name__ == "__main__":
    FERRY.mkdir(exist_ok=True)
    for name, data in files().items():
        (FERRY / name).write_bytes(data)
