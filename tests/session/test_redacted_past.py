"""The past of a session after a redaction: as it was, without the words."""

from __future__ import annotations

from pathlib import Path

from contextmesh.api import Mesh
from contextmesh.policy import Policy
from contextmesh.session import load
from contextmesh.session.redact import redact
from contextmesh.session.tombstones import TOMBSTONE
from contextmesh.store.model import Provenance

POLICY = Policy.load()


def held_in(directory: Path) -> str:
    return "".join(path.read_text("utf-8") for path in sorted(directory.iterdir()))


def _commits(directory: Path) -> list[tuple[int, str | None]]:
    history = load(directory).history
    assert history is not None
    return [(commit.seq, commit.day) for commit in history.commits]


def test_the_past_stays_with_its_dates_and_versions_and_holds_no_word_of_it(tmp_path: Path) -> None:
    mesh = Mesh()
    mesh.commits_on("2024-02-01")
    attrs = {"origin": "memo", "retrieved_at": "2024-01-01"}
    secret = mesh.graph.add_node("source", "The Marigold memo", id="source:marigold", attrs=attrs)
    log = mesh.graph.add_node("source", "Harbour log", id="source:log", attrs=attrs)
    claim, noted = (
        mesh.graph.add_node("claim", label, provenance=Provenance(source.id, (0, 5)), attrs={"quote": quote})
        for label, source, quote in (("A petunia.", secret, "petunia"), ("The quay floods.", log, "floods in spring"))
    )
    mesh.graph.add_edge(claim.id, "derived_from", secret.id)
    valve = mesh.assume("The valve holds")
    edge = mesh.graph.add_edge(noted.id, "derived_from", log.id)
    first = mesh.graph.store.seq
    mesh.commits_on("2024-03-01")
    mesh.graph.bind(edge.id, valve.id)
    with mesh.graph.batch("edit") as batch:
        batch.set_attrs(claim.id, quote="oleander")
        batch.set_attrs(noted.id, quote="floods in autumn")
    mesh.save(tmp_path / "s", version=3)
    before = Mesh.open(tmp_path / "s")
    commits = _commits(tmp_path / "s")

    redact(tmp_path / "s", POLICY, secret.id, "x")

    text = held_in(tmp_path / "s").casefold()
    assert not [word for word in ("marigold", "petunia", "oleander") if word in text]
    after = Mesh.open(tmp_path / "s")
    assert _commits(tmp_path / "s") == commits
    for then, quote, bound in (("2024-02-01", "floods in spring", None), ("2024-03-01", "floods in autumn", valve.id)):
        past = after.as_of(then).graph.store
        assert past.nodes[noted.id].attrs["quote"] == quote
        assert past.edges[edge.id].assumption_id == bound
        assert [node.label for node in past.nodes.values()].count(TOMBSTONE) == 2
        assert len(past.nodes) == len(before.as_of(then).graph.store.nodes)
    assert sorted(after.as_of(first).graph.store.nodes) == sorted(after.as_of("2024-02-01").graph.store.nodes)
