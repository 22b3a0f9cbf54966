"""Runner: a plan over a graph. What is due is read from the rules; what was done is appended."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from contextmesh.base.canon import require_canonical
from contextmesh.base.errors import ExecutionCheckpointError, InputError, Problem
from contextmesh.graph.graph import ContextGraph
from contextmesh.run import calls
from contextmesh.run.binding import auditor_of, unkeyed, worker_of
from contextmesh.run.capped import capped
from contextmesh.run.failures import Failures
from contextmesh.run.interrupt import terminable
from contextmesh.run.ledger import RunLedger
from contextmesh.run.plan import Plan
from contextmesh.run.plan_fits import source_of
from contextmesh.run.record import plan_source, put_ground
from contextmesh.run.registry import Audit, Bound, TaskRegistry, Work, require_kind, require_registry
from contextmesh.run.repair import Change, rebind, repair
from contextmesh.run.report import RunReport
from contextmesh.run.rounds import Progress, Round
from contextmesh.run.schedule import PLANNED, Schedule
from contextmesh.run.task import State, Task, copy_of, default_title, labels, require_text, task_key
from contextmesh.run.turns import Turns

WORKERS = 4


class Runner:
    """Tasks in the graph's own vocabulary: each is a decision that stands on an assumption and on other decisions.

    Attributes:
        name: of the plan.
        graph, registry, ledger: what it works on.
        workers: how many calls may go on at once, from the next round on.
        round: rounds so far; a run and a recheck are one each.
        notices: what was odd when it was restored, such as code that is no longer the recorded one.
    """

    def __init__(
        self,
        plan: str,
        *,
        registry: TaskRegistry | None = None,
        graph: ContextGraph | None = None,
        ledger: RunLedger | None = None,
        workers: int = WORKERS,
        clock: calls.Clock = calls.CLOCK,
    ) -> None:
        """A plan without tasks yet.

        Args:
            graph: what it writes to; a new one when left out.
            workers: how many calls may go on at once. Results, ledger and ids do not depend on it.
            clock: monotonic seconds, by which timeouts are measured.

        Raises:
            InputError: ``blank-text``, ``out-of-range``, ``not-canonical``, ``wrong-type``.
        """
        if not isinstance(plan, str) or not plan:
            raise InputError(Problem("blank-text", "a plan has a name", subject="plan"))
        require_canonical(plan)
        for what, value, kind in (("graph", graph, ContextGraph), ("ledger", ledger, RunLedger)):
            if value is not None:
                require_kind(what, value, kind)
        self.name = plan
        self.graph = graph if graph is not None else ContextGraph()
        self.registry = require_registry(registry) if registry is not None else TaskRegistry()
        self.ledger = ledger if ledger is not None else RunLedger()
        self.plan = Plan(plan)
        self.schedule = Schedule(self.graph, self.plan)
        self.failures = Failures()
        self.round = 0
        self.notices: tuple[Problem, ...] = ()
        self.source_id = ""
        self.workers = workers
        self._clock = clock
        self._cancel = threading.Event()
        self._turns = Turns(plan)
        self.opening = self.schedule.opening()
        self._new: list[Task] = []
        self._by_decision: dict[str, Task] = {}

    @property
    def workers(self) -> int:
        """How many calls may go on at once. Raises InputError, ``out-of-range``, when set to no such number."""
        return self._workers

    @workers.setter
    def workers(self, number: int) -> None:
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InputError(Problem("out-of-range", f"workers are a whole number from 1, not {number!r}"))
        self._workers = number

    # -- declaring ----------------------------------------------------------------------------------

    def task(
        self,
        name: str,
        *,
        assumes: str,
        worker_key: str | None = None,
        run: Work | None = None,
        auditor_key: str | None = None,
        audit: Audit | None = None,
        needs: Sequence[str] = (),
        produces: Sequence[str] = (),
        title: str | None = None,
        rationale: str = "",
        timeout: float | None = None,
        retries: int | None = None,
    ) -> Task:
        """Declare a task. Needs may be declared later; nothing is written before the plan is first used.

        Args:
            assumes: the statement it stands on.
            worker_key, run: a registered worker, or a callable; one of the two. The same of auditor_key and audit.
            produces: labels of the entities its result makes.
            timeout, retries: of callables given directly, an auditor's too; those of a key are registered with it.

        Raises:
            InputError: ``two-workers``, ``no-worker``, ``two-tasks``, ``blank-text``, ``round-running`` …
            ExecutionCheckpointError: ``unknown-worker``, ``unknown-auditor``.
        """
        require_text("the name of a task", name)
        require_text(f"what {name} assumes", assumes)
        of_worker = None if worker_key is not None and audit is not None else timeout
        worker = worker_of(self.registry, name, worker_key, run, of_worker, retries)
        auditor = auditor_of(self.registry, name, auditor_key, audit, timeout)
        title = default_title(name) if title is None else title
        require_text(f"the title of {name}", title)
        if not isinstance(rationale, str):
            raise InputError(Problem("wrong-type", f"the rationale of {name} must be text", subject=name))
        needed, produced = labels(needs, f"the needs of {name}"), labels(produces, f"the products of {name}")
        require_canonical([name, title, rationale, assumes, list(needed), list(produced)])
        key = task_key(self.name, self.opening, name)
        task = Task(name, title, rationale, needed, produced, assumes, worker, auditor, key)
        with self._turns.a_change("task"):
            if name in self.plan.tasks:
                message = f"the plan {self.name} has a task {name} already"
                raise InputError(Problem("two-tasks", message, subject=name, hint="give each task a name of its own"))
            self.plan.add(task)
            self._new.append(task)
        return task

    def open(self) -> None:
        """Write what was declared since the last time: the plan's source, its grounds, and the tasks for the rules.

        Called by whatever needs it.

        Raises:
            InputError: ``unknown-need``, ``cycle``; nothing is written.
        """
        with self._turns.a_look():
            self.plan.check()
            if self._new or not self.source_id:
                self._write_new()

    def _write_new(self) -> None:
        with self.schedule.write("plan") as pen:
            source = plan_source(pen.batch, self.name)
            if not self.source_id:
                pen.batch.fact("opened", (self.name, self.opening))
                self.graph.store.openings[self.name, self.opening] = None
            grounds: dict[str, str] = {}
            for task in self._new:
                if task.assumes not in grounds:
                    grounds[task.assumes] = put_ground(pen.batch, task.assumes).id
                pen.say(task, PLANNED, grounds[task.assumes])
                for need in task.needs:
                    pen.batch.fact("needs", (task.key, self.plan.tasks[need].key))
        for task in self._new:
            task.assumption_id = grounds[task.assumes]
        self.source_id = source
        self._new = []

    # -- running ------------------------------------------------------------------------------------

    def run(self, *, progress: Progress | None = None) -> RunReport:
        """One round: everything that is due, in waves, until nothing is.

        A task that fails does not stop the others. Ctrl-C leaves what was recorded, whole, and raises; so does
        SIGTERM where this program does not handle it itself. ``cancel`` ends the round after what is being recorded.

        Raises:
            InputError: ``unknown-need``, ``cycle``; ``round-running`` when a round of this plan is going on, such as
                from one of its own workers.
            KeyboardInterrupt: the plan is consistent, and the next round goes on with it; ``interrupt.Terminated``
                when it was SIGTERM.
        """
        with self._a_round("run"):
            return Round(self).run(progress)

    def recheck(self, *, progress: Progress | None = None) -> RunReport:
        """One round in which every auditor looks at the result that stands, and nothing is executed.

        Raises:
            InputError, KeyboardInterrupt: as ``run``.
        """
        with self._a_round("recheck"):
            return Round(self).recheck(progress)

    def repair(
        self,
        name: str,
        *,
        assumes: str,
        worker_key: str | None = None,
        run: Work | None = None,
        auditor_key: str | None = None,
        audit: Audit | None = None,
        produces: Sequence[str] | None = None,
    ) -> Task:
        """Move a task to a new ground, and to new workers in the same step; see ``repair.repair``."""
        with self._turns.a_change("repair"), self.a_look():
            return repair(self, name, Change(assumes, worker_key, run, auditor_key, audit, produces))

    def rebind(
        self,
        registry: TaskRegistry | None = None,
        *,
        workers: Mapping[str, str] | None = None,
        auditors: Mapping[str, str] | None = None,
    ) -> None:
        """Bind keys anew, to another registry or tasks to other keys: all of it, or nothing; see ``repair.rebind``."""
        with self._turns.a_change("rebind"):
            rebind(self, registry if registry is not None else self.registry, workers or {}, auditors or {})

    def cancel(self) -> None:
        """End the round that is running, from any thread, after what is being recorded."""
        self._cancel.set()

    @property
    def is_cancelled(self) -> bool:
        return self._cancel.is_set()

    @contextmanager
    def _a_round(self, what: str) -> Iterator[None]:
        with terminable(), self._turns.a_round(what):
            self._cancel.clear()
            self.open()
            yield

    # -- reading ------------------------------------------------------------------------------------

    @contextmanager
    def a_look(self) -> Iterator[None]:
        """Room to read plan, graph and ledger as one: what was declared is written, and nothing is being recorded."""
        with self._turns.a_look():
            self.open()
            with self.graph.store.lock:
                yield

    @property
    def layers(self) -> tuple[tuple[str, ...], ...]:
        """Tasks by the longest way to each; within a layer in the order of declaration."""
        return self.plan.layers

    def state(self, name: str) -> State:
        """``pending``, ``done``, ``stale`` or ``failed``, as the rules say now."""
        with self.a_look():
            return self.schedule.state(self.plan.task(name))

    def states(self) -> dict[str, State]:
        """The state of every task, in the order of declaration."""
        with self.a_look():
            return {task.name: self.schedule.state(task) for task in self.plan}

    def blocked(self) -> dict[str, str]:
        """Why each task that waits does so."""
        with self.a_look():
            return self.schedule.blocked()

    def output(self, name: str) -> dict[str, Any]:
        """What the last recorded run of a task returned; a copy."""
        return copy_of(self.plan.task(name).output)

    def preserved(self, entry: int) -> tuple[str, ...]:
        """Ids of the nodes that still stood after the disproof that an entry of the ledger tells of, sorted.

        Raises:
            LedgerIntegrityError: ``unknown-entry``, ``no-receipt``, ``preserved-differs``; see ``preserved.preserved``.
        """
        from contextmesh.run.preserved import preserved

        return preserved(self.graph, self.ledger, entry)

    def describe(self) -> dict[str, Any]:
        """The plan with keys in the place of callables."""
        return {"plan": self.name, "tasks": [task.describe() for task in self.plan]}

    def require_checkpointable(self) -> None:
        """Raises ExecutionCheckpointError, ``no-key``, naming each task that a file cannot hold."""
        problems = [problem for task in self.plan for problem in unkeyed(task)]
        if problems:
            raise ExecutionCheckpointError(*capped(problems))

    # -- files --------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """The plan as ``contextmesh.execution`` version 1.

        Raises:
            ExecutionCheckpointError: ``no-key``.
        """
        from contextmesh.run.plan_file import plan_to_json

        return plan_to_json(self)

    @classmethod
    def from_snapshot(
        cls,
        data: object,
        *,
        graph: ContextGraph,
        registry: TaskRegistry,
        ledger: RunLedger | None = None,
        workers: int = WORKERS,
        clock: calls.Clock = calls.CLOCK,
        on_changed_worker: str = "warn",
    ) -> Runner:
        """A plan as it was written, over the graph it was written with; a refused one leaves no trace.

        Args:
            on_changed_worker: ``warn`` notes in ``notices`` that a worker's code is not the one that ran last;
                ``refuse`` refuses, ``ignore`` does not look.

        Raises:
            ExecutionSnapshotError: damaged, or not fitting its graph or ledger.
            ExecutionCheckpointError: a key that the registry lacks.
        """
        from contextmesh.run.plan_file import plan_from_value

        return plan_from_value(
            cls, data, graph, registry, ledger, on_changed_worker, {"workers": workers, "clock": clock}
        )

    def adopt(self, round: int, failures: Failures, notices: tuple[Problem, ...]) -> None:
        """Take over what a restored plan was; its tasks are declared and told to the rules already."""
        self.round, self.failures, self.notices = round, failures, notices
        source = source_of(self.name, self.graph.store)
        assert source is not None, "the plan was checked against its graph"
        self.source_id = source

    # -- for the parts of a round ---------------------------------------------------------------------

    def perform(
        self, jobs: Sequence[calls.Job], callables: Sequence[Bound[Any] | None]
    ) -> Generator[calls.Outcome, None, None]:
        """Outcomes of jobs in their order: in this thread when nothing is gained by others."""
        alone = len(jobs) == 1 or self.workers == 1
        plain = all(one is None or (one.timeout is None and not calls.is_async(one.call)) for one in callables)
        if alone and plain and not calls.in_event_loop():
            return calls.call_here(jobs)
        return calls.call_all(jobs, workers=self.workers, clock=self._clock)

    def may_retry(self, task: Task) -> bool:
        """Whether the retry policy of a failed task lets another round try it."""
        return task.worker.retries is None or self.failures.count(task.name) <= task.worker.retries

    def evidence_against(self, task: Task) -> tuple[str, ...]:
        """Live evidence that contradicts the ground of a task, oldest first."""
        edges = self.graph.edges_to(task.assumption_id, "contradicts")
        return tuple(edge.src for edge in edges if self.graph.is_live(edge.src))

    def task_of(self, decision: str) -> Task | None:
        """The task whose last result this decision is."""
        return self._by_decision.get(decision)

    def replace_decision(self, task: Task, decision: str | None) -> None:
        """The result of a task is another decision from now on."""
        if task.node_id is not None:
            self._by_decision.pop(task.node_id, None)
        task.node_id = decision
        if decision is not None:
            self._by_decision[decision] = task
            self.failures.clear(task.name)
