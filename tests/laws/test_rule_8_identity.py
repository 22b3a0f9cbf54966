"""GRAPH.md rule 8: one id, one thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import Evaluate, World, evaluators, patient

both = pytest.mark.parametrize("evaluate", evaluators())
nodes = st.lists(
    st.tuples(st.sampled_from("nm"), st.sampled_from(("claim", "entity")), st.sampled_from(("here", "there"))),
    min_size=1,
    max_size=4,
)
edges = st.lists(
    st.tuples(st.sampled_from("nkl"), st.sampled_from("xy"), st.sampled_from(("cites", "contradicts")), st.just("z")),
    min_size=1,
    max_size=4,
    unique=True,
)


@both
@patient
@given(nodes)
def test_a_node_id_is_refused_when_it_names_two_things(evaluate: Evaluate, said: list[tuple[str, str, str]]) -> None:
    world = World()
    for name, kind, label in said:
        world.say("node", name, kind)
        world.say("named", name, label)
        world.say("new_node", name, kind)
        for field in ("canonical", "aliases", "provenance"):
            world.say("carries", name, field)
    two = {name for name, _, _ in said if len({row[1:] for row in said if row[0] == name}) > 1}
    assert world.rows("legality.dl", evaluate=evaluate)["violation"] == {("two_identities", name) for name in two}


@both
@patient
@given(edges)
def test_an_edge_has_one_id_and_an_id_one_edge(evaluate: Evaluate, said: list[tuple[str, str, str, str]]) -> None:
    world = World()
    world.nodes("claim", "n", "x", "y", "z")
    for row in said:
        world.say("edge", *row)
        world.say("new_edge", *row)
    wanted = set()
    for row in said:
        if row[0] == "n":
            wanted.add(("edge_id_taken", "n"))
        for other in said:
            if other[0] == row[0] and other != row:
                wanted.add(("edge_id_taken", row[0]))
            if other[0] != row[0] and other[1:] == row[1:]:
                wanted.add(("repeated_edge", row[0]))
    assert world.rows("legality.dl", evaluate=evaluate)["violation"] == wanted


@both
def test_a_node_may_not_take_the_id_of_an_edge(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("claim", "x", "y")
    world.edge("x", "cites", "y")
    world.node("x cites y", "evidence")
    world.say("carries", "x cites y", "kind")
    world.say("new_node", "x cites y", "evidence")
    assert world.rows("legality.dl", evaluate=evaluate)["violation"] == {("node_id_taken", "x cites y")}
