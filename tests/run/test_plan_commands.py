"""``execute`` and ``ledger`` as a shell sees them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextmesh.run.checkpoint import VerifyKey
from contextmesh.run.merkle import verify_consistency, verify_inclusion
from tests.cli.conftest import Run, run  # noqa: F401

DEPLOYMENT = """\
from contextmesh import Runner, TaskRegistry

registry = TaskRegistry()
registry.register_worker("dye.v1", lambda context: {"red": 1})
registry.register_auditor("look.v1", lambda context: context.ok("it is red"))


def plan(graph):
    runner = Runner("weave", registry=registry, graph=graph)
    runner.task("dye", worker_key="dye.v1", auditor_key="look.v1", assumes="the river runs clear", produces=["Dye"])
    runner.task("wool", worker_key="dye.v1", assumes="the mill turns", needs=["dye"])
    return runner


def failing():
    runner = Runner("weave")
    runner.task("dye", run=lambda context: None, assumes="the river runs clear")
    return runner


def broken():
    raise ValueError("no thread")


def leaving():
    raise SystemExit(0)


def unkeyed(graph):
    from pathlib import Path

    runner = Runner("weave", graph=graph)
    runner.task("dye", run=lambda context: Path("ran").write_text("") or {}, assumes="the river runs clear")
    return runner


def wide():
    import threading

    runner, meeting = Runner("weave", workers=1), threading.Barrier(3)
    for name in ("warp", "weft", "dye"):
        runner.task(name, run=lambda context: {"at": 0 * meeting.wait(5)}, assumes="the mill turns")
    return runner


