"""GRAPH.md rule 3: superseding never deletes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import ASSUMPTIONS, SPREAD, Evaluate, World, evaluators, patient, plain_histories, world_of

both = pytest.mark.parametrize("evaluate", evaluators())
FILES = (*SPREAD, "lineage.dl")
History = Sequence[tuple[object, ...]]
DECISIONS = ("d1", "d2", "d3", "d4")
successions = st.sets(
    st.tuples(st.sampled_from(DECISIONS), st.sampled_from(DECISIONS)).filter(lambda pair: pair[0] != pair[1]),
    max_size=6,
)


def closure(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    found = set(pairs)
    while True:
        more = {(a, d) for a, b in found for c, d in found if b == c} | found
        if more == found:
            return found
        found = more


@both
@patient
@given(plain_histories)
def test_superseding_makes_nothing_fall(evaluate: Evaluate, history: History) -> None:
    kept = [event for event in history if event[0] == "reject" or event[1][1] != "supersedes"]  # type: ignore[index]
    world, without = world_of(history), world_of(kept)
    assert world.rows(evaluate=evaluate)["invalid"] == without.rows(evaluate=evaluate)["invalid"]


@both
@patient
@given(plain_histories)
def test_an_assumption_has_exactly_one_status_and_rejected_wins(evaluate: Evaluate, history: History) -> None:
    world = world_of(history)
    rows = world.rows(*FILES, evaluate=evaluate)
    status = dict(rows["status"])
    assert len(status) == len(rows["status"]) == len(ASSUMPTIONS)
    rejected = {row[0] for row in world.facts.get("verdict", [])}
    superseded = {row[3] for row in world.facts.get("edge", []) if row[2] == "supersedes"}
    for name in ASSUMPTIONS:
        word = "rejected" if name in rejected else "superseded" if name in superseded else "active"
        assert status[name] == word


@both
@patient
@given(successions)
def test_lineage_is_the_closure_of_what_was_superseded_and_everything_in_it_stays(
    evaluate: Evaluate, pairs: set[tuple[str, str]]
) -> None:
    world = World()
    world.nodes("decision", *DECISIONS)
    for new, old in sorted(pairs):
        world.edge(new, "supersedes", old)
    rows = world.rows(*FILES, evaluate=evaluate)
    assert rows["replaced"] == closure(pairs)
    assert {row[0] for row in rows["live"]} == set(DECISIONS)
    assert {row[0] for row in rows["current"]} == set(DECISIONS) - {old for _, old in pairs}


@both
@patient
@given(successions)
def test_a_supersession_that_leads_back_to_itself_is_refused_and_no_other(
    evaluate: Evaluate, pairs: set[tuple[str, str]]
) -> None:
    world = World()
    world.nodes("decision", *DECISIONS)
    for new, old in sorted(pairs):
        world.edge(new, "supersedes", old)
    for row in world.facts.get("edge", []):
        world.say("new_edge", *row)
    circular = {new for new, old in pairs if (new, new) in closure(pairs)}
    found = world.rows("legality.dl", evaluate=evaluate)["violation"]
    assert found == {("supersedes_itself", name) for name in circular}


@both
def test_a_superseded_assumption_still_holds_up_what_stands_on_it(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("assumption", "old", "new")
    world.node("d", "decision")
    world.edge("d", "depends_on", "old")
    world.edge("new", "supersedes", "old")
    rows = world.rows(*FILES, evaluate=evaluate)
    assert {row[0] for row in rows["live"]} == {"old", "new", "d"}
    assert rows["status"] == {("old", "superseded"), ("new", "active")}
    world.reject("old")
    assert world.column("invalid", evaluate=evaluate) == {"old", "d"}
