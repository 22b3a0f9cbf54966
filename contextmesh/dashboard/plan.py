"""The plan of a session: each task with its state, as rules/schedule.dl concludes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from contextmesh.dashboard import panels
from contextmesh.dashboard.words import clipped
from contextmesh.datalog.ast import Row
from contextmesh.store.counters import observed

if TYPE_CHECKING:
    from contextmesh.api import Mesh

READ = ("task", "failed", "done", "stale", "ready", "blocked")
"""The relations the panel is made of."""
NEVER = 0
"""The number of an opening that no plan ever has."""


def plan_panel(mesh: Mesh, rows: Callable[[str], list[Row]], most: int) -> dict[str, Any] | None:
    """Tasks with their words; None for a session without a plan.

    A plan that is carried as a file, and not at work, is told to the rules while they are asked.
    """
    store = mesh.graph.store
    facts, names = _stated(mesh)
    with store.lock, observed(store, READ, facts=facts):
        grounds = [row for row in rows(panels.TASKS) if not names or row[0] in names]
        states = {word: dict.fromkeys(row[0] for row in rows(query)) for word, query in panels.STATES.items()}
        reasons: dict[object, list[str]] = {}
        for task, reason in rows(panels.BLOCKED):
            reasons.setdefault(task, []).append(str(reason))
    if not grounds:
        return None
    told: list[dict[str, Any]] = [
        {
            "task": clipped(names.get(str(task), task)),
            "ground": ground if ground in store.nodes else None,
            "states": [word for word, tasks in states.items() if task in tasks],
            "blocked": reasons.get(task, []),
        }
        for task, ground in grounds
    ]
    told.sort(key=lambda row: row["states"] == ["done"])
    return {"total": len(told), "shown": min(len(told), most), "rows": told[:most]}


def _stated(mesh: Mesh) -> tuple[dict[str, list[Row]], dict[str, str]]:
    """The facts that a carried plan stands for, and the name of each of its tasks by its key."""
    from json import loads

    from contextmesh.run.plan_file import read_rows
    from contextmesh.run.task import task_key

    carried = mesh.state.carried
    if carried is None:
        return {}, {}
    plan = read_rows(loads(carried.execution))
    keys = {row.name: task_key(plan.plan, NEVER, row.name) for row in plan.tasks}
    results = {row.name: row.node_id for row in plan.tasks}
    facts: dict[str, list[Row]] = {}
    for row in plan.tasks:
        key = keys[row.name]
        facts.setdefault("planned", []).append((key, row.assumption_id, 1))
        facts.setdefault("needs", []).extend((key, keys[need]) for need in row.needs)
        if row.node_id is not None and row.state != "pending":
            facts.setdefault("ran", []).append((key, row.node_id, 1))
        if row.state == "failed":
            facts.setdefault("missed", []).append((key, 1))
        if row.state == "stale" and row.node_id is not None:
            facts.setdefault("reopened", []).append((key, row.node_id))
        if row.state == "done" and row.node_id is not None:  # whichever run it used, it stands on what there is now
            grounds = (row.assumption_id, *(results[need] for need in row.needs))
            facts.setdefault("accepted", []).extend((row.node_id, ground) for ground in grounds if ground is not None)
    return facts, {key: name for name, key in keys.items()}
