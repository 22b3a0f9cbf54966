"""Which edge the words of a question ask for is said by the rules, and can be said otherwise."""

from __future__ import annotations

from pathlib import Path

from worlds import World

from contextmesh.graph.graph import ContextGraph
from contextmesh.policy import Policy
from contextmesh.walk.roads import Roads


def lineage(world: World) -> tuple[str, str]:
    memo = world.source("Memo")
    old = world.graph.decide("Row by hand", rationale="It is quiet.", source=memo).id
    new = world.graph.decide("Sail", rationale="The wind is free.", source=memo, supersedes=old).id
    return old, new


def test_a_verb_asks_for_its_subject_before_the_name_and_for_its_object_after_it() -> None:
    roads = Roads.read(ContextGraph().store)
    assert roads.asks_for["replaced"] == (("after", "supersedes", "forward"), ("before", "supersedes", "backward"))
    assert roads.asks_for["replaced by"] == (("after", "supersedes", "backward"), ("before", "supersedes", "forward"))


def test_a_word_that_is_added_to_the_rules_asks_for_its_edge(tmp_path: Path) -> None:
    (tmp_path / "more_words.dl").write_text('says(supersedes, "ousted").\n', encoding="utf-8")
    world = World(ContextGraph(Policy.load(tmp_path)))
    _, new = lineage(world)
    answer = world.ask("What ousted Row by hand?")
    assert answer.answer is not None
    assert answer.answer.id == new
    assert answer.path[1].edge == "supersedes"


def test_rules_without_words_of_asking_still_answer(tmp_path: Path) -> None:
    declared = "output asks_for(words, place, type, direction).\noutput looks_for(words, sign).\n"
    (tmp_path / "asks.dl").write_text(declared, encoding="utf-8")
    world = World(ContextGraph(Policy.load(tmp_path)))
    old, new = lineage(world)
    answer = world.ask("What replaced Row by hand?")
    assert answer.answer is not None
    assert {old, new} <= {step.id for step in answer.path}
