"""Reads give documents that fit, page through everything, and change nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from served_places import DECISION, OBSERVED, SOURCE, STRANGE, TIDE, FixedMesh, filled, wide

from contextmesh.api import Mesh
from contextmesh.base.errors import Refusal, UnknownError
from contextmesh.graph.graph import ContextGraph
from contextmesh.mcp.budget import BYTES, bounded, size
from contextmesh.mcp.calls import call
from contextmesh.mcp.catalogue import TOOLS, listed
from contextmesh.mcp.tools import READS

READ_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mesh_ask", {"question": "Which ferry sails at noon?"}),
    ("mesh_get_node", {"id": DECISION}),
    ("mesh_health", {}),
    ("mesh_health", {"signal": "orphans"}),
    ("mesh_lineage", {"id": DECISION}),
    ("mesh_blast_radius", {"assumption": TIDE}),
    ("mesh_explain_as_of", {"question": "Which ferry sails at noon?", "as_of": "2025-02-01"}),
    ("mesh_reconstruct_decision", {"decision": DECISION}),
    ("mesh_query", {"query": "live(X), node(X, decision)"}),
    ("mesh_why", {"fact": f"live('{DECISION}')"}),
    ("mesh_why", {"fact": f"invalid('{DECISION}')"}),
)


def structure(mesh: Mesh) -> tuple[object, ...]:
    """All there is, but the counters of walks."""
    store = mesh.graph.store
    relations = store.policy.program.declarations
    rows = {name: sorted(store.engine.rows(name), key=repr) for name in relations}
    return store.seq, store.build, dict(store.nodes), dict(store.edges), dict(store.assumptions), rows


@pytest.fixture(scope="module")
def hub() -> FixedMesh:
    return FixedMesh(wide(120))


def test_every_read_is_tried_here() -> None:
    assert {name for name, _ in READ_CALLS} == set(READS) == {tool.name for tool in TOOLS if tool.role == "read"}


@pytest.mark.parametrize(("name", "given"), READ_CALLS)
def test_a_read_changes_no_structure_and_gives_the_keys_it_promises(name: str, given: dict[str, Any]) -> None:
    mesh = filled(Mesh())
    before = structure(mesh)

    document = call(FixedMesh(mesh), name, given)

    assert structure(mesh) == before
    promised = next(tool.answers for tool in TOOLS if tool.name == name)
    assert [key for key in promised if key not in document] == []
    assert json.loads(json.dumps(document)) == document


def test_an_ask_counts_its_walk_and_no_other_read_does() -> None:
    mesh = filled(Mesh())
    served = FixedMesh(mesh)
    for name, given in READ_CALLS:
        if name != "mesh_ask":
            call(served, name, given)
    assert mesh.graph.store.walks == {}

    found = call(served, "mesh_ask", {"question": "Who sails at noon, the ferry?"})

    assert set(mesh.graph.store.walks) == {step["id"] for step in found["path"]}


def test_a_blast_radius_shows_both_halves_and_commits_nothing() -> None:
    found = call(FixedMesh(filled(Mesh())), "mesh_blast_radius", {"assumption": TIDE})

    assert not found["committed"]
    assert [one["id"] for one in found["invalidated"]] == ["assumption:tide", DECISION]
    assert found["preserved_count"] > 0


def test_a_fact_that_does_not_hold_is_explained_by_what_is_missing() -> None:
    found = call(FixedMesh(filled(Mesh())), "mesh_why", {"fact": f"invalid('{DECISION}')"})

    assert (found["holds"], found["steps"]) == (False, [])
    assert found["missing"]


def test_a_proof_ends_in_what_was_stated() -> None:
    found = call(FixedMesh(filled(Mesh())), "mesh_why", {"fact": f"live('{DECISION}')"})

    assert found["holds"]
    assert found["steps"][0]["step"] == 0
    assert found["steps"][0]["rule"] or found["steps"][0]["where"]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("mesh_get_node", {"id": "source:log"}),
        ("mesh_get_node", {"id": "assumption:tide"}),
        ("mesh_get_node", {"id": "decision:d-7"}),
        ("mesh_health", {}),
        ("mesh_blast_radius", {"assumption": TIDE}),
        ("mesh_query", {"query": "edge(E, X, T, Y)"}),
        ("mesh_query", {"query": "node(X, K), live(X)"}),
        ("mesh_why", {"fact": "live(X)"}),
        ("mesh_ask", {"question": "What did the harbour master and his council decide, number 7?"}),
        ("mesh_reconstruct_decision", {"decision": "decision:d-7"}),
        ("mesh_explain_as_of", {"question": "What was decided, number 7?", "as_of": "2025-02-01"}),
        ("mesh_lineage", {"id": "decision:d-7"}),
    ],
)
def test_no_default_answer_costs_more_than_about_two_thousand_tokens(
    hub: FixedMesh, name: str, given: dict[str, Any]
) -> None:
    try:
        document = call(hub, name, given)
    except UnknownError as refusal:
        pytest.fail(f"{refusal}")

    assert size(document) <= BYTES


@pytest.mark.parametrize(
    ("name", "given", "key", "count"),
    [
        ("mesh_get_node", {"id": "assumption:tide"}, "edges", 120),
        ("mesh_get_node", {"id": "assumption:tide", "limit": 200}, "edges", 120),
        ("mesh_blast_radius", {"assumption": TIDE, "limit": 50}, "invalidated", 121),
        ("mesh_query", {"query": "node(X, decision)", "limit": 33}, "rows", 120),
    ],
)
def test_the_pages_together_are_the_whole(
    hub: FixedMesh, name: str, given: dict[str, Any], key: str, count: int
) -> None:
    rows: list[str] = []
    cursor = None
    while True:
        document = call(hub, name, {**given, "next": cursor})
        rows += [json.dumps(row) for row in document[key]]
        cursor = document["next"]
        if cursor is None:
            break
        assert document[key]

    assert (len(rows), len(set(rows))) == (count, count)


def test_a_page_after_the_last_is_empty(hub: FixedMesh) -> None:
    document = call(hub, "mesh_query", {"query": "node(X, decision)", "next": "5000"})

    assert (document["rows"], document["next"]) == ([], None)


def test_only_edges_of_the_wanted_types_are_shown() -> None:
    served = FixedMesh(filled(Mesh()))

    found = call(served, "mesh_get_node", {"id": DECISION, "edge_types": ["supersedes"]})

    assert [edge["type"] for edge in found["edges"]] == ["supersedes"]
    with pytest.raises(UnknownError, match="no edge type is called"):
        call(served, "mesh_get_node", {"id": DECISION, "edge_types": ["superseeds"]})


def test_a_huge_observation_is_cut_and_said_to_be() -> None:
    mesh = filled(Mesh())
    metadata = {f"key {n}": ["words " * 20] * 5 for n in range(80)}
    node = mesh.submit_evidence("long " * 9_000, source_id="source:log", metadata=metadata)

    found = call(FixedMesh(mesh), "mesh_get_node", {"id": node.id})

    assert found["cut"] is True
    assert size(found) <= BYTES


def test_no_answer_holds_numbers_of_an_embedding() -> None:
    mesh = Mesh()
    mesh.graph.add_node(
        "entity", STRANGE, id="entity:e", attrs={"canonical": STRANGE, "aliases": []}, embedding=(0.12345,) * 512
    )

    assert "0.12345" not in json.dumps(call(FixedMesh(mesh), "mesh_get_node", {"id": "entity:e"}))


def test_a_query_stays_within_its_limits(hub: FixedMesh) -> None:
    with pytest.raises(Refusal) as refused:
        call(hub, "mesh_query", {"query": "node(A, decision), node(B, decision), node(C, decision), live(A)"})

    assert refused.value.code == "limit-reached"


def test_items_of_one_signal_are_all_there() -> None:
    mesh = filled(Mesh())
    for number in range(30):
        mesh.submit_evidence(f"{OBSERVED}, time {number}", source_id="source:log")

    found = call(FixedMesh(mesh), "mesh_health", {"signal": "orphans", "limit": 200})

    assert found["count"] == len(found["items"]) >= 31
    with pytest.raises(UnknownError):
        call(FixedMesh(mesh), "mesh_health", {"signal": "no_such"})


def test_the_list_of_tools_stays_small() -> None:
    def cost(*, core: bool) -> int:
        return size({"tools": [tool.as_json(short=core) for tool in listed(plan=True, core=core)]})

    assert cost(core=False) <= 8_000
    assert cost(core=True) <= 3_000
    assert len(listed(plan=True, core=True)) == 6


def test_a_document_is_cut_only_when_it_must_be() -> None:
    assert bounded({"a": "x" * 3_000}) == {"a": "x" * 3_000}
    cut = bounded({"a": "x" * 9_000, "b": 1})

    assert (cut["cut"], cut["b"], size(cut) <= BYTES) == (True, 1, True)


def test_the_pages_of_a_blast_radius_are_of_one_dry_run_until_something_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs: list[str] = []
    blast = ContextGraph.blast

    def counted(graph: ContextGraph, id: str) -> Any:
        runs.append(id)
        return blast(graph, id)

    monkeypatch.setattr(ContextGraph, "blast", counted)
    mesh = wide(30)
    here = FixedMesh(mesh)
    pages, start = [], None
    while start is not None or not pages:
        pages.append(call(here, "mesh_blast_radius", {"assumption": TIDE, "limit": 7, "next": start}))
        start = pages[-1]["next"]

    assert runs == ["assumption:tide"] and len(pages) > 3
    assert [one["id"] for one in (row for page in pages for row in page["invalidated"])] == [
        one.id for one in blast(mesh.graph, "assumption:tide").invalidated
    ]
    mesh.decide("One more", rationale="r", source=SOURCE, depends_on=["assumption:tide"])
    more = call(here, "mesh_blast_radius", {"assumption": TIDE})
    assert (len(runs), more["invalidated_count"]) == (2, pages[0]["invalidated_count"] + 1)
