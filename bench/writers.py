"""Writers under load: ``python -m bench.writers --writers 2,4,8 --seconds 60``.

So many processes submit observations to one session, each committed before the next, and each asks a question now and
then. Afterwards the session must hold every observation that was confirmed, no other, and nothing torn. A writer that
finds others before it reads the session anew; with ``--holding`` it holds the session first, and folds their lines in.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from bench.crash import template
from contextmesh.api import Mesh
from contextmesh.base.errors import Refusal

WAIT = 30.0


def write(directory: Path, name: str, seconds: float, holding: bool) -> None:
    """One writer: prints the id of each confirmed observation with the milliseconds it took, and each refusal."""
    mesh = Mesh.open(directory)
    mesh.ask("Who saw a wave?")  # the words are read once, before anything is measured
    number, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        if number % 10 == 0:
            mesh.ask(f"Who saw wave {number}?")
        at = time.perf_counter()
        try:
            with mesh.writing(wait=WAIT) if holding else nullcontext():
                node = mesh.submit_evidence(f"Writer {name} saw wave {number}", source_id="source:log")
            if not holding:
                mesh.checkpoint(wait=WAIT)
        except Refusal as refusal:
            print("refused", refusal.code, flush=True)
        else:
            print("stored", node.id, f"{1000 * (time.perf_counter() - at):.2f}", flush=True)
        number += 1


def loaded(directory: Path, writers: int, seconds: float, holding: bool) -> tuple[list[list[str]], float]:
    """What the writers printed, as words, and how long they ran."""
    at = time.perf_counter()
    command = [sys.executable, "-m", "bench.writers", "--child", str(directory), "--seconds", str(seconds)]
    command += ["--holding"] if holding else []
    running = [
        subprocess.Popen([*command, "--name", str(number)], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
        for number in range(writers)
    ]
    told = [line.split() for one in running for line in one.communicate()[0].splitlines()]
    codes = [one.returncode for one in running]
    assert codes == [0] * writers, f"a writer failed: {codes}"
    return told, time.perf_counter() - at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writers", default="2,4,8")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--holding", action="store_true", help="hold the session before writing")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--name", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        write(given.child, given.name, given.seconds, given.holding)
        return
    print(
        f"{'writers':>8} {'stored':>8} {'refused':>8} {'lost':>5} {'torn':>5} {'a second':>9}   median, 95th, worst ms"
    )
    for writers in (int(text) for text in given.writers.split(",")):
        with tempfile.TemporaryDirectory(prefix="contextmesh-writers-") as place:
            directory = Path(place) / "s"
            template(directory)
            told, seconds = loaded(directory, writers, given.seconds, given.holding)
            opened = Mesh.open(directory)
            there = {node.id for node in opened.graph.store.nodes.values() if node.type == "evidence"}
            stored = [words for words in told if words[0] == "stored"]
            lost = [words[1] for words in stored if words[1] not in there]
            torn = len(opened.notices) + sum(path.name.startswith(".") for path in directory.iterdir())
            took = sorted(float(words[2]) for words in stored)
            worst = f"{statistics.median(took):.1f}, {took[int(0.95 * len(took))]:.1f}, {took[-1]:.0f}"
            figures = f"{writers:>8} {len(stored):>8} {len(told) - len(stored):>8} {len(lost):>5} {torn:>5}"
            print(f"{figures} {len(stored) / seconds:>9.1f}   {worst}")
            assert not lost, "a confirmed observation is lost"
            assert len(there) == len(stored), "an observation that was refused is there"


if __name__ == "__main__":
    main()
