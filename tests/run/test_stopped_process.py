"""A process that is told to stop leaves a session that holds everything it had recorded, and nothing half."""

from __future__ import annotations

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
    (tmp_path / "weavery.py").write_text(DEPLOYMENT)
    monkeypatch.chdir(tmp_path)
    assert run("init", "weave.mesh").code == 0

    process = execute(tmp_path, "--plan", "weavery:plan", "--workers", workers)
    until = time.monotonic() + PATIENCE
    while "cloth" not in began(tmp_path) and time.monotonic() < until:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
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
