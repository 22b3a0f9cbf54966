"""One round of a plan: run what is ready, record it in the order of declaration, until nothing is ready.

A wave is what is ready at one moment. Its workers and auditors may run at once; each is handed what was known when
the wave began, and results are recorded one after the other, so that any number of threads gives one history.
While something is read from the graph or recorded in it, a worker that calls the graph waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from contextmesh.run.attempt import attempt_job, audit_job, result_of
from contextmesh.run.fingerprint import comparable
from contextmesh.run.interrupt import uninterrupted
from contextmesh.run.record import Run, attempt_id, inputs_digest
from contextmesh.run.recording import Recorder, Try
from contextmesh.run.report import RunReport
from contextmesh.run.task import Task, copy_of
from contextmesh.run.verdict import AuditContext, WorkContext

if TYPE_CHECKING:
    from contextmesh.run.runner import Runner

Progress = Callable[[str, int, int], None]
"""stage, done, total"""
CACHED = "unaffected by this round; previous result stands"
TOLD_SINGLY = 64
"""More tasks than this that stand, or wait, are one entry of the ledger with their number."""


class Round:
    """A round while it goes on."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._graph = runner.graph
        self._schedule = runner.schedule
        self._recorder = Recorder(runner)
        self._cancelled = False
        with self._writing():
            self._graph.begin_build()
            runner.round += 1

    def run(self, progress: Progress | None) -> RunReport:
        """Until nothing is ready that was not tried in this round."""
        self._take_up_failed()
        with self._reading():
            total = self._schedule.pending_count() if progress is not None else 0
        tried: dict[str, None] = {}
        while not self._cancelled:
            with self._reading():
                ready = [task for task in self._schedule.ready() if task.name not in tried]
            if not ready:
                break
            for task in self._wave(ready):
                tried[task.name] = None
                if progress is not None:
                    progress("run", len(tried), max(total, len(tried)))
                if self._runner.is_cancelled:
                    self._cancelled = True
                    break
        with self._writing():
            report = self._report(tuple(self._runner.plan.tasks))
            if not self._cancelled:
                self._tell_rest(report)
        return report

    def recheck(self, progress: Progress | None) -> RunReport:
        """Every auditor looks again at the result that stands; no worker runs. What is right is failed no more."""
        jobs = []
        with self._reading():
            standing = [task for task in self._schedule.standing() if task.auditor is not None]
            for task in standing:
                assert task.auditor is not None, "chosen for it"
                evidence = self._runner.evidence_against(task)
                context = self._context(task, task.attempt, task.node_id)
                looked = AuditContext(context, copy_of(task.output), task.node_id, evidence)
                jobs.append(audit_job(task.auditor, looked))
        outcomes = self._runner.perform(jobs, [task.auditor for task in standing])
        try:
            for number, task in enumerate(standing, start=1):
                result = result_of(next(outcomes))
                with self._writing():
                    self._recorder.look(task, result)
                if progress is not None:
                    progress("recheck", number, len(standing))
                if self._runner.is_cancelled:
                    self._cancelled = True
                    break
        finally:
            outcomes.close()
        with self._reading():
            return self._report(())

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._graph.store.lock:
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with uninterrupted(), self._graph.store.lock:
            yield

    # -- a wave ---------------------------------------------------------------------------------------

    def _take_up_failed(self) -> None:
        with self._writing():
            again = [task for task in self._schedule.failed() if self._runner.may_retry(task)]
            if again:
                with self._schedule.write("retry") as pen:
                    for task in again:
                        pen.try_again(task)

    def _wave(self, ready: list[Task]) -> Iterator[Task]:
        jobs, callables = [], []
        with self._reading():
            tries = [self._try(task) for task in ready]
            for one in tries:
                if one.kept is None:
                    task = one.task
                    context = self._context(task, one.number, one.id)
                    jobs.append(attempt_job(task.worker, task.auditor, context, self._runner.evidence_against(task)))
                    callables += [task.worker, task.auditor]
        outcomes = self._runner.perform(jobs, callables)
        try:
            for one in tries:
                result = result_of(next(outcomes)) if one.kept is None else None
                with self._writing():
                    if one.kept is not None:
                        self._recorder.keep(one, one.kept)
                    elif result is not None:
                        self._recorder.record(one, result)
                yield one.task
        finally:
            outcomes.close()

    def _try(self, task: Task) -> Try:
        tasks = self._runner.plan.tasks
        seen = inputs_digest({need: tasks[need] for need in task.needs})
        number = task.attempt + 1
        id_ = attempt_id(self._graph, self._runner.name, task.name, number)
        return Try(task, number, id_, seen, self._unchanged(task, seen))

    def _context(self, task: Task, number: int, id_: str | None) -> WorkContext:
        """What a worker or an auditor is told; ``id_`` is of the attempt it is about."""
        runner = self._runner
        inputs = {need: copy_of(runner.plan.tasks[need].output) for need in task.needs}
        return WorkContext(
            runner.name,
            task.name,
            task.title,
            task.rationale,
            task.assumes,
            task.assumption_id,
            number,
            id_ or attempt_id(self._graph, runner.name, task.name, number),
            inputs,
        )

    def _unchanged(self, task: Task, inputs: str) -> Run | None:
        """The last run, if it stood on this ground, was by this worker and took these inputs, and was right."""
        if task.node_id is None or self._schedule.is_failed(task) or not self._schedule.is_stale(task):
            return None
        if self._graph.store.engine.holds("reopened", (task.key, task.node_id)):
            return None
        run = Run.of(self._graph.node(task.node_id))
        if run is None or run.inputs != inputs or run.worker_key != task.worker_key:
            return None
        code = task.worker.fingerprint
        same_code = run.worker_code == code if comparable(run.worker_code, code) else task.worker_key is not None
        grounds = [edge.dst for edge in self._graph.edges_from(task.node_id, "depends_on")]
        same = same_code and task.assumption_id in grounds and run.output == task.output_digest
        return run if same else None

    # -- the end --------------------------------------------------------------------------------------

    def _report(self, names: tuple[str, ...]) -> RunReport:
        runner, recorder = self._runner, self._recorder
        blocked = self._schedule.blocked()
        failures = {
            task.name: runner.failures.of(task.name) for task in self._schedule.failed() if task.name not in blocked
        }
        left = {task.name: None for task in self._schedule.ready()}
        return RunReport(
            runner.round,
            runner.plan.layers,
            tuple(recorder.executed),
            tuple(recorder.unchanged),
            tuple(recorder.audited),
            blocked,
            failures,
            tuple(recorder.receipts),
            not (blocked or failures or left),
            self._cancelled,
            names,
            left,
        )

    def _tell_rest(self, report: RunReport) -> None:
        """What stood and what waits, in the ledger."""
        ledger, tasks, number = self._runner.ledger, self._runner.plan.tasks, self._runner.round
        made = (*report.executed, *report.unchanged)
        fell = sum(name in report.blocked for name in made)  # since they were made, by a disproof of this round
        stood = len(tasks) - len(report.blocked) - len(report.failures) - len(made) + fell
        if stood > TOLD_SINGLY:
            first = next(task for task in tasks.values() if self._schedule.is_done(task))
            words = f"{stood} tasks unaffected by this round; previous results stand"
            ledger.append("cached", first.name, round=number, detail=words, data={"count": stood})
        elif stood > 0:
            again = dict.fromkeys(report.unchanged)
            for name in report.cached:
                if name not in again:
                    ledger.append("cached", name, round=number, detail=CACHED, node_id=tasks[name].node_id)
        if len(report.blocked) > TOLD_SINGLY:
            name, reason = next(iter(report.blocked.items()))
            told = {name: f"{len(report.blocked)} tasks wait; the first: {reason}"}
        else:
            told = dict(report.blocked)
        data = {"count": len(report.blocked)} if len(told) < len(report.blocked) else {}
        for name, words in told.items():
            assumption = tasks[name].assumption_id
            ledger.append("blocked", name, round=number, detail=words, assumption_id=assumption, data=data)
