"""Real sessions of every version, made by the product: what a plan did, what fell, a journal, a source redacted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection
from pathlib import Path

from contextmesh import Runner, Session, TaskRegistry, session
from contextmesh.api import Mesh
from contextmesh.base.canon import pretty_bytes
from contextmesh.graph.graph import ContextGraph
from contextmesh.policy import Policy
from contextmesh.resolve.resolver import Resolver
from contextmesh.run import AuditContext, Verdict
from contextmesh.session import SessionState
from contextmesh.session.generations import migrate, restore
from contextmesh.session.redact import redact
from contextmesh.store.model import Provenance

WIDTH = 4
QUESTION = "Why was the North Quay fenced?"


def registry(found: Callable[[str], bool] = lambda name: True) -> TaskRegistry:
    """Workers and auditors of the plan; ``found`` says whether what a task assumes still holds."""

    def audit(context: AuditContext) -> Verdict:
        return context.ok("it holds") if found(context.name) else context.disproved("the gauge says otherwise")

    made = TaskRegistry()
    for key in ("quay.survey.v1", "quay.survey.v2", "quay.fence.v1"):
        made.register_worker(key, lambda context: {"depth": 4, "marks": ["a", 1.5, None, True]})
    made.register_auditor("quay.look.v1", audit)
    return made


def graph_and_names() -> tuple[ContextGraph, Resolver]:
    """Two builds with every type of node, every field of a record, and an assumption that fell."""
    graph, names = ContextGraph(), Resolver()
    graph.begin_build()
    for id, label in (("source:log", "Harbour log"), ("source:memo", "The Marigold memo")):
        graph.add_node("source", label, id=id, attrs={"origin": f"{id}.txt", "retrieved_at": "2024-05-01"})
    for number, (label, aliases) in enumerate((("North Quay", ["the quay", "wharf nine"]), ("渡し場", []))):
        vector = [1.0 / 3, 0.5, -0.25, float(number)] if number else [0.5, 0.25, 0.125, 1.0]
        node = graph.add_node(
            "entity", label, attrs={"canonical": label, "aliases": aliases, "deep": {"a": [1, {"b": 2.5}]}},
            embedding=vector,
        )  # fmt: skip
        names.register(node.id, label, aliases)
    quay, landing = (node.id for node in graph.live_nodes("entity"))
    for id, label, source in (
        ("claim:sold", "The North Quay was sold in May.", "source:memo"),
        ("claim:floods", "The North Quay floods in spring.", "source:log"),
    ):
        origin = Provenance(source, (0, len(label)), "assertive-span", ("a",), 1)
        graph.add_node("claim", label, id=id, provenance=origin)
        graph.add_edge(id, "mentions", quay, weight=2.5)
        graph.add_edge(id, "derived_from", source)
    graph.begin_build()
    open_all_year, printed, sold = (
        graph.assume(text).id for text in ("The quay is open all year", "Tides follow the table", "The sale is final")
    )
    graph.decide(
        "Fence the quay", rationale="It floods.", source="source:log", cites=["source:memo"],
        derived_from=["claim:floods"], depends_on=[open_all_year], produces=[landing], id="decision:fence",
    )  # fmt: skip
    graph.decide("Print the table", rationale="It is asked for.", source="source:log", depends_on=[printed])
    graph.supersede(printed, "Tides follow the measured table")
    edge = graph.add_edge("claim:floods", "mentions", landing, evidence=["source:memo"])
    graph.bind(edge.id, sold)
    seen = graph.submit_evidence("A notice on the gate: closed.", source_id="source:log", external_id="photo-7")
    graph.add_edge(seen.id, "contradicts", open_all_year)
    graph.reject(open_all_year, evidence_id=seen.id, replacement="The quay is open from May")
    for mention in ("wharf nine", "the quay", "Harbour Lane", "the"):
        names.resolve(mention)
    graph.store.walks.update({"source:log": 3})
    graph.store.traversals[edge.id] = 4
    return graph, names


def old_session(directory: Path) -> None:
    """A session of version 1, which is read and no longer written: one of version 2 without what version 1 lacks."""
    graph, names = graph_and_names()
    session.save(directory, SessionState(graph, names), version=2)
    (directory / "digests-000001.json").unlink()
    manifest = json.loads((directory / "session-000001.json").read_text("utf-8"))
    for key in ("execution", "ledger", "ledger_head"):
        del manifest[key]
    for name in ("session.json", "session-000001.json"):
        (directory / name).write_bytes(pretty_bytes({**manifest, "version": 1}))


def session_with_plan(directory: Path) -> None:
    """Version 2, two generations: a plan that ran, whose ground was disproved and mended."""
    graph, names = graph_and_names()
    holds = {"survey": True, "fence": True}
    runner = Runner("quay", graph=graph, registry=registry(lambda name: holds[name]))
    for name, key, needs in (("survey", "quay.survey.v1", ()), ("fence", "quay.fence.v1", ("survey",))):
        runner.task(
            name, worker_key=key, auditor_key="quay.look.v1", assumes=f"The {name} can be trusted", needs=needs,
            produces=[f"{name} made"],
        )  # fmt: skip
    runner.run()
    whole = Session(SessionState(graph, names), runner)
    whole.save(directory)
    holds["survey"] = False
    runner.recheck()
    holds["survey"] = True
    runner.repair("survey", assumes="The second survey can be trusted", worker_key="quay.survey.v2")
    runner.run()
    (directory / "session.keep").write_bytes(b"3\n")
    whole.save()


def journalled_session(directory: Path, old: Path) -> None:
    """Version 3: migrated, restored, with a past that is told apart, and lines of every kind in its journal."""
    shutil.copytree(old, directory)
    migrate(directory, Policy.load(), 3)
    for place in ("pier", "shed"):
        mesh = Mesh.open(directory)
        mesh.commits_on("2025-02-01")
        with mesh.graph.batch("edit") as batch:
            batch.set_attrs("source:log", place=place)
        mesh.save()
    (directory / "session.keep").write_bytes(b"0\n")
    restore(directory, 4, Policy.load())
    mesh = Mesh.open(directory)
    mesh.commits_on("2025-03-01")
    attrs = {"canonical": "South Gate", "aliases": []}
    gate = mesh.graph.add_node("entity", "South Gate", embedding=[0.5, 1.0, 0.0, 2.0], attrs=attrs)
    mesh.resolver.register(gate.id, gate.label, ["the gate"])
    mesh.checkpoint()
    seen = mesh.submit_evidence("The sale was undone.", source_id="source:log", metadata={"page": [1, 2.5]})
    sale = next(one.id for one in mesh.graph.store.assumptions.values() if one.statement == "The sale is final")
    mesh.graph.add_edge(seen.id, "contradicts", sale)
    mesh.reject(sale, evidence_id=seen.id)
    mesh.ask(QUESTION)
    mesh.ask("What does the moon weigh?")
    mesh.checkpoint()
    whole = Session.load(directory, registry=registry(lambda name: name != "fence"))
    assert whole.runner is not None
    whole.runner.recheck()
    whole.checkpoint()


def redacted_session(directory: Path, old: Path) -> None:
    """Version 3 without the words of a source, and a line after it."""
    shutil.copytree(old, directory)
    redact(directory, Policy.load(), "source:memo", "asked by its author")
    mesh = Mesh.open(directory)
    mesh.submit_evidence("Nobody asked again.", source_id="source:log")
    mesh.checkpoint()


SESSIONS = ("v1", "v2", "v3", "redacted")


def sessions(place: Path, only: Collection[str] = SESSIONS) -> dict[str, Path]:
    """A directory for each version, and one from which a source was redacted; at least those that are wanted."""
    place.mkdir(parents=True, exist_ok=True)
    found = {name: place / name for name in SESSIONS}
    old_session(found["v1"])
    session_with_plan(found["v2"])
    journalled_session(found["v3"], found["v2"])
    if "redacted" in only:
        redacted_session(found["redacted"], found["v3"])
    return found
