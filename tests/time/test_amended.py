"""A document that was amended later: the past shows what it said then."""

from __future__ import annotations

from pathlib import Path

from contextmesh.api import Mesh

TEXT = "---\ntitle: {title}\ndate: 2024-01-01\n---\n\nThe pump is made of {metal}. The valve holds ten bar.\n"
QUESTION = "What is the pump made of?"


def amended(place: Path) -> Mesh:
    mesh = Mesh()
    path = place / "pump.md"
    for day, title, metal in (("2024-01-01", "Pump report", "brass"), ("2024-02-01", "Pump report, amended", "steel")):
        mesh.commits_on(day)
        path.write_text(TEXT.format(title=title, metal=metal), encoding="utf-8")
        mesh.ingest([path])
    return mesh


def told(mesh: Mesh) -> tuple[str | None, list[str], list[str]]:
    answer = mesh.ask(QUESTION).answer
    nodes = list(mesh.graph.store.nodes.values())
    sources = [f"{node.label} | {node.attrs['title']}" for node in nodes if node.type == "source"]
    return answer.label if answer else None, sources, [node.label for node in nodes if node.type == "claim"]


THEN = (
    "The pump is made of brass.",
    ["Pump report | Pump report"],
    ["The pump is made of brass.", "The valve holds ten bar."],
)


def test_the_version_that_was_known_then_is_what_a_past_shows(tmp_path: Path) -> None:
    mesh = amended(tmp_path)
    assert told(mesh)[0] == "The pump is made of steel."
    assert told(mesh.as_of("2024-01-15")) == THEN
    assert told(mesh)[1] == ["Pump report, amended | Pump report, amended"]


def test_it_is_so_after_a_reload_too(tmp_path: Path) -> None:
    amended(tmp_path).save(tmp_path / "kept.mesh")
    again = Mesh.open(tmp_path / "kept.mesh")
    assert told(again.as_of("2024-01-15")) == THEN
