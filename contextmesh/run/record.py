"""What an attempt leaves in the graph: one decision with its edges, in one transaction; the old one stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contextmesh.base.canon import digest
from contextmesh.base.ids import grown
from contextmesh.graph.assumptions import put_assumption
from contextmesh.graph.batch import Batch
from contextmesh.graph.decisions import CHECKS, EXTRACTOR, REPLACED_BY
from contextmesh.graph.graph import ContextGraph
from contextmesh.run.task import Task
from contextmesh.store.fingerprint import FINGERPRINT, IDENTITY, payload_digest
from contextmesh.store.model import Assumption, Node, Provenance

AUTHOR = "runner"
RUN = "execution"
"""The attribute of a decision that says which run wrote it."""
SOURCE, DECISION, EVIDENCE, ENTITY = "source", "decision", "evidence", "entity"
ATTRS_OF_SOURCE = {"origin": "runner", "retrieved_at": "at plan time"}


@dataclass(frozen=True, slots=True)
class Run:
    """What is remembered of a run, in its decision's attributes; the plan file has no field for it.

    Attributes:
        worker_key, worker_code: who ran; the code's fingerprint, or empty.
        inputs, output: digests of what went in and came out.
    """

    plan: str
    task: str
    attempt: int
    worker_key: str | None
    worker_code: str
    inputs: str
    output: str

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of(cls, node: Node) -> Run | None:
        """What a decision remembers; None when it says nothing, or nothing of this shape."""
        given = node.attrs.get(RUN)
        if not isinstance(given, Mapping) or sorted(given) != sorted(cls.__slots__):
            return None
        if not all(isinstance(value, str) for name, value in given.items() if name not in ("attempt", "worker_key")):
            return None
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Entry:
    """Everything one decision of a run says."""

    node_id: str
    run: Run
    needs: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    audit: str | None = None


def plan_source(batch: Batch, plan: str) -> str:
    """The source node that every decision of a plan cites."""
    return batch.add_node(SOURCE, source_label(plan), attrs=ATTRS_OF_SOURCE).id


def source_label(plan: str) -> str:
    return f"execution plan: {plan}"


def put_ground(batch: Batch, statement: str) -> Assumption:
    """The assumption that says this, the current one or else the first, whatever became of it; or a new one."""
    same = [
        record
        for row in batch.store.engine.match("named", (None, statement))
        if (record := batch.store.assumptions.get(str(row[0]))) is not None
    ]
    if same:
        return next((record for record in same if record.superseded_by is None), same[0])
    return put_assumption(batch, statement, text=statement, created_by=AUTHOR)


def attempt_id(graph: ContextGraph, plan: str, task: str, attempt: int) -> str:
    """The id of the decision that this attempt writes, if it comes to that."""
    for candidate in grown(f"{plan}|{task}|v{attempt}", DECISION):
        if candidate not in graph.store.nodes:
            return candidate
    raise AssertionError(f"no free id for attempt {attempt} of {task}")


def inputs_digest(needs: Mapping[str, Task]) -> str:
    """Over the outputs of all needs."""
    return digest({name: task.output_digest for name, task in needs.items()})


def put_decision(batch: Batch, task: Task, source: str, entry: Entry) -> tuple[str, ...]:
    """Stage artefacts, decision, audit evidence and edges; the ids of the artefacts.

    Edges stand in the order of the format: cites, ground, artefacts, needed decisions, evidence, supersedes.
    """
    artefacts = tuple(dict.fromkeys(_artefact(batch, label) for label in task.produces))
    rationale = task.rationale if task.rationale.strip() else f"Executed under: {task.assumes}"
    attrs: dict[str, Any] = {
        "rationale": rationale,
        IDENTITY: "explicit",
        FINGERPRINT: payload_digest(
            title=task.title,
            rationale=rationale,
            source_id=source,
            targets={"depends_on": [task.assumption_id], "produces": artefacts},
            supersedes=task.node_id,
        ),
        RUN: entry.run.as_json(),
    }
    provenance = Provenance(source, None, EXTRACTOR, CHECKS, batch.build)
    batch.stage.put_node(Node(entry.node_id, DECISION, task.title, attrs, provenance, build=batch.build))
    evidence = list(entry.evidence)
    if entry.audit is not None:
        label = f"audit of {task.name}: {entry.audit}"
        evidence.append(batch.add_node(EVIDENCE, label, attrs={"kind": "audit"}).id)
    ends: Sequence[tuple[str, Sequence[str]]] = (
        ("cites", (source,)),
        ("depends_on", (task.assumption_id,)),
        ("produces", artefacts),
        ("depends_on", entry.needs),
        ("justified_by", evidence),
        ("supersedes", () if task.node_id is None else (task.node_id,)),
    )
    for type_, targets in ends:
        for target in targets:
            batch.link(entry.node_id, type_, target)
    if task.node_id is not None:
        old = batch.node(task.node_id)
        batch.stage.put_node(replace(old, attrs={**old.attrs, REPLACED_BY: entry.node_id}))
    return artefacts


def _artefact(batch: Batch, label: str) -> str:
    """The entity of this label, as it stands; a new one gets what GRAPH.md asks for."""
    node = batch.add_node(ENTITY, label)
    if "canonical" not in node.attrs:
        node = batch.add_node(ENTITY, label, id=node.id, attrs={"canonical": label, "aliases": []})
    return node.id
