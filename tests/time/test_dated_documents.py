"""A document is dated by whichever key of its own it names a date under, and stands in a past from that day on."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.api import Mesh
from contextmesh.ingest.files import Found
from contextmesh.ingest.pipeline import ingest
from contextmesh.ingest.readers.jsonl import document_in

KEYS = ("date", "created", "published", "timestamp", "created_at", "retrieved_at")
days = st.dates(date(1900, 1, 1), date(2100, 1, 1))


def read(*rows: dict[str, object]) -> Mesh:
    found, mesh = Found(Path("r.jsonl"), "r.jsonl", "r.jsonl", named=True), Mesh()
    ingest(mesh.graph, mesh.resolver, [document_in(found, "r.jsonl", json.dumps(row).encode()) for row in rows])
    return mesh


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(KEYS), days, st.sampled_from(["{}", "{}T09:30:00Z", "{}T23:30:00-05:00", "{}T00:30+02:00"]))
def test_a_row_stands_in_the_past_from_the_day_in_utc_that_it_names(key: str, named: date, form: str) -> None:
    moved = 1 if form.endswith("-05:00") else -1 if form.endswith("+02:00") else 0
    day = named + timedelta(days=moved)
    mesh = read({"id": "source:r", "text": "The pump leaks.", key: form.format(named.isoformat())})

    assert mesh.graph.node("source:r").attrs["retrieved_at"] == day.isoformat()
    before, on = (mesh.as_of(valid_at=day + timedelta(days=days)).graph.store for days in (-1, 0))
    assert "source:r" not in before.nodes and "source:r" in on.nodes


@given(st.permutations(KEYS))
def test_when_it_was_written_goes_before_when_it_was_fetched(keys: list[str]) -> None:
    row = {key: f"2024-01-{KEYS.index(key) + 1:02}" for key in keys}
    found = Found(Path("r.jsonl"), "r.jsonl", "r.jsonl", named=True)
    for key in KEYS:
        document = document_in(found, "r.jsonl:1", json.dumps({"id": "r", "text": "It leaks.", **row}).encode())
        assert getattr(document, "date", None) == row.pop(key)


@pytest.mark.parametrize("written", ["2024-03", "2024"])
def test_a_month_or_a_year_under_that_key_counts_once_it_is_over(written: str) -> None:
    mesh = read(
        {"id": "source:r", "text": "The pump leaks.", "retrieved_at": written},
        {"id": "source:s", "text": "The valve holds.", "date": "2025-01-01"},
    )
    last = date(2024, 3, 31) if written == "2024-03" else date(2024, 12, 31)
    assert "source:r" not in mesh.as_of(valid_at=last - timedelta(days=1)).graph.store.nodes
    assert "source:r" in mesh.as_of(valid_at=last).graph.store.nodes


def test_front_matter_names_it_too(tmp_path: Path) -> None:
    (tmp_path / "memo.md").write_text("---\ntitle: Memo\nretrieved_at: 2024-01-05\n---\n\nThe pump leaks.\n", "utf-8")
    mesh = Mesh()
    mesh.ingest([tmp_path / "memo.md"])
    assert [n.attrs["retrieved_at"] for n in mesh.graph.store.nodes.values() if n.type == "source"] == ["2024-01-05"]
