"""A date that names no single day is told by health, whatever kind of document it stands in."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.api import Mesh

DOCUMENTS = {
    "rows.jsonl": '{"id": "a", "title": "Pump report", "date": "spring 2024", "text": "The pump leaks at noon."}\n',
    "month.jsonl": '{"id": "b", "title": "Valve report", "date": "2024-03", "text": "The valve holds ten bar."}\n',
    "front.md": "---\ntitle: Seal report\ndate: March 2024\n---\n\nThe seal is made of rubber.\n",
    "record.md": "# 1. Rubber seals\n\nDate: March 2024\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use rubber.\n",
}


def imprecise(mesh: Mesh) -> list[str]:
    return [str(row[1]) for row in mesh.graph.store.engine.match("signal", ("imprecise_date", None))]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_an_imprecise_date_is_told_once(tmp_path: Path, name: str) -> None:
    mesh = Mesh()
    (tmp_path / name).write_text(DOCUMENTS[name], encoding="utf-8")
    mesh.ingest([tmp_path / name])
    assert len(imprecise(mesh)) == 1, imprecise(mesh)
    assert (
        "names no single day" in mesh.why(f"signal(imprecise_date, {imprecise(mesh)[0]!r})".replace("'", '"')).as_text()
    )


def test_a_date_that_was_made_precise_is_told_no_more(tmp_path: Path) -> None:
    mesh = Mesh()
    path = tmp_path / "front.md"
    path.write_text(DOCUMENTS["front.md"], encoding="utf-8")
    mesh.ingest([path])
    path.write_text(DOCUMENTS["front.md"].replace("March 2024", "2024-03-05"), encoding="utf-8")
    mesh.ingest([path])
    assert imprecise(mesh) == []
