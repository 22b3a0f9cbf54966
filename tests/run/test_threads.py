"""Workers in threads may call the graph; a change of a plan and a round never overlap."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from contextmesh import ContextGraph
from contextmesh.base.errors import InputError, OntologyError
from contextmesh.run import Runner

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_workers_and_auditors_in_threads_write_to_the_graph_of_their_plan() -> None:
    runner = Runner("weave", workers=8)
    graph = runner.graph

    def work(context: Any) -> Any:
        thing = graph.add_node("entity", f"bale {context.name}", attrs={"canonical": context.name, "aliases": []})
        assert graph.is_live(thing.id) and not graph.edges_from(thing.id)
        return {"bale": thing.id}

    def audit(context: Any) -> Any:
        seen = graph.add_node("evidence", f"{context.name} is damp", attrs={"kind": "observation"})
        return context.disproved("it is damp", evidence=seen.id) if context.name == "task 7" else context.ok()

    for number in range(60):
        name = f"task {number}"
        runner.task(name, run=work, audit=audit, assumes=f"ground {number}", produces=[f"cloth {number}"])
    report = runner.run()

    assert (len(report.executed), report.failed, list(report.blocked)) == (59, {}, ["task 7"])
    assert len(graph.query("node(X, evidence), live(X)").rows) >= 60
    assert ContextGraph.from_json(graph.to_json()).to_json() == graph.to_json()
    assert runner.ledger.verify().reason is None


def test_plans_over_one_graph_run_at_once() -> None:
    graph = ContextGraph()
    runners = [Runner(f"plan {number}", graph=graph, workers=2) for number in range(3)]
    done: list[int] = []
    for runner in runners:
        for number in range(20):
            runner.task(f"task {number}", run=lambda context: {"n": context.name}, assumes=f"ground {number % 4}")
    threads = [threading.Thread(target=lambda one=one: done.append(len(one.run().executed))) for one in runners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)

    assert done == [20, 20, 20]
    assert ContextGraph.from_json(graph.to_json()).to_json() == graph.to_json()


def test_a_batch_that_another_thread_overtakes_is_refused_and_holds_nobody_up() -> None:
    graph = ContextGraph()
    with pytest.raises(OntologyError) as refused, graph.batch("by hand") as batch:
        batch.add_node("evidence", "the mill stands still", attrs={"kind": "observation"})
        other = threading.Thread(
            target=lambda: graph.add_node("evidence", "the well is dry", attrs={"kind": "observation"})
        )
        other.start()
        other.join(PATIENCE)
        assert not other.is_alive()

    assert refused.value.code == "stale-transaction"
    assert [node.label for node in graph.live_nodes("evidence")] == ["the well is dry"]


def test_no_round_begins_in_the_middle_of_a_repair() -> None:
    began, finish, ran = threading.Event(), threading.Event(), threading.Event()
    seen: list[str] = []

    def work(context: Any) -> Any:
        seen.append(context.assumes)
        ran.set()
        return {}

    def products() -> Iterator[str]:
        began.set()
        assert finish.wait(PATIENCE)
        yield "cloth"

    runner = Runner("weave", workers=1)
    runner.task("dye", run=work, assumes="the mill turns")
    repair = threading.Thread(
        target=lambda: runner.repair("dye", assumes="the well is deep", produces=products())  # type: ignore[arg-type]
    )
    repair.start()
    assert began.wait(PATIENCE)
    round_ = threading.Thread(target=runner.run)
    round_.start()
    assert not ran.wait(0.3)
    finish.set()
    repair.join(PATIENCE)
    round_.join(PATIENCE)

    assert seen == ["the well is deep"]
    assert (runner.round, runner.state("dye"), runner.plan.task("dye").produces) == (1, "done", ("cloth",))


def test_a_plan_is_changed_looked_at_and_run_by_many_threads() -> None:
    runner = Runner("weave", workers=2)
    for number in range(8):
        runner.task(f"task {number}", run=lambda context: {}, assumes=f"ground {number}")
    wrong: list[BaseException] = []

    def often(call: Any, times: int) -> threading.Thread:
        def calls() -> None:
            for number in range(times):
                try:
                    call(number)
                except InputError as refused:
                    if refused.code != "round-running":
                        wrong.append(refused)
                except BaseException as error:
                    wrong.append(error)

        return threading.Thread(target=calls)

    threads = [
        often(lambda number: runner.task(f"more {number}", run=lambda context: {}, assumes=f"more {number}"), 60),
        often(lambda number: runner.repair("task 1", assumes=f"repaired {number}"), 25),
        often(lambda number: runner.states(), 60),
        often(lambda number: runner.run(), 10),
        often(lambda number: runner.rebind(), 25),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)

    assert wrong == []
    assert runner.run().complete
    assert set(runner.states().values()) == {"done"}
