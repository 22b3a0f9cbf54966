"""AND inside a justification, OR across: what still stands, and what it stands on."""

from __future__ import annotations

import pytest

from tests.laws.worlds import Evaluate, World, evaluators

both = pytest.mark.parametrize("evaluate", evaluators())


def two_ways() -> World:
    """c1 stands on {a1, s1} or on {a2}; d1 stands on c1, d2 on a1."""
    world = World()
    world.nodes("assumption", "a1", "a2")
    world.nodes("source", "s1")
    world.nodes("claim", "c1")
    world.justify("c1", ["a1", "s1"], ["a2"])
    world.nodes("decision", "d1", "d2")
    world.edge("d1", "derived_from", "c1")
    world.edge("d2", "depends_on", "a1")
    return world


@both
def test_a_claim_with_two_justifications_survives_the_loss_of_one(evaluate: Evaluate) -> None:
    world = two_ways()
    world.reject("a1")
    rows = world.rows(evaluate=evaluate)
    assert rows["invalid"] == {("a1",), ("d2",)}
    assert {("a2",), ("s1",), ("c1",), ("d1",)} <= rows["live"]
    assert rows["lost"] == {("c1", "c1#1")}
    assert rows["stands_on"] == {("c1", "c1#2")}
    assert rows["suspect"] == {("c1",), ("d1",)} == rows["rescued"]


@both
def test_it_falls_with_the_last_one_and_takes_down_what_stands_on_it(evaluate: Evaluate) -> None:
    world = two_ways()
    world.reject("a1")
    world.reject("a2")
    rows = world.rows(evaluate=evaluate)
    assert rows["fell"] == {("a1", "a1"), ("d2", "a1"), ("a2", "a2"), ("c1", "a2"), ("d1", "a2")}
    assert rows["stands_on"] == set()


@both
def test_the_order_of_rejections_does_not_matter_to_what_falls(evaluate: Evaluate) -> None:
    one, other = two_ways(), two_ways()
    for world, order in ((one, ("a1", "a2")), (other, ("a2", "a1"))):
        for name in order:
            world.reject(name)
    assert one.column("invalid", evaluate=evaluate) == other.column("invalid", evaluate=evaluate)


@both
def test_two_claims_that_only_justify_each_other_do_not_stand(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("claim", "x", "y")
    world.justify("x", ["y"])
    world.justify("y", ["x"])
    world.nodes("decision", "d")
    world.edge("d", "derived_from", "x")
    rows = world.rows(evaluate=evaluate)
    assert rows["unfounded"] == {("x",), ("y",)}
    assert {row[0] for row in rows["invalid"]} == {"x", "y", "d"}


@both
def test_two_claims_that_justify_each_other_fall_with_their_only_base(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("assumption", "a")
    world.nodes("claim", "x", "y")
    world.justify("x", ["a"], ["y"])
    world.justify("y", ["x"])
    assert world.column("invalid", evaluate=evaluate) == set()
    world.reject("a")
    assert world.column("invalid", evaluate=evaluate) == {"a", "x", "y"}


@both
def test_a_claim_that_gains_a_justification_stands_again(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("assumption", "a", "b")
    world.nodes("claim", "x")
    world.nodes("decision", "d")
    world.justify("x", ["a"])
    world.edge("d", "derived_from", "x")
    world.reject("a")
    assert world.column("invalid", evaluate=evaluate) == {"a", "x", "d"}
    world.justify("x", ["b"])
    assert world.column("invalid", evaluate=evaluate) == {"a"}


@both
def test_grounds_that_need_each_other_without_justifications_stand(evaluate: Evaluate) -> None:
    """Requirement cycles are found in real records; only a failed ground takes them down."""
    world = World()
    world.nodes("decision", "d1", "d2")
    world.nodes("assumption", "a")
    world.edge("d1", "depends_on", "d2")
    world.edge("d2", "depends_on", "d1")
    assert world.column("invalid", evaluate=evaluate) == set()
    world.edge("d1", "depends_on", "a")
    world.reject("a")
    assert world.column("invalid", evaluate=evaluate) == {"a", "d1", "d2"}


@both
def test_a_justification_without_grounds_supports_nothing_and_takes_nothing_away(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("assumption", "a")
    world.nodes("claim", "x")
    world.justify("x", [])
    world.edge("x", "depends_on", "a")
    assert world.column("invalid", evaluate=evaluate) == set()
    world.reject("a")
    assert world.column("invalid", evaluate=evaluate) == {"a", "x"}


@both
def test_without_stated_justifications_every_ground_is_necessary(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("assumption", "a1", "a2")
    world.nodes("claim", "c")
    world.edge("c", "depends_on", "a1")
    world.edge("c", "depends_on", "a2")
    world.reject("a1")
    rows = world.rows(evaluate=evaluate)
    assert {row[0] for row in rows["invalid"]} == {"a1", "c"}
    assert rows["suspect"] == set()


@both
def test_a_ground_that_came_loose_carries_no_later_failure_even_through_a_rescued_claim(evaluate: Evaluate) -> None:
    """d stands on c1 by an edge bound to b; b is rejected before the last ground of c1 goes."""
    world = two_ways()
    world.nodes("assumption", "b")
    world.nodes("decision", "d")
    world.edge("d", "derived_from", "c1", bound="b")
    world.reject("a1")
    world.reject("b")
    world.reject("a2")
    assert world.column("fell", evaluate=evaluate) == {"a1", "b", "a2", "c1", "d1", "d2"}


@both
def test_a_claim_justified_by_what_was_derived_from_itself_does_not_stand(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("claim", "x")
    world.nodes("decision", "d", "e")
    world.edge("e", "derived_from", "x")
    world.edge("d", "depends_on", "e")
    world.justify("x", ["d"])
    assert world.column("invalid", evaluate=evaluate) == {"x", "d", "e"}


@both
def test_a_claim_falls_with_a_ground_that_stands_on_two_things_and_lost_the_plain_one(evaluate: Evaluate) -> None:
    """d stands on the rescued c1 and on b; z states d as its only ground."""
    world = two_ways()
    world.nodes("assumption", "b")
    world.nodes("claim", "z")
    world.edge("d1", "depends_on", "b")
    world.justify("z", ["d1"])
    world.reject("a1")
    assert "z" not in world.column("invalid", evaluate=evaluate)
    world.reject("b")
    assert world.rows(evaluate=evaluate)["fell"] >= {("d1", "b"), ("z", "b")}


@both
def test_a_claim_stands_on_a_ground_whose_own_ground_was_rescued(evaluate: Evaluate) -> None:
    world = two_ways()
    world.nodes("claim", "z")
    world.justify("z", ["d1", "s1"])
    world.reject("a1")
    rows = world.rows(evaluate=evaluate)
    assert ("z",) in rows["rescued"]
    assert ("z", "z#1") in rows["stands_on"]
