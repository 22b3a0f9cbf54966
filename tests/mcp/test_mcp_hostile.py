"""A client that means harm, or knows no better: whatever it sends is answered with a code, and changes nothing else."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from served_places import DECISION, DEPLOYMENT, SOURCE, TIDE, Workshop, harbour, planned, served, speaking

from contextmesh.api import Mesh
from contextmesh.base.errors import Refusal
from contextmesh.mcp import resources
from contextmesh.mcp.budget import BYTES, size
from contextmesh.mcp.calls import call
from contextmesh.mcp.catalogue import MORE, TOOLS


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


NASTY: tuple[Any, ...] = (
    *("", "\0", "\ud800", "x" * 300_000, "[" * 50_000, '{"a":' * 20_000, "9" * 5000, "1e999999999", "²", "\u202e"),
    *("../../etc/passwd", "contextmesh://x", "a\nb\r\n", "%s{0}{x}", "-1", "NaN", "0001-01-01", "9999-12-31"),
    *("node(X, Y)", "live(X), live(Y), live(Z), live(W)", "p(X) :- p(X). ?- p(X)."),
    *(10**400, 1e308, float("nan"), True, [], {}, [None], {"\ud800": 1}, {"a": 10**400}, deep(300)),
)
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


@pytest.mark.parametrize("tool", [*TOOLS, MORE], ids=lambda tool: tool.name)
def test_no_argument_whatever_is_a_fault_or_answered_at_length(tmp_path: Path, tool: Any) -> None:
    shop = Workshop()
    here = served(planned(tmp_path / "s", shop), registry=shop.registry(), has_plan=True)
    shop.called.clear()
    needed = {argument.name: FITTING[argument.name] for argument in tool.arguments if argument.required}
    nasty = NASTY[::5] if tool.role == "plan" else NASTY  # a step of a plan reads the session anew
    for argument in tool.arguments:
        for value in nasty:
            try:
                answer = call(here, tool.name, {**needed, argument.name: value})
                assert tool is MORE or size(answer) <= BYTES + 100
            except Refusal as refusal:
                assert all(problem.code for problem in refusal.problems)
    assert shop.called == []
    assert call(here, "mesh_query", {"query": "rejected(X, Y)"})["rows"] == []


def test_any_id_is_reached_by_its_address_and_no_address_is_a_fault(tmp_path: Path) -> None:
    ids = [
        "entity:a/b",
        "entity:what?next=1",
        "entity:100%25",
        "entity:#東京 →",
        "entity:../..",
        "entity:a%2Fb",
        "e:\u202e",
    ]
    mesh = Mesh()
    for id in ids:
        mesh.graph.add_node("entity", f"Thing {id}", id=id, attrs={"canonical": id, "aliases": []})
    mesh.save(tmp_path / "s")

    with speaking(["--session", str(tmp_path / "s")]) as line:
        line.call("mesh_health")
        for id in ids:
            told = line.ask("resources/read", {"uri": f"contextmesh://node/{quote(id, safe='')}"})
            assert json.loads(told["result"]["contents"][0]["text"])["id"] == id
        for uri in (
            "contextmesh://node/%FF",
            "contextmesh://node/",
            "file:///etc/passwd",
            "contextmesh://node/%00",
            "x",
        ):
            assert line.ask("resources/read", {"uri": uri})["error"]["data"]["code"] in (
                "unknown-resource",
                "unknown-node",
            )

    here = served(tmp_path / "s")
    for value in (text for text in NASTY if isinstance(text, str)):
        for uri in (f"contextmesh://node/{value}", f"contextmesh://assumptions?next={value}", value):
            with suppress(Refusal):
                resources.read(here, uri)


@pytest.mark.parametrize("uri", ["schema", "health", "session", "assumptions"])
def test_a_resource_of_a_big_session_stays_small(tmp_path: Path, uri: str) -> None:
    mesh = Mesh()
    for number in range(300):
        mesh.assume(
            f"Assumption number {number} of a harbour that has a great many of them, all alike " * 4, id=f"a:{number}"
        )
    mesh.save(tmp_path / "s")
    here = served(tmp_path / "s")

    assert size(resources.read(here, f"contextmesh://{uri}")) <= 4 * BYTES


def test_a_round_that_runs_long_holds_no_reader_up_and_other_requests_go_on(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())
    slow, inside = tmp_path / "slow", tmp_path / "inside"

    with speaking(["--session", str(place)], {"HARBOUR": str(tmp_path)}, DEPLOYMENT) as line:
        line.call("mesh_repair", task="hull", assumes="Steel lasts", worker_key="hull.steel.v1")
        slow.touch()
        line.send({"id": "round", "method": "tools/call", "params": {"name": "mesh_resume", "arguments": {}}})
        while not inside.exists():
            time.sleep(0.01)
        assert line.call("mesh_get_node", id=DECISION)["structuredContent"]["id"] == DECISION
        assert line.call("mesh_query", query="live(X)")["structuredContent"]["row_count"] > 0
        assert all(json.loads(one).get("id") != "round" for one in line.lines), "it runs still"
        slow.unlink()
        code, _ = line.end()

    answers = {json.loads(one).get("id"): json.loads(one) for one in line.lines}
    assert (answers["round"]["result"]["structuredContent"]["complete"], code) == (True, 0)


def test_what_a_client_cancels_keeps_the_server_from_no_end(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())
    slow, inside = tmp_path / "slow", tmp_path / "inside"

    with speaking(["--session", str(place)], {"HARBOUR": str(tmp_path)}, DEPLOYMENT) as line:
        line.call("mesh_repair", task="hull", assumes="Steel lasts", worker_key="hull.steel.v1")
        slow.touch()
        line.send({"id": "round", "method": "tools/call", "params": {"name": "mesh_resume", "arguments": {}}})
        while not inside.exists():
            time.sleep(0.01)
        line.send({"method": "notifications/cancelled", "params": {"requestId": "round"}})
        slow.unlink()
        code, err = line.end()

    assert (code, "Traceback" in err) == (0, False), err
    assert Mesh.open(place).generation >= 1


def test_what_was_acknowledged_is_on_disk_when_the_process_is_killed(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    with speaking(["--session", str(place)]) as line:
        for number in range(20):
            given = {"text": "Fog", "source_id": SOURCE, "external_id": f"e{number}"}
            params = {"name": "mesh_submit_evidence", "arguments": given}
            line.send({"id": f"s{number}", "method": "tools/call", "params": params})
        made: list[str] = []
        while len(made) < 3:
            answer = json.loads(line.process.stdout.readline())  # type: ignore[union-attr]
            made.append(answer["result"]["structuredContent"]["id"])
        line.process.kill()
        line.process.wait(timeout=60)

    assert set(made) <= set(Mesh.open(place).graph.store.nodes)
