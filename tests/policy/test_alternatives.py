"""Ready policies to lay over the shipped one: each changes what it says, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.base.data import data_root
from contextmesh.policy import Policy
from contextmesh.policy.compare import compare
from tests.laws.worlds import World, by_definition, by_engine

ALTERNATIVES = data_root() / "rules" / "alternatives"


def laid(name: str) -> Policy:
    return Policy.load(ALTERNATIVES / f"{name}.dl")


def invalid(policy: Policy, world: World) -> set[str | int]:
    rows = by_definition(policy.program, world.facts)
    assert rows["invalid"] == by_engine(policy.program, world.facts)["invalid"]
    return {row[0] for row in rows["invalid"]}


def printed() -> World:
    """A claim read in a printed list (which a decision produced, on an assumption) and in a book."""
    world = World()
    world.nodes("assumption", "the press is right", "the reader is right")
    world.nodes("decision", "print", "act")
    world.nodes("source", "list", "book")
    world.nodes("claim", "c")
    world.edge("print", "depends_on", "the press is right")
    world.edge("print", "produces", "list")
    world.edge("c", "derived_from", "list")
    world.edge("c", "derived_from", "book")
    world.edge("act", "derived_from", "c")
    return world


def test_by_default_a_claim_needs_all_its_sources() -> None:
    world = printed()
    world.reject("the press is right")
    assert invalid(Policy.load(), world) == {"the press is right", "print", "list", "c", "act"}


def test_with_independent_sources_a_claim_stands_as_long_as_one_does() -> None:
    world = printed()
    world.reject("the press is right")
    assert invalid(laid("independent_sources"), world) == {"the press is right", "print", "list"}


def test_with_independent_sources_an_assumption_stays_necessary() -> None:
    world = printed()
    world.edge("c", "depends_on", "the reader is right")
    world.reject("the reader is right")
    assert invalid(laid("independent_sources"), world) == {"the reader is right", "c", "act"}


def test_with_independent_sources_a_bound_source_holds_as_long_as_its_assumption() -> None:
    world = printed()
    world.say("bound", "c derived_from book", "the reader is right")
    world.reject("the reader is right")
    world.reject("the press is right")
    assert {"c", "act"} <= invalid(laid("independent_sources"), world)


def test_with_independent_sources_stated_justifications_are_kept() -> None:
    world = printed()
    world.justify("c", ["list"])
    world.reject("the press is right")
    assert {"c", "act"} <= invalid(laid("independent_sources"), world)


def chain(length: int) -> World:
    world = World()
    world.nodes("assumption", "a")
    world.nodes("decision", *(f"d{number}" for number in range(1, length + 1)))
    world.edge("d1", "depends_on", "a")
    for number in range(2, length + 1):
        world.edge(f"d{number}", "depends_on", f"d{number - 1}")
    return world


@pytest.mark.parametrize("mark", [("carries", "d3", "approved"), ("record_status", "d3", "approved")])
def test_failure_does_not_pass_an_approved_decision(mark: tuple[str, ...]) -> None:
    world = chain(5)
    world.say(*mark)
    world.reject("a")
    assert invalid(Policy.load(), world) == {"a", "d1", "d2", "d3", "d4", "d5"}
    assert invalid(laid("stop_at_approved"), world) == {"a", "d1", "d2"}


def test_an_approved_decision_stands_although_its_only_justification_fell() -> None:
    world = chain(1)
    world.nodes("claim", "c")
    world.nodes("decision", "d")
    world.justify("c", ["a"])
    world.edge("d", "derived_from", "c")
    world.say("carries", "d", "approved")
    world.reject("a")
    assert invalid(laid("stop_at_approved"), world) == {"a", "c", "d1"}


def test_failure_travels_no_further_than_the_hop_limit() -> None:
    world = chain(5)
    world.reject("a")
    assert invalid(laid("hop_limit"), world) == {"a", "d1", "d2", "d3"}


def test_the_hop_limit_counts_stated_grounds_as_steps() -> None:
    world = chain(2)
    world.nodes("claim", "c1", "c2")
    world.justify("c1", ["d2"])
    world.justify("c2", ["c1"])
    world.reject("a")
    assert invalid(laid("hop_limit"), world) == {"a", "d1", "d2", "c1"}


def test_the_hop_limit_counts_from_each_root() -> None:
    world = chain(5)
    world.nodes("assumption", "b")
    world.edge("d4", "depends_on", "b")
    world.reject("a")
    world.reject("b")
    assert invalid(laid("hop_limit"), world) == {"a", "b", "d1", "d2", "d3", "d4", "d5"}


def test_the_hop_limit_counts_products_as_steps() -> None:
    world = chain(3)
    world.nodes("entity", "near", "far")
    world.edge("d1", "produces", "near")
    world.edge("d3", "produces", "far")
    world.reject("a")
    assert invalid(laid("hop_limit"), world) == {"a", "d1", "d2", "d3", "near"}


def test_the_hop_limit_counts_edges_that_came_loose_only_afterwards() -> None:
    world = chain(3)
    world.nodes("assumption", "b")
    world.nodes("decision", "late", "later")
    world.nodes("entity", "near", "far")
    world.edge("late", "depends_on", "d1", bound="b")
    world.edge("later", "depends_on", "d3", bound="b")
    world.edge("d1", "produces", "near", bound="b")
    world.edge("d3", "produces", "far", bound="b")
    world.reject("a")
    world.reject("b")
    assert invalid(laid("hop_limit"), world) == {"a", "b", "d1", "d2", "d3", "late", "near"}


@pytest.mark.parametrize("name", sorted(path.stem for path in ALTERNATIVES.glob("*.dl")))
def test_an_alternative_changes_nothing_where_it_does_not_apply(name: str) -> None:
    world = chain(3)
    world.reject("a")
    assert not compare(Policy.load(), laid(name), world.facts)


def test_all_alternatives_can_be_laid_over_together() -> None:
    assert len(Policy.load(ALTERNATIVES).sources) == len(Policy.load().sources) + len(list(ALTERNATIVES.glob("*.dl")))


def test_a_comparison_says_what_would_stand_up() -> None:
    world = chain(5)
    world.reject("a")
    found = compare(Policy.load(), laid("hop_limit"), world.facts)
    assert found.delta.minus("invalid") == [("d4",), ("d5",)]
    assert found.delta.plus("live") == [("d4",), ("d5",)]
    assert found.as_text().splitlines()[:3] == ["fell: +0 -2", "  - fell(d4, a)", "  - fell(d5, a)"]
    assert found.as_json()["would_drop"]["invalid"] == [["d4"], ["d5"]]  # type: ignore[index]
    back = compare(laid("hop_limit"), Policy.load(), world.facts)
    assert sorted(back.delta.plus("invalid")) == [("d4",), ("d5",)]


def test_a_comparison_of_one_policy_with_itself_finds_nothing() -> None:
    found = compare(Policy.load(), Policy.load(), chain(3).facts)
    assert not found
    assert found.as_text() == "nothing would change"
    assert found.as_json()["same"] is True


def test_a_long_comparison_is_cut() -> None:
    world = chain(60)
    world.reject("a")
    lines = compare(Policy.load(), laid("hop_limit"), world.facts, relations=["invalid"]).as_text().splitlines()
    assert lines[0] == "invalid: +0 -57"
    assert lines[-1] == "  - and 37 more"
    assert len(lines) == 22


def test_facts_of_an_input_one_policy_lacks_are_not_shown_to_it(tmp_path: Path) -> None:
    (tmp_path / "mine.dl").write_text("input frozen(id).\nshielded(X) :- frozen(X).\n", encoding="utf-8")
    world = chain(2)
    world.reject("a")
    world.say("frozen", "d2")
    found = compare(Policy.load(), Policy.load(tmp_path), world.facts)
    assert found.delta.minus("invalid") == [("d2",)]