number = 5
"""


@pytest.fixture
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "weavery.py").write_text(DEPLOYMENT)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("weavery", None)


@pytest.fixture
def session(deployment: Path, run: Run) -> Path:  # noqa: F811
    home = deployment / "weave.mesh"
    assert run("init", home).code == 0
    assert run("execute", "--plan", "weavery:plan", "--session", home).code == 0
    return home


def test_the_worked_plan_executes_three_and_caches_two_after_its_repair(run: Run) -> None:  # noqa: F811
    told = run("execute", "--json")

    assert (told.code, told.err) == (0, "")
    rounds = told.json["rounds"]
    assert len(rounds["first"]["executed"]) == 5
    assert rounds["recheck"]["executed"] == []
    assert rounds["recheck"]["invalidations"][0]["reason"].startswith("DEMO-2025-1 affects argon2-cffi 21.3.0")
    assert rounds["waiting"]["executed"] == []
    assert rounds["repaired"]["executed"] == ["hash_password", "credential_table", "login_endpoint"]
    assert rounds["repaired"]["cached"] == ["session_tokens", "rate_limit"]
    assert rounds["repaired"]["complete"]


def test_the_worked_plan_is_told_to_people(run: Run) -> None:  # noqa: F811
    told = run("execute")

    assert told.code == 0
    assert told.out.endswith("3 executed, 2 cached\n")
    assert "argon2id" not in told.err


def test_the_worked_plan_is_the_same_twice(run: Run) -> None:  # noqa: F811
    assert run("execute", "--json", "--workers", "1").out == run("execute", "--json", "--workers", "8").out


def test_a_session_goes_on_with_its_plan(session: Path, run: Run) -> None:  # noqa: F811
    again = run("execute", "--plan", "weavery:registry", "--session", session, "--json")
    looked = run("execute", "--plan", "weavery:registry", "--session", session, "--recheck", "--json")

    assert (again.json["round"], again.json["executed"], again.json["cached"]) == (2, [], ["dye", "wool"])
    assert (looked.json["round"], looked.json["audited"], looked.json["complete"]) == (3, ["dye"], True)
    assert looked.json["ledger"]["entries"] == 7


def test_a_plan_that_is_not_complete_ends_with_one(deployment: Path, run: Run) -> None:  # noqa: F811
    told = run("execute", "--plan", "weavery:failing", "--json")

    assert told.code == 1
    assert told.json["failed"] == {"dye": "the worker returned nothing, not an object with text keys"}


REFUSED = {
    "weavery": "bad-plan",
    "weavery:nothing": "bad-plan",
    "weavery:number": "bad-plan",
    "weavery:registry": "bad-plan",
    "weavery:broken": "plan-raised",
    "no_such_module_at_all:plan": "bad-plan",
    ":": "bad-plan",
}


@pytest.mark.parametrize("plan", REFUSED)
def test_a_plan_that_cannot_be_had_is_refused_without_a_traceback(plan: str, deployment: Path, run: Run) -> None:  # noqa: F811
    told = run("execute", "--plan", plan, "--json")

    assert told.code == 2
    assert told.json["error"]["code"] == REFUSED[plan]
    assert "Traceback" not in told.err


def test_a_session_without_a_plan_says_how_to_run_one(session: Path, run: Run) -> None:  # noqa: F811
    assert run("execute", "--session", session, "--json").json["error"]["code"] == "missing-plan"
    told = run("execute", "--plan", "weavery:plan", "--session", session, "--json")
    assert told.json["error"]["code"] == "bad-plan"


def test_a_ledger_is_verified_and_not_said_to_be_complete(session: Path, run: Run) -> None:  # noqa: F811
    told = run("ledger", "verify", "--session", session, "--json")

    assert told.code == 0
    assert told.json["words"] == "chain consistent, 4 entries, completeness not proven"
    assert (told.json["verified"], told.json["complete"]) == (True, False)


def test_a_ledger_is_shown_by_task_round_and_event(session: Path, run: Run) -> None:  # noqa: F811
    told = run("ledger", "show", "--session", session, "--task", "dye", "--json")
    assert [entry["event"] for entry in told.json["entries"]] == ["audited", "executed"]
    assert run("ledger", "show", "--session", session, "--round", "7").out == "no such entries\n"
    assert "executed    wool  attempt 1" in run("ledger", "show", "--session", session, "--event", "executed").out


def test_what_a_disproof_left_standing_is_listed_from_a_session(deployment: Path, run: Run) -> None:  # noqa: F811
    (deployment / "weavery.py").write_text(DEPLOYMENT.replace('ok("it is red")', 'disproved("it is blue")'))
    run("init", "blue.mesh")
    assert run("execute", "--plan", "weavery:plan", "--session", "blue.mesh").code == 1
    (shown,) = run("ledger", "show", "--session", "blue.mesh", "--event", "disproved", "--json").json["entries"]

    told = run("ledger", "preserved", shown["seq"], "--session", "blue.mesh", "--json").json

    assert told["preserved"] == shown["data"]["preserved"]
    assert told["preserved_count"] == shown["data"]["preserved_count"] > 0
    refused = run("ledger", "preserved", "1", "--session", "blue.mesh", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "no-receipt")


def test_a_ledger_is_read_under_the_policy_of_its_session(session: Path, deployment: Path, run: Run) -> None:  # noqa: F811
    (deployment / "bad.dl").write_text("no rules")
    for command in (["verify"], ["show"], ["prove", "1"], ["preserved", "1"], ["checkpoint", "--key", "k"]):
        told = run("ledger", *command, "--session", session, "--policy", "bad.dl", "--json")
        assert (told.code, told.json["error"]["code"]) == (2, "syntax"), command


def newest(session: Path) -> Path:
    return max(session.glob("runledger-*.json"))


def test_a_checkpoint_shows_what_was_cut_off(session: Path, deployment: Path, run: Run) -> None:  # noqa: F811
    made = run(
        "ledger", "checkpoint", "--session", session, "--key", deployment / "k", "--make-key", "example.org/weave",
        "--out", deployment / "c", "--json",
    )  # fmt: skip
    public = made.json["public_key"]
    assert (deployment / "k.pub").read_text() == f"{public}\n"
    assert made.json["public_key_file"] == str(deployment / "k.pub")
    assert f"public key {public} in {deployment / 'k.pub'}" in made.err
    assert made.json["size"] == 4
    assert VerifyKey.parse(public).name == "example.org/weave"
    run("execute", "--plan", "weavery:registry", "--session", session)

    whole = run("ledger", "verify", "--session", session, "--against", deployment / "c", "--key", "k.pub", "--json")
    assert (whole.code, whole.json["words"]) == (
        0,
        "chain consistent, 6 entries, complete up to 4; 2 entries beyond it are not covered",
    )
    assert (whole.json["complete"], whole.json["complete_to"]) == (False, 4)
    told = run("ledger", "verify", "--session", session, "--against", deployment / "c").out
    assert "the checkpoint was made at entry 4; it cannot know what came after" in told

    data = json.loads(newest(session).read_text())
    data["entries"] = data["entries"][:3]
    data["head"] = data["entries"][-1]["digest"]
    (deployment / "cut.json").write_text(json.dumps(data))
    alone = run("ledger", "verify", "--file", deployment / "cut.json")
    shown = run("ledger", "verify", "--file", deployment / "cut.json", "--against", deployment / "c")
    assert (alone.code, "completeness not proven" in alone.out) == (0, True)
    assert (shown.code, shown.out) == (1, "refused: shorter than checkpoint: 3 < 4\n")


def test_an_altered_ledger_does_not_verify(session: Path, deployment: Path, run: Run) -> None:  # noqa: F811
    data = json.loads(newest(session).read_text())
    data["entries"][1]["detail"] = "attempt 2"
    (deployment / "bent.json").write_text(json.dumps(data))

    told = run("ledger", "verify", "--file", deployment / "bent.json", "--json")

    assert told.code == 1
    assert told.json["verified"] is False
    assert "$.entries[1].digest" in told.json["reason"]


def test_proofs_can_be_checked_without_the_ledger(session: Path, run: Run) -> None:  # noqa: F811
    from base64 import b64decode

    included = run("ledger", "prove", "2", "--session", session, "--json").json
    hashes = [b64decode(text) for text in included["hashes"]]
    assert verify_inclusion(b64decode(included["leaf"]), 1, 4, hashes, b64decode(included["root"]))

    grown = run("ledger", "prove", "--since", "3", "--session", session, "--json").json
    hashes = [b64decode(text) for text in grown["hashes"]]
    assert verify_consistency(3, 4, hashes, b64decode(grown["root_since"]), b64decode(grown["root"]))


LEDGER_REFUSED = {
    "no ledger": (["ledger", "verify"], "missing-session"),
    "no file": (["ledger", "verify", "--file", "gone.json"], "missing-file"),
    "no entry": (["ledger", "prove", "99", "--session", "weave.mesh"], "unknown-entry"),
    "nothing to prove": (["ledger", "prove", "--session", "weave.mesh"], "usage"),
    "a key of no checkpoint": (["ledger", "verify", "--session", "weave.mesh", "--key", "k"], "usage"),
    "no head": (["ledger", "verify", "--session", "weave.mesh", "--expect-head", "zz"], "malformed-digest"),
    "no event": (["ledger", "show", "--session", "weave.mesh", "--event", "exploded"], "unknown-word"),
    "no key": (["ledger", "checkpoint", "--session", "weave.mesh", "--key", "gone"], "missing-file"),
    "a key that is there": (
        ["ledger", "checkpoint", "--session", "weave.mesh", "--key", "weavery.py", "--make-key", "a"],
        "key-exists",
    ),
    "a public key in the way": (
        ["ledger", "checkpoint", "--session", "weave.mesh", "--key", "taken", "--make-key", "a"],
        "key-exists",
    ),
}


@pytest.mark.parametrize("case", LEDGER_REFUSED)
def test_what_cannot_be_done_with_a_ledger_is_refused(case: str, session: Path, run: Run) -> None:  # noqa: F811
    arguments, code = LEDGER_REFUSED[case]
    Path("taken.pub").write_text("mine")
    told = run(*arguments, "--json")
    assert (told.code, told.json["error"]["code"]) == (2, code)
    assert not Path("taken").exists()


def test_a_session_that_never_ran_a_plan_has_no_ledger(deployment: Path, run: Run) -> None:  # noqa: F811
    run("init", "empty.mesh")
    assert run("ledger", "show", "--session", "empty.mesh", "--json").json["error"]["code"] == "no-ledger"


def test_a_ledger_that_did_not_grow_is_complete_by_its_checkpoint(session: Path, deployment: Path, run: Run) -> None:  # noqa: F811
    run("ledger", "checkpoint", "--session", session, "--key", "k", "--make-key", "example.org/weave", "--out", "c")

    told = run("ledger", "verify", "--session", session, "--against", "c", "--json").json

    assert (told["words"], told["complete_to"]) == ("chain consistent, 4 entries, complete", 4)


def test_a_plan_that_a_session_cannot_hold_does_not_run_in_it(deployment: Path, run: Run) -> None:  # noqa: F811
    run("init", "empty.mesh")

    told = run("execute", "--plan", "weavery:unkeyed", "--session", "empty.mesh", "--json")

    assert (told.code, told.json["error"]["code"]) == (2, "no-key")
    assert not (deployment / "ran").exists()
    assert run("execute", "--plan", "weavery:unkeyed").code == 0


def test_as_many_calls_go_on_at_once_as_were_asked_for(deployment: Path, run: Run) -> None:  # noqa: F811
    assert run("execute", "--plan", "weavery:wide", "--workers", "3", "--json").json["complete"]


@pytest.mark.parametrize("name", [".weavery:plan", "..weavery:plan", "weavery:plan.", "weavery:", ":plan", "weavery"])
def test_a_plan_is_named_by_whole_names(name: str, deployment: Path, run: Run) -> None:  # noqa: F811
    told = run("execute", "--plan", name, "--json")
    assert (told.code, told.json["error"]["code"]) == (2, "bad-plan")


def test_a_deployment_that_leaves_does_not_end_the_command_in_silence(deployment: Path, run: Run) -> None:  # noqa: F811
    told = run("execute", "--plan", "weavery:leaving", "--json")
    assert (told.code, told.json["error"]["code"]) == (2, "plan-raised")


def test_a_round_in_a_session_is_a_commit_of_a_date(session: Path, run: Run) -> None:  # noqa: F811
    assert (
        run("execute", "--plan", "weavery:registry", "--recheck", "--on", "2024-05-01", "--session", session).code == 0
    )
    assert run("ingest", "weavery.py", "--as", "text", "--on", "2024-06-01", "--session", session).code == 0
    then = run("query", "node(X, source)", "--as-of", "2024-05-01", "--session", session, "--json").json

    assert then["bounds"]["learned_by"] == "commit date"
    assert "weavery.py" not in str(then["rows"])
    refused = run("execute", "--plan", "weavery:registry", "--on", "2024-05-02", "--session", session, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "earlier-commit")
