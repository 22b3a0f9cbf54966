"""What a walk keeps from one question to the next never outlives a write."""

from __future__ import annotations

from worlds import World

QUESTION = "Is the Shard Map merged every night?"


def said(world: World) -> World:
    source = world.source("Minutes")
    world.claim("The shard map is merged every night.", source, ("Shard Map",))
    return world


def test_ground_walked_before_is_kept_until_something_is_written() -> None:
    world = said(World())
    roads = world.index.roads()
    world.ask(QUESTION)
    kept = world.index.ways(roads, 32)
    world.ask(QUESTION)
    assert world.index.ways(roads, 32) is kept
    world.source("Another")
    assert world.index.ways(world.index.roads(), 32) is not kept


def test_asks_after_a_write_answer_as_a_world_that_was_never_asked_before() -> None:
    asked, fresh = said(World()), said(World())
    asked.ask(QUESTION)
    for world in (asked, fresh):
        world.claim("The shard map is now split by tenant.", world.source("Later minutes"), ("Shard Map",))
    assert asked.ask(QUESTION) == fresh.ask(QUESTION)
    assert asked.ask(QUESTION).answer is not None


def test_a_name_met_before_leads_on_to_what_was_written_since() -> None:
    world = said(World())
    world.ask("Shard Map", word_seeds=0, source_seeds=0)
    later = world.source("Later minutes")
    world.claim("It is now split by tenant.", later, ("Shard Map",))
    assert later in world.ask("Shard Map", word_seeds=0, source_seeds=0).sources
