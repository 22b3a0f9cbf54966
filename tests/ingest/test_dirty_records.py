"""Real metadata is dirty and goes in: each oddity is kept, and seen by health; nothing is refused or guessed away."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.ingest.build import build_document
from contextmesh.ingest.documents import Document
from contextmesh.ingest.files import Found
from tests.ingest.worlds import World, illegal


def dec(number: int, *header: str, words: str = "It was decided.") -> Document:
    lines = [f"DEC: {number}", f"Title: Plan number {number}", *header]
    if not any(line.startswith("Created") for line in header):
        lines.append(f"Created: 2001-01-{number % 28 + 1:02}")
    found = Found(Path(f"dec-{number}.rst"), f"decs/dec-{number}.rst", f"decs/dec-{number}.rst", named=False)
    made = build_document(found, "\n".join([*lines, "", words, ""]), "rst")
    assert isinstance(made, Document)
    return made


def edges(world: World, type_: str) -> list[tuple[str, str]]:
    strip = len("decision:")
    return [
        (edge.src[strip:], edge.dst[strip:])
        for edge in world.graph.store.edges.values()
        if edge.type == type_ and edge.src.startswith("decision:") and edge.dst.startswith("decision:")
    ]


def signals(world: World) -> set[str]:
    return {signal.kind for signal in world.graph.health().signals if signal.count}


ORDERS = [(1, 2), (2, 1)]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "header", [{2: "Replaces: 1"}, {1: "Superseded-By: DEC 2"}, {2: "Replaces: 1", 1: "Superseded-By: 2"}]
)
def test_a_supersession_is_one_edge_whichever_end_states_it_and_whichever_is_read_first(
    order: tuple[int, int], header: dict[int, str]
) -> None:
    world = World()
    for number in order:
        world.read(dec(number, *([header[number]] if number in header else [])))

    assert edges(world, "supersedes") == [("dec-2", "dec-1")]
    assert [node.id for node in world.graph.lineage("decision:dec-1")] == ["decision:dec-1", "decision:dec-2"]
    assert ("lineage_stated_once" in signals(world)) == (len(header) == 1)


def test_a_record_is_reached_from_its_name_through_what_its_header_says() -> None:
    world = World()
    world.read(dec(1, "Status: Rejected"), dec(2, "Replaces: 1"))
    name = world.labelled("entity", "DEC 1")
    claim = world.labelled("claim", "DEC 1 was superseded by DEC 2, which replaced it.")

    assert name.attrs["aliases"] == ["dec-0001", "DEC 1: Plan number 1"]
    assert claim.id in [edge.src for edge in world.graph.edges_to(name.id, "mentions")]
    assert claim.id in world.linked("decision:dec-2", "derived_from")
    assert claim.attrs["quote"] == "Replaces: 1"
    assert world.linked("decision:dec-1", "cites") == ["source:decs/dec-1.rst"]
    assert world.resolver.peek("dec-0001").id == name.id
    assert world.misplaced() == []


def test_several_replaced_and_several_replacing_are_all_edges() -> None:
    world = World()
    world.read(dec(1), dec(2, "Replaces: 1"), dec(3, "Replaces: 1, 4"), dec(4))

    assert edges(world, "supersedes") == [("dec-2", "dec-1"), ("dec-3", "dec-1"), ("dec-3", "dec-4")]
    assert "replaced_by_several" in signals(world)


def test_a_circle_of_requirements_goes_in() -> None:
    world = World()
    world.read(dec(1, "Requires: 2"), dec(2, "Requires: 3"), dec(3, "Requires: 1"))

    assert sorted(edges(world, "depends_on")) == [("dec-1", "dec-2"), ("dec-2", "dec-3"), ("dec-3", "dec-1")]
    assert "requirement_cycle" in signals(world)


def test_a_circle_of_supersessions_loses_its_last_edge_and_says_so() -> None:
    world = World()
    report = world.read(dec(1, "Replaces: 2"), dec(2, "Replaces: 3"), dec(3, "Replaces: 1"))
    link = next(stage for stage in report.stages if stage.name == "LINK")

    assert edges(world, "supersedes") == [("dec-1", "dec-2"), ("dec-3", "dec-1")]
    assert dict(link.reasons) == {"supersedes: supersedes-itself": link.dropped}
    assert link.dropped >= 1


def test_a_record_that_replaces_itself_loses_that_edge_alone() -> None:
    world = World()
    report = world.read(dec(1, "Replaces: 1"))
    link = next(stage for stage in report.stages if stage.name == "LINK")

    assert edges(world, "supersedes") == []
    assert "supersedes: a record names itself" in dict(link.reasons)


def test_a_reference_to_nothing_waits_until_what_it_names_arrives() -> None:
    world = World()
    world.read(dec(1, "Superseded-By: 9", "Requires: 8"))
    assert "dangling_reference" in signals(world)
    world.read(dec(9), dec(8))

    assert edges(world, "supersedes") == [("dec-9", "dec-1")]
    assert edges(world, "depends_on") == [("dec-1", "dec-8")]
    assert "dangling_reference" not in signals(world)


def test_words_and_dates_are_kept_as_they_are_written() -> None:
    world = World()
    world.read(
        dec(1, "Status: Acepted", "Created: Mar 2003"),
        dec(2, "Replaces: 3", "Created: 2001-05-05"),
        dec(3, "Created: 2002-05-05"),
    )
    holds = world.graph.store.engine.holds

    assert holds("record_status", ("decision:dec-1", "acepted"))
    assert holds("imprecise_date", ("decision:dec-1", "Mar 2003"))
    assert world.graph.node("source:decs/dec-1.rst").attrs["retrieved_at"] == "Mar 2003"
    assert {"unknown_status", "imprecise_date", "successor_dated_before"} <= signals(world)


def test_two_documents_of_one_number_are_two_records() -> None:
    world = World()
    twin = dec(1, words="It was decided twice.")
    world.read(dec(1), Document("source:copy", twin.title, twin.text, "rst", "copy.rst", record=twin.record))
    records = world.of_type("decision")

    assert [node.attrs["record_key"] for node in records] == ["dec-1", "dec-1"]
    assert records[0].id == "decision:dec-1"


def test_a_changed_header_brings_its_record_up_to_date() -> None:
    world = World()
    world.read(dec(1, "Status: Draft"), dec(2))
    report = world.read(dec(1, "Status: Final", "Superseded-By: 2"))

    assert report.changed == ("source:decs/dec-1.rst",)
    assert world.graph.node("decision:dec-1").attrs["record_status"] == "final"
    assert edges(world, "supersedes") == [("dec-2", "dec-1")]
    assert list(illegal(world)) == []


def page(name: str, text: str) -> Document:
    found = Found(Path(name), f"d/{name}", f"d/{name}", named=False)
    made = build_document(found, text, "decisions")
    assert isinstance(made, Document)
    return made


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_record_named_by_its_title_or_by_a_link_is_found(order: tuple[int, int]) -> None:
    pair = (
        page("2020-01-01-rope.md", "# Tie with rope\n\n* Status: Superseded by Tie with steel\n"),
        page(
            "2021-01-01-steel.md",
            "# Tie with steel\n\n* Status: Accepted\n* Amends: [Where to tie](../d/2019-01-01-where.md)\n",
        ),
    )
    world = World()
    for at in order:
        world.read(pair[at])
    world.read(page("2019-01-01-where.md", "# Where to tie\n\n* Status: Accepted\n"))

    assert edges(world, "supersedes") == [("adr-2021-01-01-steel", "adr-2020-01-01-rope")]
    assert edges(world, "depends_on") == [("adr-2021-01-01-steel", "adr-2019-01-01-where")]
    assert "dangling_reference" not in signals(world)
