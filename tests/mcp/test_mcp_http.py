"""Several clients of one mesh over HTTP; who may come is checked before the protocol."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from served_places import SERVER, SOURCE, harbour

from contextmesh.api import Mesh
from contextmesh.base.errors import InputError
from contextmesh.mcp import web
from contextmesh.mcp.web import Guard, address

WORD = "a-token-long-enough"


@pytest.mark.parametrize(
    ("text", "token", "allowed", "code"),
    [
        ("8080", None, (), "usage"),
        (":8080", None, (), "usage"),
        ("127.0.0.1:", None, (), "usage"),
        ("127.0.0.1:99999", None, (), "usage"),
        ("127.0.0.1:٣", None, (), "usage"),
        ("10.0.0.1:80", None, (), "no-token"),
        ("10.0.0.1:80", "short", (), "no-token"),
        ("127.0.0.1:80", "short", (), "no-token"),
        ("0.0.0.0:80", WORD, (), "usage"),
    ],
)
def test_where_it_may_not_listen_is_refused(text: str, token: str | None, allowed: tuple[str, ...], code: str) -> None:
    with pytest.raises(InputError) as refused:
        address(text, token, allowed)
    assert refused.value.code == code


def test_an_address_lets_in_the_names_it_is_known_by() -> None:
    assert "[::1]:*" in address("[::1]:80", None).hosts
    assert address("0.0.0.0:80", WORD, ("mesh.example",)).hosts[-1] == "mesh.example:*"


# ---- the guard ---------------------------------------------------------------------------------------


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def _inner(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})


def status(guard: Guard, *, bearer: str | None = None, peer: str = "1.1.1.1", port: int = 1) -> int:
    headers = [] if bearer is None else [(b"Authorization", bearer.encode())]
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(guard({"type": "http", "headers": headers, "client": (peer, port)}, receive, send))
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    ("bearer", "wanted"),
    [(f"Bearer {WORD}", 200), (f"bearer {WORD}", 200), (None, 401), (f"Bearer {WORD}x", 401), (f"Basic {WORD}", 401)],
)
def test_only_who_bears_the_token_comes_in(bearer: str | None, wanted: int) -> None:
    assert status(Guard(_inner, WORD, Clock()), bearer=bearer) == wanted


def test_a_client_that_comes_too_often_waits_and_others_do_not() -> None:
    clock = Clock()
    guard = Guard(_inner, None, clock)
    assert [status(guard) for _ in range(int(web.BURST))] == [200] * int(web.BURST)

    assert (status(guard), status(guard, peer="2.2.2.2")) == (429, 200)
    clock.now += 1 / web.RATE
    assert (status(guard), status(guard)) == (200, 429)


def test_on_loopback_each_connection_is_a_client() -> None:
    guard = Guard(_inner, None, Clock())
    for _ in range(int(web.BURST)):
        status(guard, peer="127.0.0.1", port=1)

    assert (status(guard, peer="127.0.0.1", port=1), status(guard, peer="127.0.0.1", port=2)) == (429, 200)


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "BODY_SECONDS", 0.05)
    seen: list[str] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        seen.append((await receive())["type"])

    async def receive() -> Any:
        await asyncio.sleep(30)

    async def send(message: Any) -> None:
        raise AssertionError(message)

    asyncio.run(Guard(inner, None, Clock())({"type": "http", "headers": [], "client": None}, receive, send))

    assert seen == ["http.disconnect"]


# ---- a server ----------------------------------------------------------------------------------------


@contextmanager
def server(
    *arguments: str,
    program: tuple[str, ...] = SERVER,
    environment: dict[str, str] | None = None,
    host: str = "127.0.0.1",
) -> Iterator[tuple[str, int, subprocess.Popen[str]]]:
    process = subprocess.Popen(
        [sys.executable, *program, *arguments, "--http", f"{host}:0"],
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(rf"listening on (http://{re.escape(host)}:(\d+)/mcp)", line)
        assert found, line
        yield found[1], int(found[2]), process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=20)


def test_several_clients_share_one_mesh_and_a_foreign_page_is_kept_out(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")

    async def clients(url: str) -> None:
        async def submit(number: int) -> None:
            async with Client(url) as client:
                given = {"text": "Fog", "source_id": SOURCE, "external_id": f"e{number}"}
                made = await client.call_tool("mesh_submit_evidence", given)
                assert not made.is_error
                asked = await client.call_tool("mesh_ask", {"question": "Which ferry sails at noon?"})
                assert asked.structured_content["answer"]

        with anyio.fail_after(30):
            async with anyio.create_task_group() as group:
                for number in range(5):
                    group.start_soon(submit, number)

    with server("--session", str(place)) as (url, port, process):
        anyio.run(clients, url)
        told = [_post(port, {"Host": "evil.example"}), _post(port, {"Origin": "http://evil.example"})]
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=20)

    assert (told, code) == ([421, 403], 0)
    store = Mesh.open(place).graph.store
    assert [node.type for node in store.nodes.values()].count("evidence") == 6
    assert store.walks


HURRIED = (
    "-c",
    "import sys; from contextmesh.mcp import main, web; web.QUIET_SECONDS = 0.5; sys.exit(main(sys.argv[1:]))",
)


def test_connections_on_which_no_request_comes_are_closed_and_others_stay() -> None:
    with server("--demo", program=HURRIED) as (_, port, process):
        silent = socket.create_connection(("127.0.0.1", port))
        slow = socket.create_connection(("127.0.0.1", port))
        slow.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        for one in (silent, slow):
            one.settimeout(30)
            with suppress(ConnectionError):
                assert one.recv(10) == b""
            one.close()
        assert _post(port, {"Host": f"127.0.0.1:{port}"}) in (200, 400), "the server goes on"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0


def test_a_request_under_way_is_not_a_quiet_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "QUIET_SECONDS", 0.02)
    closed: list[str] = []
    busy, done, fresh = (_Connection(name, closed) for name in ("busy", "done", "fresh"))
    busy.cycle, done.cycle = _Cycle(response_complete=False), _Cycle(response_complete=True)

    async def go() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await web.close_quiet({busy, done, fresh}, asyncio.get_running_loop().time)

    asyncio.run(go())

    assert set(closed) == {"done", "fresh"}


def test_once_a_token_is_set_only_who_bears_it_is_answered_on_loopback_too() -> None:
    with server("--demo", environment={web.TOKEN: WORD}) as (_, port, _process):
        told = [
            _post(port, {}),
            _post(port, {"Authorization": "Bearer no"}),
            _post(port, {"Authorization": f"Bearer {WORD}"}),
        ]

    assert told[:2] == [401, 401]
    assert told[2] in (200, 400)


def _is_bound_here(host: str) -> bool:
    with suppress(OSError), socket.create_server((host, 0)):
        return True
    return False


ELSEWHERE = "127.0.0.2"
"""An address that the server knows no better than one of the network, and that no packet leaves the machine by."""
SELDOM = (
    "-c",
    "import sys; from contextmesh.mcp import main, web; web.RATE, web.BURST = 1e-6, 5; sys.exit(main(sys.argv[1:]))",
)


@pytest.mark.skipif(not _is_bound_here(ELSEWHERE), reason="only Linux has every 127 address from the start")
def test_at_another_address_than_its_own_a_server_needs_a_token_and_counts_an_address_as_one_client() -> None:
    command = [sys.executable, *SERVER, "--demo", "--http", f"{ELSEWHERE}:0"]
    bare = {key: value for key, value in os.environ.items() if key != web.TOKEN}
    refused = subprocess.run(command, env=bare, capture_output=True, text=True, check=False, timeout=30)
    assert (refused.returncode, refused.stdout, "error[no-token]" in refused.stderr) == (2, "", True)

    bearing = {"Authorization": f"Bearer {WORD}"}
    with server("--demo", program=SELDOM, environment={web.TOKEN: WORD}, host=ELSEWHERE) as (_, port, _process):
        told = [
            _post(port, {}, host=ELSEWHERE),
            _post(port, {**bearing, "Host": f"localhost:{port}"}, host=ELSEWHERE),
            _post(port, {**bearing, "Origin": "http://127.0.0.1"}, host=ELSEWHERE),
            _post(port, bearing, host=ELSEWHERE),
        ]
        often = [_post(port, bearing, b"{", host=ELSEWHERE) for _ in range(4)]

    assert told[:3] == [401, 421, 403]
    assert told[3] in (200, 400)
    assert often == [400, 400, 429, 429], "each came on a connection of its own"


@pytest.mark.parametrize(
    ("body", "headers", "wanted"),
    [
        (b"x" * (web.BODY_BYTES + 1), {}, 413),
        (b"{}", {"Content-Length": "99999999999"}, 413),
        (b"{", {}, 400),
        (b"[" * 100_000, {}, 400),
        (b"{}", {"Content-Type": "text/plain"}, 400),
        (b"{}", {"Origin": "null"}, 403),
        (b"{}", {"Host": "127.0.0.1.evil.example"}, 421),
    ],
)
def test_a_body_or_header_that_is_wrong_is_refused_with_a_status(
    shared: tuple[str, int, Any], body: bytes, headers: dict[str, str], wanted: int
) -> None:
    assert _post(shared[1], headers, body) == wanted


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[str, int, Any]]:
    with server("--demo") as running:
        yield running


@dataclass(eq=False)
class _Cycle:
    response_complete: bool


class _Connection:
    def __init__(self, name: str, closed: list[str]) -> None:
        self.cycle: _Cycle | None = None
        self._name, self._closed = name, closed

    @property
    def transport(self) -> _Connection:
        return self

    def close(self) -> None:
        self._closed.append(self._name)


def test_a_port_that_is_taken_is_refused_with_a_code() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InputError) as refused:
        web.listening(address(f"127.0.0.1:{taken.getsockname()[1]}", None))

    assert refused.value.code == "cannot-listen"


def _post(port: int, headers: dict[str, str], body: bytes | None = None, host: str = "127.0.0.1") -> int:
    connection = http.client.HTTPConnection(host, port, timeout=10, source_address=(host, 0))
    if body is None:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    accepts = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", body, {**accepts, **headers})
    found = connection.getresponse().status
    connection.close()
    return found
