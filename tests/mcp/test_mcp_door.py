"""The first answer comes before the SDK is there, and is the one that the SDK would have given."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from served_places import DEPLOYMENT, Workshop, hello, planned, speaking

from contextmesh.mcp.door import HANDSHAKES, META, STATELESS, greeting
from contextmesh.mcp.served import Served
from contextmesh.mcp.server import make_server

SECONDS = 60
WHO = {"name": "t", "version": "1"}
INITIALIZE = {"jsonrpc": "2.0", **hello()[0]}
LATE = (
    "import sys, time\n"
    "class Late:\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    "        if name == 'mcp.server.stdio':\n"
    "            assert sys.stderr.write('held up\\n') and not sys.stderr.flush()\n"
    "            while not FREE.exists():\n"
    "                time.sleep(0.01)\n"
    "sys.meta_path.insert(0, Late())\n"
    "from pathlib import Path\n"
    "FREE = Path(sys.argv.pop(1))\n"
    "from contextmesh.mcp import main\n"
    "raise SystemExit(main(sys.argv[1:]))\n"
)


def initialize(version: str, capabilities: Any = None, client: Any = None, id: Any = 1) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": client or WHO}
    return {"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params}


def discover(version: str = STATELESS, capabilities: Any = None, client: Any = None, id: Any = 1) -> dict[str, Any]:
    values = {"protocolVersion": version, "clientInfo": client or WHO, "clientCapabilities": capabilities or {}}
    meta = {META + name: value for name, value in values.items()}
    return {"jsonrpc": "2.0", "id": id, "method": "server/discover", "params": {"_meta": meta}}


EDITOR = {
    "roots": {"listChanged": True},
    "sampling": {},
    "elicitation": {"form": {}, "url": {}},
    "tasks": {"list": {}, "cancel": {}, "requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}}},
    "extensions": {"io.example/ui": {"mimeTypes": ["text/html"]}},
}
EDITED = initialize(
    HANDSHAKES[3], EDITOR, {**WHO, "title": "E", "description": "d", "websiteUrl": "https://example.org"}
)


def of_the_sdk(line: bytes) -> dict[str, Any]:
    """What the server says to a first line, without a door before it."""

    async def go() -> dict[str, Any]:
        server = make_server(Served(None))
        to_server, asked = anyio.create_memory_object_stream[Any](1)
        answered, from_server = anyio.create_memory_object_stream[Any](1)
        with anyio.fail_after(SECONDS):
            async with anyio.create_task_group() as group:
                group.start_soon(server.run, asked, answered, server.create_initialization_options())
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                await to_server.send(SessionMessage(message))
                said = (await from_server.receive()).message
                group.cancel_scope.cancel()
        for stream in (to_server, asked, answered, from_server):
            stream.close()
        told: dict[str, Any] = json.loads(said.model_dump_json(by_alias=True, exclude_unset=True))
        return told

    return anyio.run(go)


@pytest.mark.parametrize(
    "greeted", [*map(initialize, HANDSHAKES), discover(), EDITED], ids=lambda one: str(one)[40:120]
)
def test_a_plain_greeting_of_each_revision_is_answered_as_the_sdk_does(greeted: dict[str, Any]) -> None:
    line = json.dumps(greeted).encode() + b"\n"

    assert greeting(line) is not None
    assert greeting(line) == of_the_sdk(line)


WORDS = st.sampled_from(["a", "", "東京", "x" * 300, "2", "\x7f", "https://x"])
ODD = st.sampled_from(
    [None, True, 1, 0.5, "x", [], {}, {"x": 1}, {"x": {}}, {"listChanged": "yes"}, {"listChanged": 1}]
)
PART = st.dictionaries(
    st.sampled_from(["context", "tools", "form", "url", "listChanged", "list", "x"]), ODD, max_size=2
)
NAMED = st.sampled_from(["roots", "sampling", "elicitation", "experimental", "extensions", "tasks", "completions", "x"])
CAPABLE = st.dictionaries(NAMED, st.one_of(PART, PART, ODD), max_size=3)
CLIENTS = st.dictionaries(
    st.sampled_from(["name", "version", "title", "description", "websiteUrl", "icons", "x"]),
    st.one_of(WORDS, WORDS, ODD),
).map(lambda more: {**WHO, **more})
IDS = st.one_of(st.integers(-(2**70), 2**70), WORDS, st.sampled_from([None, True, 1.5, 1.0, [], "1"]))
VERSIONS = st.sampled_from([*HANDSHAKES, STATELESS, "1999-01-01", "", "2025-06-18 "])


@settings(max_examples=150, deadline=None)
@given(st.booleans(), VERSIONS, CAPABLE, CLIENTS, IDS)
@example(True, HANDSHAKES[2], {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}}}, WHO, "a")
def test_whatever_greets_is_answered_as_the_sdk_does_or_left_to_it(
    handshake: bool, version: str, capabilities: Any, client: Any, id: Any
) -> None:
    make = initialize if handshake else discover
    line = json.dumps(make(version, capabilities, client, id), ensure_ascii=False).encode() + b"\n"
    told = greeting(line)

    assert told is None or told == of_the_sdk(line)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"[]",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}',
        json.dumps(INITIALIZE).replace('"t"', '"\\ud800"').encode(),
        json.dumps(INITIALIZE)
        .replace('"capabilities": {}', '"capabilities": {"experimental": {"a": {"b": NaN}}}')
        .encode(),
        json.dumps({**INITIALIZE, "params": []}).encode(),
        json.dumps({**INITIALIZE, "method": ["initialize"]}).encode(),
        json.dumps(initialize("2025-06-18", client={"name": "t" * 9_000, "version": "1"})).encode(),
    ],
)
def test_what_is_no_plain_greeting_is_left_to_the_sdk(line: bytes) -> None:
    assert greeting(line) is None


def test_the_first_answer_does_not_wait_for_the_sdk_and_comes_once(tmp_path: Path) -> None:
    free = tmp_path / "free"
    process = subprocess.Popen(
        [sys.executable, "-c", LATE, str(free), "--demo"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    try:
        assert process.stderr.readline() == b"held up\n"
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        assert first["result"]["serverInfo"]["name"] == "contextmesh"
        free.touch()
        more = [hello()[1], {"id": 1, "method": "ping"}, {"id": 2, "method": "tools/list"}]
        lines = b"".join(json.dumps({"jsonrpc": "2.0", **one}).encode() + b"\n" for one in more)
        out, _ = process.communicate(lines, timeout=SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate(timeout=SECONDS)

    assert (first["id"], sorted(json.loads(one)["id"] for one in out.splitlines())) == (0, [1, 2])
    assert process.returncode == 0


def test_without_the_sdk_nobody_is_greeted() -> None:
    script = (
        "import sys\n"
        "sys.modules['mcp_types'] = None\n"
        "from contextmesh.mcp import main\n"
        "raise SystemExit(main(['--demo']))\n"
    )
    told = json.dumps(INITIALIZE).encode() + b"\n"
    done = subprocess.run([sys.executable, "-c", script], input=told, capture_output=True, check=False, timeout=SECONDS)

    assert (done.returncode, done.stdout, b"error[no-sdk]" in done.stderr) == (2, b"", True)


def test_a_greeting_that_only_the_sdk_can_judge_is_answered_by_it() -> None:
    greeted = [initialize("1999-01-01"), {"jsonrpc": "2.0", "id": 2, "method": "ping"}]
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in greeted)
    command = [sys.executable, "-m", "contextmesh.mcp", "--demo"]
    done = subprocess.run(command, input=lines, capture_output=True, check=False, timeout=SECONDS)
    first, second = (json.loads(one) for one in done.stdout.splitlines())

    assert (first["result"]["protocolVersion"], second["id"], done.returncode) == (HANDSHAKES[-1], 2, 0)


@pytest.mark.parametrize("given", [b"", json.dumps(INITIALIZE).encode(), b"\n\n"])
def test_an_input_that_ends_at_once_ends_the_server_cleanly(given: bytes) -> None:
    command = [sys.executable, "-m", "contextmesh.mcp", "--demo"]
    done = subprocess.run(command, input=given, capture_output=True, check=False, timeout=SECONDS)

    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr


def test_what_a_client_sends_is_read_by_no_worker_and_no_child(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())
    (tmp_path / "listen").touch()

    with speaking(["--session", str(place)], {"HARBOUR": str(tmp_path)}, DEPLOYMENT) as line:
        line.call("mesh_repair", task="hull", assumes="Steel lasts", worker_key="hull.steel.v1")
        assert line.call("mesh_resume")["structuredContent"]["complete"] is True
        code, _ = line.end()

    assert ((tmp_path / "heard").read_text(encoding="utf-8"), code) == ("''", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell that closes descriptors is needed")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_standard_stream_that_is_closed_is_nobodys_and_no_fault(closed: str) -> None:
    command = f'exec "{sys.executable}" -m contextmesh.mcp --demo {closed}'
    lines = json.dumps(INITIALIZE).encode() + b"\n"
    done = subprocess.run(command, shell=True, input=lines, capture_output=True, check=False, timeout=SECONDS)

    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    assert len(done.stdout.splitlines()) == (1 if closed == "2>&-" else 0)


def test_a_client_that_goes_without_reading_is_no_fault() -> None:
    command = [sys.executable, "-m", "contextmesh.mcp", "--demo"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        process.stdout.close()
        ping = {"jsonrpc": "2.0", "id": 5, "method": "ping"}
        process.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in (INITIALIZE, ping, ping)))
        process.stdin.close()
        err = process.stderr.read()

    assert (process.returncode, err) == (0, b"")


def test_a_byte_order_mark_before_the_first_line_is_no_part_of_it() -> None:
    command = [sys.executable, "-m", "contextmesh.mcp", "--demo"]
    line = b"\xef\xbb\xbf" + json.dumps(INITIALIZE).encode() + b"\n"
    done = subprocess.run(command, input=line, capture_output=True, check=False, timeout=SECONDS)

    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "contextmesh"
