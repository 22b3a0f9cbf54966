"""Why something was decided is answered by the reason, where a source has one, and not by saying again that it was."""

from __future__ import annotations

import pytest
from worlds import World

from contextmesh.store.model import Provenance

TEXT = ("The flag plan was rejected.", "Signals at night cannot be read from the quay.", "Lamps are dear.")


def world_of(sentences: tuple[str, ...], gap: int = 1) -> World:
    """A source whose sentences stand one after another."""
    world = World()
    source = world.source("Minutes of May")
    at = 0
    for sentence in sentences:
        with world.graph.batch("read") as batch:
            claim = batch.add_node("claim", sentence, provenance=Provenance(source, (at, at + len(sentence))))
            batch.add_edge(claim.id, "derived_from", source)
        at += len(sentence) + gap
    return world


def answer_of(world: World, question: str) -> str | None:
    answer = world.ask(question).answer
    return answer.label if answer is not None else None


def test_the_sentence_after_the_one_that_restates_the_question_answers_why() -> None:
    world = world_of(TEXT)
    answer = world.ask("Why was the flag plan rejected?")
    assert answer.answer is not None and answer.answer.label == TEXT[1]
    assert [step.label for step in answer.path] == [TEXT[0], "Minutes of May", TEXT[1], "Minutes of May"]
    assert answer.hops == 2
    assert answer.detail == ""


@pytest.mark.parametrize("question", ["Was the flag plan rejected?", "When was the flag plan rejected?"])
def test_who_asks_no_reason_gets_the_statement(question: str) -> None:
    assert answer_of(world_of(TEXT), question) == TEXT[0]


def test_a_reason_in_the_same_sentence_is_the_answer() -> None:
    reason = "The flag plan was rejected because flags cannot be read at night."
    assert answer_of(world_of((TEXT[0], "Nobody came.", reason)), "Why was the flag plan rejected?") == reason


def test_where_no_source_says_why_the_answer_says_so() -> None:
    answer = world_of(TEXT[:1]).ask("Why was the flag plan rejected?")
    assert answer.answer is not None and answer.answer.label == TEXT[0]
    assert answer.detail == "The sources say that it is so, and none says why."


def test_a_sentence_that_stands_elsewhere_is_no_reason() -> None:
    assert answer_of(world_of(TEXT, gap=400), "Why was the flag plan rejected?") == TEXT[0]
