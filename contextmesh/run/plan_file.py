"""``contextmesh.execution`` version 1: a plan written exactly, and read as untrusted over the graph it belongs to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contextmesh.base import fields
from contextmesh.base.canon import canonical, pretty_bytes
from contextmesh.base.errors import (
    ExecutionCheckpointError,
    ExecutionSnapshotError,
    InputError,
    LedgerIntegrityError,
    Problem,
    Refusal,
)
from contextmesh.base.fields import Fault
from contextmesh.base.strict import Document, from_value, parse
from contextmesh.graph.graph import ContextGraph
from contextmesh.run.capped import capped
from contextmesh.run.ledger import Entry, RunLedger, Salts
from contextmesh.run.ledger_file import NAME as LEDGER_NAME
from contextmesh.run.plan import layers, unknown_needs
from contextmesh.run.plan_fits import compare, require_ledger_fits, require_plan_fits
from contextmesh.run.redact import Disclosure
from contextmesh.run.registry import Audit, Bound, TaskRegistry, Work, is_key, require_kind, require_registry
from contextmesh.run.restore import restore
from contextmesh.run.task import STATES, State

if TYPE_CHECKING:
    from contextmesh.run.runner import Runner
    from contextmesh.store.store import Store

SCHEMA = "contextmesh.execution"
VERSION = 1
CONTAINER = ("schema", "version", "plan", "round", "tasks")
FIELDS = (
    *("name", "title", "rationale", "assumes", "state", "attempt", "needs", "produces", "artefacts"),
    *("worker_key", "auditor_key", "node_id", "assumption_id", "output"),
)
NAME = "<plan>"


@dataclass(frozen=True, slots=True)
class Row:
    """One task as a file states it."""

    name: str
    title: str
    rationale: str
    assumes: str
    state: State
    attempt: int
    needs: tuple[str, ...]
    produces: tuple[str, ...]
    artefacts: tuple[str, ...]
    worker_key: str
    auditor_key: str | None
    node_id: str | None
    assumption_id: str
    output: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rows:
    """A plan as a file states it, every row of the right shape."""

    plan: str
    round: int
    tasks: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A plan and its ledger that were read, and compared with a graph as it was at a transaction.

    Attributes:
        document: of the plan, for the places of what is found later.
        entries: of the ledger, whose chain was verified.
    """

    document: Document
    rows: Rows
    entries: tuple[Entry, ...]
    store: Store
    seq: int

    def holds_of(self, graph: ContextGraph) -> bool:
        """Whether nothing was written since, so that there is nothing to compare again."""
        return graph.store is self.store and self.store.seq == self.seq


# ---- writing --------------------------------------------------------------------------------


def plan_to_json(runner: Runner) -> dict[str, Any]:
    """The container, tasks in the order of declaration.

    Raises:
        ExecutionCheckpointError: ``no-key``, naming every task that stops it.
        InputError: ``unknown-need``, ``cycle``.
    """
    runner.require_checkpointable()
    with runner.a_look():
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "plan": runner.name,
            "round": runner.round,
            "tasks": [
                {
                    **task.describe(),
                    "state": runner.schedule.state(task),
                    "attempt": task.attempt,
                    "artefacts": list(task.artefacts),
                    "node_id": task.node_id,
                    "assumption_id": task.assumption_id,
                    "output": json.loads(canonical(task.output)),
                }
                for task in runner.plan
            ],
        }


def plan_to_bytes(runner: Runner) -> bytes:
    """The whole file."""
    return pretty_bytes(plan_to_json(runner))


# ---- reading --------------------------------------------------------------------------------


def plan_from_bytes(
    data: bytes,
    file: str = NAME,
    *,
    graph: ContextGraph,
    registry: TaskRegistry,
    ledger: RunLedger | None = None,
    on_changed_worker: str = "warn",
    **options: Any,
) -> Runner:
    """A runner as the file states it; see ``Runner.from_snapshot``."""
    from contextmesh.run.runner import Runner

    document = parse(data, file, refusal=ExecutionSnapshotError)
    return _from_document(Runner, document, graph, registry, ledger, on_changed_worker, options)


def plan_from_value(
    make: type[Runner],
    data: object,
    graph: ContextGraph,
    registry: TaskRegistry,
    ledger: RunLedger | None,
    on_changed_worker: str,
    options: Mapping[str, Any],
) -> Runner:
    """A runner from a value that was read elsewhere."""
    document = from_value(data, NAME, refusal=ExecutionSnapshotError)
    return _from_document(make, document, graph, registry, ledger, on_changed_worker, options)


def _from_document(
    make: type[Runner],
    document: Document,
    graph: ContextGraph,
    registry: TaskRegistry,
    ledger: RunLedger | None,
    on_changed_worker: str,
    options: Mapping[str, Any],
) -> Runner:
    """Checks in the order of the format; the graph is first written to when nothing can be refused any more."""
    _require_options(graph, registry, ledger, on_changed_worker)
    rows = rows_of(document, ExecutionSnapshotError)
    violations = compare(graph.store, rows, ledger if ledger is not None else ())
    require_plan_fits(violations, document, ExecutionSnapshotError)
    require_ledger_fits(violations, Document(LEDGER_NAME, None), LedgerIntegrityError)
    return _restored(make, rows, document, graph, registry, ledger, on_changed_worker, options)


