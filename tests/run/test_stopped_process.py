"""Processes that run a plan in a session: told to stop, they keep what they recorded; two at once run nothing twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Run, run  # noqa: F401

DEPLOYMENT = """\
import os
import time
from pathlib import Path

from contextmesh import Runner, TaskRegistry


def work(context):
    with Path("began").open("a") as began:
        began.write(context.name + "\\n")
    if context.name == "cloth" and not Path("go").exists():
        time.sleep(60)
    return {"made": context.name}


registry = TaskRegistry()
registry.register_worker("work.v1", work)
NAMES = ["dye", "wool", "cloth", "coat"]


def plan(graph):
    runner = Runner("weave", registry=registry, graph=graph)
    for number, name in enumerate(NAMES):
        needs = NAMES[max(0, number - 1) : number]
        runner.task(name, worker_key="work.v1", assumes="the mill turns", needs=needs)
    return runner
"""

PATIENCE = 60.0
"""Seconds after which a process that should have done something has failed the test."""


def began(place: Path) -> list[str]:
    path = place / "began"
    return path.read_text().split() if path.exists() else []


def execute(place: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "contextmesh", "execute", "--session", "weave.mesh", *more]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    return subprocess.Popen(command, cwd=place, env=env, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE)


def stopped_at_the_cloth(place: Path, workers: str, run: Run) -> subprocess.Popen[str]:  # noqa: F811
    """A round in a new session, in the middle of the task that waits."""
    (place / "weavery.py").write_text(DEPLOYMENT)
    assert run("init", "weave.mesh").code == 0
    process = execute(place, "--plan", "weavery:plan", "--workers", workers)
    until_it_began(process, place, "cloth")
    return process


def until_it_began(process: subprocess.Popen[str], place: Path, task: str) -> None:
    until = time.monotonic() + PATIENCE
    while task not in began(place):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform == "win32", reason="a process there is ended without being told")
@pytest.mark.parametrize("workers", ["1", "4"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_process_that_is_told_to_stop_saves_what_it_recorded(
    number: signal.Signals,
    code: int,
    workers: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,  # noqa: F811
) -> None:
    monkeypatch.chdir(tmp_path)
    process = stopped_at_the_cloth(tmp_path, workers, run)

    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == code, err
    assert "Traceback" not in err
    assert began(tmp_path) == ["dye", "wool", "cloth"]
    shown = run("ledger", "show", "--session", "weave.mesh", "--event", "executed", "--json").json
    assert [entry["task"] for entry in shown["entries"]] == ["dye", "wool"]
    assert run("ledger", "verify", "--session", "weave.mesh").code == 0

    (tmp_path / "go").write_text("")
    goes_on = execute(tmp_path, "--plan", "weavery:registry", "--json")
    out, err = goes_on.communicate(timeout=PATIENCE)
    assert goes_on.returncode == 0, err
    assert '"complete": true' in out
    assert began(tmp_path) == ["dye", "wool", "cloth", "cloth", "coat"]


@pytest.mark.skipif(sys.platform == "win32", reason="a process there is ended in another way")
@pytest.mark.parametrize("workers", ["1", "4"])
def test_a_process_that_is_killed_keeps_what_it_had_recorded_some_time_before(
    workers: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,  # noqa: F811
) -> None:
    monkeypatch.chdir(tmp_path)
    process = stopped_at_the_cloth(tmp_path, workers, run)

    until, kept = time.monotonic() + PATIENCE, []
    while kept != ["dye", "wool"]:
        assert time.monotonic() < until, kept
        time.sleep(0.05)
        shown = run("ledger", "show", "--session", "weave.mesh", "--event", "executed", "--json")
        kept = [entry["task"] for entry in shown.json.get("entries", [])]
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert run("doctor", "--session", "weave.mesh").code == 0

    (tmp_path / "go").write_text("")
    goes_on = execute(tmp_path, "--plan", "weavery:registry", "--json")
    out, err = goes_on.communicate(timeout=PATIENCE)
    assert goes_on.returncode == 0, err
    assert json.loads(out)["executed"] == ["cloth", "coat"]
    assert began(tmp_path) == ["dye", "wool", "cloth", "cloth", "coat"]
    assert run("ledger", "verify", "--session", "weave.mesh").code == 0


def test_of_two_that_run_one_plan_at_once_the_second_waits_or_is_refused_before_anything_runs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,  # noqa: F811
) -> None:
    (tmp_path / "weavery.py").write_text(DEPLOYMENT)
    monkeypatch.chdir(tmp_path)
    assert run("init", "weave.mesh").code == 0
    first = execute(tmp_path, "--plan", "weavery:plan")
    until_it_began(first, tmp_path, "cloth")

    refused = execute(tmp_path, "--plan", "weavery:plan", "--json")
    out, err = refused.communicate(timeout=PATIENCE)
    assert refused.returncode == 4, err
    assert '"code": "locked"' in out
    assert f'"pid": {first.pid}' in out
    assert began(tmp_path) == ["dye", "wool", "cloth"]

    waits = execute(tmp_path, "--plan", "weavery:registry", "--wait", str(PATIENCE), "--json")
    (tmp_path / "go").write_text("")
    first.terminate()  # or it sleeps on; what it had recorded is kept, and who waits goes on with it
    first.communicate(timeout=PATIENCE)
    out, err = waits.communicate(timeout=PATIENCE)

    assert (first.returncode, waits.returncode) == (143, 0), err
    assert json.loads(out)["executed"] == ["cloth", "coat"]
    assert json.loads(out)["round"] == 2
    assert began(tmp_path) == ["dye", "wool", "cloth", "cloth", "coat"]
    assert run("ledger", "verify", "--session", "weave.mesh").code == 0


def test_a_session_that_is_not_there_gets_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:  # noqa: F811
    (tmp_path / "weavery_here.py").write_text(DEPLOYMENT)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "gone"):
        told = run("execute", "--plan", "weavery_here:plan", "--session", name, "--json")
        assert (told.code, told.json["error"]["code"]) == (2, "no-session")
    assert list((tmp_path / "empty").iterdir()) == []
    assert not (tmp_path / "gone").exists()
