"""Who runs a task and who audits it: a registered key, or a callable given directly; never both."""

from __future__ import annotations

from collections.abc import Iterator

from contextmesh.base.errors import InputError, Problem
from contextmesh.run.registry import Audit, Bound, TaskRegistry, Work, bound, require_key
from contextmesh.run.task import Task


def worker_of(
    registry: TaskRegistry,
    name: str,
    key: str | None,
    run: Work | None,
    timeout: float | None = None,
    retries: int | None = None,
) -> Bound[Work]:
    """The worker a task is declared with.

    Raises:
        InputError: ``two-workers``, ``no-worker``, ``bad-key``, ``not-callable``, ``out-of-range``.
        ExecutionCheckpointError: ``unknown-worker``.
    """
    if key is not None and run is not None:
        message = f"{name} is given both run= and worker_key="
        raise InputError(Problem("two-workers", message, subject=name, hint="leave one of them out"))
    if key is not None:
        if timeout is not None or retries is not None:
            message = f"{name}: timeout and retries belong to the key {key}"
            hint = f"registry.register_worker({key!r}, …, timeout=…, retries=…)"
            raise InputError(Problem("two-workers", message, subject=name, hint=hint))
        require_key(key, f"the worker of {name}")
        return registry.worker(key)
    if run is None:
        message = f"{name} has nobody to run it"
        raise InputError(Problem("no-worker", message, subject=name, hint="give worker_key= or run="))
    _require_callable(name, "run=", run)
    return bound(run, None, timeout, retries)


def auditor_of(
    registry: TaskRegistry, name: str, key: str | None, audit: Audit | None, timeout: float | None = None
) -> Bound[Audit] | None:
    """The auditor a task is declared with, or None.

    Raises:
        InputError: ``two-workers``, ``bad-key``, ``not-callable``.
        ExecutionCheckpointError: ``unknown-auditor``.
    """
    if key is not None and audit is not None:
        message = f"{name} is given both audit= and auditor_key="
        raise InputError(Problem("two-workers", message, subject=name, hint="leave one of them out"))
    if key is not None:
        require_key(key, f"the auditor of {name}")
        return registry.auditor(key)
    if audit is None:
        return None
    _require_callable(name, "audit=", audit)
    return bound(audit, None, timeout, None)


def unkeyed(task: Task) -> Iterator[Problem]:
    """What of a task has no key, and so cannot be written to a file."""
    for what, missing in (
        ("worker", task.worker.key is None),
        ("auditor", task.auditor is not None and task.auditor.key is None),
    ):
        if missing:
            message = f"the {what} of {task.name} is a plain callable, which a file cannot hold"
            hint = f"register it, and bind {task.name} to its key: runner.rebind({what}s={{{task.name!r}: KEY}})"
            yield Problem("no-key", message, subject=task.name, fields=(("what", what),), hint=hint)


def _require_callable(name: str, what: str, value: object) -> None:
    if not callable(value):
        message = f"{what} of {name} is {type(value).__name__}, which cannot be called"
        raise InputError(Problem("not-callable", message, subject=name))