def plan_from_compared(
    compared: Compared,
    graph: ContextGraph,
    registry: TaskRegistry,
    *,
    on_changed_worker: str = "warn",
    disclosures: Sequence[Disclosure] = (),
    salts: Salts | None = None,
) -> Runner:
    """A runner from what was read and compared before; only its keys are still to be found.

    Raises:
        ExecutionCheckpointError: a key that the registry lacks. ExecutionSnapshotError: ``changed-worker``.
        LedgerIntegrityError: ``disclosure-differs``.
    """
    from contextmesh.run.runner import Runner

    assert compared.holds_of(graph), "what was written to since is compared anew"
    ledger = RunLedger.from_entries(compared.entries, disclosures, salts)
    _require_options(graph, registry, ledger, on_changed_worker)
    return _restored(Runner, compared.rows, compared.document, graph, registry, ledger, on_changed_worker, {})


def _restored(
    make: type[Runner],
    rows: Rows,
    document: Document,
    graph: ContextGraph,
    registry: TaskRegistry,
    ledger: RunLedger | None,
    on_changed_worker: str,
    options: Mapping[str, Any],
) -> Runner:
    bound = _bound(rows, registry, document)
    runner = make(rows.plan, registry=registry, graph=graph, ledger=ledger, **options)
    restore(runner, rows, bound, on_changed_worker)
    return runner


def _require_options(
    graph: ContextGraph, registry: TaskRegistry, ledger: RunLedger | None, on_changed_worker: str
) -> None:
    if on_changed_worker not in ("warn", "refuse", "ignore"):
        message = f"on_changed_worker is warn, refuse or ignore, not {on_changed_worker!r}"
        raise InputError(Problem("unknown-word", message, subject="on_changed_worker"))
    require_registry(registry)
    require_kind("graph", graph, ContextGraph)
    if ledger is not None:
        require_kind("ledger", ledger, RunLedger)


def rows_of(document: Document, refusal: type[Refusal]) -> Rows:
    """The tasks that a parsed file states; nothing of them is compared yet.

    Raises:
        refusal: the first flaw, with its place.
    """
    try:
        return read_rows(document.value)
    except Fault as fault:
        raise refusal(document.problem(fault)) from None


def read_rows(value: object) -> Rows:
    """Container, shape of each row, distinct names, known needs, no cycle; in this order.

    Raises:
        Fault: the first flaw.
    """
    row = fields.record(value, CONTAINER)
    fields.header(row, SCHEMA, (VERSION,))
    plan = fields.text(row, "plan", empty=False)
    number = fields.whole(row, "round")
    tasks: list[Row] = []
    for index, given in enumerate(fields.array(row, "tasks")):
        try:
            tasks.append(_row(given))
        except Fault as fault:
            raise fault.under("tasks", index) from None
    places: dict[str, int] = {}
    for index, task in enumerate(tasks):
        if task.name in places:
            message = f"is {fields.shown(task.name)}, which task {places[task.name]} has"
            raise Fault("two-tasks", message, ("tasks", index, "name"), subject=task.name)
        places[task.name] = index
    _require_closed({task.name: task.needs for task in tasks}, places)
    return Rows(plan, number, tuple(tasks))


def _row(value: object) -> Row:
    row = fields.record(value, FIELDS)
    word = fields.word(row, "state", STATES)
    return Row(
        name=fields.text(row, "name", empty=False),
        title=fields.text(row, "title"),
        rationale=fields.text(row, "rationale"),
        assumes=fields.text(row, "assumes"),
        state=next(state for state in STATES if state == word),
        attempt=fields.whole(row, "attempt"),
        needs=fields.texts(row, "needs"),
        produces=fields.texts(row, "produces"),
        artefacts=fields.texts(row, "artefacts"),
        worker_key=_key(row, "worker_key"),
        auditor_key=None if row["auditor_key"] is None else _key(row, "auditor_key"),
        node_id=fields.text_or_none(row, "node_id", empty=False),
        assumption_id=fields.text(row, "assumption_id", empty=False),
        output=fields.mapping(row, "output"),
    )


def _key(row: Mapping[str, Any], name: str) -> str:
    key = fields.text(row, name)
    if not is_key(key):
        raise Fault("bad-key", "must be printable text without white space, and not empty", (name,))
    return key


def _require_closed(needs: Mapping[str, tuple[str, ...]], places: Mapping[str, int]) -> None:
    for name, problem in unknown_needs(needs):
        message = f"names {problem.message.removeprefix(f'{name} needs ')}"
        if problem.code == "cycle":
            message = "names the task itself"
        raise Fault(problem.code, message, ("tasks", places[name], "needs"), subject=name, hint=problem.hint)
    try:
        layers(needs)
    except InputError as error:
        problem = error.problem
        path = ("tasks", places[str(problem.subject)], "needs")
        raise Fault("cycle", f"closes a circle: {problem.message}", path, subject=problem.subject) from None


def _bound(rows: Rows, registry: TaskRegistry, document: Document) -> list[tuple[Bound[Work], Bound[Audit] | None]]:
    """Every key looked up; all that are missing are told, each with its place."""
    found: list[tuple[Bound[Work], Bound[Audit] | None]] = []
    problems: list[Problem] = []
    for index, row in enumerate(rows.tasks):
        worker: Bound[Work] | None = None
        auditor: Bound[Audit] | None = None
        try:
            worker = registry.worker(row.worker_key)
        except Refusal as refusal:
            problems.append(_placed(refusal.problem, document, index, "worker_key", row.name))
        try:
            auditor = None if row.auditor_key is None else registry.auditor(row.auditor_key)
        except Refusal as refusal:
            problems.append(_placed(refusal.problem, document, index, "auditor_key", row.name))
        if worker is not None:
            found.append((worker, auditor))
    if problems:
        raise ExecutionCheckpointError(*capped(problems))
    return found


def _placed(problem: Problem, document: Document, index: int, key: str, task: str) -> Problem:
    from dataclasses import replace

    where = document.where(("tasks", index, key))
    return replace(problem, message=f"{problem.message}, and the task {task} is bound to it", where=where)
