"""What a runner did is in the past as it was: tasks, verdicts, and the decisions that were replaced."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.timeline import Timeline
from contextmesh.store.receipt import Receipt
from tests.run.worlds import Shape, Step, World, shapes, steps, take

OF_PLANS = ("opened", "planned", "needs", "ran", "missed", "past", "accepted", "reopened", "tried_again")
TOLD = ("task", "made", "failed", "stale", "done", "pending", "ready", "blocked", "status", "live", "fell", "current")


def picture(graph: ContextGraph) -> dict[str, object]:
    engine = graph.store.engine
    return {
        **{name: sorted(map(repr, engine.rows(name))) for name in (*OF_PLANS, *TOLD, "verdict", "superseded")},
        "records": (list(graph.store.nodes.values()), list(graph.store.edges.values())),
        "build": graph.build,
    }


def followed(shape: Shape, happened: list[Step]) -> tuple[Timeline, dict[int, dict[str, object]]]:
    """A plan in which things happen, and a picture of the graph after each transaction."""
    world = World()
    runner = shape.plan(world.registry())
    graph = runner.graph
    timeline = Timeline(graph)
    then = {graph.store.seq: picture(graph)}

    def look(receipt: Receipt) -> None:
        then[receipt.seq] = picture(graph)

    graph.store.observers.append(look)
    for step in happened:
        take(runner, world, step)
    graph.store.observers.remove(look)
    return timeline, then


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(shapes(), steps())
def test_a_plan_stands_in_the_past_as_it_stood_then(shape: Shape, happened: list[Step]) -> None:
    timeline, then = followed(shape, happened)
    seqs = list(then)
    for seq in dict.fromkeys((*seqs[:: max(1, len(seqs) // 3)], seqs[-1])):
        assert picture(timeline.at(seq).graph) == then[seq]


def test_a_disproof_a_repair_and_what_it_replaced_are_seen_when_they_happened() -> None:
    shape = Shape(((0, (), True), (1, (0,), False)))
    run: Step = ("run", "", "")
    timeline, then = followed(
        shape, [run, ("find", "dye", "disproved"), ("recheck", "", ""), ("repair", "dye", "the well is deep"), run]
    )

    def told(seq: int) -> tuple[int, int, int]:
        engine = timeline.at(seq).graph.store.engine
        return engine.count("verdict"), engine.count("done"), engine.count("stale")

    seen = list(dict.fromkeys(told(seq) for seq in then))
    assert seen[0] == (0, 0, 0)
    assert (0, 2, 0) in seen and any(verdicts and stale for verdicts, _, stale in seen)
    assert seen.index((0, 2, 0)) < next(at for at, (verdicts, *_) in enumerate(seen) if verdicts)
