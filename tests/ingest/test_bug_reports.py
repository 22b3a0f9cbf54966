"""Two reports of what went wrong in other tools, as small cases."""

from __future__ import annotations

from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.documents import Document
from contextmesh.resolve.resolver import Resolver
from tests.ingest.worlds import World, page


def test_one_acronym_in_four_contexts_is_one_entity_and_a_later_session_adds_to_it() -> None:
    world = World()
    contexts = (
        "The budget of QRSB grew by a tenth.",
        "A new building houses QRSB on the hill.",
        "The council voted on QRSB in May.",
        "A strike at QRSB lasted for a week.",
    )
    world.read(*(page(str(n), text, title=f"Page {n}") for n, text in enumerate(contexts)))
    office = world.labelled("entity", "QRSB")
    said = [edge for edge in world.graph.edges_to(office.id, "mentions") if edge.src.startswith("claim:")]
    assert len(said) == 4

    later = World(ContextGraph.from_json(world.graph.to_json()), Resolver.from_json(world.resolver.to_json()))
    later.read(page("4", "Nobody at QRSB answered the letter."))
    assert later.labelled("entity", "QRSB").id == office.id
    said = [edge for edge in later.graph.edges_to(office.id, "mentions") if edge.src.startswith("claim:")]
    assert len(said) == 5


def test_a_new_sentence_about_a_person_contradicts_nothing_they_are() -> None:
    world = World()
    world.read(page("s1", "Otter is site manager at Kelpworks."))
    before = set(world.graph.store.nodes)
    world.read(Document("source:s2", "Note", "Otter set a new audit rule for Kelpworks's repository account."))

    store = world.graph.store
    assert list(store.engine.rows("invalid")) == []
    assert [edge for edge in store.edges.values() if edge.type == "contradicts"] == []
    assert all(world.graph.is_live(id) for id in store.nodes) and before <= set(store.nodes)
    assert world.current_claims("source:s1") == ["Otter is site manager at Kelpworks."]
    ivo = world.labelled("entity", "Otter")
    assert len([edge for edge in world.graph.edges_to(ivo.id, "mentions") if edge.src.startswith("claim:")]) == 2
    assert "open_contradictions" not in {s.kind for s in world.graph.health().signals if s.count}
