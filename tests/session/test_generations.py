"""Generations can be listed, compared and brought back; nothing of a session is ever changed in place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from contextmesh import session
from contextmesh.base.errors import SessionError
from contextmesh.cli.session_words import log_text
from contextmesh.policy import Policy
from contextmesh.session.generations import diff, log, migrate, restore
from contextmesh.session.inspection import inspect
from contextmesh.session.keep import KEEP, keep, keeping, kept
from contextmesh.store.snapshot import graph_to_bytes

from .places import ferry_session, generations_of, grown, listing, small

POLICY = Policy.load()


def numbers(directory: Path) -> list[int]:
    return [entry.generation for entry in log(directory, POLICY)]


# ---- how many are kept ----------------------------------------------------------------------


def test_as_many_earlier_generations_are_kept_as_was_chosen(tmp_path: Path) -> None:
    state = generations_of(tmp_path / "s", 3)
    assert numbers(tmp_path / "s") == [3, 2]
    keep(tmp_path / "s", 3)
    for number in range(4, 8):
        state = session.save(tmp_path / "s", grown(state, f"Pier {number}")).state
    assert numbers(tmp_path / "s") == [7, 6, 5, 4]
    keep(tmp_path / "s", 0)
    session.save(tmp_path / "s", grown(state, "Pier 8"))
    assert numbers(tmp_path / "s") == [8]


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "99999", "١", "1\n2"])
def test_a_number_that_is_none_keeps_one(tmp_path: Path, text: str) -> None:
    (tmp_path / KEEP).write_text(text, "utf-8")

    assert kept(tmp_path) == 1


def test_the_number_of_a_refused_save_is_not_taken_over(tmp_path: Path) -> None:
    for before in (None, 4):
        if before is not None:
            keep(tmp_path, before)
        with pytest.raises(SessionError), keeping(tmp_path, 7):
            restore(tmp_path, 5, POLICY)
        assert kept(tmp_path) == (1 if before is None else before)
    with pytest.raises(SessionError) as caught:
        keep(tmp_path, -1)
    assert caught.value.code == "out-of-range"


def test_no_number_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("precious", "utf-8")
    (tmp_path / KEEP).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(SessionError) as caught:
        keep(tmp_path, 3)

    assert caught.value.code == "linked-file"
    assert (tmp_path / "elsewhere").read_text("utf-8") == "precious"


# ---- log and inspect ------------------------------------------------------------------------


def test_the_log_says_what_each_generation_holds(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 3)

    newest, before = log(tmp_path / "s", POLICY)

    assert (newest.generation, newest.version, newest.whole) == (3, 2, True)
    assert (newest.counts["nodes"], before.counts["nodes"]) == (3, 2)
    assert newest.size == sum(
        (tmp_path / "s" / name).stat().st_size
        for name in ("session-000003.json", "graph-000003.json", "resolver-000003.json")
    )


def test_the_log_of_a_journal_shows_its_transactions(tmp_path: Path) -> None:
    state = session.save(tmp_path / "s", small(), version=3).state
    acknowledged = session.checkpoint(grown(state, "Pier 2"))
    session.checkpoint(grown(acknowledged.state, "Pier 3"))

    (entry,) = log(tmp_path / "s", POLICY)

    written = [line for line in entry.lines if line["kind"] == "transaction"]
    assert [(line["of"], line["put"]) for line in written] == [("node", {"nodes": 1})] * 2
    assert [line["transaction"] for line in written] == [state.graph.store.seq - 1, state.graph.store.seq]
    assert entry.counts["nodes"] == 3
    told = [one.seq for one in entry.transactions]
    assert told[-2:] == [line["transaction"] for line in written]
    words = log_text((entry,))
    assert f"transaction {told[-1]} (node), build 1: 1 node" in words
    assert entry.as_json()["transactions"][-1] == {"seq": told[-1], "kind": "node", "day": None, "build": 1}


def test_the_log_goes_on_past_a_generation_that_is_damaged(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 3)
    path = tmp_path / "s" / "graph-000003.json"
    path.write_bytes(path.read_bytes()[:-5])

    newest, before = log(tmp_path / "s", POLICY)

    assert (newest.whole, newest.counts, newest.problems[0].code) == (False, {}, "damaged-file")
    assert before.whole


def test_a_directory_with_only_a_pointer_has_one_generation(tmp_path: Path) -> None:
    directory = ferry_session(tmp_path / "s")
    (directory / "session-000001.json").unlink()

    assert numbers(directory) == [1]
    assert inspect(directory, POLICY)["generation"] == 1


def test_an_inspection_names_every_file_and_counts_every_kind(tmp_path: Path) -> None:
    directory = ferry_session(tmp_path / "s")

    found = inspect(directory, POLICY, 1)

    assert [file["name"] for file in found["files"]] == [
        *("graph-000001.json", "resolver-000001.json", "execution-000001.json", "runledger-000001.json")
    ]
    assert sum(found["nodes"].values()) == found["counts"]["nodes"]
    assert sum(found["tasks"].values()) == found["counts"]["tasks"] > 0


# ---- diff -----------------------------------------------------------------------------------


def test_a_difference_names_what_was_added_changed_and_is_gone() -> None:
    old, new = small(("Harbour", "Mole")), small(("Harbour", "Pier"))
    harbour = next(iter(new.graph.store.nodes))
    with new.graph.batch("edit") as batch:
        batch.set_attrs(harbour, depth=4)

    found = diff(old, new)

    nodes = found.records["nodes"]
    assert [new.graph.node(id).label for id in nodes.added] == ["Pier"]
    assert [old.graph.node(id).label for id in nodes.gone] == ["Mole"]
    assert [(c.id, c.fields) for c in nodes.changed] == [(harbour, {"attrs.depth": (None, 4)})]
    assert found.records["names"].added == nodes.added
    assert not found.records["edges"]
    assert not diff(old, old)


def test_a_difference_tells_conclusions_that_changed(tmp_path: Path) -> None:
    state = small()
    graph = state.graph
    log_ = graph.add_node("source", "Log", attrs={"origin": "", "retrieved_at": ""})
    dry = graph.assume("Dry")
    hut = graph.decide("Hut", rationale="dry", source=log_.id, depends_on=[dry.id])
    old = session.save(tmp_path / "s", state).state
    before = session.load(tmp_path / "s")
    seen = graph.submit_evidence("wet", source_id=log_.id)
    graph.add_edge(seen.id, "contradicts", dry.id)
    graph.reject(dry.id, evidence_id=seen.id)
    session.save(tmp_path / "s", old)
    after = session.load(tmp_path / "s")

    found = diff(before, after)

    assert found.conclusions["invalid"] == (((dry.id,), (hut.id,)), ())
    assert found.conclusions["fell"] == (((dry.id, dry.id), (hut.id, dry.id)), ())
    assert found.conclusions["status"] == (((dry.id, "rejected"),), ((dry.id, "active"),))
    assert [c.fields["rejected_at_build"] for c in found.records["assumptions"].changed] == [(None, graph.build)]
    back = diff(after, before)
    assert back.conclusions["invalid"] == ((), ((dry.id,), (hut.id,)))


def test_a_task_that_changed_is_in_the_difference(tmp_path: Path) -> None:
    directory = ferry_session(tmp_path / "s")
    state = session.load(directory)
    assert state.carried is not None
    changed = replace(state.carried, execution=state.carried.execution.replace(b'"round": 1', b'"round": 2'))

    assert not diff(state, replace(state, carried=changed)).records["tasks"]
    assert diff(replace(state, carried=None), state).records["tasks"].added


# ---- restore and migrate --------------------------------------------------------------------


def test_what_is_restored_is_a_new_generation_with_the_old_content(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 3)
    old = session.load(tmp_path / "s", generation=2)

    saved = restore(tmp_path / "s", 2, POLICY)

    assert saved.generation == 4
    assert not diff(old, session.load(tmp_path / "s"))
    assert numbers(tmp_path / "s") == [4, 3]
    again = grown(session.load(tmp_path / "s"), "Pier 9")
    assert session.save(tmp_path / "s", again).generation == 5


def test_a_damaged_newest_generation_does_not_keep_an_earlier_one_from_being_restored(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 3)
    (tmp_path / "s" / "graph-000003.json").write_bytes(b"{}")

    assert restore(tmp_path / "s", 2, POLICY).generation == 4
    assert len(session.load(tmp_path / "s").graph.store.nodes) == 2


def test_the_newest_generation_needs_no_restoring_and_one_that_is_gone_cannot_be(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 3)
    before = listing(tmp_path / "s")

    assert restore(tmp_path / "s", 3, POLICY).written == ()
    with pytest.raises(SessionError) as caught:
        restore(tmp_path / "s", 1, POLICY)

    assert caught.value.code == "no-generation"
    assert listing(tmp_path / "s") == before


def test_a_journal_is_restored_with_the_generation_it_belongs_to(tmp_path: Path) -> None:
    state = session.save(tmp_path / "s", small(), version=3).state
    state = session.checkpoint(grown(state, "Pier 2")).state
    session.checkpoint(grown(state, "Pier 3"), compact=True)
    assert numbers(tmp_path / "s") == [2, 1]

    saved = restore(tmp_path / "s", 1, POLICY)

    state = session.load(tmp_path / "s")
    assert (saved.generation, state.manifest and state.manifest.version) == (3, 3)
    assert [node.label for node in state.graph.store.nodes.values()] == ["Harbour", "Pier 2"]


def test_a_session_is_migrated_whole_and_only_when_asked(tmp_path: Path) -> None:
    directory = ferry_session(tmp_path / "s")
    before = graph_to_bytes(session.load(directory).graph.store)

    assert migrate(directory, POLICY, 3).generation == 2
    state = session.load(directory)
    assert state.manifest is not None and state.manifest.version == 3
    assert graph_to_bytes(state.graph.store) == before
    assert migrate(directory, POLICY, 3).written == ()
    with pytest.raises(SessionError) as caught:
        migrate(directory, POLICY, 2)
    assert caught.value.code == "no-way-back"


def test_reading_and_comparing_write_nothing(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 3)
    before = listing(tmp_path / "s")

    log(tmp_path / "s", POLICY)
    inspect(tmp_path / "s", POLICY)
    diff(session.load(tmp_path / "s", generation=2), session.load(tmp_path / "s"))

    assert listing(tmp_path / "s") == before
