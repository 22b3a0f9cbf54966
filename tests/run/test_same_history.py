"""However many threads, and whether it lived in memory or in files: one history."""

from __future__ import annotations

from hypothesis import example, given, settings

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
def test_every_task_is_in_exactly_one_place_of_a_report(shape: Shape, happenings: list[Step]) -> None:
    world = World()
    runner = shape.plan(world.registry())
    for step in happenings:
        take(runner, world, step)

    report = runner.run()

    places = [*report.executed, *report.cached, *report.blocked, *report.failed]
    assert sorted(places) == sorted(runner.plan.tasks)
