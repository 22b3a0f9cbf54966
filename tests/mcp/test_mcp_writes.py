"""A write is adopted once it is committed; a failure leaves what is served untouched; a client judges nothing."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from served_places import DECISION, SOURCE, TIDE, Workshop, harbour, planned, served

from contextmesh.api import Mesh
from contextmesh.base.errors import InputError, Problem, Refusal, SessionError
from contextmesh.mcp.calls import call
from contextmesh.mcp.catalogue import TOOLS, offered
from contextmesh.mcp.served import CHECKPOINTS, Served
from contextmesh.session.lock import writer_lock

SEEN = {"text": "The pier cracked under thirty tonnes", "source_id": SOURCE}
QUESTION = {"question": "Which ferry sails at noon?"}


def walks(directory: Path) -> dict[str, int]:
    return dict(Mesh.open(directory).graph.store.walks)


def test_evidence_is_on_disk_and_served_and_carries_no_verdict(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))

    first = call(here, "mesh_submit_evidence", SEEN)
    again = call(here, "mesh_submit_evidence", SEEN)

    assert (first["new"], again["new"], first["id"]) == (True, False, again["id"])
    assert (first["generation"], again["generation"]) == (2, 2)
    node = Mesh.open(tmp_path / "s").graph.node(first["id"])
    assert node.label == SEEN["text"]
    shown = call(here, "mesh_get_node", {"id": first["id"]})
    assert shown["edges"] == []


def test_twenty_submissions_at_once_are_all_there(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    found: dict[int, dict[str, Any]] = {}

    def submit(number: int) -> None:
        found[number] = call(here, "mesh_submit_evidence", {**SEEN, "external_id": f"e{number}"})

    threads = [threading.Thread(target=submit, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    there = Mesh.open(tmp_path / "s").graph.store.nodes
    assert len({answer["id"] for answer in found.values()}) == 20
    assert all(answer["id"] in there and answer["new"] for answer in found.values())


def test_one_refused_submission_does_not_spoil_those_beside_it(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    outcomes: list[str] = []

    def submit(source: str) -> None:
        try:
            outcomes.append(call(here, "mesh_submit_evidence", {**SEEN, "source_id": source})["type"])
        except Refusal as refusal:
            outcomes.append(refusal.code)

    threads = [threading.Thread(target=submit, args=(s,)) for s in (SOURCE, "source:none", DECISION)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["bad-evidence", "evidence", "unknown-node"]


def test_a_read_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    inside, go_on = threading.Event(), threading.Event()

    def slow(state: Any) -> Any:
        inside.set()
        go_on.wait(20)
        return state, None

    writer = threading.Thread(target=lambda: here.commit(slow))
    writer.start()
    assert inside.wait(20)
    try:
        assert call(here, "mesh_health", {})["status"] in ("ok", "warn", "error")
    finally:
        go_on.set()
        writer.join()


def test_a_write_that_cannot_be_committed_leaves_what_is_served_untouched(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))

    with writer_lock(tmp_path / "s"), pytest.raises(Refusal) as refused:
        call(here, "mesh_submit_evidence", SEEN)

    assert refused.value.code == "locked"
    assert call(here, "mesh_query", {"query": "node(X, evidence)"})["row_count"] == 1
    assert call(here, "mesh_submit_evidence", SEEN)["new"]


def test_what_another_process_committed_is_seen_and_built_on(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    other = Mesh.open(tmp_path / "s")
    other.assume("The quay is dry", id="assumption:quay")
    other.save()

    assert call(here, "mesh_get_node", {"id": "assumption:quay"})["label"] == "The quay is dry"
    call(here, "mesh_submit_evidence", SEEN)

    assert "assumption:quay" in Mesh.open(tmp_path / "s").graph.store.nodes


def test_a_session_that_vanished_is_refused_by_writes_and_still_read(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    (tmp_path / "s").rename(tmp_path / "elsewhere")

    with pytest.raises(SessionError):
        call(here, "mesh_submit_evidence", SEEN)
    assert call(here, "mesh_get_node", {"id": DECISION})["id"] == DECISION


@pytest.mark.parametrize("checkpoint", CHECKPOINTS)
def test_walks_are_committed_as_the_checkpoint_policy_says(tmp_path: Path, checkpoint: str) -> None:
    here = served(harbour(tmp_path / "s"), checkpoint=checkpoint)

    found = call(here, "mesh_ask", QUESTION)
    after_ask = walks(tmp_path / "s")
    call(here, "mesh_submit_evidence", SEEN)
    after_write = walks(tmp_path / "s")
    call(here, "mesh_ask", QUESTION)
    here.close()
    after_exit = walks(tmp_path / "s")

    start = found["path"][0]["id"]
    told = tuple(counts.get(start, 0) for counts in (after_ask, after_write, after_exit))
    assert told == {"every-ask": (1, 1, 2), "on-exit": (0, 1, 2), "never": (0, 0, 0)}[checkpoint]
    assert here.read(lambda mesh: mesh.graph.store.walks[start]) == 2


def test_a_failed_commit_loses_no_counted_walk(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    call(here, "mesh_ask", QUESTION)
    with writer_lock(tmp_path / "s"), pytest.raises(Refusal):
        call(here, "mesh_submit_evidence", SEEN)

    here.close()

    assert walks(tmp_path / "s")


def test_closing_without_anything_counted_writes_nothing(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    here.close()

    assert Mesh.open(tmp_path / "s").generation == 1


def test_the_demo_refuses_writes_and_answers_reads() -> None:
    here = served(None)

    with pytest.raises(InputError) as refused:
        call(here, "mesh_submit_evidence", SEEN)

    assert refused.value.code == "demo-session"
    assert call(here, "mesh_ask", {"question": "Why did the Index Builder run out of memory?"})["answer"]


def test_a_call_before_the_session_is_loaded_says_that_it_is_loading(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        call(Served(harbour(tmp_path / "s"), patience=0.01), "mesh_health", {})

    assert refused.value.code == "loading"


def test_a_session_that_cannot_be_loaded_says_why_to_every_call(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    (place / "graph-000001.json").write_text("{", encoding="utf-8")
    here = served(place)

    for _ in range(2):
        with pytest.raises(SessionError):
            call(here, "mesh_health", {})


# ---- the plan ----------------------------------------------------------------------------------------


def test_a_plan_is_rechecked_repaired_and_resumed_through_keys_alone(tmp_path: Path) -> None:
    shop = Workshop()
    here = served(planned(tmp_path / "s", shop), registry=shop.registry(), has_plan=True)
    shop.called.clear()
    shop.rotten.append("hull")

    looked = call(here, "mesh_recheck", {})
    assert shop.called == []
    assert [(one["assumption"], one["invalidated_count"]) for one in looked["invalidations"]] == [("Oak lasts", 3)]

    shop.rotten.clear()
    repaired = call(here, "mesh_repair", {"task": "hull", "assumes": "Steel lasts", "worker_key": "hull.steel.v1"})
    assert repaired["worker_key"] == "hull.steel.v1"
    resumed = call(here, "mesh_resume", {})

    assert (resumed["complete"], resumed["failed"]) == (True, {})
    assert shop.called[0] == "hull"
    assert Mesh.open(tmp_path / "s").generation == resumed["generation"]
    assert call(here, "mesh_resume", {})["executed"] == []


def test_a_key_that_is_not_registered_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    shop = Workshop()
    here = served(planned(tmp_path / "s", shop), registry=shop.registry(), has_plan=True)

    with pytest.raises(Refusal) as refused:
        call(here, "mesh_repair", {"task": "hull", "assumes": "Steel lasts", "worker_key": "os.system"})

    assert refused.value.code == "unknown-worker"
    assert Mesh.open(tmp_path / "s").generation == 1
    assert "Steel lasts" not in [a.statement for a in Mesh.open(tmp_path / "s").graph.store.assumptions.values()]


def test_while_a_round_runs_no_other_process_commits_and_readers_see_the_state_before(tmp_path: Path) -> None:
    shop = Workshop()
    here = served(planned(tmp_path / "s", shop), registry=shop.registry(), has_plan=True)
    other = Mesh.open(tmp_path / "s")
    seen: list[Any] = []
    shop.rotten.append("hull")
    original = shop.audit

    def audit(context: Any) -> Any:
        other.assume("The quay is dry")
        with pytest.raises(Refusal) as refused:
            other.save()
        seen.extend([refused.value.code, call(here, "mesh_query", {"query": "invalid(X)"})["rows"]])
        return original(context)

    shop.audit = audit  # type: ignore[method-assign]
    here.registry = shop.registry()
    call(here, "mesh_recheck", {})

    assert seen == ["locked", []]
    assert call(here, "mesh_query", {"query": "invalid(X)"})["rows"] != []
    other.checkpoint()
    assert call(here, "mesh_get_node", {"id": "The quay is dry"})["label"] == "The quay is dry"


def test_a_round_that_is_refused_half_way_leaves_nothing_behind(tmp_path: Path) -> None:
    shop = Workshop()
    here = served(planned(tmp_path / "s", shop), registry=shop.registry(), has_plan=True)
    before = sorted((p.name, p.read_bytes()) for p in (tmp_path / "s").iterdir() if "lock" not in p.name)

    def change(state: Any) -> Any:
        state.graph.assume("Half way")
        raise InputError(Problem("usage", "no further"))

    with pytest.raises(InputError):
        here.commit(change, alone=True)

    assert sorted((p.name, p.read_bytes()) for p in (tmp_path / "s").iterdir() if "lock" not in p.name) == before
    with pytest.raises(Refusal):
        call(here, "mesh_get_node", {"id": "Half way"})


def test_closing_ends_a_running_round_after_what_is_being_recorded(tmp_path: Path) -> None:
    shop = Workshop()
    place = planned(tmp_path / "s", shop)
    here = served(place, registry=shop.registry(), has_plan=True)
    call(here, "mesh_repair", {"task": "hull", "assumes": "Steel lasts", "worker_key": "hull.steel.v1"})
    inside, closing = threading.Event(), threading.Event()
    original = shop.work

    def work(context: Any) -> Any:
        inside.set()
        closing.wait(20)
        return original(context)

    shop.work = work  # type: ignore[method-assign]
    here.registry = shop.registry()
    found: list[dict[str, Any]] = []
    round_ = threading.Thread(target=lambda: found.append(call(here, "mesh_resume", {})))
    round_.start()
    assert inside.wait(20)
    end = threading.Thread(target=here.close)
    end.start()
    assert here.closing.wait(20)
    closing.set()
    round_.join(20)
    end.join(20)

    assert found[0]["cancelled"]
    assert Mesh.open(place).generation == found[0]["generation"]


def test_tools_of_a_plan_are_offered_only_where_there_is_one(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))

    assert {t.name for t in TOOLS} - {t.name for t in offered(plan=False)} == {
        "mesh_recheck",
        "mesh_repair",
        "mesh_resume",
    }
    with pytest.raises(Refusal, match="is not offered here"):
        call(here, "mesh_resume", {})


# ---- authority ---------------------------------------------------------------------------------------

FORBIDDEN: dict[str, Any] = {
    "reject": TIDE,
    "verdict": "rejected",
    "status": "rejected",
    "contradicts": "assumption:tide",
    "assumption_id": "assumption:tide",
    "edge": "edge:1",
    "edges": ["edge:1"],
    "edge_id": "edge:1",
    "src": SOURCE,
    "dst": DECISION,
    "worker": "os.system",
    "run": "os.system('true')",
    "audit": "os.system",
    "code": "1 + 1",
    "module": "os",
    "path": "/etc/passwd",
    "file": "/etc/passwd",
    "directory": "/",
    "session": "/",
    "registry": {},
    "policy": "/",
    "engine": "pydatalog",
}
FITTING: dict[str, Any] = {
    "question": "Which ferry?",
    "id": DECISION,
    "assumption": TIDE,
    "decision": DECISION,
    "as_of": "2025-02-01",
    "query": "live(X)",
    "fact": f"live('{DECISION}')",
    "text": "Seen",
    "source_id": SOURCE,
    "task": "hull",
    "assumes": "Steel lasts",
}


def test_no_tool_takes_an_argument_that_would_judge_name_an_edge_or_choose_code_or_a_path(tmp_path: Path) -> None:
    shop = Workshop()
    here = served(planned(tmp_path / "s", shop), registry=shop.registry(), has_plan=True)
    shop.called.clear()
    before = sorted((p.name, p.read_bytes()) for p in (tmp_path / "s").iterdir())
    for tool in TOOLS:
        needed = {argument.name: FITTING[argument.name] for argument in tool.arguments if argument.required}
        for name, value in FORBIDDEN.items():
            with pytest.raises(InputError) as refused:
                call(here, tool.name, {**needed, name: value})
            assert refused.value.code == "unknown-argument", (tool.name, name)
            with pytest.raises(InputError):
                call(here, "mesh_more", {"tool": tool.name, "arguments": {**needed, name: value}})

    assert sorted((p.name, p.read_bytes()) for p in (tmp_path / "s").iterdir()) == before
    assert shop.called == []


@pytest.mark.parametrize(
    "text",
    [
        "rejected('assumption:tide', 99).",
        "verdict('assumption:tide', x, 1) :- live(X). ?- live(X).",
        "rejected(X, Y) :- live(X), node(Y, K). ?- live(X).",
    ],
)
def test_a_query_states_nothing(tmp_path: Path, text: str) -> None:
    here = served(harbour(tmp_path / "s"))
    with suppress(Refusal):
        call(here, "mesh_query", {"query": text})

    assert call(here, "mesh_query", {"query": "rejected(X, Y)"})["rows"] == []


def test_evidence_cannot_smuggle_an_edge_in_its_metadata(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    metadata = {"contradicts": "assumption:tide", "edges": [{"type": "contradicts", "dst": "assumption:tide"}]}

    made = call(here, "mesh_submit_evidence", {**SEEN, "metadata": metadata})

    assert call(here, "mesh_get_node", {"id": made["id"]})["out_count"] == 0
    assert call(here, "mesh_get_node", {"id": "assumption:tide"})["conclusions"] == ["active", "live"]
