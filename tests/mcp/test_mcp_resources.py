"""Resources by address; any id can be reached."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from served_places import DECISION, TIDE, FixedMesh, filled

from contextmesh.api import Mesh
from contextmesh.base.errors import Refusal
from contextmesh.mcp import prompts, resources


@pytest.mark.parametrize("name", list(resources.FIXED))
def test_every_fixed_resource_is_a_document(name: str) -> None:
    document = resources.read(FixedMesh(filled(Mesh())), f"contextmesh://{name}")

    assert json.loads(json.dumps(document)) == document


def test_the_schema_names_types_pairs_and_relations() -> None:
    schema = resources.read(FixedMesh(Mesh()), "contextmesh://schema")

    assert "claim" in [node["type"] for node in schema["node_types"]]
    cites = next(edge for edge in schema["edge_types"] if edge["type"] == "cites")
    assert "decision->source" in cites["pairs"] or cites["pairs"]
    assert "node(id, kind)" in schema["relations"]["input"]


@pytest.mark.parametrize("id", ["entity:a/b?c#d%20e", "entity:東京 → ✗", "entity:..", "entity: '\"\\", "%"])
def test_any_id_is_reached_when_percent_encoded(id: str) -> None:
    mesh = Mesh()
    mesh.graph.add_node("entity", "Pier", id=id, attrs={"canonical": "Pier", "aliases": []})

    found = resources.read(FixedMesh(mesh), f"contextmesh://node/{quote(id, safe='')}")

    assert found["id"] == id


def test_an_assumption_shows_its_status_and_what_stands_on_it() -> None:
    served = FixedMesh(filled(Mesh()))

    found = resources.read(served, "contextmesh://assumption/assumption%3Atide")

    assert (found["statement"], found["status"], found["stands_on_it"]) == (TIDE, "active", 1)


def test_assumptions_go_on_from_page_to_page() -> None:
    mesh = Mesh()
    for number in range(150):
        mesh.assume(f"The tide is {number} feet")
    served = FixedMesh(mesh)

    first = resources.read(served, "contextmesh://assumptions")
    second = resources.read(served, f"contextmesh://assumptions?next={first['next']}")

    ids = [one["id"] for one in (*first["assumptions"], *second["assumptions"])]
    assert (len(set(ids)), first["count"], second["next"]) == (150, 150, None)


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("contextmesh://", "unknown-resource"),
        ("contextmesh://nothing", "unknown-resource"),
        ("contextmesh://node", "unknown-resource"),
        ("contextmesh://node/", "unknown-resource"),
        ("contextmesh://health/x", "unknown-resource"),
        ("contextmesh://session/x", "unknown-resource"),
        ("contextmesh://health?next=1", "unknown-resource"),
        ("contextmesh://session?x=1", "unknown-resource"),
        ("contextmesh://node/%ff", "unknown-resource"),
        ("file:///etc/passwd", "unknown-resource"),
        ("contextmesh://node/..%2F..%2Fetc%2Fpasswd", "unknown-node"),
        ("contextmesh://assumption/none", "unknown-node"),
        (f"contextmesh://assumption/{DECISION}", "unknown-node"),
        ("contextmesh://assumptions?next=x", "bad-cursor"),
    ],
)
def test_an_address_where_nothing_is_is_refused(uri: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        resources.read(FixedMesh(filled(Mesh())), uri)

    assert refused.value.code == code


def test_prompts_name_tools_that_exist() -> None:
    from contextmesh.mcp.catalogue import TOOLS

    words = " ".join(prompt.text for prompt in prompts.PROMPTS).replace("`", " ").split()
    named = {word.strip(".,:)") for word in words if word.startswith("mesh_")}

    assert named <= {tool.name for tool in TOOLS}


@pytest.mark.parametrize(
    ("name", "given", "code"),
    [
        ("nothing", {}, "unknown-prompt"),
        ("record_decision", {}, "missing-argument"),
        ("record_decision", {"decison": "x"}, "unknown-argument"),
    ],
)
def test_a_prompt_that_cannot_be_filled_is_refused(name: str, given: dict[str, str], code: str) -> None:
    with pytest.raises(Refusal) as refused:
        prompts.filled(name, given)

    assert refused.value.code == code


def test_braces_of_a_client_stay_text() -> None:
    assert "{subject.__class__}" in prompts.filled("record_decision", {"decision": "{subject.__class__}"})
