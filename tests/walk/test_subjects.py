"""What a question asks of a record it names is answered by an edge of that record, by the record, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from worlds import World

from contextmesh.store.model import Provenance

RECORDS = ("Tides", "Harbour lights", "Signal flags", "Mooring fees", "Night pilots")
WHAT_IS_CURRENT = ("What is current for {}?", "What is the current version of {}?", "Is {} still in force?")
WHAT_REPLACED = ("What replaced {}?", "Which rule superseded {}?", "What was {} replaced by?")


def filled() -> World:
    """Records of a series, and in the text of each and elsewhere words of lineage that tell of something else."""
    world = World()
    for number, title in enumerate(RECORDS, 1):
        source = world.source(f"RFC {number}: {title}")
        world.graph.add_node(
            "decision",
            f"RFC {number}: {title}",
            id=f"decision:rfc-{number}",
            attrs={"rationale": f"{title} need a rule.", "record_key": f"rfc-{number}"},
            provenance=Provenance(source),
        )
        world.claim(f"In rule {number} a torn rope is replaced by a current version of it.", source, (f"RFC {number}",))
    world.claim("The old quay was superseded by the new quay, which replaced it and requires a rule.", source)
    return world


def replace(world: World, new: int, old: int) -> None:
    world.graph.add_edge(f"decision:rfc-{new}", "supersedes", f"decision:rfc-{old}")


def told(world: World, question: str) -> str | None:
    answer = world.ask(question)
    assert (answer.answer is None) == (answer.dead_end is not None)
    return answer.answer.id if answer.answer is not None else answer.dead_end


edges = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)).filter(lambda pair: pair[0] > pair[1]), max_size=4)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edges, st.integers(1, 5), st.sampled_from((*WHAT_REPLACED, *WHAT_IS_CURRENT)))
def test_a_question_for_the_successor_of_a_record_is_answered_along_its_lineage_alone(
    pairs: list[tuple[int, int]], asked: int, question: str
) -> None:
    world = filled()
    for new, old in dict.fromkeys(pairs):
        replace(world, new, old)
    current = {str(row[0]) for row in world.graph.store.engine.rows("current")}
    successors = [f"decision:rfc-{new}" for new, old in pairs if old == asked]
    answer = world.ask(question.format(f"RFC {asked}"))

    assert answer.answer is not None
    if not successors:
        assert answer.answer.id == f"decision:rfc-{asked}"
        assert answer.detail.endswith("it is current.")
    elif question in WHAT_REPLACED:
        assert answer.answer.id in successors
    if question in WHAT_IS_CURRENT or not successors:
        assert answer.answer.id in current


@pytest.mark.parametrize(
    "question",
    ["What does RFC 2 require?", "Which rule requires RFC 2?", "What did RFC 2 replace?", "Which one cites RFC 2?"],
)
def test_an_edge_that_a_named_record_lacks_is_a_dead_end_that_names_it(question: str) -> None:
    answer = filled().ask(question)
    assert answer.dead_end == "no_typed_edge"
    assert answer.detail.startswith("No live ")
    assert "'RFC 2: Harbour lights'" in answer.detail


def test_what_more_is_asked_of_it_is_answered_from_what_is_said_of_it_alone() -> None:
    world = filled()
    question = "Which lamp of every pilot does RFC 2 require?"
    world.claim("Every pilot requires a lamp of oil.", world.source("Lamps"), ("Lamps",))
    assert told(world, question) == "no_typed_edge"
    own = world.claim("RFC 2 requires of every pilot a lamp of oil.", world.source("Letter"))
    world.graph.add_edge(own, "supports", "decision:rfc-2")
    assert told(world, question) == own


def test_a_successor_that_fell_is_where_the_way_ends() -> None:
    world = filled()
    quiet = world.graph.assume("The harbour stays quiet").id
    replace(world, 3, 2)
    world.graph.add_edge("decision:rfc-3", "depends_on", quiet)
    seen = world.graph.submit_evidence("A ferry came.", source_id=world.source("Log"))
    world.graph.reject(quiet, evidence_id=seen.id)
    for question in ("What replaced RFC 2?", "What is the current version of RFC 2?"):
        answer = world.ask(question)
        assert answer.dead_end == "pruned_too_early"
        assert "'RFC 3: Signal flags', which fell" in answer.detail


def test_an_edge_that_came_loose_is_told_as_one_that_holds_no_longer() -> None:
    world = filled()
    replace(world, 3, 2)
    quiet = world.graph.assume("The harbour stays quiet").id
    world.graph.bind(world.graph.edges_to("decision:rfc-2", "supersedes")[0].id, quiet)
    seen = world.graph.submit_evidence("A ferry came.", source_id=world.source("Log"))
    world.graph.reject(quiet, evidence_id=seen.id)
    answer = world.ask("What replaced RFC 2?")
    assert answer.dead_end == "pruned_too_early"
    assert answer.detail.endswith("'RFC 3: Signal flags' holds no longer.")


def test_a_record_is_called_by_its_title_too() -> None:
    world = filled()
    replace(world, 3, 2)
    assert told(world, "What replaced Harbour lights?") == "decision:rfc-3"
    assert told(world, "What is the current version of Mooring fees?") == "decision:rfc-4"


def test_a_title_of_one_word_is_a_word() -> None:
    assert filled().index.names.of_words("tides") == ()


@pytest.mark.parametrize(
    "question", ["Which RFC replaced RFC 99?", "What is the current version of RFC 99?", "What did RFC 99 replace?"]
)
def test_a_record_that_is_not_here_is_not_found_by_the_word_of_its_series(question: str) -> None:
    world = filled()
    world.claim("An RFC is replaced when a current version is written.", world.source("On RFCs"), ("RFC", "current"))
    assert told(world, question) == "entity_unresolved"


def test_what_is_current_of_a_thing_that_is_no_record_is_told_by_words() -> None:
    world = filled()
    claim = world.claim("The current warden of the Old Quay is Ida.", world.source("Staff"), ("Old Quay",))
    assert told(world, "What is the current warden of the Old Quay?") == claim
