"""A question about a record that is not here is not answered with another record's words."""

from __future__ import annotations

import pytest
from worlds import World


@pytest.fixture
def world() -> World:
    world = World()
    for number in (7, 12, 30):
        source = world.source(f"RFC {number}")
        world.graph.decide(
            f"RFC {number}: Rule {number} of the harbour",
            rationale="ships say what they carry",
            source=source,
            attrs={"record_key": f"rfc-{number}"},
        )
        world.claim(f"What rule {number} says: every ship says what it carries.", source)
    return world


@pytest.mark.parametrize(
    "question", ["What does RFC 99 say?", "Why was rfc-99 rejected?", "What replaced RFC 0099?", "rfc 99"]
)
def test_a_record_that_is_not_here_is_a_name_that_nothing_bears(world: World, question: str) -> None:
    answer = world.ask(question)
    assert answer.dead_end == "entity_unresolved"
    assert "99" in answer.detail
    assert not answer.path


def test_a_record_that_is_here_answers_and_so_does_one_beside_an_absent_one(world: World) -> None:
    assert world.ask("What does RFC 12 say?").dead_end is None
    assert world.ask("Does RFC 12 say what RFC 99 says?").dead_end is None


def test_a_number_after_other_words_is_no_record(world: World) -> None:
    assert world.ask("Do ships of 99 tons say what they carry?").dead_end is None


def test_what_somebody_calls_so_is_found_though_it_is_no_record(world: World) -> None:
    source = world.source("Letter")
    world.claim("RFC 99 was never written.", source, ("RFC 99",))
    answer = world.ask("Was RFC 99 written?")
    assert answer.answer is not None and answer.answer.label == "RFC 99 was never written."


def test_a_series_that_lost_its_records_is_a_series_no_more() -> None:
    world = World()
    world.index.names.put_record("x", "rfc-1")
    assert list(world.index.names.of_series("rfc")) == ["x"]
    world.index.names.drop_record("x", "rfc-1")
    assert list(world.index.names.of_series("rfc")) == []
