"""A plan has one round at a time, and nothing changes what a round goes by while it goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from contextmesh.base.errors import InputError
from contextmesh.run import Runner, TaskRegistry

CALLS: dict[str, Callable[[Runner], object]] = {
    "run": lambda runner: runner.run(),
    "recheck": lambda runner: runner.recheck(),
    "repair": lambda runner: runner.repair("wool", assumes="sheep are shorn in June"),
    "rebind": lambda runner: runner.rebind(),
    "task": lambda runner: runner.task("coat", run=dict, assumes="thread is even"),
}


class Nosy:
    """A worker and auditor that call what they should not, and note the code of the refusal."""

    def __init__(self) -> None:
        self.call: Callable[[Runner], object] = lambda runner: None
        self.codes: list[str] = []

    def try_it(self) -> None:
        try:
            self.call(self.runner)
        except InputError as refused:
            self.codes.append(refused.code)

    def plan(self, workers: int) -> Runner:
        registry = TaskRegistry()
        registry.register_worker("w.v1", self.work)
        registry.register_auditor("a.v1", self.audit)
        self.runner = Runner("weave", registry=registry, workers=workers)
        for name in ("dye", "wool"):
            self.runner.task(name, worker_key="w.v1", auditor_key="a.v1", assumes=f"{name} is dry")
        return self.runner

    def work(self, context: Any) -> Any:
        self.try_it()
        return {"made": context.name}

    def audit(self, context: Any) -> Any:
        self.try_it()
        return context.ok("it is straight")


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", CALLS)
def test_a_worker_or_auditor_cannot_start_a_round_or_change_the_plan_of_its_own(name: str, workers: int) -> None:
    nosy = Nosy()
    runner = nosy.plan(workers)
    nosy.call = CALLS[name]

    report = runner.run()
    assert report.complete
    assert (report.round, report.executed) == (1, ("dye", "wool"))
    assert nosy.codes == ["round-running"] * 4
    assert runner.recheck().audited == ("dye", "wool")
    assert nosy.codes == ["round-running"] * 6
    assert list(runner.plan.tasks) == ["dye", "wool"]
    assert [entry.event for entry in runner.ledger] == ["audited", "executed"] * 2 + ["audited"] * 2

    nosy.call = lambda runner: None
    assert runner.run().cached == ("dye", "wool")


def test_a_worker_that_lets_the_refusal_pass_fails_its_task() -> None:
    registry = TaskRegistry()
    registry.register_worker("w.v1", lambda context: runner.run())
    runner = Runner("weave", registry=registry, workers=1)
    runner.task("dye", worker_key="w.v1", assumes="the mill turns")

    report = runner.run()

    assert report.failed == {
        "dye": "InputError: a round of the plan weave is running, and run() would change what it goes by"
    }
    assert runner.round == 1


def test_of_two_threads_that_start_a_round_one_is_refused() -> None:
    started, finish = threading.Event(), threading.Event()

    def work(context: Any) -> Any:
        started.set()
        assert finish.wait(20)
        return {}

    runner = Runner("weave", workers=1)
    runner.task("dye", run=work, assumes="the mill turns")
    first = threading.Thread(target=runner.run)
    first.start()
    assert started.wait(20)
    with pytest.raises(InputError) as refused:
        runner.run()
    finish.set()
    first.join(20)

    assert refused.value.code == "round-running"
    assert (runner.round, runner.state("dye")) == (1, "done")


def test_a_progress_callback_may_cancel_and_not_repair() -> None:
    runner = Runner("weave", workers=1)
    for name in ("dye", "wool"):
        runner.task(name, run=lambda context: {}, assumes=f"{name} is dry")

    def tick(stage: str, done: int, total: int) -> None:
        runner.repair("dye", assumes="the well is deep")

    with pytest.raises(InputError) as refused:
        runner.run(progress=tick)
    assert refused.value.code == "round-running"
    assert runner.run(progress=lambda stage, done, total: runner.cancel()).cancelled
