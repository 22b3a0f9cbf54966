"""A plan that was read becomes a runner: the same facts are stated, so that the rules conclude the same.

Those that a graph was read with are not stated again, so that a session does not grow by being opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from contextmesh.base.errors import ExecutionSnapshotError, Problem
from contextmesh.run.failures import Failures
from contextmesh.run.fingerprint import comparable
from contextmesh.run.record import Run
from contextmesh.run.registry import Audit, Bound, Work
from contextmesh.run.schedule import MISSED, PLANNED, RAN, Pen
from contextmesh.run.task import Task, task_key

if TYPE_CHECKING:
    from contextmesh.datalog.ast import Value
    from contextmesh.datalog.engine import Engine
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.run.plan_file import Row, Rows
    from contextmesh.run.runner import Runner

Standing = tuple[int, dict[str, int]]
"""The number of the last thing said of a task, and that of each kind which is in force."""

Binding = tuple[Bound[Work], Bound[Audit] | None]


def restore(runner: Runner, rows: Rows, bound: list[Binding], on_changed_worker: str) -> None:
    """Give a new runner the tasks of a verified file.

    Raises:
        ExecutionSnapshotError: ``changed-worker``, when that is to be refused; nothing was written.
    """
    notices = () if on_changed_worker == "ignore" else tuple(_changed(rows, bound, runner.graph))
    if notices and on_changed_worker == "refuse":
        raise ExecutionSnapshotError(*notices)
    here = last_opening(runner, rows)
    if here is not None:
        runner.opening -= 1
    tasks = [_task(runner, row, *binding) for row, binding in zip(rows.tasks, bound, strict=True)]
    decisions = {row.name: row.node_id for row in rows.tasks}
    for task in tasks:
        runner.plan.add(task)
    runner.graph.store.openings[rows.plan, runner.opening] = None
    if here is None:
        with runner.schedule.write("restore") as pen:
            pen.batch.fact("opened", (rows.plan, runner.opening))
            for task, row in zip(tasks, rows.tasks, strict=True):
                _say(pen, runner, task, row, decisions)
    else:
        for task in tasks:
            task.turn, task.standing = here[task.name]
    reopened = [
        (task.key, row.node_id)
        for task, row in zip(tasks, rows.tasks, strict=True)
        if row.state == "stale" and row.node_id is not None and not runner.schedule.is_stale(task)
    ]
    if reopened:
        with runner.schedule.write("restore") as pen:
            for fact in reopened:
                pen.batch.fact("reopened", fact)
    for task, row in zip(tasks, rows.tasks, strict=True):
        runner.replace_decision(task, row.node_id)
    runner.adopt(rows.round, Failures.of_ledger(runner.ledger), notices)


def _task(runner: Runner, row: Row, worker: Bound[Work], auditor: Bound[Audit] | None) -> Task:
    return Task(
        row.name,
        row.title,
        row.rationale,
        row.needs,
        row.produces,
        row.assumes,
        worker,
        auditor,
        key=task_key(runner.name, runner.opening, row.name),
        assumption_id=row.assumption_id,
        attempt=row.attempt,
        artefacts=row.artefacts,
        output=row.output,
        called_stale=row.state == "stale" and row.node_id is None,
    )


def last_opening(runner: Runner, rows: Rows) -> dict[str, Standing] | None:
    """What the graph holds of the plan's last opening, by task, when that is exactly what the file states.

    A graph that was read with all that was stated of it needs to be told nothing again. None when anything differs,
    or when a runner of this process goes on with that opening.
    """
    store, last = runner.graph.store, runner.opening - 1
    if last < 1 or (rows.plan, last) in store.openings:
        return None
    decisions = {row.name: row.node_id for row in rows.tasks}
    found: dict[str, Standing] = {}
    for row in rows.tasks:
        standing = _stands(store.engine, task_key(rows.plan, last, row.name), row)
        needs = {task_key(rows.plan, last, need) for need in row.needs}
        stated = {term for _, term in store.engine.match("needs", (task_key(rows.plan, last, row.name), None))}
        if standing is None or needs != stated:
            return None
        if row.state == "done" and not all(
            store.engine.holds("accepted", fact) for fact in _accepted(runner, row, decisions)
        ):
            return None
        found[row.name] = standing
    return found


def _stands(engine: Engine, key: str, row: Row) -> Standing | None:
    """The last turn of a task and what of it is in force, if that says what its row does."""
    past = {term for _, term in engine.match("past", (key, None))}
    wanted: dict[str, tuple[Value, ...]] = {PLANNED: (row.assumption_id,)}
    if row.node_id is not None and row.state != "pending":
        wanted[RAN] = (row.node_id,)
    if row.state == "failed":
        wanted[MISSED] = ()
    last = 0
    standing: dict[str, int] = {}
    for relation, terms in ((PLANNED, 1), (RAN, 1), (MISSED, 0)):
        said = engine.match(relation, (key, *(None,) * (terms + 1)))
        turns = {term: tuple(told) for _, *told, term in said if isinstance(term, int)}
        last = max((last, *turns))
        in_force = {turn: told for turn, told in turns.items() if turn not in past}
        if tuple(in_force.values()) != ((wanted[relation],) if relation in wanted else ()):
            return None
        for turn in in_force:
            standing[relation] = turn
    retried = engine.holds("tried_again", (key, standing.get(MISSED, 0)))
    reopened = row.state != "stale" and engine.holds("reopened", (key, str(row.node_id)))
    return None if retried or reopened else (last, standing)


def _say(pen: Pen, runner: Runner, task: Task, row: Row, decisions: dict[str, str | None]) -> None:
    """What the rules are told. A pending task has no result in force, whatever decision its row still names."""
    pen.say(task, PLANNED, row.assumption_id)
    for need in row.needs:
        pen.batch.fact("needs", (task.key, task_key(runner.name, runner.opening, need)))
    if row.node_id is not None and row.state != "pending":
        pen.say(task, RAN, row.node_id)
    if row.state == "failed":
        pen.say(task, MISSED)
    if row.state == "done":
        for fact in _accepted(runner, row, decisions):
            pen.batch.fact("accepted", fact)


def _accepted(runner: Runner, row: Row, decisions: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """A task that is done stands on its ground and on what it needs as they are, whichever run it used."""
    rests_on = {edge.dst for edge in runner.graph.edges_from(str(row.node_id), "depends_on")}
    grounds = (row.assumption_id, *(decisions[need] for need in row.needs))
    return [(str(row.node_id), ground) for ground in grounds if ground is not None and ground not in rests_on]


def _changed(rows: Rows, bound: list[Binding], graph: ContextGraph) -> list[Problem]:
    """Tasks whose worker is not the code that made their standing result, under the same key."""
    problems = []
    for row, (worker, _) in zip(rows.tasks, bound, strict=True):
        run = None if row.node_id is None else Run.of(graph.node(row.node_id))
        if run is None or run.worker_key != row.worker_key or not comparable(run.worker_code, worker.fingerprint):
            continue
        if run.worker_code != worker.fingerprint:
            message = f"the code of {row.worker_key} is not the code that made the result of {row.name}"
            hint = "give changed code a key of its own, and repair or rebind the task to it"
            fields = (("recorded", run.worker_code), ("registered", worker.fingerprint))
            problems.append(Problem("changed-worker", message, subject=row.name, fields=fields, hint=hint))
    return problems
