"""The server: how soon it answers, what each tool costs on a big session, and many clients at once.

python -m bench.mcp start                      first answer: wall and CPU, of the demo, a small and a big session
python -m bench.mcp calls --nodes 20000        each tool on a hub: CPU of a first and a second call, bytes of the answer
python -m bench.mcp load --clients 50 --seconds 60    over HTTP: latencies, and whether a write was lost
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.mcp_world import FERRY, GROUND, SOURCE, TIDE, harbour, hub

SERVER = [sys.executable, "-m", "contextmesh.mcp"]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
LOOKED = ("contextmesh.mcp.launch", "mcp_types", "contextmesh.mcp.server")

# ---- start --------------------------------------------------------------------------------------


def start(nodes: int, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / "big"
        hub(nodes).save(big)
        rows = {
            "demo": ["--demo"],
            "small session": ["--session", str(harbour(Path(folder) / "small"))],
            f"session of {nodes:,} nodes": ["--session", str(big)],
        }
        print(f"{'seconds to the first answer':30}{'wall, best':>12}{'median':>10}{'CPU, best':>12}{'median':>10}")
        for name, arguments in rows.items():
            walls, cpus = zip(*(first_answer(arguments) for _ in range(repeats)), strict=True)
            print(
                f"{name:30}{min(walls):>12.2f}{statistics.median(walls):>10.2f}"
                f"{min(cpus):>12.2f}{statistics.median(cpus):>10.2f}"
            )
    print("\nof which imports, CPU (best of the same number of runs):")
    print(f"{'the interpreter':30}{imported('pass', repeats):>12.2f}")
    for module in LOOKED:
        print(f"{module:30}{imported(f'import {module}', repeats):>12.2f}   with what it imports")


def first_answer(arguments: list[str]) -> tuple[float, float]:
    """Wall seconds from the start of the process to its first line, and the CPU seconds it had used by then."""
    begun = time.monotonic()
    process = subprocess.Popen([*SERVER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=cached())
    assert process.stdin is not None and process.stdout is not None
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    assert b"serverInfo" in process.stdout.readline()
    wall = time.monotonic() - begun
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    process.kill()
    process.communicate(timeout=20)
    return wall, used


def imported(statement: str, repeats: int) -> float:
    script = f"import time\n{statement}\nprint(time.process_time())"
    command = [sys.executable, "-c", script]
    return min(
        float(subprocess.run(command, env=cached(), capture_output=True, text=True, check=True).stdout)
        for _ in range(repeats)
    )


def cached() -> dict[str, str]:
    """The environment, with the bytecode that an installed package has beside it."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": os.fspath(Path(tempfile.gettempdir()) / "contextmesh-bench-pycache")}


# ---- calls --------------------------------------------------------------------------------------

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mesh_ask", {"question": f"What is said of {FERRY}?"}),
    ("mesh_ask", {"question": "Who writes that the channel by buoy 7 is deep enough?"}),
    ("mesh_get_node", {"id": SOURCE}),
    ("mesh_health", {}),
    ("mesh_lineage", {"id": "decision:1"}),
    ("mesh_blast_radius", {"assumption": GROUND}),
    ("mesh_explain_as_of", {"question": f"What is said of {FERRY}?", "as_of": "2025-02-01"}),
    ("mesh_reconstruct_decision", {"decision": "decision:7"}),
    ("mesh_reconstruct_decision", {"decision": "decision:7", "as_of": "2025-02-01"}),
    ("mesh_query", {"query": "node(X, decision), live(X)"}),
    ("mesh_why", {"fact": "live('decision:7')"}),
    ("mesh_submit_evidence", {"text": "Fog", "source_id": SOURCE}),
)


