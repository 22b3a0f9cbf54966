"""However many threads, and whether it lived in memory or in files: one history."""

from __future__ import annotations

from hypothesis import example, given, settings

from contextmesh.run import Runner
from tests.run.worlds import Shape, Step, World, everything, restored, shapes, steps, take, told

patient = settings(deadline=None, max_examples=30)
BREAK = [("run", "", ""), ("find", "dye", "disproved"), ("recheck", "", ""), ("find", "dye", "ok")]
DANGEROUS: list[Step] = [*BREAK, ("repair", "dye", "the well is deep"), ("run", "", ""), ("run", "", "")]
WRONG: list[Step] = [
    ("run", "", ""),
    ("find", "dye", "fail"),
    ("recheck", "", ""),
    ("find", "dye", "ok"),
    *[("run", "", "")] * 2,
]
"""An output that was found wrong comes again: what took it is left alone, also after a restart."""
FAILING: list[Step] = [
    ("raise", "wool", "no thread"),
    ("run", "", ""),
    ("recheck", "", ""),
    ("raise", "wool", ""),
    ("run", "", ""),
]
CHAIN = Shape(((0, (), True), (1, (0,), False), (2, (), True), (3, (1, 2), False)))


@patient
@example(CHAIN, DANGEROUS)
@example(CHAIN, WRONG)
@example(CHAIN, FAILING)
@given(shapes(), steps())
def test_four_threads_write_the_history_that_one_writes(shape: Shape, happenings: list[Step]) -> None:
    one, many = World(), World()
    serial, parallel = shape.plan(one.registry()), shape.plan(many.registry(), workers=4)

    for step in happenings:
        assert told(take(serial, one, step)) == told(take(parallel, many, step))

    assert everything(serial) == everything(parallel)
    assert sorted(one.called) == sorted(many.called)


@patient
@example(CHAIN, DANGEROUS)
@example(CHAIN, WRONG)
@example(CHAIN, FAILING)
@given(shapes(), steps())
def test_a_plan_restored_after_every_step_goes_on_as_one_that_stayed_in_memory(
    shape: Shape, happenings: list[Step]
) -> None:
    here, there = World(), World()
    registry = there.registry()
    stayed, moved = shape.plan(here.registry()), shape.plan(registry)

    for step in happenings:
        assert told(take(stayed, here, step)) == told(take(moved, there, step))
        assert everything(stayed) == everything(moved)
        moved = restored(moved, registry)
        assert moved.states() == stayed.states()
        assert everything(moved) == everything(stayed)

    assert here.called == there.called


@patient
@given(shapes(), steps())
def test_what_is_complete_is_done_and_nothing_else_is(shape: Shape, happenings: list[Step]) -> None:
    world = World()
    runner = shape.plan(world.registry())

    for step in happenings:
        report = take(runner, world, step)
        if report is not None:
            assert report.complete == all(state == "done" for state in runner.states().values())


@patient
@given(shapes(), steps())
def test_a_second_run_in_an_unchanged_world_executes_only_what_had_failed(shape: Shape, happenings: list[Step]) -> None:
    world = World()
    runner = shape.plan(world.registry())
    for step in happenings:
        take(runner, world, step)
    failed = runner.run().failed

    again = runner.run()

    assert set(again.executed) | set(again.unchanged) == set()
    assert set(again.failed) <= set(failed)


@patient
@given(shapes(), steps())
def test_a_task_is_in_one_place_of_a_report_unless_what_it_made_fell_in_the_same_round(
    shape: Shape, happenings: list[Step]
) -> None:
    world = World()
    runner = shape.plan(world.registry())
    for step in happenings:
        take(runner, world, step)

    report = runner.run()

    told = [entry for entry in runner.ledger if entry.round == report.round]
    fell = {entry.task for entry in told if entry.event == "invalidated"}
    twice = [name for name in (*report.executed, *report.unchanged) if name in report.blocked]
    places = [*report.executed, *report.cached, *report.blocked, *report.failed]
    assert set(twice) <= fell
    assert sorted(places) == sorted([*runner.plan.tasks, *(name for name in twice if name in report.executed)])
    stood = {entry.task for entry in told if entry.event == "cached"}
    assert stood >= set(report.cached) | set(report.unchanged)


def test_the_ledger_tells_what_stood_though_others_fell_in_the_round_that_made_them() -> None:
    runner = Runner("weave", workers=1)
    runner.task("dye", run=lambda context: {}, assumes="the well is deep")
    runner.run()
    for name in ("wool", "loom", "coat"):
        runner.task(
            name,
            run=lambda context: {},
            audit=lambda context: context.disproved("it is dry") if context.name == "coat" else context.ok(),
            assumes="the mill turns",
        )

    report = runner.run()

    assert (report.executed, report.cached) == (("wool", "loom"), ("dye",))
    assert list(report.blocked) == ["wool", "loom", "coat"]
    said = {entry.task: entry.event for entry in runner.ledger if entry.round == 2}
    assert said["dye"] == "cached"
