"""Reading again: the same changes nothing, one changed sentence changes one claim, what vanished is set aside."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.revise import compare, likeness
from contextmesh.resolve.resolver import Resolver
from tests.ingest.worlds import World, page, state

LINES = [f"The ferry {name} leaves at {hour} and carries {cars} cars." for name, hour, cars in (
    ("Otter", "eight", 40), ("Marten", "nine", 12), ("Heron", "ten", 7), ("Tern", "noon", 90), ("Gull", "one", 3),
)]  # fmt: skip
paragraphs = st.lists(st.sampled_from(LINES), unique=True, max_size=5)
readings = st.lists(st.tuples(st.sampled_from("ab"), paragraphs), min_size=1, max_size=5)


def text_of(lines: list[str]) -> str:
    return "\n\n".join(lines)


@settings(max_examples=60, deadline=None)
@given(readings)
def test_the_same_documents_again_change_nothing_and_say_so(read: list[tuple[str, list[str]]]) -> None:
    world = World()
    last = {name: page(name, text_of(lines), title=name) for name, lines in read}
    for name, lines in read:
        world.read(page(name, text_of(lines), title=name))
    before = state(world)
    report = world.read(*last.values())

    assert report.is_unchanged
    assert list(report.unchanged) == [document.id for document in last.values()]
    assert "nothing changed" in report.as_text()
    assert state(world) == before


@settings(max_examples=60, deadline=None)
@given(readings)
def test_after_any_readings_each_document_says_what_its_last_text_says(read: list[tuple[str, list[str]]]) -> None:
    world = World()
    for name, lines in read:
        world.read(page(name, text_of(lines), title=name))

    for name, lines in dict(read).items():
        assert world.current_claims(f"source:{name}") == lines
    assert world.misplaced() == []
    assert list(world.graph.store.engine.rows("gap")) == []


@settings(max_examples=60, deadline=None)
@given(paragraphs.filter(len), st.integers(0, 4), st.sampled_from(["forty", "no", "many red"]))
def test_one_changed_sentence_changes_one_claim(lines: list[str], at: int, word: str) -> None:
    world = World()
    world.read(page("a", text_of(lines)))
    before = {node.id: node for node in world.of_type("claim")}
    changed = list(lines)
    old = changed[at % len(lines)]
    changed[at % len(lines)] = old.replace("leaves", f"leaves with {word} flags")
    report = world.read(page("a", text_of(changed)))
    after = {node.id: node for node in world.of_type("claim")}

    assert (report.claims_new, report.claims_changed, report.pruned_nodes) == (1, 1, 0)
    (fresh,) = [node for id, node in after.items() if id not in before]
    assert world.linked(fresh.id, "supersedes") == [world.labelled("claim", old).id]
    assert all(after[id].label == node.label and not after[id].pruned for id, node in before.items())


def test_a_sentence_that_vanished_is_pruned_with_a_reason() -> None:
    world = World()
    world.read(page("a", text_of(LINES)))
    report = world.read(page("a", text_of(LINES[1:])))
    gone = world.labelled("claim", LINES[0])

    assert (report.pruned_nodes, report.claims_new) == (1, 0)
    assert gone.pruned
    assert gone.attrs["pruned_because"] == "source:a no longer says so"
    assert not world.graph.is_live(gone.id)


def test_a_sentence_that_another_document_still_holds_is_kept() -> None:
    world = World()
    world.read(page("a", "Ann Berg built the Otter."), page("b", "Know this: Ann Berg built the Otter.", title="b"))
    world.read(page("b", "We know.\n\nAnn Berg built the Otter.", title="b"))
    world.read(page("a", LINES[1]))
    shared = world.labelled("claim", "Ann Berg built the Otter.")

    assert not shared.pruned
    assert shared.provenance is not None
    assert shared.provenance.source_id == "source:b"
    assert "elsewhere" not in shared.attrs
    assert world.misplaced() == []


def test_a_sentence_that_comes_back_is_live_again() -> None:
    world = World()
    for lines in (LINES, LINES[1:], LINES):
        world.read(page("a", text_of(lines)))
    back = world.labelled("claim", LINES[0])

    assert not back.pruned
    assert "pruned_because" not in back.attrs


def test_a_wording_that_comes_back_after_being_replaced_is_a_new_claim_that_replaces() -> None:
    world = World()
    reworded = LINES[0].replace("forty", "no").replace("40", "50")
    for line in (LINES[0], reworded, LINES[0]):
        world.read(page("a", line))
    first, second = (node for node in world.of_type("claim") if node.label == LINES[0])

    assert world.linked(second.id, "supersedes") == [world.labelled("claim", reworded).id]
    assert [node.id for node in world.graph.lineage(second.id)] == [
        first.id,
        world.labelled("claim", reworded).id,
        second.id,
    ]


def test_a_document_that_is_no_longer_there_is_not_touched() -> None:
    world = World()
    world.read(page("a", LINES[0]), page("b", LINES[1], title="b"))
    world.read(page("a", LINES[2]))

    assert world.current_claims("source:b") == [LINES[1]]


def test_a_file_read_from_another_place_is_the_same_document() -> None:
    world = World()
    world.read(page("a", LINES[0], "Ferries"))
    moved = page("a", LINES[0], "Ferries")
    report = world.read(type(moved)(moved.id, moved.title, moved.text, origin="elsewhere/a.txt"))

    assert report.unchanged == ("source:a",)


def test_another_document_of_the_same_name_gets_an_id_of_its_own() -> None:
    world = World()
    world.read(page("a", LINES[0], "Ferries"))
    other = page("a", LINES[1], "Quite another page")
    report = world.read(type(other)(other.id, other.title, other.text, origin="b/a.txt"))

    assert report.new[0].startswith("source:a~")
    assert world.current_claims("source:a") == [LINES[0]]
    assert world.read(type(other)(other.id, other.title, other.text, origin="b/a.txt")).is_unchanged


@given(st.lists(st.sampled_from(LINES), unique=True), st.lists(st.sampled_from(LINES), unique=True))
def test_a_comparison_accounts_for_every_sentence_once(before: list[str], after: list[str]) -> None:
    found = compare(before, after)

    assert sorted([*found.kept, *(old for old, _ in found.reworded), *found.gone]) == sorted(before)
    assert sorted([*found.kept, *(new for _, new in found.reworded), *found.new]) == sorted(after)


@given(st.text(max_size=40), st.text(max_size=40))
def test_likeness_is_symmetric_and_whole_for_equal_words(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one)
    assert 0.0 <= likeness(one, other) <= 1.0
    assert likeness(one, one) in (0.0, 1.0)


def test_a_session_read_from_its_files_goes_on_where_it_was() -> None:
    world = World()
    world.read(page("a", text_of(LINES[:3])))
    again = World(ContextGraph.from_json(world.graph.to_json()), Resolver.from_json(world.resolver.to_json()))
    again.read(page("a", text_of(LINES[1:4])))

    assert again.current_claims("source:a") == LINES[1:4]
