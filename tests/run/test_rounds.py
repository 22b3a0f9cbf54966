"""What a round does: what runs, what stands, what waits; and what it leaves in the graph."""

from __future__ import annotations

import pytest

from contextmesh.base.errors import InputError, Refusal
from contextmesh.graph.graph import ContextGraph
from contextmesh.run import Runner, TaskRegistry
from tests.run.worlds import NAMES, Shape, World

LADDER = Shape(((0, (), True), (1, (0,), False), (2, (), False), (3, (1, 2), False)))
"""dye → wool → cloth, and loom → cloth; only dye is audited."""


def ran() -> tuple[World, Runner]:
    world = World()
    runner = LADDER.plan(world.registry())
    runner.run()
    return world, runner


def events(runner: Runner, *, after: int = 0) -> list[tuple[str, str]]:
    return [(entry.event, entry.task) for entry in list(runner.ledger)[after:]]


def test_layers_stand_in_the_order_of_declaration() -> None:
    _, runner = ran()

    assert runner.layers == (("dye", "loom"), ("wool",), ("cloth",))


def test_the_first_round_executes_everything_and_the_second_nothing() -> None:
    _, runner = ran()

    report = runner.run()

    assert report.executed == ()
    assert report.cached == ("dye", "wool", "loom", "cloth")
    assert report.complete


def test_a_disproved_ground_takes_down_what_stood_on_it_and_nothing_runs_until_it_is_mended() -> None:
    world, runner = ran()
    world.finds["dye"] = "disproved"
    report = runner.recheck()

    assert (report.executed, report.audited) == ((), ("dye",))
    assert runner.states() == {"dye": "stale", "wool": "stale", "loom": "done", "cloth": "stale"}
    waiting = runner.run()
    assert waiting.executed == ()
    assert waiting.cached == ("loom",)
    assert waiting.blocked == {
        "dye": "its ground was rejected: the river runs clear",
        "wool": "waits for dye",
        "cloth": "waits for wool",
    }


def test_after_a_repair_only_what_fell_is_executed_again() -> None:
    world, runner = ran()
    world.finds["dye"] = "disproved"
    runner.recheck()
    world.finds.clear()
    world.yields["dye"] = "another red"
    runner.repair("dye", worker_key="cloth.work.v2", assumes="the well is deep")
    before = len(world.called)

    report = runner.run()

    # wool runs, for what it takes has changed; it returns what it always returns, so cloth need not.
    assert report.executed == ("dye", "wool")
    assert report.cached == ("loom", "cloth")
    assert len(world.called) - before == len(report.executed)
    assert report.complete


def test_the_ledger_tells_a_disproof_in_the_order_in_which_it_happened() -> None:
    world, runner = ran()
    seen = len(runner.ledger)
    world.finds["dye"] = "disproved"
    runner.recheck()
    runner.repair("dye", worker_key="cloth.work.v2", assumes="the well is deep")

    assert events(runner, after=seen) == [
        ("audited", "dye"),
        ("disproved", "dye"),
        ("invalidated", "dye"),
        ("invalidated", "wool"),
        ("invalidated", "cloth"),
        ("repaired", "dye"),
    ]
    chain = runner.ledger.entry(seen + 4).detail
    assert chain == "assumption(the river runs clear) → <-depends_on- → Dye → <-depends_on- → Wool"


def test_a_rejected_ground_stays_rejected() -> None:
    world, runner = ran()
    world.finds["dye"] = "disproved"
    runner.recheck()
    runner.repair("dye", worker_key="cloth.work.v2", assumes="the well is deep")

    with pytest.raises(Refusal) as back:
        runner.repair("dye", assumes="the river runs clear")
    assert back.value.code == "ground-not-active"
    old = runner.graph.query("status(A, rejected), named(A, 'the river runs clear')").rows
    assert len(old) == 1


def test_a_new_decision_supersedes_the_fallen_one_and_an_artefact_returns_under_its_id() -> None:
    world, runner = ran()
    first = runner.plan.task("dye").node_id
    artefact = runner.plan.task("dye").artefacts
    world.finds["dye"] = "disproved"
    runner.recheck()
    assert not runner.graph.is_live(artefact[0])
    runner.repair("dye", worker_key="cloth.work.v2", assumes="the well is deep")
    world.finds.clear()
    runner.run()

    second = runner.plan.task("dye").node_id
    assert first is not None and second is not None
    assert [node.id for node in runner.graph.lineage(second)] == [first, second]
    assert not runner.graph.is_live(first)
    assert runner.plan.task("dye").artefacts == artefact
    assert runner.graph.is_live(artefact[0])


