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


UNREADABLE = ("rows.jsonl", "front.md", "record.md")


def imprecise(mesh: Mesh, kind: str = "imprecise_date") -> list[str]:
    return [str(row[1]) for row in mesh.graph.store.engine.match("signal", (kind, None))]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_an_imprecise_date_is_told_once(tmp_path: Path, name: str) -> None:
    mesh = Mesh()
    (tmp_path / name).write_text(DOCUMENTS[name], encoding="utf-8")
    mesh.ingest([tmp_path / name])
    unreadable = imprecise(mesh, "unreadable_date")
    assert len(unreadable) == (name in UNREADABLE), unreadable
    assert len(imprecise(mesh)) == (name in ("month.jsonl", "record.md")), imprecise(mesh)
    for kind, ids, words in (
        ("imprecise_date", imprecise(mesh), "names no single day"),
        ("unreadable_date", unreadable, "no date that can be read"),
    ):
        for id in ids:
            assert words in mesh.why(f'signal({kind}, "{id}")').as_text()


def test_a_date_that_was_made_precise_is_told_no_more(tmp_path: Path) -> None:
    mesh = Mesh()
    path = tmp_path / "front.md"
    path.write_text(DOCUMENTS["front.md"], encoding="utf-8")
    mesh.ingest([path])
    path.write_text(DOCUMENTS["front.md"].replace("March 2024", "2024-03-05"), encoding="utf-8")
    mesh.ingest([path])
    assert imprecise(mesh) == imprecise(mesh, "unreadable_date") == []


@pytest.mark.parametrize("written", ["2025-02-30", "2025-13", "2025-00-00", "99999-01-01", "soon", "03/04/2025"])
def test_a_date_that_cannot_be_read_is_told_before_and_after_a_reload(tmp_path: Path, written: str) -> None:
    mesh = Mesh()
    path = tmp_path / "front.md"
    path.write_text(DOCUMENTS["front.md"].replace("March 2024", written), encoding="utf-8")
    mesh.ingest([path])
    mesh.save(tmp_path / "kept.mesh")

    for one in (mesh, Mesh.open(tmp_path / "kept.mesh")):
        (told,) = imprecise(one, "unreadable_date")
        assert f"`{written}` is no date" in one.why(f'signal(unreadable_date, "{told}")').as_text()
        assert imprecise(one) == []
        assert one.graph.store.engine.holds("undated", (told,))


@pytest.mark.parametrize(
    ("written", "is_told"), [("2025-02-30", True), ("2025-00", True), ("2025", False), ("", False)]
)
def test_a_source_that_is_written_with_such_a_date_is_told_too(written: str, is_told: bool) -> None:
    mesh = Mesh()
    mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": written})

    assert len(imprecise(mesh, "unreadable_date")) == is_told
