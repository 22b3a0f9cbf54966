"""What a client sends is checked against the table; nothing unknown is let pass."""

from __future__ import annotations

from typing import Any

import pytest

from contextmesh.base.errors import InputError
from contextmesh.mcp.arguments import checked, start_of
from contextmesh.mcp.catalogue import MORE, TOOLS, Tool


def tool(name: str) -> Tool:
    return next(t for t in TOOLS if t.name == name)


@pytest.mark.parametrize(
    ("name", "given", "argument", "value"),
    [
        ("mesh_get_node", {"id": "a", "edge_types": ["cites"]}, "edge_types", ["cites"]),
        ("mesh_get_node", {"id": "a", "edge_types": '["cites","supports"]'}, "edge_types", ["cites", "supports"]),
        ("mesh_get_node", {"id": "a", "limit": "7"}, "limit", 7),
        ("mesh_get_node", {"id": "a", "limit": 7.0}, "limit", 7),
        ("mesh_get_node", {"id": "a", "limit": None}, "limit", None),
        ("mesh_get_node", {"id": "[1]"}, "id", "[1]"),
        ("mesh_submit_evidence", {"text": "t", "source_id": "s", "metadata": '{"a": 1}'}, "metadata", {"a": 1}),
    ],
)
def test_a_value_is_read_also_when_it_came_as_its_json_text(
    name: str, given: dict[str, Any], argument: str, value: Any
) -> None:
    assert checked(tool(name), given)[argument] == value


@pytest.mark.parametrize(
    ("name", "given", "code", "subject", "words"),
    [
        ("mesh_get_node", {"id": "a", "edge_types": '["e1",'}, "broken-json", "edge_types", "edge_types"),
        ("mesh_get_node", {"id": "a", "edge_types": '{"a": 1}'}, "wrong-type", "edge_types", "list of texts"),
        ("mesh_get_node", {"id": "a", "edge_types": [1]}, "wrong-type", "edge_types", "list of texts"),
        ("mesh_get_node", {"id": "a", "limit": "ten"}, "wrong-type", "limit", "whole number"),
        ("mesh_get_node", {"id": "a", "limit": True}, "wrong-type", "limit", "whole number"),
        ("mesh_get_node", {"id": "a", "limit": 0}, "out-of-range", "limit", "from 1 to 200"),
        ("mesh_get_node", {"id": "a", "limit": 10**400}, "out-of-range", "limit", "from 1 to 200"),
        ("mesh_get_node", {"id": 3}, "wrong-type", "id", "text"),
        ("mesh_get_node", {"id": "\ud800"}, "wrong-type", "id", "surrogate"),
        ("mesh_get_node", {}, "missing-argument", "id", "missing"),
        ("mesh_get_node", {"id": " "}, "missing-argument", "id", "blank"),
        ("mesh_get_node", {"id": "a", "as_off": 1}, "unknown-argument", "as_off", "unknown argument as_off"),
        (
            "mesh_explain_as_of",
            {"question": "q", "as_of": "2025", "as_off": "2026-01-01"},
            "unknown-argument",
            "as_off",
            "unknown argument as_off, did you mean as_of?",
        ),
        ("mesh_submit_evidence", {"text": "t", "source_id": "s", "metadata": "{"}, "broken-json", "metadata", "JSON"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(
    name: str, given: dict[str, Any], code: str, subject: str, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        checked(tool(name), given)

    assert [(p.code, p.subject) for p in refused.value.problems] == [(code, subject)]
    assert words in refused.value.problem.message


def test_every_wrong_argument_is_told_at_once() -> None:
    with pytest.raises(InputError) as refused:
        checked(tool("mesh_lineage"), {"ids": "a", "limit": "ten"})

    codes = sorted(problem.code for problem in refused.value.problems)
    assert codes == ["missing-argument", "unknown-argument", "wrong-type"]


@pytest.mark.parametrize("cursor", ["-1", "1.5", "٣", "", "9" * 13, "next"])
def test_a_cursor_that_no_page_gave_is_refused(cursor: str) -> None:
    with pytest.raises(InputError, match="no place to go on from"):
        start_of(cursor)


@pytest.mark.parametrize("one", [*TOOLS, MORE], ids=lambda t: t.name)
def test_the_schema_of_a_tool_allows_no_other_argument_and_a_read_says_that_it_is_one(one: Tool) -> None:
    schema = one.input_schema()

    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == {argument.name for argument in one.arguments}
    assert one.annotations()["readOnlyHint"] == (one.role == "read")
