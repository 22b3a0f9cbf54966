"""A record becomes exactly these facts, whatever a foreign file put into its attributes."""

from __future__ import annotations

from typing import Any

import pytest

from contextmesh.store.model import Edge, Node, Provenance
from contextmesh.store.relations import day_of, edge_facts, node_facts


def facts(node: Node, *always: str) -> list[tuple[str, tuple[object, ...]]]:
    common = ("node", "named", "born", "born_at_build")
    return [fact for fact in node_facts(node, 7, always) if fact[0] not in common]


def test_every_node_is_typed_named_and_born() -> None:
    node = Node("x", "entity", "Oven", build=3)

    assert list(node_facts(node, 7)) == [
        ("node", ("x", "entity")),
        ("named", ("x", "Oven")),
        ("born", ("x", 7)),
        ("born_at_build", ("x", 3)),
    ]


def test_attributes_are_carried_by_name_and_record_fields_only_by_themselves() -> None:
    bare = Node("x", "claim", "c", {"note": None, "provenance": "said so", "embedding": [1]})
    full = Node("x", "claim", "c", {"note": 1}, Provenance("s"), (1.0,))

    assert facts(bare) == [("carries", ("x", "note"))]
    assert facts(full) == [
        ("carries", ("x", "note")),
        ("carries", ("x", "provenance")),
        ("carries", ("x", "embedding")),
        ("provenance", ("x", "s")),
    ]
    assert facts(Node("x", "claim", "c"), "label") == [("carries", ("x", "label"))]


def test_an_assumption_carries_status_and_version_by_its_record() -> None:
    node = Node("x", "assumption", "a", {"status": "rejected", "note": 1})

    assert facts(node) == [("carries", ("x", "note")), ("carries", ("x", "status")), ("carries", ("x", "version"))]


def test_a_pruned_node_is_said_to_be() -> None:
    assert facts(Node("x", "claim", "c", pruned=True)) == [("pruned", ("x",))]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1970-01-01", 0),
        ("1969-12-31", -1),
        ("2024-02-29", 19782),
        ("2023-02-29", None),
        ("2024-2-9", None),
        ("2024-02", None),
        ("2024-02-29T10:00", None),
        ("٢٠٢٤-٠٢-٢٩", None),
        (20240229, None),
        (None, None),
    ],
)
def test_only_an_exact_calendar_date_is_a_day(text: object, day: int | None) -> None:
    assert day_of(text) == day


def test_a_source_is_dated_and_nothing_else_is() -> None:
    attrs = {"retrieved_at": "1970-01-02"}

    assert ("dated", ("x", 1)) in facts(Node("x", "source", "s", attrs))
    assert facts(Node("x", "decision", "s", attrs)) == [("carries", ("x", "retrieved_at"))]


def test_justifications_are_numbered_and_their_grounds_too() -> None:
    node = Node("x", "claim", "c", {"justifications": [["a", "b", "a"], ["d"]]})

    assert facts(node)[1:] == [
        ("justification", ("justification:x#1", "x")),
        ("premise", ("justification:x#1", 1, "a")),
        ("premise", ("justification:x#1", 2, "b")),
        ("justification", ("justification:x#2", "x")),
        ("premise", ("justification:x#2", 1, "d")),
    ]


def test_the_header_of_a_decision_record_becomes_facts() -> None:
    attrs = {
        "record_key": "pep-7",
        "record_status": "Final",
        "imprecise_date": "May 2001",
        "refers": {"replaces": ["pep-6", "pep-5", "pep-6"], "requires": []},
    }

    assert [f for f in facts(Node("x", "decision", "d", attrs)) if f[0] != "carries"] == [
        ("record_key", ("x", "pep-7")),
        ("record_status", ("x", "final")),
        ("imprecise_date", ("x", "May 2001")),
        ("refers", ("x", "replaces", "pep-6")),
        ("refers", ("x", "replaces", "pep-5")),
    ]


@pytest.mark.parametrize(
    "attrs",
    [
        {"justifications": "a"},
        {"justifications": [["a"], 1]},
        {"record_key": 7},
        {"refers": ["pep-6"]},
        {"refers": {"replaces": "pep-6"}},
        {"record_status": None},
    ],
)
def test_a_value_of_another_shape_makes_no_fact(attrs: dict[str, Any]) -> None:
    assert [f for f in facts(Node("x", "decision", "d", attrs)) if f[0] != "carries"] == []


def test_an_edge_is_typed_born_and_perhaps_bound() -> None:
    edge = Edge("e", "a", "cites", "b")
    bound = Edge("e", "a", "cites", "b", assumption_id="r")

    assert list(edge_facts(edge, 4)) == [("edge", ("e", "a", "cites", "b")), ("born", ("e", 4))]
    assert list(edge_facts(bound, 4))[2:] == [("bound", ("e", "r"))]
