"""A session that cannot be served ends the server: coded on stderr and to whoever waits, with exit code 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from served_places import DECISION, Workshop, harbour, hello, planned

from contextmesh.base.errors import Refusal
from contextmesh.mcp.served import Served

SECONDS = 60


def cut(place: Path) -> None:
    (place / "graph-000001.json").write_text("{", encoding="utf-8")


def changed(place: Path) -> None:
    path = place / "graph-000001.json"
    path.write_bytes(path.read_bytes() + b"\n")


def gone(place: Path) -> None:
    (place / "resolver-000001.json").unlink()


def foreign(place: Path) -> None:
    (place / "resolver-000001.json").write_text('{"schema": "other", "version": 1}', encoding="utf-8")


DAMAGE: tuple[tuple[Callable[[Path], None], str], ...] = (
    (cut, "damaged-file"),
    (changed, "changed-file"),
    (gone, "missing-file"),
    (foreign, "missing-key"),
)


def started(*arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "contextmesh.mcp", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    )


def asked_at_once(process: subprocess.Popen[bytes], *requests: dict[str, Any]) -> None:
    """Handshake and requests in one write, so that they wait when the session is read."""
    assert process.stdin is not None
    messages = [*hello(), *({"id": f"r{at}", **request} for at, request in enumerate(requests))]
    process.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **one}).encode() + b"\n" for one in messages))
    process.stdin.flush()


def ended(process: subprocess.Popen[bytes]) -> tuple[int, dict[str, Any], str]:
    """Exit code, answers by id, stderr; stdin stays open until the process has ended by itself."""
    assert process.stdout is not None and process.stderr is not None and process.stdin is not None
    try:
        process.wait(timeout=SECONDS)
        lines = process.stdout.read().splitlines()
        err = process.stderr.read().decode("utf-8", "replace")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(timeout=SECONDS)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
    return process.returncode, {one["id"]: one for one in map(json.loads, lines)}, err


@pytest.mark.parametrize(("damage", "code"), DAMAGE)
def test_damage_that_shows_when_the_session_is_read_ends_the_server(
    tmp_path: Path, damage: Callable[[Path], None], code: str
) -> None:
    place = harbour(tmp_path / "s")
    damage(place)

    process = started("--session", str(place))
    asked_at_once(
        process,
        {"method": "tools/call", "params": {"name": "mesh_get_node", "arguments": {"id": DECISION}}},
        {"method": "resources/read", "params": {"uri": "contextmesh://session"}},
    )
    exit_code, answers, err = ended(process)

    assert (exit_code, f"error[{code}]" in err, "Traceback" in err) == (2, True, False), err
    assert answers[0]["result"]["serverInfo"]["name"] == "contextmesh"
    assert [answers[id]["error"]["data"]["code"] for id in ("r0", "r1")] == [code, code]
    assert str(tmp_path) not in json.dumps(answers), "where the session lies is not the client's business"


def test_damage_ends_the_server_also_when_nobody_has_asked_anything(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    cut(place)

    exit_code, answers, err = ended(started("--session", str(place)))

    assert (exit_code, answers, "error[damaged-file]" in err) == (2, {}, True), err


def test_damage_ends_the_server_over_http(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    changed(place)

    exit_code, _, err = ended(started("--session", str(place), "--http", "127.0.0.1:0"))

    assert (exit_code, "error[changed-file]" in err, "Traceback" in err) == (2, True, False), err


def test_a_damaged_plan_ends_the_launch_before_anything_is_served(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())
    (place / "execution-000001.json").write_text("[]", encoding="utf-8")

    exit_code, answers, err = ended(started("--session", str(place)))

    assert (exit_code, answers, "error[" in err) == (2, {}, True), err


def test_rules_that_do_not_parse_end_the_server(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "mine.dl").write_text("no_head(", encoding="utf-8")

    exit_code, _, err = ended(started("--demo", environment={"CONTEXTMESH_POLICY": str(rules)}))

    assert (exit_code, "error[syntax]" in err) == (2, True), err


def test_a_fault_of_ours_while_the_session_is_read_is_told_as_one() -> None:
    class Broken(Served):
        def _opened(self) -> Any:
            raise RuntimeError("not foreseen")

    served = Broken(None)
    with pytest.raises(RuntimeError):
        served.load()
    with pytest.raises(Refusal) as refused:
        served.read(lambda mesh: mesh.generation)

    assert (refused.value.code, refused.value.exit_code, served.failure is refused.value) == ("fault", 70, True)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("within", ["{}", "exec({!r})"])
def test_a_signal_before_the_transport_stands_ends_the_launch_cleanly(number: str, within: str) -> None:
    kill = within.format(f"os.kill(os.getpid(), signal.{number})")  # as a dataclass runs text of its own making
    script = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'mcp_types':\n"
        f"            {kill}\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from contextmesh.mcp import main\n"
        "raise SystemExit(main(['--demo']))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=SECONDS)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
