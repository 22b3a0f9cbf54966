"""One attempt at a task: the worker is called, then the auditor looks; whatever they do becomes a value."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from contextmesh.base.canon import canonical
from contextmesh.base.errors import InputError
from contextmesh.run.calls import Job, Outcome, Phase, Raised, Returned, TimedOut, awaited
from contextmesh.run.registry import Audit, Bound, Work
from contextmesh.run.verdict import DISPROVED, FAIL, OK, AuditContext, Verdict, WorkContext

LONGEST = 2_000
"""Characters of an exception's message that are kept."""
REASON_BYTES = 65_536
"""Of a verdict: as much as evidence may say."""
NO_AUDITOR = "no auditor declared"
WORKER, AUDITOR = "worker", "auditor"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt or an audit came to nothing.

    Attributes:
        code: a stable word; ``reason`` is for people.
    """

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an attempt: an output and a verdict, or a failure.

    Attributes:
        output: canonical JSON of what the worker returned; None when it gave nothing that can be kept.
    """

    output: str | None = None
    verdict: Verdict | None = None
    failure: Failure | None = None


class _Wrong(Exception):
    """Carries a failure out of nested calls."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def attempt_job(work: Bound[Work], audit: Bound[Audit] | None, context: WorkContext, evidence: tuple[str, ...]) -> Job:
    """A job that runs a worker and has its output audited; it returns a Result and raises nothing."""

    def job(phase: Phase) -> Result:
        output: str | None = None
        try:
            phase(WORKER, work.timeout)
            output = _canonical_output(_called(lambda: work.call(context), "worker-raised", ""))
            if audit is None:
                return Result(output, Verdict.ok(NO_AUDITOR))
            looked = AuditContext(context, json.loads(output), None, evidence)
            return Result(output, _verdict(audit, looked, phase))
        except _Wrong as wrong:
            return Result(output, failure=wrong.failure)

    return job


def audit_job(audit: Bound[Audit], context: AuditContext) -> Job:
    """A job that only looks; it returns a Result and raises nothing."""

    def job(phase: Phase) -> Result:
        try:
            return Result(verdict=_verdict(audit, context, phase))
        except _Wrong as wrong:
            return Result(failure=wrong.failure)

    return job


def result_of(outcome: Outcome) -> Result:
    """The result of a job that was done, or that hung."""
    if isinstance(outcome, Returned):
        assert isinstance(outcome.value, Result)
        return outcome.value
    if isinstance(outcome, TimedOut):
        spent = f"no result within {outcome.seconds:g} s"
        reason = spent if outcome.phase == WORKER else f"auditor error: {spent}"
        return Result(failure=Failure(f"{outcome.phase}-timeout", reason))
    assert isinstance(outcome, Raised)
    raise outcome.error


def _verdict(audit: Bound[Audit], context: AuditContext, phase: Phase) -> Verdict:
    phase(AUDITOR, audit.timeout)
    value = _called(lambda: audit.call(context), "auditor-raised", "auditor error: ")
    if not isinstance(value, Verdict):
        message = f"auditor error: it returned {_kind(value)}, not a verdict"
        raise _Wrong(Failure("bad-verdict", message))
    texts = (value.reason, value.evidence) if value.evidence is not None else (value.reason,)
    if value.kind not in (OK, FAIL, DISPROVED) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise _Wrong(Failure("bad-verdict", "auditor error: its verdict has no kind, or no reason in words"))
    try:
        size = len(canonical(list(texts)).encode("utf-8"))
    except InputError as error:
        raise _Wrong(Failure("bad-verdict", f"auditor error: {error.problem.message}")) from None
    if size > REASON_BYTES:
        raise _Wrong(Failure("bad-verdict", f"auditor error: its reason is longer than {REASON_BYTES:,} bytes"))
    return value


def _called(call: Callable[[], Any], code: str, before: str) -> Any:
    try:
        return awaited(call())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit and a cancelled await are failures of the task, too
        raise _Wrong(Failure(code, before + _words(error))) from None


def _canonical_output(value: object) -> str:
    """Canonical JSON, so that the worker cannot change its output afterwards, and equal outputs are equal texts."""
    if not isinstance(value, Mapping):
        raise _Wrong(Failure("bad-output", f"the worker returned {_kind(value)}, not an object with text keys"))
    try:
        return canonical(dict(value))
    except InputError as error:
        raise _Wrong(Failure("bad-output", f"the output cannot be kept: {error.problem.message}")) from None
    except (RecursionError, ValueError) as error:
        raise _Wrong(Failure("bad-output", f"the output cannot be kept: {_words(error)}")) from None


def _words(error: BaseException) -> str:
    """``Type: message``, whatever the exception does when it is asked for its message."""
    try:
        text = str(error).encode("utf-8", "backslashreplace").decode("utf-8")
    except Exception:
        text = "its message cannot be read"
    return f"{type(error).__name__}: {text if len(text) <= LONGEST else text[:LONGEST] + '…'}"


def _kind(value: object) -> str:
    return "nothing" if value is None else type(value).__name__
