"""Many clients over HTTP for a while: no write is lost, and a table of latencies is printed. Run by hand:

python tests/mcp/load_run.py --clients 50 --seconds 60
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio
from mcp.client import Client

sys.path.insert(0, os.fspath(Path(__file__).parent))

from served_places import SOURCE, TIDE, harbour

from contextmesh.api import Mesh

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mesh_ask", {"question": "Which ferry sails at noon?"}),
    ("mesh_get_node", {"id": "entity:ferry"}),
    ("mesh_blast_radius", {"assumption": TIDE}),
    ("mesh_query", {"query": "live(X), node(X, decision)"}),
)


async def client(number: int, url: str, ends: float, spent: dict[str, list[float]], made: list[str]) -> None:
    turn = 0
    async with Client(url) as one:
        while time.monotonic() < ends:
            turn += 1
            name, given = CALLS[(number + turn) % len(CALLS)]
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
    spent: dict[str, list[float]] = {}
    made: list[str] = []
    ends = time.monotonic() + seconds
    async with anyio.create_task_group() as group:
        for number in range(clients):
            group.start_soon(client, number, url, ends, spent, made)
    return spent, made


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = harbour(Path(folder) / "s")
        command = [sys.executable, "-m", "contextmesh.mcp", "--session", str(place), "--http", "127.0.0.1:0"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert process.stderr is not None
            found = re.search(r"http://\S+", process.stderr.readline())
            assert found is not None
            spent, made = anyio.run(all_clients, found[0], options.clients, options.seconds)
        finally:
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=60)
            print(err[-2000:], end="", file=sys.stderr)
        there = Mesh.open(place).graph.store.nodes
    print(f"{'tool':22}{'calls':>8}{'median ms':>12}{'95 % ms':>10}{'worst ms':>10}")
    for name, times in sorted(spent.items()):
        times.sort()
        shown = (times[len(times) // 2], times[int(len(times) * 0.95)], times[-1])
        print(
            f"{name:22}{len(times):>8}"
            + "".join(f"{1000 * t:>{w}.0f}" for t, w in zip(shown, (12, 10, 10), strict=True))
        )
    lost = [id for id in made if id not in there]
    print(f"{options.clients} clients, {options.seconds:.0f} s: {len(made)} writes, {len(lost)} lost")
    return 1 if lost or process.returncode else 0


if __name__ == "__main__":
    raise SystemExit(main())
