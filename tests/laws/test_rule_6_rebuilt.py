"""GRAPH.md rule 6: an entity is rebuilt only by a later decision that stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given

from tests.laws.worlds import Evaluate, World, evaluators, patient, plain_histories, stated_grounds, world_of

both = pytest.mark.parametrize("evaluate", evaluators())


@both
@patient
@given(plain_histories, stated_grounds)
def test_what_fell_is_invalid_unless_it_is_an_entity_produced_later_by_a_decision_that_stands(
    evaluate: Evaluate, history: Sequence[tuple[object, ...]], stated: Mapping[str, Sequence[Sequence[str]]]
) -> None:
    world = world_of(history, stated)
    rows = world.rows(evaluate=evaluate)
    fell = {row[0] for row in rows["fell"]}
    rejected = {a: seq for a, _, seq in world.facts.get("verdict", [])}
    born = dict(world.facts["born"])
    loose = {edge for edge, assumption in world.facts.get("bound", []) if assumption in rejected}
    makers = [
        (dst, src, born[edge])
        for edge, src, kind, dst in world.facts.get("edge", [])
        if kind == "produces" and src not in fell and edge not in loose
    ]
    invalid = {
        name
        for name, root in rows["fell"]
        if name[0] != "e" or not any(made == name and seq > rejected.get(root, 0) for made, _, seq in makers)
    }
    assert {row[0] for row in rows["invalid"]} == invalid


def fallen_card() -> World:
    world = World()
    world.nodes("assumption", "rye is delivered")
    world.nodes("decision", "bake", "bake again")
    world.nodes("entity", "card")
    world.edge("bake", "depends_on", "rye is delivered")
    world.edge("bake", "produces", "card")
    world.reject("rye is delivered")
    return world


@both
def test_an_entity_stands_again_when_a_later_decision_makes_it(evaluate: Evaluate) -> None:
    world = fallen_card()
    assert "card" in world.column("invalid", evaluate=evaluate)
    world.edge("bake again", "produces", "card")
    rows = world.rows(evaluate=evaluate)
    assert ("card",) in rows["live"]
    assert ("bake",) in rows["invalid"]
    assert ("bake produces card",) in rows["edge_dead"]


@both
def test_a_decision_that_fell_rebuilds_nothing(evaluate: Evaluate) -> None:
    world = fallen_card()
    world.edge("bake again", "depends_on", "bake")
    world.edge("bake again", "produces", "card")
    assert "card" in world.column("invalid", evaluate=evaluate)


@both
def test_a_source_that_fell_is_not_rebuilt(evaluate: Evaluate) -> None:
    world = fallen_card()
    world.nodes("source", "list")
    world.edge("bake", "produces", "list")
    world.edge("bake again", "produces", "list")
    assert "list" in world.column("invalid", evaluate=evaluate)
