"""What a worker and an auditor are handed, and what an auditor says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

OK: Literal["ok"] = "ok"
FAIL: Literal["fail"] = "fail"
DISPROVED: Literal["disproved"] = "disproved"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an auditor found.

    Attributes:
        kind: ``ok``; ``fail``, this output is wrong; ``disproved``, the ground itself is false.
        reason: one sentence.
        evidence: of ``disproved``: the evidence node that contradicts the ground; None lets the runner record one.
    """

    kind: Literal["ok", "fail", "disproved"]
    reason: str
    evidence: str | None = None

    @classmethod
    def ok(cls, reason: str = "nothing speaks against it") -> Verdict:
        return cls(OK, reason)

    @classmethod
    def fail(cls, reason: str) -> Verdict:
        return cls(FAIL, reason)

    @classmethod
    def disproved(cls, reason: str, evidence: str | None = None) -> Verdict:
        return cls(DISPROVED, reason, evidence)


@dataclass(frozen=True, slots=True)
class WorkContext:
    """What a worker is handed: values only, so that no order of running can be told from inside.

    Attributes:
        attempt: 1 for the first run of this task.
        attempt_id: stable for this attempt, also when it is cut short and made again: an idempotency key.
        assumes: the statement the task stands on; ``assumption_id`` names it in the graph.
        inputs: output of each task that this one needs, by name; a copy of its own.
    """

    plan: str
    name: str
    title: str
    rationale: str
    assumes: str
    assumption_id: str
    attempt: int
    attempt_id: str
    inputs: Mapping[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuditContext:
    """What an auditor is handed: the task as its worker saw it, and what the worker returned.

    Attributes:
        output: a copy of the worker's output.
        decision_id: the decision that recorded it; None before it is recorded.
        evidence: live evidence nodes that already contradict the assumption, oldest first.
    """

    work: WorkContext
    output: dict[str, Any]
    decision_id: str | None = None
    evidence: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.work.name

    @property
    def assumes(self) -> str:
        return self.work.assumes

    @property
    def assumption_id(self) -> str:
        return self.work.assumption_id

    @property
    def inputs(self) -> Mapping[str, dict[str, Any]]:
        return self.work.inputs

    @property
    def attempt(self) -> int:
        return self.work.attempt

    def ok(self, reason: str = "nothing speaks against it") -> Verdict:
        """The ground holds, and the output is right."""
        return Verdict.ok(reason)

    def fail(self, reason: str) -> Verdict:
        """This output is wrong; the ground is not touched."""
        return Verdict.fail(reason)

    def disproved(self, reason: str, evidence: str | None = None) -> Verdict:
        """The ground is false; ``evidence`` names the node that shows it, or the reason is recorded as one."""
        return Verdict.disproved(reason, evidence)