def test_an_artefact_that_is_no_longer_produced_stays_fallen() -> None:
    world, runner = ran()
    artefact = runner.plan.task("dye").artefacts[0]
    world.finds["dye"] = "disproved"
    runner.recheck()
    world.finds.clear()
    runner.repair("dye", worker_key="cloth.work.v2", assumes="the well is deep", produces=["Well Dye"])
    runner.run()

    assert not runner.graph.is_live(artefact)
    assert [runner.graph.node(name).label for name in runner.plan.task("dye").artefacts] == ["Well Dye"]


def test_a_disproof_during_a_run_blocks_the_task_and_rejects_its_ground() -> None:
    world = World(finds={"dye": "disproved"})
    runner = LADDER.plan(world.registry())

    report = runner.run()

    assert report.executed == ("loom",)
    assert list(report.blocked) == ["dye", "wool", "cloth"]
    assert [receipt["disproved_by"] for receipt in report.invalidations] == ["dye"]
    assert ("invalidated", "dye") in events(runner)
    assert runner.plan.task("dye").attempt == 1
    assert runner.plan.task("dye").node_id is None


def test_a_result_is_dropped_when_its_ground_fell_in_the_same_wave() -> None:
    world = World(finds={"dye": "disproved"})
    both = Shape(((0, (), True), (0, (), False)))
    runner = both.plan(world.registry())

    report = runner.run()

    assert report.executed == ()
    assert list(report.blocked) == ["dye", "wool"]
    assert len(report.invalidations) == 1


def test_an_auditor_may_name_the_evidence_that_disproves() -> None:
    graph = ContextGraph()
    book = graph.add_node("source", "Log book", attrs={"origin": "mill", "retrieved_at": "2025-01-01"})
    seen = graph.submit_evidence("mud on the third of May", source_id=book.id)
    registry = TaskRegistry()
    registry.register_worker("w.v1", lambda context: {"ok": True})
    registry.register_auditor("a.v1", lambda context: context.disproved("mud was seen", seen.id))
    runner = Runner("weave", registry=registry, graph=graph)
    runner.task("dye", worker_key="w.v1", auditor_key="a.v1", assumes=NAMES[0])

    report = runner.run()

    assert report.invalidations[0]["evidence_id"] == seen.id
    assert graph.status(runner.plan.task("dye").assumption_id) == "rejected"


def test_an_auditor_is_handed_the_evidence_that_is_recorded() -> None:
    handed: list[tuple[str, ...]] = []
    graph = ContextGraph()
    book = graph.add_node("source", "Log book", attrs={"origin": "mill", "retrieved_at": "2025-01-01"})
    seen = graph.submit_evidence("mud on the third of May", source_id=book.id)
    ground = graph.assume("the river runs clear")
    graph.add_edge(seen.id, "contradicts", ground.id)
    registry = TaskRegistry()
    registry.register_worker("w.v1", lambda context: {"ok": True})

    def look(context):  # type: ignore[no-untyped-def]
        handed.append(context.evidence)
        return context.disproved("it is recorded", context.evidence[0])

    registry.register_auditor("a.v1", look)
    runner = Runner("weave", registry=registry, graph=graph)
    runner.task("dye", worker_key="w.v1", auditor_key="a.v1", assumes="the river runs clear")
    runner.run()

    assert handed == [(seen.id,)]
    assert graph.status(ground.id) == "rejected"


def test_evidence_that_is_none_fails_the_task_and_rejects_nothing() -> None:
    registry = TaskRegistry()
    registry.register_worker("w.v1", lambda context: {"ok": True})
    registry.register_auditor("a.v1", lambda context: context.disproved("trust me", "evidence:nowhere"))
    runner = Runner("weave", registry=registry)
    runner.task("dye", worker_key="w.v1", auditor_key="a.v1", assumes="the river runs clear")

    report = runner.run()

    assert report.failures["dye"].code == "unknown-node"
    assert runner.graph.status(runner.plan.task("dye").assumption_id) == "active"


def test_a_task_grounded_anew_without_any_disproof_is_due_again() -> None:
    _, runner = ran()

    runner.repair("dye", assumes="the well is deep")

    assert runner.state("dye") == "stale"
    assert "dye" in runner.run().executed


def test_two_plans_of_one_name_over_one_graph_do_not_speak_for_each_other() -> None:
    world = World()
    first = LADDER.plan(world.registry())
    first.run()
    second = Runner("weave", registry=world.registry(), graph=first.graph)
    second.task("dye", worker_key="cloth.work.v1", assumes="the river runs clear")

    assert second.state("dye") == "pending"
    report = second.run()
    assert report.executed == ("dye",)
    assert first.states() == {"dye": "done", "wool": "done", "loom": "done", "cloth": "done"}


BAD_PLANS = {
    "unknown-need": [("dye", ["wolo"]), ("wool", [])],
    "cycle": [("dye", ["wool"]), ("wool", ["loom"]), ("loom", ["dye"])],
}


