"""Results and verdicts become transactions of the graph and entries of the ledger."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contextmesh.base.canon import digest
from contextmesh.base.errors import Refusal
from contextmesh.run.attempt import Failure, Result
from contextmesh.run.disproof import Fallen, disprove
from contextmesh.run.ledger import FAILS, HOLDS
from contextmesh.run.record import Entry, Run, put_decision
from contextmesh.run.schedule import MISSED, RAN
from contextmesh.run.task import Task
from contextmesh.run.verdict import DISPROVED, FAIL, Verdict

if TYPE_CHECKING:
    from contextmesh.run.runner import Runner

UNCHANGED = "output unchanged: what it takes came out as before"


@dataclass(frozen=True, slots=True)
class Try:
    """A task that is ready, as it was when its wave began.

    Attributes:
        id: the id its decision would have.
        inputs_digest: over the outputs of all needs.
        kept: the run whose output is kept, because nothing it depends on changed; None when the worker must run.
    """

    task: Task
    number: int
    id: str
    inputs_digest: str
    kept: Run | None


class Recorder:
    """What a round has recorded so far.

    Attributes:
        executed, unchanged, audited: names of tasks, in the order of recording.
        failures: of this round.
        receipts: of its disproofs.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._graph = runner.graph
        self._schedule = runner.schedule
        self.executed: dict[str, None] = {}
        self.unchanged: dict[str, None] = {}
        self.audited: dict[str, None] = {}
        self.failures: dict[str, Failure] = {}
        self.receipts: list[dict[str, Any]] = []

    # -- results ------------------------------------------------------------------------------------

    def record(self, one: Try, result: Result) -> None:
        """What came of an attempt."""
        task, verdict = one.task, result.verdict
        task.attempt = one.number
        if verdict is None:
            assert result.failure is not None, "a result has a verdict or a failure"
            self._fail(task, result.failure, None)
            return
        self._tell_audit(task, verdict, None)
        if verdict.kind == FAIL:
            self._fail(task, Failure("audit-failed", verdict.reason), None)
        elif verdict.kind == DISPROVED:
            self._disprove(task, verdict, None)
        elif self._still_wanted(task):
            assert result.output is not None, "what was audited was put out"
            before = task.node_id
            try:
                rebuilt = self._write(one, json.loads(result.output), verdict.reason, ())
            except Refusal as refusal:
                self._fail(task, _refused(refusal), None)
                return
            self.executed[task.name] = None
            parts = [f"attempt {task.attempt}"]
            parts += [f"supersedes {before}"] if before is not None else []
            parts += [f"rebuilt {', '.join(rebuilt)}"] if rebuilt else []
            self._tell("executed", task, detail=", ".join(parts), node_id=task.node_id)

    def keep(self, one: Try, kept: Run) -> None:
        """Early cutoff: the old output on the new inputs, without running anything."""
        task = one.task
        task.attempt = one.number
        assert task.node_id is not None, "there was a run"
        audits = tuple(edge.dst for edge in self._graph.edges_from(task.node_id, "justified_by"))
        try:
            self._write(one, task.output, None, audits)
        except Refusal as refusal:
            self._fail(task, _refused(refusal), None)
            return
        self.unchanged[task.name] = None
        data = {"attempt": one.number, "kept_from": kept.attempt}
        self._tell("cached", task, detail=UNCHANGED, node_id=task.node_id, ground=False, data=data)

    def look(self, task: Task, result: Result) -> None:
        """What an auditor said of a standing result."""
        verdict = result.verdict
        self.audited[task.name] = None
        if verdict is None:
            assert result.failure is not None, "a result has a verdict or a failure"
            self._fail(task, result.failure, task.node_id)
            return
        self._tell_audit(task, verdict, task.node_id)
        if verdict.kind == FAIL:
            self._fail(task, Failure("audit-failed", verdict.reason), task.node_id, ground=False)
        elif verdict.kind == DISPROVED:
            self._disprove(task, verdict, task.node_id)
        elif MISSED in task.standing:
            with self._schedule.write("recheck") as pen:
                pen.unsay(task, MISSED)
            self._runner.failures.clear(task.name)

    # -- parts --------------------------------------------------------------------------------------

    def _write(self, one: Try, output: dict[str, Any], audit: str | None, evidence: tuple[str, ...]) -> list[str]:
        """One transaction: the decision, what the rules are told of the task, and whom an equal output leaves alone.

        Returns the labels of artefacts that had fallen and stand again.
        """
        task, runner = one.task, self._runner
        tasks, made = runner.plan.tasks, digest(output)
        code = task.worker.fingerprint
        run = Run(runner.name, task.name, one.number, task.worker_key, code, one.inputs_digest, made)
        needed = (tasks[need].node_id for need in dict.fromkeys(task.needs))
        needs = tuple(node for node in needed if node is not None)
        same = task.node_id is not None and task.output_digest == made
        with self._schedule.write("run") as pen:
            entry = Entry(one.id, run, needs, evidence, audit)
            artefacts = put_decision(pen.batch, task, runner.source_id, entry)
            pen.unsay(task, MISSED)
            pen.say(task, RAN, one.id)
            for name in runner.plan.needed_by.get(task.name, ()) if same else ():
                later = tasks[name]
                if later.node_id is not None and self._schedule.is_done(later):
                    pen.batch.fact("accepted", (later.node_id, one.id))
        receipt = pen.batch.receipt
        assert receipt is not None, "a decision was put"
        runner.replace_decision(task, one.id)
        task.artefacts = artefacts
        task.keep(output, made)
        return [self._graph.node(name).label for name in receipt.restored if name in artefacts]

    def _still_wanted(self, task: Task) -> bool:
        """Whether nothing recorded earlier in this wave took its ground or its inputs away."""
        tasks = self._runner.plan.tasks
        active = self._graph.status(task.assumption_id) == "active"
        return active and all(self._schedule.is_done(tasks[need]) for need in task.needs)

    def _tell_audit(self, task: Task, verdict: Verdict, node_id: str | None) -> None:
        word = FAILS if verdict.kind in (FAIL, DISPROVED) else HOLDS
        self._tell("audited", task, detail=word, free=verdict.reason, node_id=node_id)

    def _fail(self, task: Task, failure: Failure, node_id: str | None, *, ground: bool = True) -> None:
        with self._schedule.write("fail") as pen:
            pen.say(task, MISSED)
        self.failures[task.name] = failure
        self._runner.failures.add(task.name, failure)
        data = {"code": failure.code}
        self._tell("failed", task, free=failure.reason, node_id=node_id, ground=ground, data=data)

    def _disprove(self, task: Task, verdict: Verdict, node_id: str | None) -> None:
        """Reject the ground, unless that has been done; every task it touches is told of."""
        if self._graph.status(task.assumption_id) == "rejected":
            return
        try:
            fallen = disprove(self._graph, task.assumption_id, task.name, verdict.reason, verdict.evidence)
        except Refusal as refusal:
            self._fail(task, _refused(refusal), node_id)
            return
        self.receipts.append(fallen.data)
        self._tell("disproved", task, free=verdict.reason, node_id=fallen.evidence_id, data=fallen.data)
        for hit, words in self._touched(task.assumption_id, fallen):
            self._runner.ledger.append(
                "invalidated",
                hit.name,
                round=self._runner.round,
                detail=words,
                node_id=hit.node_id,
                assumption_id=task.assumption_id,
            )

    def _touched(self, assumption_id: str, fallen: Fallen) -> list[tuple[Task, str]]:
        """Tasks whose decision fell, and tasks that had none and stood on the assumption."""
        runner = self._runner
        found: dict[str, str] = {}
        for node_id, because in fallen.because.items():
            task = runner.task_of(node_id)
            if task is not None:
                found[task.name] = " → ".join(because)
        statement = self._graph.assumption(assumption_id).statement
        for task in self._schedule.stands_on(assumption_id):
            found.setdefault(task.name, f"stood on: {statement}")
        return [(runner.plan.tasks[name], found[name]) for name in runner.plan.ordered(found)]

    def _tell(
        self,
        event: str,
        task: Task,
        *,
        detail: str = "",
        free: str = "",
        node_id: str | None,
        ground: bool = True,
        data: dict[str, Any] | None = None,
    ) -> None:
        self._runner.ledger.append(
            event,
            task.name,
            round=self._runner.round,
            detail=detail,
            free=free,
            node_id=node_id,
            assumption_id=task.assumption_id if ground else None,
            data=data,
        )


def _refused(refusal: Refusal) -> Failure:
    return Failure(refusal.code, f"the graph refused it: {refusal}")
