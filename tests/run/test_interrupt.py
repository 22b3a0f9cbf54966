"""Ctrl-C, and a polite word from another thread, leave a plan that goes on where it was."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from contextmesh.run import Runner, TaskRegistry
from contextmesh.run.interrupt import Terminated, terminable, uninterrupted
from tests.run.worlds import NAMES, everything


def plan(work: Any, *, workers: int) -> Runner:
    registry = TaskRegistry()
    registry.register_worker("w.v1", work)
    runner = Runner("weave", registry=registry, workers=workers)
    for number, name in enumerate(NAMES):
        runner.task(name, worker_key="w.v1", assumes="the mill turns", needs=NAMES[max(0, number - 1) : number])
    return runner


@pytest.mark.parametrize("workers", [1, 4])
def test_ctrl_c_in_a_worker_leaves_a_whole_plan_that_goes_on(workers: int) -> None:
    struck: list[str] = []

    def work(context: Any) -> Any:
        if context.name == "cloth" and not struck:
            struck.append(context.attempt_id)
            raise KeyboardInterrupt
        return {"made": context.name}

    runner = plan(work, workers=workers)
    with pytest.raises(KeyboardInterrupt):
        runner.run()

    assert runner.states() == dict(zip(NAMES, ["done"] * 3 + ["pending"] * 3, strict=True))
    assert runner.ledger.verify().reason is None
    everything(runner)
    report = runner.run()
    assert report.executed == NAMES[3:]
    assert report.complete
    assert runner.plan.task("cloth").node_id == struck[0]


def test_a_signal_while_something_is_recorded_waits_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = plan(lambda context: {"made": context.name}, workers=1)
    append = runner.ledger.append

    def striking(event: str, task: str, **about: Any) -> Any:
        if (event, task) == ("audited", "loom"):
            os.kill(os.getpid(), signal.SIGINT)
        return append(event, task, **about)

    runner.ledger.append = striking  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        runner.run()
    runner.ledger.append = append  # type: ignore[method-assign]

    # The decision, the rules and the ledger all have it, or none has.
    assert runner.state("loom") == "done"
    assert [entry.event for entry in runner.ledger if entry.task == "loom"] == ["audited", "executed"]
    assert runner.run().executed == NAMES[3:]


def test_a_block_that_must_be_whole_is_whole() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        done.append(True)

    assert done == [True]


@pytest.mark.parametrize("workers", [1, 4])
def test_a_round_that_is_cancelled_ends_after_what_is_being_recorded(workers: int) -> None:
    runner = plan(lambda context: {"made": context.name}, workers=workers)

    def stop(stage: str, done: int, total: int) -> None:
        if done == 2:
            runner.cancel()

    report = runner.run(progress=stop)

    assert report.cancelled
    assert not report.complete
    assert report.executed == NAMES[:2]
    assert report.cached == ()
    assert runner.run().executed == NAMES[2:]


def test_sigterm_ends_a_round_as_ctrl_c_does() -> None:
    struck: list[str] = []

    def work(context: Any) -> Any:
        if context.name == "cloth" and not struck:
            struck.append(context.attempt_id)
            os.kill(os.getpid(), signal.SIGTERM)
        return {"made": context.name}

    runner = plan(work, workers=1)
    with pytest.raises(Terminated):
        runner.run()

    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert runner.states() == dict(zip(NAMES, ["done"] * 3 + ["pending"] * 3, strict=True))
    assert runner.run().executed == NAMES[3:]


def test_sigterm_while_something_is_recorded_waits_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = plan(lambda context: {"made": context.name}, workers=1)
    append = runner.ledger.append

    def striking(event: str, task: str, **about: Any) -> Any:
        if (event, task) == ("audited", "loom"):
            os.kill(os.getpid(), signal.SIGTERM)
        return append(event, task, **about)

    monkeypatch.setattr(runner.ledger, "append", striking)
    with pytest.raises(Terminated):
        runner.run()

    assert [entry.event for entry in runner.ledger if entry.task == "loom"] == ["audited", "executed"]
    assert runner.state("loom") == "done"


def test_a_program_that_handles_sigterm_itself_goes_on_handling_it() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    try:
        runner = plan(lambda context: os.kill(os.getpid(), signal.SIGTERM) or {"made": context.name}, workers=1)
        assert runner.run().complete
    finally:
        signal.signal(signal.SIGTERM, before)

    assert len(seen) == len(NAMES)


def test_both_signals_within_one_block_are_one_interruption() -> None:
    done = []
    with pytest.raises(Terminated), terminable(), uninterrupted():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        done.append(True)

    assert done == [True]
