"""An argument of another type than is wanted is refused by its name, and nothing is written."""

from __future__ import annotations

from typing import Any

import pytest

from contextmesh.api import Mesh
from contextmesh.base.errors import InputError

DECISION = {"title": "D", "rationale": "r", "source": "S"}


@pytest.mark.parametrize(
    ("call", "given", "subject"),
    [
        *[("decide", {**DECISION, name: bad}, name) for name in DECISION for bad in (["S"], None, 1)],
        *[("decide", {**DECISION, name: ["x"]}, name) for name in ("supersedes", "id")],
        ("decide", {**DECISION, "supersedes": 3}, "supersedes"),
        *[
            ("decide", {**DECISION, name: bad}, name)
            for name in ("cites", "derived_from", "depends_on", "produces", "supported_by", "justifications")
            for bad in ("S", 1, {"a": 1})
        ],
        ("decide", {**DECISION, "cites": [["S"]]}, "cites[0]"),
        ("decide", {**DECISION, "justifications": ["S"]}, "justifications[0]"),
        ("decide", {**DECISION, "justifications": [[1]]}, "justifications[0][0]"),
        ("decide", {**DECISION, "attrs": ["x"]}, "attrs"),
        ("assume", {"statement": ["x"]}, "statement"),
        ("assume", {"statement": "x", "id": ["y"]}, "id"),
        ("assume", {"statement": "x", "created_by": 1}, "created_by"),
        ("submit_evidence", {"text": "x", "source_id": ["S"]}, "source_id"),
        ("submit_evidence", {"text": "x", "source_id": "S", "metadata": ["x"]}, "metadata"),
        ("reject", {"assumption": ["x"], "evidence_id": "E"}, "name"),
        ("reject", {"assumption": "A", "evidence_id": ["E"]}, "evidence_id"),
        ("reject", {"assumption": "A", "evidence_id": "E", "replacement": ["x"]}, "replacement"),
        ("lineage", {"name": ["S"]}, "name"),
    ],
)
def test_a_wrong_type_is_refused_by_name(call: str, given: dict[str, Any], subject: str) -> None:
    mesh = Mesh()
    mesh.graph.add_node("source", "S", id="S", attrs={"origin": "memo", "retrieved_at": "2024-01-05"})
    mesh.assume("It holds", id="A")
    mesh.submit_evidence("Seen", source_id="S")
    before = mesh.graph.to_json()

    with pytest.raises(InputError) as refused:
        getattr(mesh, call)(**given)
    assert (refused.value.code, refused.value.problem.subject) == ("wrong-type", subject)
    assert mesh.graph.to_json() == before
