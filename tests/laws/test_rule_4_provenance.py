"""GRAPH.md rule 4: what must carry provenance owes a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.policy import Policy
from tests.laws.worlds import NAMES, SPREAD, Evaluate, World, evaluators, patient, plain_histories, world_of

both = pytest.mark.parametrize("evaluate", evaluators())
FILES = (*SPREAD, "lineage.dl", "provenance.dl")
provenances = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(("s1", "s2", "nowhere", "c1")), max_size=8)


def sourced_by_hand(world: World, live: set[str | int], dead: set[str | int]) -> set[str | int]:
    kinds = dict(world.facts["node"])
    sources = {name for name in live if kinds[name] == "source"}
    found = sources | {name for name, source in world.facts.get("provenance", []) if source in sources}
    while True:
        more = {
            src
            for edge, src, kind, dst in world.facts.get("edge", [])
            if kind in ("derived_from", "cites") and dst in found and edge not in dead
        }
        if more <= found:
            return found
        found |= more


@both
@patient
@given(plain_histories, provenances, st.sets(st.sampled_from(NAMES), max_size=4))
def test_a_gap_is_what_owes_a_source_is_live_and_leads_to_no_live_source(
    evaluate: Evaluate, history: Sequence[tuple[object, ...]], provenance: Mapping[str, str], pruned: set[str]
) -> None:
    world = world_of(history)
    for name, source in provenance.items():
        world.say("provenance", name, source)
    for name in sorted(pruned):
        world.say("pruned", name)
    rows = world.rows(*FILES, evaluate=evaluate)
    live = {row[0] for row in rows["live"]}
    sourced = sourced_by_hand(world, live, {row[0] for row in rows["edge_dead"]})
    assert {row[0] for row in rows["sourced"]} == sourced
    owes = {kind for kind, field in Policy.load().facts["must_carry"] if field == "provenance"}
    kinds = dict(world.facts["node"])
    assert {row[0] for row in rows["gap"]} == {n for n in live if kinds[n] in owes and n not in sourced}
