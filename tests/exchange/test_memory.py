"""The file of the reference MCP memory server comes in whole: what could not become what it was is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contextmesh.api import Mesh
from contextmesh.base.errors import InputError
from contextmesh.datalog.events import Evaluated, Event
from contextmesh.exchange.memory import TextLimits, import_memory
from contextmesh.exchange.report import Report
from contextmesh.policy import Policy
from contextmesh.resolve import resolver
from contextmesh.store.receipt import Receipt

ADA = {
    "type": "entity",
    "name": "Ada Lind",
    "entityType": "person",
    "observations": ["Repairs ferries", "Says “hej”\n"],
}
YARD = {
    "type": "entity",
    "name": "North Yard",
    "entityType": "company",
    "observations": ["Ada Lind founded North Yard in 2019."],
}
WORKS = {"type": "relation", "from": "Ada Lind", "to": "North Yard", "relationType": "works_at"}


def data_of(*rows: Any) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode("utf-8")


def taken(mesh: Mesh, *rows: Any, **more: Any) -> Report:
    return import_memory(mesh.graph, mesh.resolver, data_of(*rows), "memory.jsonl", **more)


def test_entities_observations_and_relations_become_entities_and_claims_with_the_file_as_their_source() -> None:
    mesh = Mesh()

    report = taken(mesh, ADA, YARD, WORKS)

    ada, yard = mesh.node("Ada Lind"), mesh.node("North Yard")
    assert (ada.type, ada.attrs["entity_type"]) == ("entity", "person")
    claims = {node.label: node for node in mesh.graph.live_nodes("claim")}
    assert list(claims) == [
        "Repairs ferries",
        "Says “hej”\n",
        "Ada Lind founded North Yard in 2019.",
        "Ada Lind works at North Yard",
    ]
    text = data_of(ADA, YARD, WORKS).decode()
    for label in ("Repairs ferries", "Ada Lind founded North Yard in 2019."):
        read = claims[label].provenance
        assert read is not None and read.span is not None
        assert text[slice(*read.span)] == label
        assert mesh.graph.node(read.source_id).label == "memory.jsonl"
    said = claims["Ada Lind works at North Yard"]
    assert [edge.dst for edge in mesh.graph.edges_from(said.id, "mentions")] == [ada.id, yard.id]
    assert said.attrs["relation"] == {"from": "Ada Lind", "type": "works_at", "to": "North Yard"}
    assert report.read == {"entities": 2, "observations": 3, "relations": 1}
    assert [(note.code, note.line) for note in report.notes] == [("relation-as-claim", 3)]
    assert mesh.health().status != "error"


def test_a_question_is_answered_from_what_came_in() -> None:
    mesh = Mesh()
    taken(mesh, ADA, YARD, WORKS)

    answer = mesh.ask("Who founded North Yard?")

    assert answer.answer is not None
    assert answer.answer.label == "Ada Lind founded North Yard in 2019."


def test_reading_the_same_file_again_changes_nothing() -> None:
    mesh = Mesh()
    taken(mesh, ADA, YARD, WORKS)
    before = (mesh.graph.to_json(), mesh.resolver.to_json())

    report = taken(mesh, ADA, YARD, WORKS)

    assert (mesh.graph.to_json(), mesh.resolver.to_json()) == before
    assert (report.written, report.changed) == ({}, {})


def test_a_relation_is_a_typed_edge_where_the_ontology_has_it_between_two_entities(tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "GRAPH.md"
    row = "| `works_at` | entity→entity | none | Is employed by |\n"
    text = shipped.read_text("utf-8").replace("| `resolves_to`", f"{row}| `resolves_to`")
    (tmp_path / "GRAPH.md").write_text(text, "utf-8")
    mesh = Mesh(Policy.load(tmp_path))

    report = taken(mesh, ADA, YARD, {**WORKS, "relationType": "Works at"})

    edges = mesh.graph.edges_from(mesh.node("Ada Lind").id)
    assert [(edge.type, edge.dst) for edge in edges] == [("works_at", mesh.node("North Yard").id)]
    assert report.read["typed relations"] == 1
    assert report.notes == []


def test_what_does_not_become_what_it_was_is_told_with_its_line() -> None:
    mesh = Mesh()
    known = mesh.graph.add_node("entity", "Northern Yard Ltd", attrs={"canonical": "x", "aliases": ["North Yard"]})
    mesh.resolver.register(known.id, known.label, ["North Yard"])

    report = taken(
        mesh,
        ADA,
        {**ADA, "entityType": "robot", "observations": ["Sails", "Sails", " "]},
        YARD,
        WORKS,
        WORKS,
        {**WORKS, "to": "Nowhere Quay"},
        {**WORKS, "to": "Ada Lind", "relationType": "resolves to"},
        {**YARD, "name": ""},
        {**WORKS, "relationType": " "},
    )

    assert [(note.code, note.line) for note in report.notes] == [
        ("repeated-entity", 2),
        ("kind-differs", 2),
        ("blank-text", 2),
        ("repeated-observation", 2),
        ("known-as", 3),
        ("blank-text", 8),
        ("relation-as-claim", 4),
        ("repeated-relation", 5),
        ("undeclared-entity", 6),
        ("relation-as-claim", 6),
        ("relation-as-claim", 7),
        ("blank-text", 9),
    ]
    assert mesh.node("Nowhere Quay").type == "entity"


def test_two_names_with_one_form_stay_two_things_and_the_kept_name_is_told() -> None:
    mesh = Mesh()

    report = taken(mesh, {**YARD, "name": "Auth Service"}, {**YARD, "name": "auth-service"})

    assert len(list(mesh.graph.live_nodes("entity"))) == 2
    assert report.counts == {"name-kept": 1}


REFUSED: dict[str, tuple[bytes, str, int]] = {
    "no JSON": (data_of(ADA) + b"{\n", "damaged-file", 2),
    "an array": (data_of(ADA, []), "wrong-type", 2),
    "no type": (data_of({"name": "x"}), "missing-key", 1),
    "another type": (b"\n" + data_of({"type": "entitty"}), "unknown-word", 2),
    "a key too many": (data_of({**ADA, "note": 1}), "unknown-key", 1),
    "a key too few": (data_of(ADA, {"type": "relation", "from": "x", "to": "y"}), "missing-key", 2),
    "a name that is a number": (data_of({**ADA, "name": 5}), "wrong-type", 1),
    "an observation that is an object": (data_of({**ADA, "observations": [{}]}), "wrong-type", 1),
    "a key twice": (b'{"type":"entity","type":"entity"}', "duplicate-key", 1),
    "half a character": (b'{"type":"entity","name":"\\ud800","entityType":"x","observations":[]}', "lone-surrogate", 1),
    "no UTF-8": (data_of(ADA) + b"\xff\n", "not-utf-8", 2),
    "a byte order mark": (b"\xef\xbb\xbf" + data_of(ADA), "byte-order-mark", 1),
    "a very long name": (data_of({**ADA, "name": "x" * 1_025}), "out-of-range", 1),
    "nesting": (b'{"type":' + b"[" * 5_000 + b"]" * 5_000 + b"}", "too-deep", 1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_line_of_another_format_is_refused_by_code_and_line_and_nothing_is_written(name: str) -> None:
    mesh = Mesh()
    data, code, line = REFUSED[name]
    with pytest.raises(InputError) as caught:
        import_memory(mesh.graph, mesh.resolver, data, "memory.jsonl")

    assert caught.value.code == code
    assert caught.value.problem.where is not None
    assert (caught.value.problem.where.file, caught.value.problem.where.line) == ("memory.jsonl", line)
    assert not mesh.graph.store.nodes and not mesh.resolver.labels


def test_the_number_and_length_of_observations_are_bounded() -> None:
    for limits in (TextLimits(observations=1), TextLimits(observation=5)):
        with pytest.raises(InputError) as caught:
            taken(Mesh(), ADA, texts=limits)
        assert caught.value.code == "out-of-range"


def test_of_many_notes_of_one_kind_the_first_are_told_and_all_are_counted() -> None:
    report = taken(Mesh(), *({**WORKS, "to": f"Yard {n}"} for n in range(150)))

    assert report.counts == {"undeclared-entity": 151, "relation-as-claim": 150}
    assert len(report.notes) == 200


def things(count: int, first: int = 0) -> list[dict[str, Any]]:
    """Entities whose names share a word, each with what is said of it."""
    return [
        {"type": "entity", "name": f"Quay number {i}", "entityType": "quay", "observations": [f"Quay {i} is öpen."]}
        for i in range(first, first + count)
    ]


@pytest.mark.parametrize("count", [4, 16, 64])
def test_a_file_is_one_transaction_judged_once_and_no_name_is_scored_against_others(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = Mesh()
    taken(mesh, *things(count))
    scored: list[str] = []
    monkeypatch.setattr(resolver, "similarity", lambda one, other: scored.append(one) or 0.0)
    receipts: list[Receipt] = []
    mesh.graph.store.observers.append(receipts.append)
    judged: list[Event] = []
    mesh.graph.store.engine.listener = judged.append

    taken(mesh, *things(count, first=count))

    assert len(receipts) == 1
    assert sum(isinstance(event, Evaluated) and "violation" in event.relations for event in judged) == 1
    assert scored == []
    assert mesh.resolver.peek("Quay number").reason != "alias table" and scored, "who asks for the nearest name scores"


@pytest.mark.parametrize("escaped", [False, True])
def test_what_is_said_is_found_in_the_file_however_its_letters_are_written(escaped: bool) -> None:
    row = {**ADA, "observations": ["öpen", "öpen late", "pläin", "plain"]}
    data = json.dumps(row, ensure_ascii=escaped).encode()
    mesh = Mesh()
    import_memory(mesh.graph, mesh.resolver, data, "memory.jsonl")

    found = {node.label: node.provenance for node in mesh.graph.live_nodes("claim")}
    for label, read in found.items():
        assert read is not None and read.span is not None
        assert json.loads(f'"{data.decode()[slice(*read.span)]}"') == label


def test_of_texts_that_are_written_otherwise_the_line_is_told() -> None:
    texts = [f"{i}/{i}" for i in range(70)]
    data = json.dumps({**ADA, "observations": [*texts, "plain"]}).replace("/", "\\/").encode()
    mesh = Mesh()
    import_memory(mesh.graph, mesh.resolver, data, "memory.jsonl")

    reads = [node.provenance for node in mesh.graph.live_nodes("claim")]
    assert {read.span for read in reads if read is not None} == {(0, len(data))}
