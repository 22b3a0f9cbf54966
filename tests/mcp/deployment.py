"""What a deployment writes: a script with the code of its plan, which serves a session with it.

Its callables print, as other people's code does, and look into the folder ``HARBOUR`` for what is rotten.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contextmesh.mcp import main
from contextmesh.run import AuditContext, Runner, TaskRegistry, Verdict, WorkContext

HARBOUR = Path(os.environ["HARBOUR"])


def work(context: WorkContext) -> Any:
    print(f"working on {context.name} → 東京")
    os.write(1, b"straight to the descriptor\n")
    subprocess.run([sys.executable, "-c", "print('a child speaks')"], check=True)
    if (HARBOUR / "listen").exists():
        child = subprocess.run(
            [sys.executable, "-c", "import sys; sys.stderr.write(repr(sys.stdin.read()))"],
            stderr=subprocess.PIPE,
            text=True,
            check=True,
            timeout=20,
        )
        (HARBOUR / "heard").write_text(child.stderr, encoding="utf-8")
    with (HARBOUR / "called").open("a", encoding="utf-8") as log:
        log.write(f"{context.name}\n")
    if (HARBOUR / "slow").exists():
        (HARBOUR / "inside").touch()
        while (HARBOUR / "slow").exists():
            time.sleep(0.02)
    return {"made": context.name}


def audit(context: AuditContext) -> Verdict:
    print("looking at", context.name)
    if (HARBOUR / f"rotten-{context.name}").exists():
        return context.disproved("it rotted")
    return context.ok("it holds")


def registry() -> TaskRegistry:
    made = TaskRegistry()
    made.register_worker("hull.oak.v1", work)
    made.register_worker("hull.steel.v1", work)
    made.register_auditor("hull.look.v1", audit)
    return made


def noted(cancel: Callable[[Runner], None]) -> Callable[[Runner], None]:
    """A runner's ``cancel`` that leaves a file behind once it was done, for who waits outside of the process."""

    def cancelled(runner: Runner) -> None:
        cancel(runner)
        (HARBOUR / "cancelled").touch()

    return cancelled


if __name__ == "__main__":
    Runner.cancel = noted(Runner.cancel)  # type: ignore[method-assign]
    raise SystemExit(main(sys.argv[1:], registry=registry()))
