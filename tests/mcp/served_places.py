"""Sessions to serve, and a way to speak to a server line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from contextmesh import session
from contextmesh.api import Mesh
from contextmesh.mcp.served import Served
from contextmesh.run import AuditContext, Runner, TaskRegistry, Verdict, WorkContext
from contextmesh.run.ledger_file import ledger_to_bytes
from contextmesh.run.plan_file import plan_to_bytes
from contextmesh.session import Carried, SessionState

STRANGE = "The ferry → ✗ 東京 sails at noon"
TIDE = "The tide allows a crossing at any hour"
SOURCE = "source:log"
DECISION = "decision:cross-by-night"
OBSERVED = "At low water the ferry lay on the sand for two hours"


def filled(mesh: Mesh) -> Mesh:
    """A harbour: a source, two decisions one after the other, an assumption, an observation against it."""
    attrs = {"origin": "log", "retrieved_at": "2025-02-01"}
    source = mesh.graph.add_node("source", "Harbour log", id=SOURCE, attrs=attrs)
    tide = mesh.assume(TIDE, id="assumption:tide")
    mesh.assume("The pier bears forty tonnes", id="assumption:pier")
    mesh.decide("Cross by day", rationale="It is light.", source=source.id, id="decision:cross-by-day")
    mesh.decide(
        "Cross by night",
        rationale=STRANGE,
        source=source.id,
        id=DECISION,
        depends_on=[tide.id],
        supersedes="decision:cross-by-day",
    )
    ferry = mesh.graph.add_node("entity", STRANGE, id="entity:ferry", attrs={"canonical": STRANGE, "aliases": []})
    mesh.resolver.register(ferry.id, ferry.label)
    mesh.graph.add_edge(source.id, "mentions", ferry.id)
    mesh.submit_evidence(OBSERVED, source_id=source.id)
    return mesh


def harbour(directory: Path) -> Path:
    filled(Mesh()).save(directory)
    return directory


def wide(count: int) -> Mesh:
    """A mesh with one hub that everything cites, and everything on one assumption."""
    mesh = Mesh()
    attrs = {"origin": "log", "retrieved_at": "2025-02-01"}
    with mesh.graph.batch("wide") as batch:
        batch.add_node("source", "Harbour log", id=SOURCE, attrs=attrs)
    ground = mesh.assume(TIDE, id="assumption:tide")
    for number in range(count):
        title = f"Decision number {number} of the harbour master and his council " * 4
        mesh.decide(title, rationale="r " * 200, source=SOURCE, id=f"decision:d-{number}", depends_on=[ground.id])
    return mesh


def served(directory: Path | None, **options: Any) -> Served:
    """Loaded already."""
    made = Served(directory, **options)
    made.load()
    return made


class FixedMesh(Served):
    """A mesh in memory as it is served."""

    def __init__(self, mesh: Mesh) -> None:
        self._mesh = mesh
        super().__init__(None)
        self.load()

    def _opened(self) -> Mesh:
        return self._mesh


# ---- a plan ------------------------------------------------------------------------------------------


class Workshop:
    """What the callables of the plan find when they are called; a task named in ``rotten`` is disproved."""

    def __init__(self) -> None:
        self.called: list[str] = []
        self.rotten: list[str] = []

    def work(self, context: WorkContext) -> Any:
        self.called.append(context.name)
        return {"made": context.name}

    def audit(self, context: AuditContext) -> Verdict:
        if context.name in self.rotten:
            return context.disproved("it rotted")
        return context.ok("it holds")

    def registry(self) -> TaskRegistry:
        registry = TaskRegistry()
        registry.register_worker("hull.oak.v1", self.work)
        registry.register_worker("hull.steel.v1", self.work)
        registry.register_auditor("hull.look.v1", self.audit)
        return registry


def planned(directory: Path, shop: Workshop) -> Path:
    """A session with a plan of two tasks that ran once."""
    mesh = filled(Mesh())
    runner = Runner("ferry", registry=shop.registry(), graph=mesh.graph)
    runner.task("hull", worker_key="hull.oak.v1", auditor_key="hull.look.v1", assumes="Oak lasts", produces=["Hull"])
    runner.task("deck", worker_key="hull.oak.v1", assumes="Pitch is at hand", needs=["hull"])
    runner.run()
    held = Carried(plan_to_bytes(runner), ledger_to_bytes(runner.ledger), runner.ledger.head)
    state = SessionState(mesh.graph, mesh.resolver)
    session.save(directory, replace(state, rounds=runner.round, carried=held))
    return directory


# ---- speaking to a process ---------------------------------------------------------------------------


def hello() -> list[dict[str, Any]]:
    """The handshake, as a client sends it."""
    who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    return [
        {"id": 0, "method": "initialize", "params": who},
        {"method": "notifications/initialized"},
    ]


class Line:
    """A client that sends lines and keeps every line it gets."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: list[bytes] = []
        self._number = 0

    def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        assert self.process.stdout is not None
        self._number += 1
        self.send({"id": self._number, "method": method, "params": dict(params or {})})
        while True:
            line = self.process.stdout.readline()
            assert line, "the server ended"
            self.lines.append(line)
            answer: dict[str, Any] = json.loads(line.decode("utf-8"))
            if answer.get("id") == self._number:
                return answer

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The result, once the session is loaded."""
        while True:
            result: dict[str, Any] = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
            if result["structuredContent"].get("error", {}).get("code") != "loading":
                return result

    def end(self, encoding: str = "utf-8") -> tuple[int, str]:
        """Close stdin; the exit code and what stood on stderr."""
        out, err = self.process.communicate(timeout=20)
        self.lines += out.splitlines()
        return self.process.returncode, err.decode(encoding, "replace")


SERVER = ("-m", "contextmesh.mcp")
DEPLOYMENT = (os.fspath(Path(__file__).parent / "deployment.py"),)
"""A launcher with a registry; see there."""


@contextmanager
def speaking(
    arguments: Sequence[str], environment: Mapping[str, str] | None = None, program: Sequence[str] = SERVER
) -> Iterator[Line]:
    """A server after the handshake; killed when the test does not end it."""
    process = subprocess.Popen(
        [sys.executable, *program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    )
    try:
        line = Line(process)
        first, then = hello()
        line.ask(first["method"], first["params"])
        line.send(then)
        yield line
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate(timeout=20)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
