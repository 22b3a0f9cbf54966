"""GRAPH.md rule 5: an answer is a path, or one of four dead ends."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import NAMES, SPREAD, Evaluate, World, evaluators, patient, plain_histories, world_of

both = pytest.mark.parametrize("evaluate", evaluators())
FILES = (*SPREAD, "walk.dl", "deadend.dl")
BUDGET = 3
REASONS = {"pruned_too_early", "entity_unresolved", "wrong_node_type", "no_typed_edge"}

DEFINITION = """
% What the dead ends mean: the whole graph is walked, up to the budget, by rules alone.
relation budget(hops).
budget(3).
relation a_step(from, to).
a_step(X, Y) :- edge(L, X, T, Y), walks(T, _), not edge_dead(L), live(X), live(Y).
a_step(Y, X) :- edge(L, X, T, Y), reads_back(T, _), not edge_dead(L), live(X), live(Y), node(X, K), asserts(K).
relation a_reach(question, id, hops).
a_reach(Q, X, 0)     :- asked(Q), not answered(Q), seed(Q, X), live(X).
a_reach(Q, Y, H + 1) :- a_reach(Q, X, H), budget(B), H < B, a_step(X, Y).
relation a_shut(id).
a_shut(X) :- edge(_, X, T, Y), walks(T, _), node(Y, _), not live(Y), not a_step(X, _).
relation a_closed(question).
a_closed(Q) :- asked(Q), not answered(Q), hit(Q, X), node(X, _), not live(X), not a_reach(Q, _, 0).
a_closed(Q) :- a_reach(Q, X, _), a_shut(X).
relation a_met(question).
a_met(Q) :- a_reach(Q, X, H), H > 0, node(X, K), answers(K).
relation a_dead_end(question, reason).
a_dead_end(Q, pruned_too_early)  :- a_closed(Q).
a_dead_end(Q, entity_unresolved) :- asked(Q), not answered(Q), not a_reach(Q, _, 0), not a_closed(Q).
a_dead_end(Q, wrong_node_type)   :- a_met(Q), not a_closed(Q).
a_dead_end(Q, no_typed_edge)     :- a_reach(Q, _, 0), not a_met(Q), not a_closed(Q).
"""

questions = st.fixed_dictionaries(
    {
        "seeds": st.lists(st.sampled_from(NAMES), max_size=2),
        "hits": st.lists(st.sampled_from((*NAMES, "nobody")), max_size=2),
        "answered": st.sampled_from((False, False, False, True)),
    }
)


def ask(world: World, asked: Sequence[dict[str, object]], evaluate: Evaluate) -> None:
    """Hands over what a walk under the budget expands."""
    rows = world.rows(*FILES, evaluate=evaluate, extra=DEFINITION)
    live = {row[0] for row in rows["live"]}
    for number, question in enumerate(asked):
        name = f"q{number}"
        world.say("asked", name)
        if question["answered"]:
            world.say("answered", name)
        for hit in question["hits"]:  # type: ignore[attr-defined]
            world.say("hit", name, hit)
        level = list(dict.fromkeys(question["seeds"]))  # type: ignore[call-overload]
        for seed in level:
            world.say("seed", name, seed)
        level = [seed for seed in level if seed in live]
        for hops in range(1, BUDGET + 1):
            level = sorted({to for start, to in rows["a_step"] if start in level})
            for reached in level:
                world.say("reached", name, reached, hops)


@both
@patient
@given(plain_histories, st.sets(st.sampled_from(NAMES), max_size=5), st.lists(questions, max_size=4))
def test_every_failed_ask_has_exactly_one_of_four_reasons_and_it_is_the_defined_one(
    evaluate: Evaluate, history: Sequence[tuple[object, ...]], pruned: set[str], asked: list[dict[str, object]]
) -> None:
    world = world_of(history)
    for name in sorted(pruned):
        world.say("pruned", name)
    ask(world, asked, evaluate)
    rows = world.rows(*FILES, evaluate=evaluate, extra=DEFINITION)
    failed = {f"q{number}" for number, question in enumerate(asked) if not question["answered"]}
    assert {row[0] for row in rows["dead_end"]} == failed
    assert len(rows["dead_end"]) == len(failed)
    assert {row[1] for row in rows["dead_end"]} <= REASONS
    assert rows["dead_end"] == rows["a_dead_end"]


def small() -> World:
    world = World()
    world.nodes("entity", "name", "thing", "gone")
    world.nodes("claim", "said")
    world.edge("said", "mentions", "thing")
    world.say("pruned", "gone")
    world.say("asked", "q")
    return world


@both
def test_a_question_that_names_nothing_known_is_unresolved(evaluate: Evaluate) -> None:
    assert small().rows(*FILES, evaluate=evaluate)["dead_end"] == {("q", "entity_unresolved")}


@both
def test_a_name_without_a_walkable_edge_is_a_missing_edge(evaluate: Evaluate) -> None:
    world = small()
    world.say("seed", "q", "name")
    assert world.rows(*FILES, evaluate=evaluate)["dead_end"] == {("q", "no_typed_edge")}


@both
def test_meeting_only_claims_that_do_not_answer_is_a_wrong_node(evaluate: Evaluate) -> None:
    world = small()
    world.say("seed", "q", "thing")
    world.say("reached", "q", "said", 1)
    assert world.rows(*FILES, evaluate=evaluate)["dead_end"] == {("q", "wrong_node_type")}


@both
def test_a_name_that_was_pruned_is_pruned_too_early(evaluate: Evaluate) -> None:
    world = small()
    world.say("hit", "q", "gone")
    assert world.rows(*FILES, evaluate=evaluate)["dead_end"] == {("q", "pruned_too_early")}


def leading_to_a_pruned_source() -> World:
    """A claim whose only edge leads to a source that was pruned."""
    world = small()
    world.nodes("claim", "read")
    world.nodes("source", "lost")
    world.edge("read", "derived_from", "lost")
    world.say("pruned", "lost")
    world.say("seed", "q", "read")
    return world


@both
def test_a_walk_that_could_only_go_on_to_what_was_pruned_is_pruned_too_early(evaluate: Evaluate) -> None:
    assert leading_to_a_pruned_source().rows(*FILES, evaluate=evaluate)["dead_end"] == {("q", "pruned_too_early")}


@both
@pytest.mark.parametrize("way_out", [("read", "mentions", "thing"), ("said", "supports", "read")])
def test_a_walk_that_had_another_way_out_was_not_stopped_by_pruning(
    evaluate: Evaluate, way_out: tuple[str, str, str]
) -> None:
    world = leading_to_a_pruned_source()
    world.edge(*way_out)
    assert world.rows(*FILES, evaluate=evaluate)["dead_end"] == {("q", "no_typed_edge")}


@both
def test_a_way_back_to_what_asserts_nothing_is_no_way_out(evaluate: Evaluate) -> None:
    world = leading_to_a_pruned_source()
    world.edge("name", "mentions", "read")
    assert world.rows(*FILES, evaluate=evaluate)["dead_end"] == {("q", "pruned_too_early")}
