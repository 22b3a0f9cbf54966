"""The tools of a plan through the SDK's client, over stdio, from a deployment's own launcher and registry."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from served_places import DEPLOYMENT, SERVER, Workshop, planned, speaking

from contextmesh.api import Mesh
from contextmesh.mcp.catalogue import listed

SECONDS = 60
PLAN = ["mesh_recheck", "mesh_repair", "mesh_resume"]


def with_client(place: Path, act: Callable[[Client], Awaitable[None]]) -> None:
    async def go() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=[*DEPLOYMENT, "--session", str(place)],
            env={**os.environ, "HARBOUR": str(place.parent)},
        )
        with anyio.fail_after(SECONDS):
            async with Client(stdio_client(server)) as client:
                await act(client)

    anyio.run(go)


def called(place: Path) -> list[str]:
    log = place.parent / "called"
    return log.read_text(encoding="utf-8").split() if log.exists() else []


def test_a_client_rechecks_repairs_and_resumes_a_plan_by_keys_alone(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())
    rotten = tmp_path / "rotten-hull"

    async def act(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert [name for name in tools if name in PLAN] == PLAN
        assert [tools[name].annotations.destructive_hint for name in PLAN] == [True, False, True]

        rotten.touch()
        looked = (await client.call_tool("mesh_recheck", {})).structured_content
        assert [one["invalidated_count"] for one in looked["invalidations"]] == [3]
        assert called(place) == [], "a recheck executes nothing"
        rotten.unlink()

        given = {"task": "hull", "assumes": "Steel lasts", "worker_key": "hull.steel.v1", "produces": '["Steel hull"]'}
        repaired = await client.call_tool("mesh_repair", given)
        assert (repaired.is_error, repaired.structured_content["worker_key"]) == (False, "hull.steel.v1")
        resumed = (await client.call_tool("mesh_resume", {})).structured_content
        assert (resumed["complete"], resumed["executed"], resumed["failed"]) == (True, ["hull", "deck"], {})
        again = (await client.call_tool("mesh_resume", {})).structured_content
        assert (again["executed"], called(place)) == ([], ["hull", "deck"])

        shown = json.loads((await client.read_resource("contextmesh://session")).contents[0].text)  # type: ignore[union-attr]
        assert (shown["plan"], shown["generation"]) == (True, again["generation"])

    with_client(place, act)

    statements = [record.statement for record in Mesh.open(place).graph.store.assumptions.values()]
    assert "Steel lasts" in statements


def test_what_a_client_may_not_choose_is_an_error_and_runs_nothing(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())
    hull = {"task": "hull", "assumes": "Steel lasts"}

    async def act(client: Client) -> None:
        for name, given, code in (
            ("mesh_repair", {**hull, "worker_key": "os.system"}, "unknown-worker"),
            ("mesh_repair", {**hull, "worker_key": "deployment:work"}, "unknown-worker"),
            ("mesh_repair", {**hull, "auditor_key": "hull.oak.v1"}, "unknown-auditor"),
            ("mesh_repair", {**hull, "task": "mast"}, "unknown-task"),
            ("mesh_repair", {**hull, "worker": "work"}, "unknown-argument"),
            ("mesh_recheck", {"reject": "Oak lasts"}, "unknown-argument"),
            ("mesh_resume", {"task": "hull"}, "unknown-argument"),
        ):
            result = await client.call_tool(name, given)
            assert (result.is_error, result.structured_content["error"]["code"]) == (True, code), given

    with_client(place, act)

    assert (called(place), Mesh.open(place).generation) == ([], 1)


def test_without_its_registry_a_plan_is_not_served_and_its_keys_are_named(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())
    command = [sys.executable, *SERVER, "--session", str(place)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=SECONDS, stdin=subprocess.DEVNULL
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert "error[missing-registry]" in done.stderr
    assert "hull.oak.v1, hull.look.v1" in done.stderr


def test_what_workers_print_never_reaches_the_protocol(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())
    bare = {"HARBOUR": str(tmp_path), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}

    with speaking(["--session", str(place)], bare, DEPLOYMENT) as line:
        line.call("mesh_repair", task="hull", assumes="Steel lasts", worker_key="hull.steel.v1")
        resumed = line.call("mesh_resume")["structuredContent"]
        code, err = line.end()

    assert (resumed["complete"], resumed["failed"], code) == (True, {}, 0)
    assert [json.loads(one)["jsonrpc"] for one in line.lines] == ["2.0"] * len(line.lines)
    for words in ("working on hull", "straight to the descriptor", "a child speaks", "looking at hull"):
        assert words in err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_round_that_runs_and_keeps_what_was_done(tmp_path: Path, number: signal.Signals) -> None:
    place = planned(tmp_path / "s", Workshop())
    slow = tmp_path / "slow"

    with speaking(["--session", str(place)], {"HARBOUR": str(tmp_path)}, DEPLOYMENT) as line:
        line.call("mesh_repair", task="hull", assumes="Steel lasts", worker_key="hull.steel.v1")
        slow.touch()
        line.send({"id": "round", "method": "tools/call", "params": {"name": "mesh_resume", "arguments": {}}})
        while not (tmp_path / "inside").exists():
            assert line.process.poll() is None
        os.kill(line.process.pid, number)
        while not (tmp_path / "cancelled").exists():
            assert line.process.poll() is None
            time.sleep(0.01)
        slow.unlink()
        out, err = line.process.communicate(timeout=SECONDS)

    answers: dict[str, Any] = {one["id"]: one for one in map(json.loads, out.splitlines())}
    told = answers["round"]["result"]["structuredContent"]
    assert (line.process.returncode, b"Traceback" in err) == (0, False), err
    assert (told["cancelled"], called(place)) == (True, ["hull"]), (
        "the task that ran came to its end, and no other began"
    )
    assert Mesh.open(place).generation == told["generation"]


def test_the_whole_list_of_a_plan_stays_small(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())

    with speaking(["--session", str(place)], {"HARBOUR": str(tmp_path)}, DEPLOYMENT) as line:
        line.ask("tools/list")
        size = len(line.lines[1])

    assert size <= 8_192, size
    assert len(json.loads(line.lines[1])["result"]["tools"]) == len(listed(plan=True, core=False)) == 13