def tools(nodes: int) -> None:
    from contextmesh.base.errors import Refusal
    from contextmesh.mcp.budget import size
    from contextmesh.mcp.calls import call
    from contextmesh.mcp.served import Served

    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        hub(nodes).save(Path(folder) / "s")
        built = time.process_time()
        served = Served(Path(folder) / "s")
        served.load()
        if served.failure is not None:
            raise served.failure
        print(
            f"{nodes:,} nodes: built in {built - begun:.1f} s CPU, loaded in {time.process_time() - built:.1f} s CPU\n"
        )
        print(f"{'tool':28}{'first ms':>10}{'second ms':>11}{'bytes':>8}  (CPU)")
        for name, given in CALLS:
            spent: list[float] = []
            for turn in range(2):
                given = {**given, "external_id": f"e{turn}"} if name == "mesh_submit_evidence" else given
                begun = time.process_time()
                try:
                    answer = call(served, name, given)
                except Refusal as refusal:
                    answer = {"refused": refusal.code}
                spent.append(1000 * (time.process_time() - begun))
            note = answer.get("refused", "")
            print(f"{name:28}{spent[0]:>10.1f}{spent[1]:>11.1f}{size(answer):>8}  {note}", flush=True)


# ---- load ---------------------------------------------------------------------------------------

READS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mesh_ask", {"question": f"What is said of {FERRY}?"}),
    ("mesh_get_node", {"id": "entity:ferry"}),
    ("mesh_blast_radius", {"assumption": TIDE}),
    ("mesh_query", {"query": "live(X), node(X, decision)"}),
)


async def client(number: int, url: str, ends: float, spent: dict[str, list[float]], made: list[str]) -> None:
    from mcp.client import Client

    turn = 0
    async with Client(url) as one:
        while time.monotonic() < ends:
            turn += 1
            name, given = READS[(number + turn) % len(READS)]
            if turn % 5 == 0:
                name = "mesh_submit_evidence"
                given = {"text": "Fog", "source_id": SOURCE, "external_id": f"{number}-{turn}"}
            begun = time.monotonic()
            result = await one.call_tool(name, given)
            spent.setdefault(name, []).append(time.monotonic() - begun)
            assert not result.is_error, result
            if name == "mesh_submit_evidence":
                made.append(result.structured_content["id"])


async def all_clients(url: str, clients: int, seconds: float) -> tuple[dict[str, list[float]], list[str]]:
    import anyio

    spent: dict[str, list[float]] = {}
    made: list[str] = []
    ends = time.monotonic() + seconds
    async with anyio.create_task_group() as group:
        for number in range(clients):
            group.start_soon(client, number, url, ends, spent, made)
    return spent, made


def load(clients: int, seconds: float) -> int:
    import anyio

    from contextmesh.api import Mesh

    with tempfile.TemporaryDirectory() as folder:
        place = harbour(Path(folder) / "s")
        command = [*SERVER, "--session", str(place), "--http", "127.0.0.1:0"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert process.stderr is not None
            found = re.search(r"http://\S+", process.stderr.readline())
            assert found is not None
            spent, made = anyio.run(all_clients, found[0], clients, seconds)
        finally:
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=60)
            print(err[-2000:], end="", file=sys.stderr)
        there = Mesh.open(place).graph.store.nodes
    print(f"{'tool':22}{'calls':>8}{'median ms':>12}{'95 % ms':>10}{'worst ms':>10}")
    for name, times in sorted(spent.items()):
        times.sort()
        shown = [1000 * t for t in (times[len(times) // 2], times[int(len(times) * 0.95)], times[-1])]
        print(f"{name:22}{len(times):>8}{shown[0]:>12.0f}{shown[1]:>10.0f}{shown[2]:>10.0f}")
    lost = [id for id in made if id not in there]
    print(f"{clients} clients, {seconds:.0f} s: {len(made)} writes, {len(lost)} lost")
    return 1 if lost or process.returncode else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mcp", description="What the server costs.")
    parser.add_argument("what", nargs="?", choices=["start", "calls", "load"], default="start")
    parser.add_argument("--nodes", type=int, default=20_000, help="of the big session")
    parser.add_argument("--repeats", type=int, default=5, help="processes that are started for each line")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    if options.what == "load":
        return load(options.clients, options.seconds)
    if options.what == "calls":
        tools(options.nodes)
    else:
        start(options.nodes, options.repeats)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
