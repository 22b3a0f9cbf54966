"""A session carries its plan, and continues it with the registry of the deployment."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contextmesh import RunLedger, Runner, Session, TaskRegistry
from contextmesh.base.errors import (
    ExecutionCheckpointError,
    ExecutionSnapshotError,
    InputError,
    LedgerIntegrityError,
    SessionError,
)
from contextmesh.session import SessionState, load
from contextmesh.store.integrity import Comparison


def registry(*, complete: bool = True) -> TaskRegistry:
    made = TaskRegistry()
    made.register_worker("dock.survey.v1", lambda ctx: {"depth": 4})
    if complete:
        made.register_worker("dock.dredge.v1", lambda ctx: {"removed": 120})
    return made


def planned(home: Path) -> Session:
    keys = registry()
    runner = Runner("dock", registry=keys)
    runner.task("survey", worker_key="dock.survey.v1", assumes="The echo sounder is calibrated")
    runner.task("dredge", worker_key="dock.dredge.v1", assumes="The barge is free in May", needs=["survey"])
    session = Session(SessionState(runner.graph, resolver()), runner)
    session.save(home)
    return session


def resolver() -> Any:
    from contextmesh import Resolver

    return Resolver()


def test_a_plan_goes_on_where_it_was_saved(tmp_path: Path) -> None:
    planned(tmp_path / "s")
    session = Session.load(tmp_path / "s", registry=registry())
    assert session.runner is not None
    first = session.runner.run()
    session.save()
    again = Session.load(tmp_path / "s", registry=registry())
    assert again.runner is not None

    assert first.complete
    assert again.generation == 2
    assert again.runner.run().executed == ()
    assert again.ledger is not None and len(again.ledger) > 0


def test_a_plan_without_a_registry_is_refused(tmp_path: Path) -> None:
    planned(tmp_path / "s")

    with pytest.raises(SessionError) as refused:
        Session.load(tmp_path / "s")

    assert refused.value.code == "missing-registry"


def test_a_registry_that_is_none_is_refused(tmp_path: Path) -> None:
    planned(tmp_path / "s")

    with pytest.raises(InputError) as refused:
        Session.load(tmp_path / "s", registry=3)  # type: ignore[arg-type]

    assert refused.value.code == "wrong-type"


def test_a_key_that_the_registry_lacks_is_named(tmp_path: Path) -> None:
    planned(tmp_path / "s")

    with pytest.raises(ExecutionCheckpointError) as refused:
        Session.load(tmp_path / "s", registry=registry(complete=False))

    assert "dock.dredge.v1" in str(refused.value)


def test_saving_an_unchanged_plan_writes_nothing(tmp_path: Path) -> None:
    planned(tmp_path / "s")
    session = Session.load(tmp_path / "s", registry=registry())

    assert session.save().written == ()


def test_a_round_is_appended_as_a_line_and_the_plan_goes_on_from_it(tmp_path: Path) -> None:
    session = planned(tmp_path / "s")
    assert session.checkpoint().written
    assert session.runner is not None
    assert session.runner.run().complete
    done = session.checkpoint()
    assert (done.lines > 1, done.written) == (True, ())
    assert session.checkpoint().lines == 0

    again = Session.load(tmp_path / "s", registry=registry())
    assert again.runner is not None
    assert again.ledger is not None
    assert session.ledger is not None
    assert again.ledger.entries == session.ledger.entries
    assert again.runner.round == 1
    before = (tmp_path / "s" / "journal-000002.jsonl").read_bytes()
    assert again.checkpoint().lines == 0, "that it was bound again is no change"
    assert (tmp_path / "s" / "journal-000002.jsonl").read_bytes() == before
    assert again.runner.run().executed == ()
    again.checkpoint()
    third = Session.load(tmp_path / "s", registry=registry())
    assert third.ledger is not None
    assert third.ledger.head == again.ledger.head


def test_a_plan_is_not_written_on_what_another_writer_committed_meanwhile(tmp_path: Path) -> None:
    from contextmesh.api import Mesh

    planned(tmp_path / "s").checkpoint()
    session = Session.load(tmp_path / "s", registry=registry())
    other = Mesh.open(tmp_path / "s")
    other.assume("The tide is low")
    other.checkpoint()
    assert session.runner is not None
    session.runner.run()
    for write in (session.checkpoint, session.save):
        with pytest.raises(SessionError) as caught:
            write()
        assert caught.value.code == "stale-session"
    assert Session.load(tmp_path / "s", registry=registry()).generation == 2
    assert [a.statement for a in Mesh.open(tmp_path / "s").graph.store.assumptions.values()][-1] == "The tide is low"


def test_a_line_of_a_plan_that_does_not_fit_is_refused_with_its_line(tmp_path: Path) -> None:
    from contextmesh.session.journal import beginning, encode

    planned(tmp_path / "s").checkpoint()
    start = beginning((tmp_path / "s" / "session-000002.json").read_bytes())
    head = "0" * 64
    bent: list[tuple[dict[str, Any], str]] = [
        ({"round": -1, "tasks": [], "entries": [], "head": head}, "out-of-range"),
        ({"round": 1, "tasks": [{}], "entries": [], "head": head}, "wrong-type"),
        ({"round": 1, "tasks": [{"name": "x"}], "entries": [], "head": head}, "missing-key"),
        ({"round": 1, "tasks": [], "entries": [{}], "head": head}, "missing-key"),
        ({"round": 1, "tasks": [], "entries": [], "head": "f" * 64}, "ledger-broken"),
        ({"round": 1, "tasks": [], "entries": []}, "missing-key"),
    ]
    for body, code in bent:
        (tmp_path / "s" / "journal-000002.jsonl").write_bytes(encode(start, [("plan", body)])[0])
        with pytest.raises(SessionError) as caught:
            Session.load(tmp_path / "s", registry=registry())
        assert caught.value.code == code, body


def test_a_plan_is_compared_with_its_graph_once_and_anew_after_a_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(tmp_path / "s")
    session = Session.load(tmp_path / "s", registry=registry())
    assert session.runner is not None and session.runner.run().complete
    session.save()
    counted: list[int] = []
    violations = Comparison.violations

    def counting(comparison: Comparison) -> Any:
        counted.append(1)
        return violations(comparison)

    monkeypatch.setattr(Comparison, "violations", counting)
    state = load(tmp_path / "s")
    of_loading = len(counted)
    bound = Session.bound(state, registry())
    assert len(counted) == of_loading
    assert bound.runner is not None and bound.runner.run().cached == ("survey", "dredge")

    state = load(tmp_path / "s")
    ground = session.runner.plan.task("survey").assumption_id
    seen = state.graph.add_node("evidence", "The sounder was off by a metre", attrs={"kind": "observation"})
    state.graph.add_edge(seen.id, "contradicts", ground)
    state.graph.reject(ground, evidence_id=seen.id)
    with pytest.raises(ExecutionSnapshotError) as refused:
        Session.bound(state, registry())
    assert "its ground" in str(refused.value) and "was rejected" in str(refused.value)


def test_the_keys_of_a_plan_that_went_on_are_read_without_its_graph(tmp_path: Path) -> None:
    from contextmesh.run.plan_file import read_rows
    from contextmesh.session.files import read_member
    from contextmesh.session.load import find_manifest
    from contextmesh.session.plan_now import went_on

    session = planned(tmp_path / "s")
    session.checkpoint()
    assert session.runner is not None
    session.runner.registry.register_worker("dock.paint.v1", lambda ctx: {"coats": 2})
    session.runner.task("paint", worker_key="dock.paint.v1", assumes="It is dry", needs=["dredge"])
    session.runner.run()
    assert session.checkpoint().lines
    manifest = find_manifest(tmp_path / "s", None, None)
    assert manifest.execution is not None
    base = read_member(tmp_path / "s", manifest.execution)

    now = went_on(tmp_path / "s", manifest, base)

    tasks = read_rows(json.loads(now)).tasks
    assert [task.worker_key for task in tasks] == ["dock.survey.v1", "dock.dredge.v1", "dock.paint.v1"]
    carried = load(tmp_path / "s").carried
    assert carried is not None
    assert now == carried.execution


def test_committed_texts_of_a_ledger_come_back_when_the_deployment_kept_them_and_only_then(tmp_path: Path) -> None:
    def fails(context: Any) -> Any:
        raise ValueError("Mr Reed saw mud")

    keys = TaskRegistry()
    keys.register_worker("dock.survey.v1", fails)
    runner = Runner("dock", registry=keys, ledger=RunLedger(salts=secrets.token_bytes))
    runner.task("survey", worker_key="dock.survey.v1", assumes="The echo sounder is calibrated")
    runner.run()
    Session(SessionState(runner.graph, resolver()), runner).save(tmp_path / "s")
    kept = runner.ledger.texts.disclosures()
    stored = b"".join(path.read_bytes() for path in sorted((tmp_path / "s").glob("*.json*")))
    assert b"Reed" not in stored

    again = Session.load(tmp_path / "s", registry=keys, disclosures=kept, salts=secrets.token_bytes)
    assert again.runner is not None and again.ledger is not None
    assert again.runner.failures.of("survey").reason == "ValueError: Mr Reed saw mud"
    again.runner.run()
    again.save()
    stored = b"".join(path.read_bytes() for path in sorted((tmp_path / "s").glob("*.json*")))
    assert b"Reed" not in stored and len(again.ledger.texts.disclosures()) == 2

    dropped = Session.load(tmp_path / "s", registry=keys)
    assert dropped.ledger is not None
    assert [dropped.ledger.text(entry.detail) for entry in dropped.ledger] == ["[redacted]"] * 2
    assert dropped.ledger.verify(expect_head=again.ledger.head).complete
    with pytest.raises(LedgerIntegrityError) as refused:
        Session.load(tmp_path / "s", registry=keys, disclosures=[replace(kept[0], text="Mr Reed saw nothing")])
    assert refused.value.code == "disclosure-differs"


def test_a_plan_that_is_opened_and_run_again_states_nothing_twice(tmp_path: Path) -> None:
    planned(tmp_path / "s").checkpoint()
    for number in range(3):
        session = Session.load(tmp_path / "s", registry=registry())
        runner = session.runner
        assert runner is not None
        runner.run()
        assert runner.run().executed == ()
        fallen = runner.plan.tasks["survey"].assumption_id
        seen = session.graph.submit_evidence(f"It drifts: {number}", source_id=runner.source_id)
        session.graph.reject(fallen, evidence_id=seen.id)
        runner.repair("survey", assumes=f"The echo sounder is calibrated ({number})")
        assert runner.run().executed == ("survey",), "what it gives dredge is the same"
        session.checkpoint()

    lines = [json.loads(line) for line in (tmp_path / "s" / "journal-000002.jsonl").read_bytes().splitlines()]
    restored = [line for line in lines if line["kind"] == "transaction" and line["body"]["kind"] == "restore"]
    again = Session.load(tmp_path / "s", registry=registry())

    assert restored == []
    assert again.runner is not None
    assert again.runner.run().executed == ()


@pytest.mark.parametrize("journalled", [False, True], ids=["save", "checkpoint"])
def test_a_ground_may_fall_where_nobody_knows_the_workers_and_the_plan_goes_on(
    tmp_path: Path, journalled: bool
) -> None:
    from contextmesh.api import Mesh

    session = planned(tmp_path / "s")
    assert session.runner is not None
    session.runner.run()
    session.checkpoint() if journalled else session.save()
    ground = session.runner.plan.tasks["survey"].assumption_id
    mesh = Mesh.open(tmp_path / "s")
    seen = mesh.submit_evidence("It drifts", source_id=session.runner.source_id)
    mesh.reject(ground, evidence_id=seen.id)
    mesh.checkpoint() if journalled else mesh.save()

    again = Session.load(tmp_path / "s", registry=registry())

    assert again.runner is not None
    assert again.runner.schedule.is_stale(again.runner.plan.tasks["survey"])
    again.runner.repair("survey", assumes="The echo sounder was calibrated again")
    assert "survey" in again.runner.run().executed
