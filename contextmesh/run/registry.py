"""Keys to callables, in this process: a key is a name in a table somebody filled, and never becomes an import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Generic, TypeVar

from contextmesh.base.errors import ExecutionCheckpointError, InputError, Problem
from contextmesh.run.fingerprint import fingerprint
from contextmesh.run.verdict import AuditContext, WorkContext

Work = Callable[[WorkContext], Any]
"""Returns a dict of JSON values, or an awaitable of one."""
Audit = Callable[[AuditContext], Any]
"""Returns a Verdict, or an awaitable of one."""

Made = TypeVar("Made", Work, Audit)


@dataclass(frozen=True, slots=True)
class Bound(Generic[Made]):
    """A callable with what is known of running it.

    Attributes:
        key: its name in a registry; None for a callable given to a task directly.
        timeout: seconds after which it counts as hanging; None waits for ever.
        retries: how many rounds in a row may try a failed task again; None: every round.
        fingerprint: of its code, or empty.
    """

    call: Made
    key: str | None = None
    timeout: float | None = None
    retries: int | None = None
    fingerprint: str = ""


class TaskRegistry:
    """Two tables, one of workers and one of auditors; a key means one thing for ever."""

    def __init__(self) -> None:
        self._workers: dict[str, Bound[Work]] = {}
        self._auditors: dict[str, Bound[Audit]] = {}

    def register_worker(
        self, key: str, worker: Work, *, timeout: float | None = None, retries: int | None = None
    ) -> None:
        """Name a worker.

        Raises:
            InputError: ``bad-key``, ``key-taken``, ``not-callable``, ``out-of-range``.
        """
        _require(key, worker, self._workers, "a worker")
        self._workers[key] = bound(worker, key, timeout, retries)

    def register_auditor(self, key: str, auditor: Audit, *, timeout: float | None = None) -> None:
        """Name an auditor.

        Raises:
            InputError: ``bad-key``, ``key-taken``, ``not-callable``, ``out-of-range``.
        """
        _require(key, auditor, self._auditors, "an auditor")
        self._auditors[key] = bound(auditor, key, timeout, None)

    def worker(self, key: str) -> Bound[Work]:
        """Raises ExecutionCheckpointError, ``unknown-worker``; the message says so when an auditor has the key."""
        found = self._workers.get(key)
        if found is None:
            raise ExecutionCheckpointError(_unknown("unknown-worker", key, "worker", self._workers, self._auditors))
        return found

    def auditor(self, key: str) -> Bound[Audit]:
        """Raises ExecutionCheckpointError, ``unknown-auditor``; the message says so when a worker has the key."""
        found = self._auditors.get(key)
        if found is None:
            raise ExecutionCheckpointError(_unknown("unknown-auditor", key, "auditor", self._auditors, self._workers))
        return found

    def describe(self) -> dict[str, list[str]]:
        """The keys, sorted, and nothing of what is behind them."""
        return {"workers": sorted(self._workers), "auditors": sorted(self._auditors)}


def require_registry(value: object) -> TaskRegistry:
    """Raises InputError, ``wrong-type``."""
    if not isinstance(value, TaskRegistry):
        message = f"a registry of workers and auditors is a TaskRegistry, not {type(value).__name__}"
        raise InputError(Problem("wrong-type", message, subject="registry"))
    return value


def require_kind(what: str, value: object, kind: type) -> None:
    """Raises InputError, ``wrong-type``."""
    if not isinstance(value, kind):
        message = f"{what}= is a {kind.__name__}, not {type(value).__name__}"
        raise InputError(Problem("wrong-type", message, subject=what))


def bound(call: Made, key: str | None, timeout: float | None, retries: int | None) -> Bound[Made]:
    """A callable with its limits, checked.

    Raises:
        InputError: ``out-of-range``.
    """
    if timeout is not None and not (_is(timeout, int, float) and 0 < timeout < float("inf")):
        raise InputError(Problem("out-of-range", f"a timeout is a positive number of seconds, not {timeout!r}"))
    if retries is not None and not (_is(retries, int) and retries >= 0):
        raise InputError(Problem("out-of-range", f"retries are a whole number from 0, not {retries!r}"))
    return Bound(call, key, timeout, retries, fingerprint(call))


def _is(value: object, *kinds: type) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


def is_key(text: object) -> bool:
    """Printable text without white space, and not empty."""
    return isinstance(text, str) and bool(text) and text.isprintable() and not any(map(str.isspace, text))


def require_key(key: object, what: str) -> None:
    """Raises InputError, ``bad-key``."""
    if not is_key(key):
        message = f"the key of {what} is printable text without white space, not {key!r}"
        raise InputError(Problem("bad-key", message, subject=str(key)))


def _require(key: str, call: object, table: Mapping[str, object], what: str) -> None:
    require_key(key, what)
    if key in table:
        message = f"{what} is registered as {key} already"
        hint = "a key means one thing for ever: give other code another key"
        raise InputError(Problem("key-taken", message, subject=key, hint=hint))
    if not callable(call):
        message = f"what was to be registered as {key} is {type(call).__name__}, which cannot be called"
        raise InputError(Problem("not-callable", message, subject=key))


def _unknown(code: str, key: str, what: str, table: Mapping[str, object], others: Mapping[str, object]) -> Problem:
    message = f"no {what} is registered as {key}"
    if key in others:
        found, wanted = ("an auditor", "a worker") if what == "worker" else ("a worker", "an auditor")
        message = f"{key} is registered as {found}, not as {wanted}"
    near = get_close_matches(key, list(table), n=1)
    hint = f"did you mean {near[0]}?" if near else f"register it: registry.register_{what}({key!r}, …)"
    return Problem(code, message, subject=key, hint=hint)
