"""The bundled corpus: what it holds, what it answers, what falls with its assumption."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import pytest

from contextmesh.demo.build import IDLE_DAYS, LINEAR, Demo, Story, build_demo, run_demo
from contextmesh.demo.corpus import SOURCES
from contextmesh.demo.questions import QUESTIONS

DEAD_ENDS = {"entity_unresolved", "no_typed_edge", "wrong_node_type", "pruned_too_early"}
SURE = (
    "Why did the Index Builder run out of memory?",
    "What made the sharding rule wrong?",
    "What is the refund policy for annual plans?",
)


@cache
def story() -> Story:
    return run_demo()


@pytest.fixture(scope="module")
def demo() -> Demo:
    return build_demo()


def test_there_are_fourteen_sources_and_twenty_four_questions(demo: Demo) -> None:
    assert len(SOURCES) == len(list(demo.graph.live_nodes("source"))) == 14
    assert len(QUESTIONS) == 24


def test_at_least_twenty_two_questions_come_out_as_a_reader_would_have_it() -> None:
    wrong = [f"{asked.question.text} -> {asked.answer.answer}" for asked in story().before if not asked.right]
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize("text", SURE)
def test_the_leading_questions_come_out_right(text: str) -> None:
    asked = next(asked for asked in story().before if asked.question.text == text)
    assert asked.right, asked.answer


def test_each_of_the_four_dead_ends_occurs_and_is_the_right_one() -> None:
    dead = [asked for asked in story().before if asked.question.dead_end is not None]
    assert {asked.answer.dead_end for asked in dead} == DEAD_ENDS
    assert all(asked.right for asked in dead)


def test_every_answer_but_an_assumption_ends_in_a_source() -> None:
    for asked in story().before:
        if asked.answer.answer is not None and asked.answer.answer.type != "assumption":
            last = asked.answer.path[-1]
            assert last.type == "source" or last.source is not None, asked.question.text


def test_the_corpus_holds_a_contradiction_a_supersession_and_a_rejected_assumption(demo: Demo) -> None:
    graph = demo.graph
    assert len(graph.query("signal(open_contradictions, X)").rows) == 1
    assert len(graph.query("current(N), replaced(N, O), node(O, decision)").rows) >= 3
    idle = next(a for a in graph.store.assumptions.values() if a.statement == IDLE_DAYS)
    assert graph.status(idle.id) == "rejected"
    assert graph.node(idle.evidence_ids[0]).type == "evidence"


def test_a_contradicted_answer_shows_the_contradiction() -> None:
    asked = next(a for a in story().before if "quantisation" in a.question.text)
    assert len(asked.answer.conflicts) == 1


def test_exactly_what_stood_on_the_assumption_falls_with_it() -> None:
    fallen = {fallen.label for fallen in story().invalidation.invalidated}
    assert fallen == {
        LINEAR,
        "Sharding by passage count",
        "Rent one builder node of 512 gigabytes",
        "Shard Allocation Table",
    }


def test_a_trial_of_the_rejection_says_what_the_rejection_then_does(demo: Demo) -> None:
    tried = demo.graph.blast(demo.linear)
    assert tried.fallen == story().invalidation.fallen
    assert not tried.committed
    assert demo.graph.status(demo.linear) == "active"


def test_after_the_fall_what_fell_answers_nothing_and_the_rest_answers_as_before() -> None:
    fallen = {fallen.id for fallen in story().invalidation.invalidated}
    for before, after in zip(story().before, story().after, strict=True):
        shown = {step.id for step in after.answer.path} | set(after.answer.evidence)
        assert not shown & fallen
        was = before.answer.answer
        if was is not None and was.id not in fallen:
            assert after.answer.answer is not None
            assert after.answer.answer.id == was.id, before.question.text


def test_the_answer_that_fell_is_replaced_or_gone() -> None:
    changed = [
        (before, after)
        for before, after in zip(story().before, story().after, strict=True)
        if (before.answer.answer and before.answer.answer.id) != (after.answer.answer and after.answer.answer.id)
    ]
    assert [before.question.text for before, _ in changed] == ["Which decision gave the builder node 512 gigabytes?"]


def test_the_story_is_one_json_document() -> None:
    import json

    document = json.loads(json.dumps(story().as_json()))
    assert document["answered_right"] == story().answered
    assert len(document["questions"]) == 24
    assert document["invalidation"]["committed"] is True


def test_the_corpus_is_built_alike_whatever_the_hash_seed() -> None:
    program = (
        "import json, hashlib; from contextmesh.demo.build import build_demo, ask_all; d = build_demo();"
        "answers = [a.answer.as_json() for a in ask_all(d)];"
        "text = json.dumps([d.graph.to_json(), d.resolver.to_json(), answers]);"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "7")
    }
    assert len(digests) == 1
