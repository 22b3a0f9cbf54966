"""Documents become sources, claims and entities, with legal edges and exact places."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.data import read_data
from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.documents import Document, Skipped
from contextmesh.ingest.pipeline import RUN_DOCUMENTS, ingest
from contextmesh.policy import Policy
from contextmesh.resolve.resolver import Resolver
from tests.ingest.worlds import World, illegal, page, state

FERRIES = "The Marten crosses North Bay in May. It carries cars. Ann Berg steers the Marten."
OTTERS = "The Otter crosses North Bay too. Ann Berg once steered the Otter."

SENTENCES = [
    "The Marten crosses North Bay.",
    "It carries forty cars.",
    "Ann Berg steers the Marten.",
    "Does it leave at eight?",
    "The harbour was built in 1962 by Lund & Sons.",
    "“The Long Way Home” was sung there.",
    "東京は日本の首都です。",
    "It carries forty cars.",
]
texts = st.lists(st.sampled_from(SENTENCES), max_size=6).map(" ".join)
documents = st.lists(st.tuples(st.sampled_from("abcd"), texts), max_size=5, unique_by=lambda pair: pair[0])


def test_a_claim_is_one_sentence_with_its_document_place_and_checks() -> None:
    world = World()
    world.read(page("ferries", "Ferries\n\n" + FERRIES))
    claim = world.labelled("claim", "It carries cars.")

    assert claim.id.startswith("claim:it-carries-cars-")
    assert claim.provenance is not None
    assert claim.provenance.source_id == "source:ferries"
    assert claim.provenance.extractor == "assertive-span"
    assert claim.provenance.checks == ("assertive", "span-bounded")
    assert world.linked(claim.id, "derived_from") == ["source:ferries"]
    assert world.misplaced() == []


def test_a_quote_is_kept_where_the_label_differs_from_the_text() -> None:
    world = World()
    world.read(page("ferries", "The **Marten** crosses\nthe bay.", kind="markdown"))
    claim = world.labelled("claim", "The Marten crosses the bay.")

    assert claim.attrs["quote"] == "The **Marten** crosses\nthe bay."


def test_one_name_is_one_entity_in_all_documents() -> None:
    world = World()
    world.read(page("ferries", FERRIES), page("otters", OTTERS))
    berg = world.labelled("entity", "Ann Berg")

    assert len(world.graph.edges_to(berg.id, "mentions")) == 4  # two claims and two sources
    assert world.linked(berg.id, "derived_from") == ["source:ferries"]
    assert world.resolver.peek("ann berg").id == berg.id


def test_a_name_spaced_otherwise_is_the_same_entity() -> None:
    world = World()
    report = world.read(page("a", "We like the Shard Router."), page("b", "We like the ShardRouter."))

    assert [node.label for node in world.of_type("entity")] == ["Shard Router"]
    assert report.collapsed_aliases == 1


def test_names_that_only_share_words_stay_apart() -> None:
    world = World()
    world.read(page("a", "They left New York."), page("b", "They left New York City."))

    assert [node.label for node in world.of_type("entity")] == ["New York", "New York City"]


def test_a_question_that_took_one_name_for_another_does_not_make_them_one() -> None:
    world = World()
    world.read(page("a", "They left New York City."))
    assert world.resolver.resolve("New York").label == "New York City"
    world.read(page("b", "They love New York."))

    assert [node.label for node in world.of_type("entity")] == ["New York City", "New York"]
    assert world.resolver.peek("New York").label == "New York"


def test_a_name_that_somebody_registered_is_honoured() -> None:
    world = World()
    world.read(page("a", "They left the Big Apple Harbour."))
    harbour = world.labelled("entity", "Big Apple Harbour")
    world.resolver.register(harbour.id, harbour.label, ["Gotham"])
    world.read(page("b", "They love Gotham."))

    assert world.of_type("entity") == [harbour]


def test_an_acronym_explained_once_names_the_same_thing_everywhere() -> None:
    world = World()
    world.read(page("a", "The Bay Ferry Union (BFU) met in May."), page("b", "Later the BFU met again."))
    union = world.labelled("entity", "Bay Ferry Union")

    assert union.attrs["aliases"] == ["BFU"]
    assert [node.label for node in world.of_type("entity")] == ["Bay Ferry Union"]
    assert union.id in world.linked(world.labelled("claim", "Later the BFU met again.").id, "mentions")


def test_a_last_name_stands_for_the_person_of_its_document_alone() -> None:
    world = World()
    world.read(
        page("a", "Ann Berg came. Later Berg left the room."), page("b", "Otto Berg came. Later Berg slept well.")
    )
    left, slept = (world.labelled("claim", f"Later Berg {words}.") for words in ("left the room", "slept well"))

    assert world.linked(left.id, "mentions") == [world.labelled("entity", "Ann Berg").id]
    assert world.linked(slept.id, "mentions") == [world.labelled("entity", "Otto Berg").id]


def test_a_row_is_about_its_title() -> None:
    world = World()
    world.read(Document("r1", "Otter (ferry)", "It was built in 1962. The ship sank in 1990.", "jsonl"))
    otter = world.labelled("entity", "Otter (ferry)")

    assert [edge.src for edge in world.graph.edges_to(otter.id, "mentions")] == [
        world.labelled("claim", "It was built in 1962.").id,
        world.labelled("claim", "The ship sank in 1990.").id,
        "r1",
    ]


def test_it_in_two_documents_is_two_things() -> None:
    world = World()
    rows = (Document(f"r{n}", title, "It was built in 1962.", "jsonl") for n, title in enumerate(("Otter", "Marten")))
    world.read(*rows)
    claims = [node for node in world.of_type("claim") if node.label == "It was built in 1962."]

    assert len({claim.id for claim in claims}) == 2
    assert [len(world.linked(claim.id, "mentions")) for claim in claims] == [1, 1]


def test_a_sentence_that_stands_alone_is_one_claim_of_both_documents() -> None:
    world = World()
    world.read(page("a", "Ann Berg built the Otter."), page("b", "We know. Ann Berg built the Otter."))
    claim = world.labelled("claim", "Ann Berg built the Otter.")

    assert world.linked(claim.id, "derived_from") == ["source:a", "source:b"]
    assert claim.attrs["elsewhere"] == [["source:b", 9, 34]]


def test_a_source_keeps_where_and_when_it_was_read_and_not_its_text() -> None:
    world = World()
    world.read(page("a", FERRIES, "Ferries", date="2024-05-06", date_day=19849, header={"owner": "Ann"}))
    source = world.graph.node("source:a")

    assert source.label == "Ferries"
    assert source.attrs["retrieved_at"] == "2024-05-06"
    assert source.attrs["origin"] == "a.txt"
    assert source.attrs["fields"] == {"owner": "Ann"}
    assert FERRIES not in str(source.attrs)
    assert world.graph.store.engine.holds("dated", ("source:a", 19849))


def test_stages_report_what_they_admitted_and_why_they_dropped() -> None:
    world = World()
    report = world.read(page("a", FERRIES + " Is it? See the list."), Skipped("x.bin", "binary-file", "holds bytes"))
    data = report.as_json()

    assert [stage["name"] for stage in data["stages"]] == ["CHUNK", "EXTRACT", "RESOLVE", "LINK", "EMBED", "PRUNE"]
    extract = data["stages"][1]
    assert (extract["admitted"], extract["dropped"], extract["reasons"]) == (
        3,
        2,
        {"cross-reference": 1, "question": 1},
    )
    assert data["documents"] == {"new": 1, "changed": 0, "unchanged": 0, "skipped": 1}
    assert data["skipped"] == [{"path": "x.bin", "code": "binary-file", "message": "holds bytes"}]
    assert "x.bin: binary-file" in report.as_text()


def test_progress_is_told_of_every_document() -> None:
    seen: list[tuple[str, int, int]] = []
    pages = [page(str(n), FERRIES) for n in range(3)]
    ingest(ContextGraph(), Resolver(), pages, progress=lambda *tick: seen.append(tick))

    assert seen == [("ingest", 1, 3), ("ingest", 2, 3), ("ingest", 3, 3)]


def test_many_documents_are_few_transactions() -> None:
    world = World()
    before = world.graph.store.seq
    world.read(*(page(str(n), f"Ferry number {n} left at eight.") for n in range(RUN_DOCUMENTS * 2)))

    assert world.graph.store.seq - before == 2
    assert world.graph.build == 1


def test_a_document_that_no_file_can_hold_is_skipped_and_the_others_go_in() -> None:
    graph = ContextGraph()
    bad = Document("bad", "Bad", "The pier was closed.", "text", "bad.txt", header={"x": "half \ud800 pair"})
    good = Document("good", "Good", "The pier was open for two days.", "text", "good.txt")
    report = ingest(graph, Resolver(), [bad, good])

    assert [(skipped.path, skipped.code) for skipped in report.skipped] == [("bad.txt", "not-canonical")]
    assert report.new == ("good",)


def test_a_document_the_rules_refuse_is_skipped_and_the_others_go_in() -> None:
    world = World()
    report = world.read(
        page("a", FERRIES), Document("justification:1", "Otters", OTTERS, origin="o"), page("b", OTTERS)
    )

    assert [(skipped.path, skipped.code) for skipped in report.skipped] == [("o", "reserved-id")]
    assert report.new == ("source:a", "source:b")
    assert all(id in world.graph.store.nodes for id in world.resolver.labels)


def test_a_document_whose_id_names_another_kind_of_thing_gets_an_id_of_its_own() -> None:
    world = World()
    world.graph.add_node("entity", "Taken", id="source:taken", attrs={"canonical": "Taken", "aliases": []})
    report = world.read(page("taken", OTTERS))

    assert report.new[0].startswith("source:taken~")
    assert world.graph.node("source:taken").type == "entity"


@settings(max_examples=60, deadline=None)
@given(documents)
def test_every_graph_that_is_made_is_legal_grounded_and_exact(read: list[tuple[str, str]]) -> None:
    world = World()
    world.read(*(page(name, text, title=name) for name, text in read))

    assert list(illegal(world)) == []
    assert world.misplaced() == []
    assert list(world.graph.store.engine.rows("gap")) == []
    assert all(id in world.graph.store.nodes for id in world.resolver.labels)
    assert all(world.graph.node(id).label == label for id, label in world.resolver.labels.items())


@settings(max_examples=40, deadline=None)
@given(documents)
def test_a_graph_from_documents_survives_its_file(read: list[tuple[str, str]]) -> None:
    world = World()
    world.read(*(page(name, text, title=name) for name, text in read))
    again = World(ContextGraph.from_json(world.graph.to_json()), Resolver.from_json(world.resolver.to_json()))

    assert state(again)["graph"] == state(world)["graph"]
    report = again.read(*(page(name, text, title=name) for name, text in read))
    assert report.is_unchanged


def world_under(tmp_path: Path, old: str, new: str) -> World:
    """A world whose GRAPH.md has one cell changed."""
    text = read_data("GRAPH.md")
    assert old in text
    (tmp_path / "GRAPH.md").write_text(text.replace(old, new), encoding="utf-8")
    return World(ContextGraph(Policy.load(tmp_path)))


def test_a_pair_that_graph_md_does_not_list_is_dropped_and_counted(tmp_path: Path) -> None:
    world = world_under(tmp_path, "source→entity, claim→entity", "claim→entity")
    report = world.read(page("a", FERRIES))
    link = next(stage for stage in report.stages if stage.name == "LINK")

    assert dict(link.reasons) == {"source -[mentions]-> entity is not legal": 3}
    assert report.new == ("source:a",)
    assert list(illegal(world)) == []


def test_a_graph_whose_rules_refuse_what_is_made_stays_empty_and_every_document_says_why(tmp_path: Path) -> None:
    world = world_under(tmp_path, "`canonical`, `aliases`", "`canonical`, `colour`")
    report = world.read(page("a", FERRIES), page("b", OTTERS))

    assert [skipped.code for skipped in report.skipped] == ["missing-field", "missing-field"]
    assert not world.graph.store.nodes and not world.resolver.labels
    assert (report.build, world.graph.build) == (0, 0)
