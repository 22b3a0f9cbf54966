"""New ground and new key in one step; and keys bound anew, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.base.canon import require_canonical
from contextmesh.base.errors import InputError, Problem, Refusal
from contextmesh.graph.assumptions import put_replacement
from contextmesh.graph.batch import Batch
from contextmesh.run.binding import auditor_of, worker_of
from contextmesh.run.capped import capped
from contextmesh.run.interrupt import uninterrupted
from contextmesh.run.record import AUTHOR, put_ground
from contextmesh.run.registry import Audit, Bound, TaskRegistry, Work, require_registry
from contextmesh.run.schedule import MISSED, PLANNED
from contextmesh.run.task import Task, labels
from contextmesh.store.model import Assumption

if TYPE_CHECKING:
    from contextmesh.run.runner import Runner


@dataclass(frozen=True, slots=True)
class Change:
    """What a repair gives a task; what is None stays as it is."""

    assumes: str
    worker_key: str | None = None
    run: Work | None = None
    auditor_key: str | None = None
    audit: Audit | None = None
    produces: Sequence[str] | None = None


def repair(runner: Runner, name: str, change: Change) -> Task:
    """Move a task to a new ground, with the worker that fits it; it is due again, and so is what stood on it.

    The old ground stays what it became. A plain callable cannot take the place of a key, or the plan could no longer
    be written.

    Raises:
        InputError: ``unknown-task``, ``blank-text``, ``wrong-type``, ``same-ground``, ``keyed-task``, ``two-workers``.
        OntologyError: ``ground-not-active``.
        ExecutionCheckpointError: ``unknown-worker``, ``unknown-auditor``.
    """
    task = runner.plan.task(name)
    if not isinstance(change.assumes, str) or not change.assumes.strip():
        message = f"a repair of {name} names a new ground"
        raise InputError(Problem("blank-text", message, subject=name, hint="give assumes="))
    produces = task.produces if change.produces is None else labels(change.produces, f"the products of {name}")
    require_canonical([change.assumes, list(produces)])
    worker, auditor = _bound(runner.registry, task, change)
    with uninterrupted():
        with runner.schedule.write("repair") as pen:
            ground = _new_ground(runner, pen.batch, task, change.assumes)
            pen.unsay(task, MISSED)
            pen.say(task, PLANNED, ground.id)
        task.assumes, task.assumption_id, task.produces = ground.statement, ground.id, produces
        task.worker, task.auditor = worker, auditor
        runner.failures.clear(name)
        runner.ledger.append(
            "repaired",
            name,
            round=runner.round,
            detail=f"reground on: {ground.statement}",
            node_id=task.node_id,
            assumption_id=ground.id,
        )
    return task


def rebind(runner: Runner, registry: TaskRegistry, workers: Mapping[str, str], auditors: Mapping[str, str]) -> None:
    """Look every key up in a registry, and give the named tasks other keys; nothing changes unless all are there.

    Raises:
        InputError: ``unknown-task``, ``wrong-type``.
        ExecutionCheckpointError: the keys that are not there.
    """
    require_registry(registry)
    for what, given in (("workers", workers), ("auditors", auditors)):
        if not isinstance(given, Mapping):
            message = f"{what}= is keys by the names of tasks, not {type(given).__name__}"
            raise InputError(Problem("wrong-type", message, subject=what, hint=f"{what}={{task: key}}"))
    for name in (*workers, *auditors):
        runner.plan.task(name)
    found: list[tuple[Task, Bound[Work], Bound[Audit] | None]] = []
    problems: list[Problem] = []
    for task in runner.plan:
        key, look = workers.get(task.name, task.worker_key), auditors.get(task.name, task.auditor_key)
        try:
            worker = task.worker if key is None else worker_of(registry, task.name, key, None)
            found.append((task, worker, task.auditor if look is None else auditor_of(registry, task.name, look, None)))
        except Refusal as refusal:
            problems += refusal.problems
            kind = type(refusal)
    if problems:
        raise kind(*capped(list(dict.fromkeys(problems))))
    runner.registry = registry
    for task, worker, auditor in found:
        task.worker, task.auditor = worker, auditor


def _bound(registry: TaskRegistry, task: Task, change: Change) -> tuple[Bound[Work], Bound[Audit] | None]:
    for what, given, key, standing in (
        ("run=", change.run, change.worker_key, task.worker_key),
        ("audit=", change.audit, change.auditor_key, task.auditor_key),
    ):
        if given is not None and key is None and standing is not None:
            message = f"{task.name} is bound to the key {standing}; {what} would take it away"
            hint = "register the new code under a key of its own, and name that"
            raise InputError(Problem("keyed-task", message, subject=task.name, hint=hint))
    worker, auditor = task.worker, task.auditor
    if change.worker_key is not None or change.run is not None:
        kept = worker if change.run is not None and change.worker_key is None else None  # both are without a key then
        limits = (None, None) if kept is None else (kept.timeout, kept.retries)
        worker = worker_of(registry, task.name, change.worker_key, change.run, *limits)
    if change.auditor_key is not None or change.audit is not None:
        before = auditor if auditor is not None else task.worker
        limit = before.timeout if change.auditor_key is None and before.key is None else None
        auditor = auditor_of(registry, task.name, change.auditor_key, change.audit, limit)
    return worker, auditor


def _new_ground(runner: Runner, batch: Batch, task: Task, statement: str) -> Assumption:
    """The assumption that takes the place of the task's; it replaces the old one where that is still to be replaced."""
    old = batch.store.assumptions[task.assumption_id]
    new = put_ground(batch, statement)
    if new.id == old.id:
        message = f"{task.name} stands on that already: {statement}"
        hint = "a ground that was rejected stays rejected: repair names another one"
        raise InputError(Problem("same-ground", message, subject=task.name, hint=hint))
    if new.id in batch.store.assumptions:
        status = runner.graph.status(new.id)
        if status != "active":
            message = f"{new.id} is {status}, so nothing can be grounded on it"
            hint = "name a ground that is active, or state a new one"
            raise InputError(Problem("ground-not-active", message, subject=new.id, hint=hint))
        if new.supersedes is not None or _leads_to(batch, old, new):
            return new
    if old.superseded_by is not None:
        return new
    return put_replacement(batch, old, new.id, created_by=AUTHOR, versioned=False)


def _leads_to(batch: Batch, old: Assumption, new: Assumption) -> bool:
    """Whether the old one replaced the new one at some time, so that the new one cannot replace it in turn."""
    records, step = batch.store.assumptions, old
    while step.supersedes is not None and step.supersedes in records:
        step = records[step.supersedes]
        if step.id == new.id:
            return True
    return False
