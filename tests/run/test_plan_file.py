"""``contextmesh.execution`` version 1: written exactly, read as untrusted, and refused without a trace."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from contextmesh.base.canon import pretty_bytes
from contextmesh.base.errors import (
    ExecutionCheckpointError,
    ExecutionSnapshotError,
    InputError,
    LedgerIntegrityError,
    Refusal,
)
from contextmesh.graph.graph import ContextGraph
from contextmesh.run import RunLedger, Runner, TaskRegistry
from contextmesh.run.plan_file import plan_from_bytes, plan_to_bytes
from tests.run.test_rounds import ran
from tests.run.worlds import World, everything

Data = dict[str, Any]


def stopped() -> Runner:
    """dye is mended and not run again; wool and cloth are stale, loom is done: all four fields of interest differ."""
    world, runner = ran()
    world.finds["dye"] = "disproved"
    runner.recheck()
    runner.repair("dye", worker_key="cloth.work.v2", assumes="the well is deep")
    return runner


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return everything(stopped())


@pytest.fixture(scope="module")
def graph(files: dict[str, bytes]) -> ContextGraph:
    return ContextGraph.from_json(json.loads(files["graph"]))


def read(data: bytes, graph: ContextGraph, ledger: RunLedger | None = None) -> Runner:
    return plan_from_bytes(data, "plan.json", graph=graph, registry=World().registry(), ledger=ledger)


def test_a_plan_is_written_back_byte_for_byte(files: dict[str, bytes]) -> None:
    graph = ContextGraph.from_json(json.loads(files["graph"]))

    runner = read(files["plan"], graph)

    assert plan_to_bytes(runner) == files["plan"]
    assert runner.states() == {"dye": "stale", "wool": "stale", "loom": "done", "cloth": "stale"}


def test_a_value_is_read_as_its_bytes_are(files: dict[str, bytes]) -> None:
    graph = ContextGraph.from_json(json.loads(files["graph"]))

    runner = Runner.from_snapshot(json.loads(files["plan"]), graph=graph, registry=World().registry())

    assert runner.snapshot() == json.loads(files["plan"])


def task(number: int, **changes: Any) -> Callable[[Data], None]:
    def bend(data: Data) -> None:
        data["tasks"][number].update(changes)

    return bend


def top(**changes: Any) -> Callable[[Data], None]:
    def bend(data: Data) -> None:
        data.update(changes)

    return bend


def drop(name: str, number: int | None = None) -> Callable[[Data], None]:
    def bend(data: Data) -> None:
        del (data if number is None else data["tasks"][number])[name]

    return bend


def twice(data: Data) -> None:
    data["tasks"].append(copy.deepcopy(data["tasks"][2]))


WRONG: dict[str, tuple[Callable[[Data], None], str, str]] = {
    "another schema": (top(schema="contextmesh.graph"), "wrong-schema", "$.schema"),
    "version true": (top(version=True), "wrong-version", "$.version"),
    "version 2": (top(version=2), "wrong-version", "$.version"),
    "no plan name": (top(plan=""), "out-of-range", "$.plan"),
    "a negative round": (top(round=-1), "out-of-range", "$.round"),
    "a true round": (top(round=True), "wrong-type", "$.round"),
    "tasks no array": (top(tasks={}), "wrong-type", "$.tasks"),
    "a key too many": (top(extra=1), "unknown-key", "$.extra"),
    "a key too few": (drop("round"), "missing-key", "$"),
    "a field too many": (task(1, note="x"), "unknown-key", "$.tasks[1].note"),
    "a field too few": (drop("title", 1), "missing-key", "$.tasks[1]"),
    "an empty name": (task(1, name=""), "out-of-range", "$.tasks[1].name"),
    "a title that is no text": (task(1, title=None), "wrong-type", "$.tasks[1].title"),
    "a state nobody knows": (task(1, state="blocked"), "unknown-word", "$.tasks[1].state"),
    "a true attempt": (task(1, attempt=True), "wrong-type", "$.tasks[1].attempt"),
    "a negative attempt": (task(1, attempt=-1), "out-of-range", "$.tasks[1].attempt"),
    "needs that are one text": (task(1, needs="dye"), "wrong-type", "$.tasks[1].needs"),
    "a need that is a number": (task(1, needs=[1]), "wrong-type", "$.tasks[1].needs[0]"),
    "no worker key": (task(1, worker_key=None), "wrong-type", "$.tasks[1].worker_key"),
    "a key with a space": (task(1, worker_key="cloth work"), "bad-key", "$.tasks[1].worker_key"),
    "a key with a control": (task(1, auditor_key="a\u0007"), "bad-key", "$.tasks[1].auditor_key"),
    "an empty node id": (task(1, node_id=""), "out-of-range", "$.tasks[1].node_id"),
    "no assumption": (task(1, assumption_id=None), "wrong-type", "$.tasks[1].assumption_id"),
    "an output that is a list": (task(1, output=[]), "wrong-type", "$.tasks[1].output"),
    "two tasks of one name": (twice, "two-tasks", "$.tasks[4].name"),
    "a need that is no task": (task(1, needs=["dyes"]), "unknown-need", "$.tasks[1].needs"),
    "a need of itself": (task(1, needs=["wool"]), "cycle", "$.tasks[1].needs"),
    "a circle": (task(0, needs=["cloth"]), "cycle", "$.tasks[0].needs"),
    "an unknown assumption": (task(1, assumption_id="assumption:x"), "unknown-id", "$.tasks[1].assumption_id"),
    "another statement": (task(1, assumes="the mill stands"), "statement-differs", "$.tasks[1].assumes"),
    "an unknown decision": (task(1, node_id="decision:x"), "unknown-id", "$.tasks[1].node_id"),
    "an entity as decision": (task(1, node_id="entity:dye-made-X"), "unknown-id", "$.tasks[1].node_id"),
    "an unknown artefact": (task(1, artefacts=["entity:x"]), "unknown-id", "$.tasks[1].artefacts[0]"),
    "done without a decision": (task(2, node_id=None), "not-done", "$.tasks[2].state"),
    "done without an attempt": (task(2, attempt=0), "not-done", "$.tasks[2].state"),
    "done and fallen": (task(1, state="done"), "not-done", "$.tasks[1].state"),
    "another plan": (top(plan="knit"), "unknown-id", "$.plan"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_plan_is_refused_with_its_place_and_leaves_no_trace(
    case: str, files: dict[str, bytes], graph: ContextGraph
) -> None:
    bend, code, path = WRONG[case]
    data = json.loads(files["plan"])
    bend(data)
    seq, facts = graph.store.seq, graph.store.engine.count("planned")

    with pytest.raises(ExecutionSnapshotError) as refused:
        read(pretty_bytes(data), graph)

    assert (refused.value.code, dict(refused.value.problem.fields).get("path")) == (code, path)
    assert refused.value.problem.where is not None and refused.value.problem.where.line is not None
    assert (graph.store.seq, graph.store.engine.count("planned")) == (seq, facts)


def test_a_decision_of_another_plan_is_refused(files: dict[str, bytes]) -> None:
    other = ContextGraph.from_json(json.loads(files["graph"]))
    book = other.add_node("source", "Log book", attrs={"origin": "mill", "retrieved_at": "2025-01-01"})
    foreign = other.decide("Weave by hand", rationale="It is finer.", source=book.id)
    data = json.loads(files["plan"])
    data["tasks"][1]["node_id"] = foreign.id

    with pytest.raises(ExecutionSnapshotError) as refused:
        read(pretty_bytes(data), other)
    assert refused.value.code == "foreign-decision"


BROKEN_TEXTS = {
    "duplicate-key": b'{"plan": "a", "plan": "b"}',
    "not-finite": b'{"plan": NaN}',
    "damaged-file": b'{"plan": ',
    "byte-order-mark": b"\xef\xbb\xbf{}",
    "not-utf-8": b'{"plan": "\xff"}',
    "wrong-type": b"[]",
}


@pytest.mark.parametrize("code", BROKEN_TEXTS)
def test_a_text_that_is_no_plan_is_refused(code: str, graph: ContextGraph) -> None:
    with pytest.raises(ExecutionSnapshotError) as refused:
        read(BROKEN_TEXTS[code], graph)
    assert refused.value.code == code


def test_every_missing_key_is_told_with_its_task(files: dict[str, bytes], graph: ContextGraph) -> None:
    registry, seq = TaskRegistry(), graph.store.seq
    registry.register_worker("cloth.work.v1", World().work)

    with pytest.raises(ExecutionCheckpointError) as refused:
        plan_from_bytes(files["plan"], "plan.json", graph=graph, registry=registry)

    assert [(p.code, p.subject) for p in refused.value.problems] == [
        ("unknown-worker", "cloth.work.v2"),
        ("unknown-auditor", "cloth.look.v1"),
    ]
    assert "the task dye is bound to it" in str(refused.value)
    assert graph.store.seq == seq


def test_of_many_missing_keys_the_first_are_told_and_the_rest_counted() -> None:
    registry = TaskRegistry()
    runner = Runner("weave", registry=registry)
    for number in range(30):
        registry.register_worker(f"w{number}.v1", World().work)
        runner.task(f"task {number}", worker_key=f"w{number}.v1", assumes="the mill turns")
    files, graph = runner.snapshot(), runner.graph

    with pytest.raises(ExecutionCheckpointError) as refused:
        Runner.from_snapshot(files, graph=graph, registry=TaskRegistry())
    assert len(refused.value.problems) == 21
    assert refused.value.problems[-1].message == "and 10 more"
    with pytest.raises(Refusal) as refused_too:
        runner.rebind(TaskRegistry())
    assert [p.code for p in refused_too.value.problems] == ["unknown-worker"] * 20 + ["more-problems"]


NO_REGISTRY: dict[str, Callable[[Runner], object]] = {
    "to rebind to": lambda runner: runner.rebind(3),  # type: ignore[arg-type]
    "to begin with": lambda runner: Runner("weave", registry=3),  # type: ignore[arg-type]
    "to restore with": lambda runner: Runner.from_snapshot(runner.snapshot(), graph=runner.graph, registry=3),  # type: ignore[arg-type]
    "and workers by number": lambda runner: runner.rebind(workers=["dye"]),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", NO_REGISTRY)
def test_what_is_no_registry_is_refused_as_such(case: str) -> None:
    _, runner = ran()
    with pytest.raises(InputError) as refused:
        NO_REGISTRY[case](runner)
    assert refused.value.code == "wrong-type"
    assert runner.run().complete


def test_a_task_named_by_a_number_is_unknown() -> None:
    _, runner = ran()
    with pytest.raises(InputError) as refused:
        runner.rebind(workers={3: "cloth.work.v1"})  # type: ignore[dict-item]
    assert (refused.value.code, refused.value.problem.subject) == ("unknown-task", "3")


def test_a_ledger_of_another_plan_is_refused(files: dict[str, bytes], graph: ContextGraph) -> None:
    ledger = RunLedger()
    ledger.append("cached", "knitting", round=1)

    with pytest.raises(LedgerIntegrityError) as refused:
        read(files["plan"], graph, ledger)
    assert refused.value.code == "unknown-id"
    assert str(refused.value) == "$.entries[0].task names knitting, which is no task of the plan"


def test_a_plan_with_plain_callables_cannot_be_written_and_says_which() -> None:
    runner = Runner("weave", registry=World().registry())
    runner.task("dye", run=lambda context: {}, assumes="the mill turns")
    runner.task("wool", worker_key="cloth.work.v1", audit=lambda context: context.ok(), assumes="thread is even")
    runner.task("loom", worker_key="cloth.work.v1", assumes="thread is even")

    with pytest.raises(ExecutionCheckpointError) as refused:
        runner.snapshot()
    told = [(p.code, p.subject, dict(p.fields)["what"]) for p in refused.value.problems]
    assert told == [("no-key", "dye", "worker"), ("no-key", "wool", "auditor")]

    runner.rebind(workers={"dye": "cloth.work.v1"}, auditors={"wool": "cloth.look.v1"})
    runner.require_checkpointable()


def test_rebinding_is_all_or_nothing() -> None:
    _, runner = ran()
    registry = TaskRegistry()
    registry.register_worker("cloth.work.v1", World().work)
    before = runner.describe()

    with pytest.raises(Refusal) as refused:
        runner.rebind(registry)

    assert refused.value.code == "unknown-auditor"
    assert runner.describe() == before
    assert runner.run().complete


def test_a_plain_callable_does_not_take_the_place_of_a_key() -> None:
    _, runner = ran()

    with pytest.raises(Refusal) as refused:
        runner.repair("dye", run=lambda context: {}, assumes="the well is deep")
    assert refused.value.code == "keyed-task"
    assert runner.state("dye") == "done"


def test_a_plan_describes_itself_by_keys() -> None:
    _, runner = ran()

    described = runner.describe()

    assert json.loads(json.dumps(described)) == described
    assert [row["worker_key"] for row in described["tasks"]] == ["cloth.work.v1"] * 4


def other_code(context: Any) -> Any:
    return {"made": "otherwise"}


@pytest.mark.parametrize("mode", ["warn", "refuse", "ignore"])
def test_changed_code_under_an_old_key_is_a_notice_or_a_refusal(mode: str, files: dict[str, bytes]) -> None:
    graph = ContextGraph.from_json(json.loads(files["graph"]))
    registry, seq = TaskRegistry(), graph.store.seq
    registry.register_worker("cloth.work.v1", other_code)
    registry.register_worker("cloth.work.v2", World().work)
    registry.register_auditor("cloth.look.v1", World().audit)
    data = json.loads(files["plan"])

    def restore() -> Runner:
        return Runner.from_snapshot(data, graph=graph, registry=registry, on_changed_worker=mode)

    if mode == "refuse":
        with pytest.raises(ExecutionSnapshotError) as refused:
            restore()
        assert [p.subject for p in refused.value.problems] == ["wool", "loom", "cloth"]
        assert {p.code for p in refused.value.problems} == {"changed-worker"}
        assert graph.store.seq == seq
    else:
        notices = restore().notices
        assert [p.subject for p in notices] == ([] if mode == "ignore" else ["wool", "loom", "cloth"])


def test_any_state_of_a_foreign_file_but_done_may_name_any_decision(files: dict[str, bytes]) -> None:
    for state in ("pending", "stale", "failed"):
        graph = ContextGraph.from_json(json.loads(files["graph"]))
        data = json.loads(files["plan"])
        data["tasks"][2]["state"] = state

        runner = read(pretty_bytes(data), graph)

        assert runner.state("loom") == state
        assert plan_to_bytes(runner) == pretty_bytes(data)
        assert "loom" in runner.run().executed


def test_a_task_that_a_file_calls_stale_before_its_first_run_keeps_the_word(files: dict[str, bytes]) -> None:
    graph = ContextGraph.from_json(json.loads(files["graph"]))
    data = json.loads(files["plan"])
    data["tasks"][2].update(state="stale", node_id=None, artefacts=[], attempt=0, output={})

    runner = read(pretty_bytes(data), graph)

    assert plan_to_bytes(runner) == pretty_bytes(data)
    runner.run()
    assert runner.state("loom") == "done"