@pytest.mark.parametrize("code", BAD_PLANS)
def test_a_plan_that_cannot_be_ordered_is_refused_before_anything_is_written(code: str) -> None:
    runner = Runner("weave", registry=World().registry())
    for name, needs in BAD_PLANS[code]:
        runner.task(name, worker_key="cloth.work.v1", assumes="the mill turns", needs=needs)

    with pytest.raises(InputError) as refused:
        runner.run()

    assert refused.value.code == code
    assert len(runner.graph.store.nodes) == 0


def test_a_cycle_is_told_by_the_names_around_it() -> None:
    runner = Runner("weave", registry=World().registry())
    for name, needs in BAD_PLANS["cycle"]:
        runner.task(name, worker_key="cloth.work.v1", assumes="the mill turns", needs=needs)

    with pytest.raises(InputError, match="dye needs wool needs loom needs dye"):
        runner.run()


DECLARED_WRONG = {
    "two-tasks": {"name": "dye", "worker_key": "cloth.work.v1"},
    "two-workers": {"name": "wool", "worker_key": "cloth.work.v1", "run": lambda context: {}},
    "no-worker": {"name": "wool"},
    "unknown-worker": {"name": "wool", "worker_key": "cloth.work.v9"},
    "unknown-auditor": {"name": "wool", "worker_key": "cloth.work.v1", "auditor_key": "cloth.look.v9"},
    "bad-key": {"name": "wool", "worker_key": "cloth work"},
    "not-callable": {"name": "wool", "run": 5},
    "blank-text": {"name": " ", "worker_key": "cloth.work.v1"},
    "wrong-type": {"name": "wool", "worker_key": "cloth.work.v1", "needs": "dye"},
    "not-canonical": {"name": "wool\ud800", "worker_key": "cloth.work.v1"},
    "out-of-range": {"name": "wool", "run": lambda context: {}, "timeout": -1.0},
}


@pytest.mark.parametrize("code", DECLARED_WRONG)
def test_a_declaration_that_makes_no_sense_is_refused(code: str) -> None:
    runner = Runner("weave", registry=World().registry())
    runner.task("dye", worker_key="cloth.work.v1", assumes="the mill turns")

    with pytest.raises(Refusal) as refused:
        runner.task(**{"assumes": "the mill turns", **DECLARED_WRONG[code]})  # type: ignore[arg-type]

    assert refused.value.code == code
    assert list(runner.plan.tasks) == ["dye"]


def test_progress_is_told_task_by_task() -> None:
    told: list[tuple[str, int, int]] = []
    runner = LADDER.plan(World().registry())

    runner.run(progress=lambda *now: told.append(now))

    assert told == [("run", 1, 4), ("run", 2, 4), ("run", 3, 4), ("run", 4, 4)]


def test_the_title_and_the_rationale_are_made_when_none_are_given() -> None:
    _, runner = ran()
    node = runner.graph.node(str(runner.plan.task("dye").node_id))

    assert node.label == "Dye"
    assert node.attrs["rationale"] == "Executed under: the river runs clear"


@pytest.mark.parametrize("given", ["Dye", [3], [" "], 7, None])
@pytest.mark.parametrize("of", ["needs", "produces", "repair"])
def test_names_that_are_no_list_of_texts_are_refused_and_nothing_changes(of: str, given: object) -> None:
    runner = Runner("weave")
    runner.task("dye", run=lambda context: {}, assumes="the river runs clear")
    runner.run()
    before = (len(runner.ledger), len(runner.graph.store.nodes), runner.plan.task("dye").produces)

    if of == "repair" and given is None:
        return  # leaves them as they are
    with pytest.raises(InputError) as refused:
        if of == "repair":
            runner.repair("dye", assumes="the mill turns", produces=given)  # type: ignore[arg-type]
        else:
            runner.task("wool", run=lambda context: {}, assumes="the mill turns", **{of: given})  # type: ignore[arg-type]

    assert refused.value.code in ("wrong-type", "blank-text")
    assert (len(runner.ledger), len(runner.graph.store.nodes), runner.plan.task("dye").produces) == before
    assert list(runner.plan.tasks) == ["dye"]


@pytest.mark.parametrize("workers", [0, -1, True, 1.5, "4", None])
def test_workers_are_a_whole_number_from_one(workers: object) -> None:
    with pytest.raises(InputError) as refused:
        Runner("weave", workers=workers)  # type: ignore[arg-type]
    assert refused.value.code == "out-of-range"


def test_a_rationale_is_text() -> None:
    with pytest.raises(InputError) as refused:
        Runner("weave").task("dye", run=lambda context: {}, assumes="the mill turns", rationale=3)  # type: ignore[arg-type]
    assert refused.value.code == "wrong-type"
