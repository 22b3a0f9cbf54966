"""An observation goes in bounded and unjudged, and the same one only once."""

from __future__ import annotations

from typing import Any

import pytest
from graph_builders import entity, source, state

from contextmesh.base.canon import canonical
from contextmesh.base.errors import OntologyError, UnknownError
from contextmesh.base.ids import slug
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.model import Provenance


def test_evidence_is_written_as_the_format_says(graph: ContextGraph) -> None:
    memo = source(graph)
    node = graph.submit_evidence("Two hands, page nine.", source_id=memo.id, metadata={"page": 9})

    assert node.id == f"evidence:{node.attrs['evidence_intake']['payload_digest']}"
    assert node.attrs == {
        "kind": "observation",
        "evidence_intake": {
            "version": 1,
            "external_id": None,
            "payload_digest": node.id.removeprefix("evidence:"),
            "metadata": {"page": 9},
        },
    }
    assert node.provenance == Provenance(memo.id, None, "mcp:evidence-intake-v1", ("evidence-intake-v1",), 0)
    assert graph.edges_from(node.id) == ()


def test_the_same_observation_is_the_same_node(graph: ContextGraph) -> None:
    memo = source(graph)
    first = graph.submit_evidence("Seen.", source_id=memo.id, external_id="a1", metadata={"x": [1, 2.5], "y": None})
    before = state(graph)

    again = graph.submit_evidence("Seen.", source_id=memo.id, external_id="a1", metadata={"y": None, "x": [1, 2.5]})
    assert again == first
    assert state(graph) == before
    assert graph.submit_evidence("Seen.", source_id=memo.id).id != first.id


def test_an_observation_under_its_older_short_id_is_recognised(graph: ContextGraph) -> None:
    memo = source(graph)
    payload = {"external_id": None, "metadata": {}, "source_id": memo.id, "text": "Seen."}
    record = {"version": 1, "external_id": None, "payload_digest": "0", "metadata": {}}
    old = graph.add_node(
        "evidence",
        "Seen.",
        id=slug(canonical(payload), "evidence"),
        attrs={"kind": "observation", "evidence_intake": record},
        provenance=Provenance(memo.id),
    )

    assert graph.submit_evidence("Seen.", source_id=memo.id) == old
    assert graph.submit_evidence("Seen.", source_id=memo.id, metadata={"a": 1}) != old


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


BAD = {
    "blank text": {"text": "  "},
    "text that is too long": {"text": "ä" * 32_769},
    "text with half a character": {"text": "\ud800"},
    "blank external id": {"external_id": " "},
    "external id that is too long": {"external_id": "x" * 513},
    "external id that cannot be printed": {"external_id": "a\x00b"},
    "metadata nested too deep": {"metadata": {"a": deep(8)}},
    "metadata with too many members": {"metadata": {"a": list(range(1001))}},
    "metadata that is too large": {"metadata": {str(n): "x" * 1000 for n in range(70)}},
    "metadata with a long string": {"metadata": {"a": "x" * 65_537}},
    "metadata with a tuple": {"metadata": {"a": (1, 2)}},
    "metadata with a key that is no text": {"metadata": {1: "a"}},
    "metadata with infinity": {"metadata": {"a": float("inf")}},
    "metadata with half a character": {"metadata": {"a": "\udfff"}},
}


@pytest.mark.parametrize("wrong", BAD.values(), ids=BAD)
def test_what_exceeds_a_limit_is_refused_and_nothing_is_written(graph: ContextGraph, wrong: dict[str, Any]) -> None:
    memo = source(graph)
    before = state(graph)
    with pytest.raises(OntologyError) as caught:
        graph.submit_evidence(**{"text": "Seen.", "source_id": memo.id, **wrong})

    assert caught.value.code == "bad-evidence"
    assert state(graph) == before


def test_values_at_the_limits_are_taken(graph: ContextGraph) -> None:
    memo = source(graph)
    node = graph.submit_evidence(
        "x" * 65_536, source_id=memo.id, external_id="x" * 512, metadata={"a": deep(7), "b": list(range(1000))}
    )

    assert graph.is_live(node.id)


def test_evidence_comes_from_a_source_that_is_here(graph: ContextGraph) -> None:
    oven = entity(graph, "Oven")
    with pytest.raises(UnknownError) as unknown:
        graph.submit_evidence("Seen.", source_id="source:none")
    with pytest.raises(OntologyError) as other:
        graph.submit_evidence("Seen.", source_id=oven.id)

    assert (unknown.value.code, other.value.code) == ("unknown-node", "bad-evidence")
