"""GRAPH.md rule 1: every edge is typed and legal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.policy import Policy
from tests.laws.worlds import KINDS, NAMES, Evaluate, World, evaluators, patient

both = pytest.mark.parametrize("evaluate", evaluators())
EDGES = (*Policy.load().ontology.edge_types, "knows")


def violations(world: World, evaluate: Evaluate) -> set[tuple[str | int, ...]]:
    return world.rows("legality.dl", evaluate=evaluate)["violation"]


@both
@patient
@given(st.sampled_from(NAMES), st.sampled_from(EDGES), st.sampled_from(NAMES))
def test_an_edge_is_refused_unless_its_row_lists_the_pair(evaluate: Evaluate, src: str, edge: str, dst: str) -> None:
    world = World()
    for name in {src: None, dst: None}:
        world.node(name, KINDS[name[0]])
    world.edge(src, edge, dst)
    world.say("new_edge", *world.facts["edge"][0])
    found = {row[0] for row in violations(world, evaluate)}
    if edge == "knows":
        assert "no_such_edge_type" in found
    legal = Policy.load().ontology.is_legal(edge, KINDS[src[0]], KINDS[dst[0]])
    assert ("self_edge" in found) == (src == dst)
    assert ("illegal_pair" in found) == (not legal and src != dst and edge != "knows")
    supersedes_itself = {"supersedes_itself"} if src == dst and edge == "supersedes" else set()
    assert found - {"no_such_edge_type", "self_edge", "illegal_pair"} == supersedes_itself


@both
@pytest.mark.parametrize(("end", "code"), [("x", "unknown_source"), ("y", "unknown_target")])
def test_an_edge_to_nothing_is_refused(evaluate: Evaluate, end: str, code: str) -> None:
    world = World()
    world.node("y" if end == "x" else "x", "source")
    world.edge("x", "mentions", "y")
    world.say("new_edge", "x mentions y", "x", "mentions", "y")
    assert (code, "x mentions y") in violations(world, evaluate)


@both
def test_a_node_type_that_is_not_declared_is_refused(evaluate: Evaluate) -> None:
    world = World()
    world.node("n", "idea")
    world.say("new_node", "n", "idea")
    assert violations(world, evaluate) == {("no_such_node_type", "n")}


@both
@patient
@given(
    st.sampled_from(sorted(KINDS.values())), st.sets(st.sampled_from(("canonical", "aliases", "provenance", "kind")))
)
def test_a_node_is_refused_unless_it_carries_what_its_row_says(
    evaluate: Evaluate, kind: str, carried: set[str]
) -> None:
    world = World()
    world.node("n", kind)
    world.say("new_node", "n", kind)
    for field in sorted(carried):
        world.say("carries", "n", field)
    lacks = set(Policy.load().ontology.must_carry(kind)) - carried
    assert violations(world, evaluate) == ({("missing_field", "n")} if lacks else set())


def test_what_was_written_before_is_not_checked_again() -> None:
    world = World()
    world.node("n", "idea")
    world.edge("n", "knows", "n")
    assert violations(world, evaluators()[0]) == set()
