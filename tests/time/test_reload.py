"""The past survives a reload: transactions, the dates of commits, older versions, and the order within one commit."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from histories import Writer, picture, steps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contextmesh.api import Mesh
from contextmesh.base.dates import day_text
from contextmesh.base.errors import InputError
from contextmesh.exchange.lines import lines_to_bytes
from contextmesh.exchange.lines_read import read_lines
from contextmesh.graph.graph import ContextGraph
from contextmesh.session.commit import save
from contextmesh.session.load import load

QUESTIONS = ("Why does Pump 1 leak?", "What replaced Exchange pump 5?", "vallve")
law = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def pasts(mesh: Mesh, bounds: list[int | str], question: str) -> list[object]:
    found: list[object] = []
    for bound in bounds:
        try:
            past = mesh.as_of(bound)
        except InputError as refused:
            found.append((bound, refused.code))
            continue
        decision = next((node.id for node in past.graph.store.nodes.values() if node.type == "decision"), None)
        answer = past.ask(question).as_json()
        about = {**past.past.as_json(), "as_of": None}
        found.append((bound, picture(past.graph), answer, decision and past.reconstruct(decision).as_json(), about))
    return found


@law
@given(
    steps,
    st.lists(st.integers(0, 3), min_size=8, max_size=8),
    st.booleans(),
    st.sets(st.integers(0, 6), min_size=1, max_size=2),
    st.sampled_from(QUESTIONS),
)
def test_what_was_known_then_is_the_same_before_and_after_a_reload(
    plan: list[tuple[str, int, int]], days: list[int], saved_early: bool, asked: set[int], question: str
) -> None:
    writer = Writer()
    mesh = writer.mesh
    day = 20_000
    mesh.commits_on(day_text(day))
    with tempfile.TemporaryDirectory() as place:
        writer.start()
        if saved_early:  # then what follows is in the journal
            mesh.save(Path(place) / "kept.mesh")
        for step, later in zip(plan, days, strict=False):
            day += later
            mesh.commits_on(day_text(day))
            writer.write(*step)
        if saved_early:
            mesh.checkpoint()
        else:
            mesh.save(Path(place) / "kept.mesh")
        other = Mesh.open(Path(place) / "kept.mesh")
        last = mesh.graph.store.seq
        bounds: list[int | str] = [last // 2, last - 2, last, last + 1, day_text(19_999)]
        bounds += [day_text((20_000 + day) // 2), day_text(day - 1)]

        bounds = [bounds[at] for at in sorted(asked)]
        other.commits_on(day_text(day))
        assert pasts(other, bounds, question) == pasts(mesh, bounds, question)


def test_what_is_written_after_a_reload_bears_no_date_until_one_is_given(tmp_path: Path) -> None:
    mesh = Mesh()
    mesh.commits_on("2024-03-01")
    mesh.graph.add_node("source", "Old memo", attrs={"origin": "memo", "retrieved_at": "2020-01-01"})
    mesh.save(tmp_path / "kept.mesh")
    again = Mesh.open(tmp_path / "kept.mesh")
    again.graph.add_node("source", "New memo", attrs={"origin": "memo", "retrieved_at": "2020-01-02"})

    past = again.as_of("2024-03-01")
    assert [node.label for node in past.graph.store.nodes.values()] == ["Old memo"]
    assert past.past.bounds.notes == ("the last transactions bear no date, and are left out: 1",)
    again.commits_on("2024-04-01")
    again.graph.add_node("source", "Newest memo", attrs={"origin": "memo", "retrieved_at": "2020-01-03"})
    assert len(again.as_of("2024-03-31").graph.store.nodes) == 1
    assert len(again.as_of("2024-04-01").graph.store.nodes) == 3
    with pytest.raises(InputError) as refused:
        again.commits_on("2024-03-31")
    assert refused.value.code == "earlier-commit"


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(range(5)), st.lists(st.booleans(), min_size=5, max_size=5))
def test_two_writes_of_one_commit_keep_their_order_over_every_reload(order: list[int], dated: list[bool]) -> None:
    mesh = Mesh()
    with mesh.graph.batch("read") as batch:
        old = batch.add_node("source", "The old one", attrs={"origin": "memo", "retrieved_at": "2024-01-01"})
    with tempfile.TemporaryDirectory() as place:
        mesh.save(Path(place) / "kept.mesh")
        with mesh.graph.batch("read") as batch:
            for n in order:
                day = {"retrieved_at": "2024-02-01"} if dated[n] else {"retrieved_at": "2024"}
                batch.add_node("source", f"Memo {n}", attrs={"origin": "memo", **day})
        mesh.checkpoint()
        seq = mesh.graph.store.seq
        wanted = [old.label, *(f"Memo {n}" for n in order)]
        for _ in range(2):
            again = Mesh.open(Path(place) / "kept.mesh")
            assert [node.label for node in again.graph.store.nodes.values()] == wanted
            again.save()
        for past in (again.as_of(seq), again.as_of(valid_at="2024-02-01" if all(dated) else "2024-12-31")):
            labels = [node.label for node in past.graph.store.nodes.values()]
            assert labels == [label for label in wanted if label in labels]


V1_MANIFEST = ("schema", "version", "generation", "rounds", "walker", "graph", "resolver")


def forms(mesh: Mesh, place: Path) -> Iterator[tuple[str, Mesh]]:
    """The mesh as every form gives it back that is written, and a session of version 1, which is only read."""
    kept = load(place, policy=mesh.graph.policy)
    lines = lines_to_bytes(mesh.graph.store, kept.resolver)
    yield "lines", Mesh(graph=ContextGraph(store=read_lines(lines, "kept.lines", mesh.graph.policy).store))
    mesh.graph.save_json(place.parent / "graph.json")
    yield "graph", Mesh(graph=ContextGraph.load_json(place.parent / "graph.json"))
    for version in (2, 3):
        saved = place.parent / f"{version}.mesh"
        save(saved, replace(kept, home=None, manifest=None, pending=None), version=version)
        yield f"session {version}", Mesh.open(saved)
    old = place.parent / "2.mesh"
    manifest = json.loads((old / "session.json").read_bytes())
    first = {**{name: manifest[name] for name in V1_MANIFEST}, "version": 1}
    (old / f"session-{manifest['generation']:06}.json").unlink()
    (old / "session.json").write_text(json.dumps(first), encoding="utf-8")
    yield "session 1", Mesh.open(old)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(range(5)))
def test_writes_of_one_commit_and_one_source_date_keep_their_order_in_every_form(order: list[int]) -> None:
    mesh = Mesh()
    wanted = [f"Memo {n}" for n in order]
    with mesh.graph.batch("read") as batch:
        for label in wanted:
            batch.add_node("source", label, attrs={"origin": "memo", "retrieved_at": "2024-02-01"})
    with tempfile.TemporaryDirectory() as place:
        mesh.save(Path(place) / "kept.mesh")
        for form, again in forms(mesh, Path(place) / "kept.mesh"):
            assert [node.label for node in again.graph.store.nodes.values()] == wanted, form
            then = again.as_of(valid_at="2024-02-01").graph.store.nodes.values()
            assert [node.label for node in then] == wanted, form
