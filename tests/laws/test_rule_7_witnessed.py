"""GRAPH.md rule 7: no verdict without evidence that contradicts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import Evaluate, World, evaluators, patient

both = pytest.mark.parametrize("evaluate", evaluators())
verdicts = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(100, 103)), max_size=5)
contradictions = st.sets(st.tuples(st.sampled_from("xyz"), st.sampled_from("ab")))


@both
@patient
@given(verdicts, contradictions)
def test_an_assumption_is_rejected_exactly_by_its_first_witnessed_verdict(
    evaluate: Evaluate, said: list[tuple[str, str, int]], edges: set[tuple[str, str]]
) -> None:
    world = World()
    world.nodes("assumption", "a", "b")
    world.nodes("evidence", "x", "y")
    world.nodes("claim", "z")
    for evidence, assumption in sorted(edges):
        world.edge(evidence, "contradicts", assumption)
    for assumption, evidence, seq in said:
        world.say("verdict", assumption, evidence, seq)
    counted: dict[str, int] = {}
    for assumption, evidence, seq in said:
        if (evidence, assumption) in edges and evidence != "z":
            counted[assumption] = min(seq, counted.get(assumption, seq))
    assert world.rows(evaluate=evaluate)["rejected"] == set(counted.items())


@both
@patient
@given(contradictions, st.sampled_from("ab"), st.sampled_from("xyz"))
def test_a_verdict_is_refused_without_its_witness(
    evaluate: Evaluate, edges: set[tuple[str, str]], assumption: str, evidence: str
) -> None:
    world = World()
    world.nodes("assumption", "a", "b")
    world.nodes("evidence", "x", "y")
    world.nodes("claim", "z")
    for src, dst in sorted(edges):
        world.edge(src, "contradicts", dst)
    world.say("verdict", assumption, evidence, 100)
    world.say("new_verdict", assumption, evidence)
    witnessed = (evidence, assumption) in edges and evidence != "z"
    refused = world.rows("legality.dl", evaluate=evaluate)["violation"]
    assert refused == (set() if witnessed else {("unwitnessed_verdict", assumption)})


@both
def test_evidence_that_was_pruned_cannot_reject(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("assumption", "a")
    world.reject("a")
    world.say("pruned", "proof of a")
    world.say("new_verdict", "a", "proof of a")
    assert world.rows("legality.dl", evaluate=evaluate)["violation"] == {("unwitnessed_verdict", "a")}


@both
def test_what_was_rejected_once_is_not_rejected_again(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("assumption", "a")
    world.reject("a")
    world.nodes("evidence", "more")
    world.edge("more", "contradicts", "a")
    world.say("verdict", "a", "more", world.seq)
    world.say("new_verdict", "a", "more")
    assert world.rows("legality.dl", evaluate=evaluate)["violation"] == {("already_rejected", "a")}


@both
def test_evidence_by_itself_judges_nothing(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("assumption", "a")
    world.nodes("evidence", "x")
    world.edge("x", "contradicts", "a")
    assert world.column("invalid", evaluate=evaluate) == set()
