"""What a rejection and a write cost under the shipped rules, counted in lines executed, never in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.policy import Policy
from tests.laws.worlds import World

REPORT = ("violation", "fell", "invalid", "live", "edge_dead", "lost", "stands_on")
Build = Callable[[World, int], None]


def lines_of(action: Callable[[], object]) -> int:
    """Lines of Python that ran, those of compiled rules too."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        action()
    finally:
        sys.settrace(before)
    return count


def verdict(assumption: str, seq: int) -> dict[str, list[Row]]:
    evidence = f"proof of {assumption}"
    edge = f"{evidence}!"
    return {
        "node": [(evidence, "evidence")],
        "edge": [(edge, evidence, "contradicts", assumption)],
        "born": [(evidence, seq), (edge, seq)],
        "verdict": [(assumption, evidence, seq)],
    }


def decision(name: str, seq: int) -> dict[str, list[Row]]:
    edge = (f"{name} depends_on a", name, "depends_on", "a")
    return {
        "node": [(name, "decision")],
        "new_node": [(name, "decision")],
        "carries": [(name, "rationale"), (name, "provenance")],
        "edge": [edge],
        "new_edge": [edge],
        "born": [(name, seq), (edge[0], seq)],
    }


def lines(build: Build, size: int, change: dict[str, list[Row]]) -> int:
    """Lines of one change of a graph of some size, after another like it made every index and compiled every rule."""
    world = World()
    world.nodes("assumption", "first", "second", "a")
    world.nodes("claim", "c")
    world.nodes("decision", "d", "e")
    world.justify("c", ["first"], ["second"])
    world.edge("d", "depends_on", "first")
    world.edge("e", "derived_from", "c")
    world.edge("e", "depends_on", "d")
    build(world, size)
    engine = Engine(Policy.load().program, world.facts)
    for name in REPORT:
        engine.count(name)
    for number, name in enumerate(("first", "second")):
        engine.apply(Delta.of(added=decision(f"warm {name}", 10**6 + number)), report=REPORT)
        engine.apply(Delta.of(added=verdict(name, 10**6 + number)), report=REPORT)
    return lines_of(lambda: engine.apply(Delta.of(added=change), report=REPORT))


def many_claims_with_two_justifications(world: World, size: int) -> None:
    """A long chain: each claim stands on `a` and the one before, or on `spare`."""
    world.nodes("assumption", "spare")
    before = "a"
    for number in range(size):
        name = world.node(f"c{number}", "claim")
        world.justify(name, [before], ["spare"])
        before = name


def many_decisions_on_one_assumption(world: World, size: int) -> None:
    before = "a"
    for number in range(size):
        name = world.node(f"d{number}", "decision")
        world.edge(name, "depends_on", before)
        before = name


def many_decisions_elsewhere(world: World, size: int) -> None:
    world.nodes("assumption", "elsewhere")
    world.nodes("decision", "alone")
    world.edge("alone", "depends_on", "a")
    for number in range(size):
        world.edge(world.node(f"d{number}", "decision"), "depends_on", "elsewhere")


@pytest.mark.parametrize("build", [many_claims_with_two_justifications, many_decisions_on_one_assumption])
def test_a_rejection_costs_what_it_touches_not_its_square(build: Build) -> None:
    small, large = (lines(build, size, verdict("a", 10**7)) for size in (40, 160))
    assert large < 4.5 * small


def test_a_rejection_does_not_pay_for_what_it_leaves_alone() -> None:
    small, large = (lines(many_decisions_elsewhere, size, verdict("a", 10**7)) for size in (20, 200))
    assert large < 1.1 * small


@pytest.mark.parametrize(
    "build", [many_decisions_elsewhere, many_decisions_on_one_assumption, many_claims_with_two_justifications]
)
def test_a_write_does_not_pay_for_the_graph(build: Build) -> None:
    small, large = (lines(build, size, decision("new", 10**7)) for size in (20, 200))
    assert large < 1.1 * small
