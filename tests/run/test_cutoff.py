"""Early cutoff: a result that comes out as before leaves what took it alone."""

from __future__ import annotations

from contextmesh.run import Runner
from tests.run.test_rounds import LADDER, ran
from tests.run.worlds import World


def broken_and_mended(world: World, runner: Runner) -> int:
    world.finds["dye"] = "disproved"
    runner.recheck()
    world.finds.clear()
    runner.repair("dye", worker_key="cloth.work.v2", assumes="the well is deep")
    return len(world.called)


def test_a_rerun_with_the_old_output_leaves_its_dependents_cached() -> None:
    world, runner = ran()
    before = broken_and_mended(world, runner)

    report = runner.run()

    assert report.executed == ("dye",)
    assert report.unchanged == ("wool", "cloth")
    assert report.cached == ("wool", "loom", "cloth")
    assert len(world.called) == before + 1
    assert report.complete


def test_what_was_left_alone_stands_again_on_the_new_decision() -> None:
    world, runner = ran()
    old = runner.plan.task("wool").node_id
    broken_and_mended(world, runner)
    runner.run()

    wool = runner.plan.task("wool")
    assert wool.node_id is not None and wool.node_id != old
    assert runner.graph.is_live(wool.node_id)
    assert runner.graph.is_live(wool.artefacts[0])
    grounds = [edge.dst for edge in runner.graph.edges_from(wool.node_id, "depends_on")]
    assert runner.plan.task("dye").node_id in grounds
    entry = next(e for e in runner.ledger if e.event == "cached" and e.task == "wool")
    assert entry.detail == "output unchanged: what it takes came out as before"
    assert entry.data == {"attempt": 2, "kept_from": 1}


def test_a_changed_output_reaches_exactly_as_far_as_outputs_change() -> None:
    world, runner = ran()
    before = broken_and_mended(world, runner)
    world.yields["dye"] = "another red"

    report = runner.run()

    assert report.executed == ("dye", "wool")
    assert report.unchanged == ("cloth",)
    assert len(world.called) == before + 2


def test_an_output_that_an_auditor_found_wrong_and_that_changes_is_passed_on() -> None:
    world, runner = ran()
    world.finds["dye"] = "fail"
    assert runner.recheck().failed == {"dye": "it is crooked"}
    assert runner.states()["wool"] == "done"
    world.finds.clear()
    world.yields["dye"] = "another red"

    report = runner.run()

    assert report.executed == ("dye", "wool")
    assert report.cached == ("loom", "cloth")


def test_an_output_that_an_auditor_found_wrong_and_that_comes_again_disturbs_nobody() -> None:
    world, runner = ran()
    wool = runner.plan.task("wool").node_id
    world.finds["dye"] = "fail"
    runner.recheck()
    world.finds.clear()

    report = runner.run()

    assert report.executed == ("dye",)
    assert report.unchanged == ()
    assert runner.plan.task("wool").node_id == wool


def test_another_worker_is_not_taken_for_the_one_before() -> None:
    world, runner = ran()
    broken_and_mended(world, runner)
    runner.rebind(workers={"wool": "cloth.work.v2"})

    report = runner.run()

    assert "wool" in report.executed
    assert report.unchanged == ("cloth",)


def test_other_code_under_the_old_key_is_not_taken_for_the_one_before() -> None:
    world, runner = ran()
    broken_and_mended(world, runner)
    other = World()
    registry = other.registry()

    changed = type(registry)()
    changed.register_worker("cloth.work.v1", lambda context: {"made": context.name, "by": "other hands"})
    changed.register_worker("cloth.work.v2", other.work)
    changed.register_auditor("cloth.look.v1", other.audit)
    runner.rebind(changed)

    assert "wool" in runner.run().executed


def test_the_ladder_is_what_these_tests_say() -> None:
    assert LADDER.plan(World().registry()).layers == (("dye", "loom"), ("wool",), ("cloth",))
