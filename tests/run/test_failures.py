"""What raises, hangs or returns nonsense fails its own task, with a code; the rest of the round goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from contextmesh.base.errors import InputError
from contextmesh.run import RunLedger, Runner, TaskRegistry, Verdict
from contextmesh.run.registry import Audit, Work
from tests.run.worlds import Shape, World

HANGS = threading.Event()


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def raises(error: BaseException) -> Any:
    def work(context: object) -> Any:
        raise error

    return work


def hang(context: object) -> Any:
    HANGS.wait(30)


async def later(context: object) -> Any:
    await asyncio.sleep(0)
    return {"ok": True}


async def later_and_wrong(context: object) -> Any:
    await asyncio.sleep(0)
    raise KeyError("thread")


def plan_of(work: Work, audit: Audit | None = None, *, workers: int = 4, seconds: float | None = None) -> Runner:
    """A task with this worker and auditor, one that needs it, and one that does not."""
    registry = TaskRegistry()
    registry.register_worker("try.v1", work, timeout=seconds)
    registry.register_worker("plain.v1", lambda context: {"ok": True})
    if audit is not None:
        registry.register_auditor("look.v1", audit, timeout=seconds)
    runner = Runner("weave", registry=registry, workers=workers)
    runner.task("first", worker_key="try.v1", auditor_key="look.v1" if audit else None, assumes="the mill turns")
    runner.task("needs_it", worker_key="plain.v1", assumes="thread is even", needs=["first"])
    runner.task("apart", worker_key="plain.v1", assumes="sheep are shorn in May")
    return runner


WORKERS: dict[str, tuple[Any, str, str]] = {
    "raises": (raises(RuntimeError("no thread")), "worker-raised", "RuntimeError: no thread"),
    "leaves": (raises(SystemExit(3)), "worker-raised", "SystemExit: 3"),
    "raises what has no words": (raises(Unspeakable()), "worker-raised", "Unspeakable: its message cannot be read"),
    "raises at length": (raises(ValueError("x" * 9_000)), "worker-raised", "ValueError: " + "x" * 2_000 + "…"),
    "raises half a pair": (raises(ValueError("\ud800")), "worker-raised", "ValueError: \\ud800"),
    "returns nothing": (lambda c: None, "bad-output", "the worker returned nothing, not an object with text keys"),
    "returns a list": (lambda c: [1], "bad-output", "the worker returned list, not an object with text keys"),
    "returns a set": (lambda c: {"a": [{1}]}, "bad-output", "the output cannot be kept: $.a[0] holds a set"),
    "returns bytes": (lambda c: {"a": {"b": b""}}, "bad-output", "the output cannot be kept: $.a.b holds a bytes"),
    "returns NaN": (lambda c: {"a": float("nan")}, "bad-output", "the output cannot be kept: $.a holds a number that"),
    "has a number for a key": (lambda c: {"a": {1: 2}}, "bad-output", "the output cannot be kept: $.a holds a key"),
    "raises later": (later_and_wrong, "worker-raised", "KeyError: 'thread'"),
}

AUDITORS: dict[str, tuple[Any, str, str]] = {
    "raises": (raises(RuntimeError("blind")), "auditor-raised", "auditor error: RuntimeError: blind"),
    "returns true": (lambda c: True, "bad-verdict", "auditor error: it returned bool, not a verdict"),
    "returns nothing": (lambda c: None, "bad-verdict", "auditor error: it returned nothing, not a verdict"),
    "gives no reason": (lambda c: c.fail(" "), "bad-verdict", "auditor error: its verdict has no kind, or no reason"),
    "says another word": (lambda c: Verdict("perhaps", "x"), "bad-verdict", "auditor error: its verdict has no kind"),  # type: ignore[arg-type]
    "says too much": (lambda c: c.fail("x" * 70_000), "bad-verdict", "auditor error: its reason is longer than 65,536"),
    "says half a pair": (lambda c: c.fail("\ud800"), "bad-verdict", "auditor error: $[0] holds text with"),
    "says no": (lambda c: c.fail("it is crooked"), "audit-failed", "it is crooked"),
}


def require_told(runner: Runner, code: str, reason: str) -> None:
    report = runner.run()

    assert report.failures["first"].code == code
    assert report.failed["first"].startswith(reason)
    assert report.executed == ("apart",)
    assert report.blocked == {"needs_it": "waits for first"}
    assert not report.complete
    entry = next(entry for entry in runner.ledger if entry.event == "failed")
    assert (entry.task, entry.data) == ("first", {"code": code})
    assert entry.detail.startswith(reason)
    assert runner.ledger.verify().reason is None
    assert runner.plan.task("first").attempt == 1


@pytest.mark.parametrize("case", WORKERS)
def test_a_worker_that_fails_fails_its_task_alone(case: str) -> None:
    work, code, reason = WORKERS[case]
    require_told(plan_of(work), code, reason)


@pytest.mark.parametrize("case", AUDITORS)
def test_an_auditor_that_fails_fails_its_task_alone(case: str) -> None:
    audit, code, reason = AUDITORS[case]
    require_told(plan_of(lambda context: {"ok": True}, audit), code, reason)


@pytest.mark.parametrize("workers", [1, 4])
def test_a_worker_that_hangs_is_left_behind(workers: int) -> None:
    require_told(plan_of(hang, workers=workers, seconds=0.05), "worker-timeout", "no result within 0.05 s")


@pytest.mark.parametrize("workers", [1, 4])
def test_an_auditor_that_hangs_is_left_behind(workers: int) -> None:
    runner = plan_of(lambda context: {"ok": True}, hang, workers=workers, seconds=0.05)
    require_told(runner, "auditor-timeout", "auditor error: no result within 0.05 s")


def test_an_async_worker_is_awaited() -> None:
    assert plan_of(later).run().complete


def test_an_async_worker_is_awaited_from_inside_a_running_loop() -> None:
    async def outside() -> bool:
        return plan_of(later, workers=1).run().complete

    assert asyncio.run(outside())


def test_an_async_auditor_is_awaited() -> None:
    async def look(context: Any) -> Verdict:
        return Verdict.ok("straight")

    runner = plan_of(later, look)
    assert runner.run().complete
    assert any(entry.detail == "holds: straight" for entry in runner.ledger)


def test_a_failed_task_is_tried_again_by_the_next_round() -> None:
    world = World(raises={"dye": "no thread"})
    runner = Shape(((0, (), False), (1, (0,), False))).plan(world.registry())
    assert runner.run().failed == {"dye": "RuntimeError: no thread"}
    world.raises.clear()

    report = runner.run()

    assert report.executed == ("dye", "wool")
    assert runner.plan.task("dye").attempt == 2
    assert world.called[0] != world.called[1]


def test_a_retry_policy_is_a_number_of_rounds_in_a_row() -> None:
    registry, called = TaskRegistry(), []

    def work(context: Any) -> Any:
        called.append(context.attempt)
        raise RuntimeError("no thread")

    registry.register_worker("try.v1", work, retries=2)
    runner = Runner("weave", registry=registry)
    runner.task("dye", worker_key="try.v1", assumes="the mill turns")

    reports = [runner.run() for _ in range(5)]

    assert called == [1, 2, 3]
    assert all(report.failed == {"dye": "RuntimeError: no thread"} for report in reports)
    runner.repair("dye", assumes="the wind turns it")
    runner.run()
    assert called == [1, 2, 3, 4]


def test_an_attempt_has_one_id_until_something_came_of_it() -> None:
    registry, seen = TaskRegistry(), []

    def work(context: Any) -> Any:
        seen.append(context.attempt_id)
        if len(seen) == 1:
            raise KeyboardInterrupt
        return {"ok": True}

    registry.register_worker("try.v1", work)
    runner = Runner("weave", registry=registry, workers=1)
    runner.task("dye", worker_key="try.v1", assumes="the mill turns")
    with pytest.raises(KeyboardInterrupt):
        runner.run()
    runner.run()

    assert seen[0] == seen[1] == runner.plan.task("dye").node_id


def test_a_worker_cannot_change_what_others_are_handed() -> None:
    registry, seen = TaskRegistry(), []
    kept: dict[str, Any] = {"list": [1]}

    def spoil(context: Any) -> Any:
        seen.append(dict(context.inputs["dye"]))
        context.inputs["dye"]["list"].append(2)
        return {"ok": True}

    registry.register_worker("make.v1", lambda context: kept)
    registry.register_worker("spoil.v1", spoil)
    runner = Runner("weave", registry=registry, workers=1)
    runner.task("dye", worker_key="make.v1", assumes="the mill turns")
    for name in ("wool", "loom"):
        runner.task(name, worker_key="spoil.v1", assumes="thread is even", needs=["dye"])
    runner.run()
    kept["list"].append(3)

    assert runner.output("dye") == {"list": [1]}
    assert runner.plan.task("dye").output == {"list": [1]}


def test_the_ledger_is_the_callers_own_when_one_is_given() -> None:
    ledger = RunLedger()
    runner = Shape(((0, (), False),)).plan(World().registry(), ledger=ledger)
    runner.run()

    assert [entry.event for entry in ledger] == ["audited", "executed"]


def test_a_recheck_that_finds_a_result_right_takes_the_failure_back() -> None:
    blind = [False]

    def look(context: Any) -> Verdict:
        if blind[0]:
            raise OSError("no light")
        return Verdict.ok("straight")

    runner = plan_of(lambda context: {"ok": True}, look)
    assert runner.run().complete
    blind[0] = True
    assert runner.recheck().failed == {"first": "auditor error: OSError: no light"}
    assert runner.state("first") == "failed"
    blind[0] = False

    report = runner.recheck()

    assert (report.failed, report.executed, report.complete) == ({}, (), True)
    assert runner.run().executed == ()


def test_an_auditor_given_directly_has_the_timeout_of_its_task() -> None:
    hang = threading.Event()
    runner = Runner("weave")
    runner.task("dye", run=lambda context: {}, audit=lambda context: hang.wait(60), assumes="g", timeout=0.05)

    report = runner.run()
    hang.set()

    assert report.failures["dye"].code == "auditor-timeout"


def test_a_repair_with_another_callable_keeps_the_limits_of_the_task() -> None:
    hang = threading.Event()
    runner = Runner("weave")
    runner.task("dye", run=lambda context: {}, assumes="the mill turns", timeout=0.05, retries=0)
    runner.repair("dye", assumes="the well is deep", run=lambda context: hang.wait(60))

    first, second = runner.run(), runner.run()
    hang.set()

    assert first.failures["dye"].code == "worker-timeout"
    assert second.round == 2 and runner.plan.task("dye").attempt == 1, "no retries means none"


def test_a_timeout_longer_than_any_thread_can_wait_is_none() -> None:
    runner = Runner("weave")
    runner.task("dye", run=lambda context: {"slept": time.sleep(0.05)}, assumes="the mill turns", timeout=1e300)

    assert runner.run().complete


@pytest.mark.parametrize("given", [[["wool"]], [{}], [None]])
def test_a_need_that_is_no_text_is_refused(given: Any) -> None:
    with pytest.raises(InputError) as refused:
        Runner("weave").task("dye", run=dict, assumes="the mill turns", needs=given)
    assert refused.value.code == "blank-text"
