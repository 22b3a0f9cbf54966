"""A round costs what changed: counted in what the engine evaluates and derives, never in seconds."""

from __future__ import annotations

import pytest

from contextmesh.base.canon import digest
from contextmesh.datalog.events import Derived, Event, Withdrawn
from contextmesh.run import Runner, TaskRegistry, Verdict, record, recording
from contextmesh.run import task as tasks
from contextmesh.run.rounds import TOLD_SINGLY

SMALL, LARGE = 60, 240


class Counted:
    """A plan and a listener on its engine."""

    def __init__(self, count: int, shape: str) -> None:
        self.rows = 0
        self.bad: set[str] = set()
        registry = TaskRegistry()
        registry.register_worker("w.v1", lambda context: {"n": context.name, "at": context.attempt})
        registry.register_auditor("a.v1", self.look)
        self.runner = Runner("weave", registry=registry)
        for number in range(count):
            last = number == count - 1
            self.runner.task(
                f"task {number}",
                worker_key="w.v1",
                auditor_key="a.v1" if last else None,
                assumes=f"ground {number}",
                needs=[f"task {number - 1}"] if shape == "chain" and number else [],
                produces=[f"thing {number}"],
            )
        self.runner.graph.store.engine.listener = self.hear

    def look(self, context) -> Verdict:  # type: ignore[no-untyped-def]
        return context.disproved("no more") if context.name in self.bad else context.ok("fine")

    def hear(self, event: Event) -> None:
        if isinstance(event, Derived | Withdrawn):
            self.rows += len(event.rows)

    def cost(self, work) -> int:  # type: ignore[no-untyped-def]
        before = self.rows
        work()
        return self.rows - before


def broken_and_mended(count: int, shape: str) -> dict[str, int]:
    """What each step derives, in rows; only the last task is touched."""
    plan = Counted(count, shape)
    runner, last = plan.runner, f"task {count - 1}"
    costs = {"first": plan.cost(runner.run)}
    entries = len(runner.ledger)
    costs["idle"] = plan.cost(runner.run)
    costs["idle entries"] = len(runner.ledger) - entries if count > TOLD_SINGLY else 1
    plan.bad.add(last)
    costs["recheck"] = plan.cost(runner.recheck)
    plan.bad.clear()
    costs["repair"] = plan.cost(lambda: runner.repair(last, assumes="another ground"))
    costs["again"] = plan.cost(runner.run)
    assert runner.run().complete
    return costs


@pytest.mark.parametrize("shape", ["chain", "flat"])
def test_a_round_derives_what_changed_however_large_the_plan_is(shape: str) -> None:
    small, large = broken_and_mended(SMALL, shape), broken_and_mended(LARGE, shape)

    for step in ("idle", "recheck", "repair", "again"):
        assert large[step] <= small[step] + 5, step
    assert large["idle entries"] == 1


@pytest.mark.parametrize("shape", ["chain", "flat"])
def test_a_plan_costs_in_proportion_to_its_tasks(shape: str) -> None:
    small, large = Counted(SMALL, shape), Counted(LARGE, shape)

    ratio = large.cost(large.runner.run) / small.cost(small.runner.run)

    assert ratio < 1.15 * LARGE / SMALL


def test_the_receipt_of_a_long_chain_is_not_quadratic() -> None:
    sizes = []
    for count in (SMALL, LARGE):
        plan = Counted(count, "chain")
        plan.runner.plan.tasks["task 0"].auditor = plan.runner.registry.auditor("a.v1")
        plan.runner.run()
        plan.bad.add("task 0")
        report = plan.runner.recheck()
        assert len(report.invalidations[0]["invalidated"]) == 2 * count
        sizes.append(sum(len(entry.detail) + len(str(entry.data)) for entry in plan.runner.ledger))

    assert sizes[1] < 1.5 * sizes[0] * LARGE / SMALL


def test_a_long_chain_of_reasons_keeps_its_root_its_end_and_its_length() -> None:
    plan = Counted(SMALL, "chain")
    plan.runner.plan.tasks["task 0"].auditor = plan.runner.registry.auditor("a.v1")
    plan.runner.run()
    plan.bad.add("task 0")
    plan.runner.recheck()

    (receipt,) = plan.runner.ledger.receipts()

    last = receipt["invalidated"][plan.runner.plan.task(f"task {SMALL - 1}").node_id]
    assert last[0] == "assumption(ground 0)"
    assert last[1] == f"… {SMALL - 4} steps …"
    assert last[-1] == f"Task {SMALL - 1}"
    assert len(last) == 10


def test_an_output_that_many_tasks_take_is_digested_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    for module in (tasks, recording, record):
        monkeypatch.setattr(module, "digest", lambda value: (sizes.append(len(str(value))), digest(value))[1])
    runner = Runner("weave")
    runner.task("dye", run=lambda context: {"colours": "red " * 1000}, assumes="the river runs clear")
    for number in range(20):
        runner.task(f"wool {number}", run=lambda context: {"made": 1}, assumes="the mill turns", needs=["dye"])

    assert runner.run().complete
    assert len([size for size in sizes if size >= 4000]) == 1
