"""The controlled writes. None lets a client reject an assumption, name an edge, or choose code or a path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from contextmesh.base.errors import InputError, Problem
from contextmesh.mcp.budget import noted

if TYPE_CHECKING:
    from collections.abc import Callable

    from contextmesh.mcp.served import Served
    from contextmesh.mcp.writer import Ticket
    from contextmesh.run.registry import TaskRegistry
    from contextmesh.run.runner import Runner
    from contextmesh.session import SessionState

Arguments = Mapping[str, Any]


def mesh_submit_evidence(served: Served, given: Arguments) -> dict[str, Any]:
    """An observation without a verdict; submitted again it is the same node."""

    def change(state: SessionState) -> tuple[SessionState, dict[str, Any]]:
        before = len(state.graph.store.nodes)
        node = state.graph.submit_evidence(
            given["text"],
            source_id=given["source_id"],
            external_id=given["external_id"],
            metadata=given["metadata"],
        )
        return state, {"id": node.id, "type": node.type, "new": len(state.graph.store.nodes) > before}

    return _answered(served, served.commit(change, on=given["on"]))


def mesh_recheck(served: Served, given: Arguments) -> dict[str, Any]:
    return _planned(served, given, lambda runner: _report(runner.recheck().as_json()))


def mesh_resume(served: Served, given: Arguments) -> dict[str, Any]:
    return _planned(served, given, lambda runner: _report(runner.run().as_json()))


def mesh_repair(served: Served, given: Arguments) -> dict[str, Any]:
    def repair(runner: Runner) -> dict[str, Any]:
        task = runner.repair(
            given["task"],
            assumes=given["assumes"],
            worker_key=given["worker_key"],
            auditor_key=given["auditor_key"],
            produces=given["produces"],
        )
        return {
            "task": task.name,
            "assumption": task.assumption_id,
            "worker_key": task.worker_key,
            "auditor_key": task.auditor_key,
            "state": str(runner.state(task.name)),
        }

    return _planned(served, given, repair)


WRITES: Mapping[str, Callable[[Served, Arguments], dict[str, Any]]] = {
    "mesh_submit_evidence": mesh_submit_evidence,
    "mesh_recheck": mesh_recheck,
    "mesh_repair": mesh_repair,
    "mesh_resume": mesh_resume,
}


def restored(state: SessionState, registry: TaskRegistry) -> Runner:
    """The plan of a session, over its graph.

    Raises:
        InputError: ``no-plan``. ExecutionCheckpointError: a key that the registry lacks.
    """
    from contextmesh.session.session import Session

    runner = Session.bound(state, registry).runner
    if runner is None:
        raise InputError(Problem("no-plan", "the session holds no plan", hint="`contextmesh execute` makes one"))
    return runner


def _planned(served: Served, given: Arguments, act: Callable[[Runner], dict[str, Any]]) -> dict[str, Any]:
    """A step of the plan on a freshly loaded session, committed on its own, and never made a second time."""
    registry = served.registry
    if registry is None:
        message, hint = "no registry of workers was given to the server", "launch it with main(argv, registry=…)"
        raise InputError(Problem("missing-registry", message, hint=hint))

    def change(state: SessionState) -> tuple[SessionState, dict[str, Any]]:
        runner = restored(state, registry)
        with served.running(runner):
            result = act(runner)
        return _carried(state, runner), result

    return _answered(served, served.commit(change, on=given["on"], alone=True))


def _carried(state: SessionState, runner: Runner) -> SessionState:
    from contextmesh.run.ledger_file import ledger_to_bytes
    from contextmesh.run.plan_file import plan_to_bytes
    from contextmesh.session import Carried

    held = Carried(plan_to_bytes(runner), ledger_to_bytes(runner.ledger), runner.ledger.head)
    return replace(state, rounds=runner.round, carried=held)


def _report(report: dict[str, Any]) -> dict[str, Any]:
    """A round with counts of what may be long, since an answer is cut to fit."""
    fallen = [{**one, "invalidated_count": len(one["invalidated"])} for one in report["invalidations"]]
    counts = {f"{name}_count": len(report[name]) for name in ("executed", "cached", "blocked", "failed")}
    return {**{k: v for k, v in report.items() if k != "layers"}, **counts, "invalidations": fallen}


def _answered(served: Served, done: Ticket) -> dict[str, Any]:
    """What was done; ``notes`` where its writer should know something of how it was committed."""
    told = {**done.result, "generation": served.read(lambda mesh: mesh.generation)}
    return noted(told, [notice.as_json() for notice in done.notices])
