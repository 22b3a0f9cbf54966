"""A name stays one thing across sources and across sessions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from contextmesh import session
from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.pipeline import ingest
from contextmesh.ingest.read import Skipped, read_paths
from contextmesh.resolve.resolver import Resolver
from contextmesh.session import SessionState

SENTENCES = {
    "budget": "The budget of QRSB was cut by a tenth in March.",
    "building": "QRSB moved into the old customs building in spring.",
    "vote": "The council voted that QRSB keeps its second director.",
    "strike": "Staff of QRSB went on strike for two days in May.",
}


def _read(folder: Path, sentences: dict[str, str], state: SessionState) -> SessionState:
    folder.mkdir()
    for name, sentence in sentences.items():
        (folder / f"{name}.txt").write_text(sentence + "\n", "utf-8")
    documents = [d for d in read_paths([folder]) if not isinstance(d, Skipped)]
    ingest(state.graph, state.resolver, documents)
    return state


def _mentions(state: SessionState, label: str) -> tuple[list[str], int]:
    ids = [node.id for node in state.graph.store.nodes.values() if node.type == "entity" and node.label == label]
    claims = [e for id in ids for e in state.graph.edges_to(id, "mentions") if e.src.startswith("claim:")]
    return ids, len(claims)


def test_an_office_in_four_sources_is_one_entity_and_a_later_session_adds_a_fifth_mention(tmp_path: Path) -> None:
    state = _read(tmp_path / "first", SENTENCES, SessionState(ContextGraph(), Resolver()))
    (id,), count = _mentions(state, "QRSB")
    assert count == 4
    session.save(tmp_path / "s", state)
    later = _read(tmp_path / "second", {"award": "QRSB won the prize for quiet engines."}, session.load(tmp_path / "s"))
    assert _mentions(later, "QRSB") == ([id], 5)
    assert session.save(tmp_path / "s", later).generation == 2


def test_offices_whose_names_differ_by_one_sign_stay_apart_in_a_saved_session(tmp_path: Path) -> None:
    state = SessionState(ContextGraph(), Resolver())
    state.graph.begin_build()
    names = ["部品管理_登録", "部品管理_削除", "北海支店", "北海道支店"]
    for name in names:
        node = state.graph.add_node("entity", name, attrs={"canonical": name, "aliases": []})
        state.resolver.register(node.id, name)
    session.save(tmp_path / "s", state)
    loaded = session.load(tmp_path / "s")
    ids = [loaded.resolver.resolve(name).id for name in names]
    assert len(set(ids)) == 4
    assert all(ids)
    assert [loaded.graph.node(str(id)).label for id in ids] == names
    assert session.save(tmp_path / "s", replace(loaded, rounds=0)).written  # the questions were logged
