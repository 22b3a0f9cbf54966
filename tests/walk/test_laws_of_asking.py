"""What holds of every ask, whatever the graph and the question."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from worlds import World, questions, worlds

from contextmesh.walk.answer import Answer

REASONS = {"entity_unresolved", "no_typed_edge", "wrong_node_type", "pruned_too_early"}
laws = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def asked(world: World, question: str) -> Answer:
    return world.ask(question)


@laws
@given(worlds(), questions)
def test_an_ask_gives_an_answer_or_exactly_one_dead_end(world: World, question: str) -> None:
    answer = asked(world, question)
    assert (answer.answer is None) == (answer.dead_end in REASONS)
    assert bool(answer.path) == (answer.answer is not None)
    if answer.answer is None:
        assert answer.detail.endswith(".")


@laws
@given(worlds(), questions)
def test_a_path_is_connected_by_live_edges_that_are_there(world: World, question: str) -> None:
    path = asked(world, question).path
    for before, step in pairwise(path):
        assert step.edge_id is not None
        edge = world.graph.edge(step.edge_id)
        ends = (before.id, step.id) if step.direction == "forward" else (step.id, before.id)
        assert (edge.src, edge.dst) == ends
        assert edge.type == step.edge
        assert world.graph.is_edge_live(edge.id)


@laws
@given(worlds(), questions)
def test_nothing_fallen_stands_anywhere_in_an_answer(world: World, question: str) -> None:
    answer = asked(world, question)
    shown = [step.id for step in answer.path] + list(answer.evidence) + list(answer.sources) + list(answer.conflicts)
    assert [id for id in shown if not world.graph.is_live(id)] == []


@laws
@given(worlds(), questions)
def test_asking_twice_gives_the_same_answer(world: World, question: str) -> None:
    assert asked(world, question).as_json() == asked(world, question).as_json()


@laws
@given(worlds(), questions)
def test_asking_changes_no_structure(world: World, question: str) -> None:
    before = world.structure()
    asked(world, question)
    assert world.structure() == before


@laws
@given(worlds(), questions)
def test_a_superseded_answer_shows_what_superseded_it(world: World, question: str) -> None:
    answer = asked(world, question)
    if answer.answer is None:
        return
    newer = [edge.src for edge in world.graph.edges_to(answer.answer.id, "supersedes") if world.graph.is_live(edge.src)]
    assert not newer or {step.id for step in answer.path} & set(newer)


@laws
@given(worlds(), questions)
def test_an_index_that_followed_the_writes_answers_like_one_built_afterwards(world: World, question: str) -> None:
    followed = asked(world, question)
    fresh = World(world.graph, world.resolver)
    assert fresh.ask(question).as_json() == followed.as_json()


@laws
@given(worlds(), questions)
def test_a_path_never_goes_twice_through_a_node_but_may_end_in_a_source_it_came_by(world: World, question: str) -> None:
    path = asked(world, question).path
    ids = [step.id for step in (path[:-1] if path and path[-1].type == "source" else path)]
    assert len(ids) == len(set(ids))


@laws
@given(worlds(), questions)
def test_the_answer_stands_on_its_path_at_its_hops(world: World, question: str) -> None:
    answer = asked(world, question)
    if answer.answer is not None:
        assert answer.path[answer.hops].id == answer.answer.id
        assert len(answer.sources) <= 10 and len(set(answer.sources)) == len(answer.sources)
        assert 0 <= answer.score <= 1
