"""The live page, over real sockets: who may come, what they may ask, and that a change is seen."""

from __future__ import annotations

import http.client
import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from contextmesh import Mesh
from contextmesh.base.errors import InputError
from contextmesh.dashboard import server as serving
from contextmesh.dashboard.live import Live
from contextmesh.dashboard.server import Server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    mesh = Mesh.create(tmp_path / "notes.mesh")
    mesh.assume("The ferry runs in winter")
    mesh.checkpoint() if mesh.state.is_journalled else mesh.save()
    return tmp_path / "notes.mesh"


@contextmanager
def served(home: Path) -> Iterator[Server]:
    with Server(Live(home, lambda: Mesh.open(home))) as made:
        thread = Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join(10)
            assert not thread.is_alive()


def asked(
    at: Server, path: str = "/mesh.json", method: str = "GET", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", at.port, timeout=10)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


def spoken(at: Server, request: bytes) -> bytes:
    """What comes back for these very bytes."""
    with socket.create_connection(("127.0.0.1", at.port), timeout=10) as line:
        line.sendall(request)
        parts = []
        while part := line.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def test_the_page_holds_the_data_that_is_served_beside_it(home: Path) -> None:
    with served(home) as at:
        page, html = asked(at, "/")
        data, body = asked(at)

    assert (page.status, data.status) == (200, 200)
    assert page.getheader("Content-Type") == "text/html; charset=utf-8"
    block = re.findall(rb'<script id="mesh-data" type="application/json">(.*?)</script>', html)
    assert json.loads(block[0]) == json.loads(body)
    assert [node["label"] for node in json.loads(body)["nodes"]] == ["The ferry runs in winter"]


@pytest.mark.parametrize("path", ["/", "/mesh.json", "/nothing"])
def test_every_answer_may_be_neither_framed_embedded_nor_guessed_at(home: Path, path: str) -> None:
    with served(home) as at:
        answer, _ = asked(at, path)

    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    assert answer.getheader("Cross-Origin-Resource-Policy") == "same-origin"
    policy = answer.getheader("Content-Security-Policy") or ""
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert [name for name, _ in answer.getheaders() if name.lower().startswith("access-control")] == []


def test_nobody_comes_under_another_name(home: Path) -> None:
    with served(home) as at:
        good = [f"127.0.0.1:{at.port}", f"localhost:{at.port}", f"LOCALHOST:{at.port}"]
        bad = ["evil.example", f"evil.example:{at.port}", "127.0.0.1:1", "127.0.0.1", "", f"127.0.0.1.nip.io:{at.port}"]
        assert [asked(at, Host=host)[0].status for host in good] == [200] * 3
        assert [asked(at, Host=host)[0].status for host in bad] == [403] * len(bad)
        both = f"GET / HTTP/1.1\r\nHost: {good[0]}\r\nHost: evil.example\r\n\r\n".encode()
        assert b" 403 " in spoken(at, both).split(b"\r\n")[0]
        assert b" 403 " in spoken(at, b"GET / HTTP/1.0\r\n\r\n").split(b"\r\n")[0]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "NONSENSE"])
def test_nothing_but_reading_is_allowed(home: Path, method: str) -> None:
    with served(home) as at:
        answer, body = asked(at, "/mesh.json", method)

    assert (answer.status, answer.getheader("Allow")) == (405, "GET, HEAD")
    assert json.loads(body) == {"error": {"code": "method-not-allowed"}}


def test_head_tells_all_but_the_body(home: Path) -> None:
    with served(home) as at:
        head, nothing = asked(at, method="HEAD")
        whole, body = asked(at)

    assert (head.status, nothing) == (200, b"")
    assert head.getheader("Content-Length") == str(len(body))
    assert head.getheader("ETag") == whole.getheader("ETag")


@pytest.mark.parametrize("path", ["/etc/passwd", "/../session.json", "/session.json", "/%2e%2e/x", "/mesh.json/"])
def test_no_path_names_a_file(home: Path, path: str) -> None:
    with served(home) as at:
        assert asked(at, path)[0].status == 404


def test_what_is_known_already_is_not_sent_again_until_it_changed(home: Path) -> None:
    with served(home) as at:
        first, _ = asked(at)
        tag = first.getheader("ETag") or ""
        again, body = asked(at, If_None_Match=f'"other", W/{tag}')
        mesh = Mesh.open(home)
        mesh.assume("The ferry runs at night")
        mesh.checkpoint() if mesh.state.is_journalled else mesh.save()
        changed, new = asked(at, If_None_Match=tag)

    assert (again.status, body, again.getheader("ETag")) == (304, b"", tag)
    assert changed.status == 200 and changed.getheader("ETag") != tag
    assert sorted(n["label"] for n in json.loads(new)["nodes"]) == [
        "The ferry runs at night",
        "The ferry runs in winter",
    ]


def test_an_unchanged_session_is_not_read_again(home: Path) -> None:
    opened = []
    live = Live(home, lambda: opened.append(1) or Mesh.open(home))  # type: ignore[func-returns-value]
    for _ in range(3):
        live.document("")
        live.document("mesh.json")

    assert opened == [1]


def test_a_session_that_breaks_is_a_coded_refusal_and_comes_back_when_it_is_mended(home: Path) -> None:
    manifest = sorted(home.glob("session-*.json"))[-1]
    whole = manifest.read_bytes()
    with served(home) as at:
        manifest.write_bytes(b"{")
        broken, body = asked(at)
        page, html = asked(at, "/")
        manifest.write_bytes(whole)
        mended, data = asked(at)

    assert (broken.status, page.status, mended.status) == (200, 200, 200)
    told = json.loads(body)
    assert list(told) == ["format", "version", "error"] and told["error"]["code"] and told["error"]["message"]
    assert told["error"]["code"].encode() in html and b"Traceback" not in html
    assert len(json.loads(data)["nodes"]) == 1


def test_a_request_that_is_too_large_or_none_is_refused(home: Path) -> None:
    with served(home) as at:
        host = f"Host: 127.0.0.1:{at.port}\r\n".encode()
        long = spoken(at, b"GET /" + b"a" * 3000 + b" HTTP/1.1\r\n" + host + b"\r\n")
        wide = spoken(at, b"GET / HTTP/1.1\r\n" + host + (b"X: " + b"a" * 4000 + b"\r\n") * 5 + b"\r\n")
        many = spoken(at, b"GET / HTTP/1.1\r\n" + host + b"X: a\r\n" * 150 + b"\r\n")
        none = spoken(at, b"\x16\x03\x01\x02\x00 hello there and more\r\n\r\n")

    assert b" 414 " in long.split(b"\r\n")[0]
    assert b" 431 " in wide.split(b"\r\n")[0]
    assert b" 431 " in many.split(b"\r\n")[0]
    assert b"bad-request" in none
    assert all(b"notes.mesh" not in answer and b"Traceback" not in answer for answer in (long, wide, many, none))


def test_a_request_that_does_not_end_is_cut(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "READ_SECONDS", 0.2)
    with served(home) as at:
        assert spoken(at, b"GET / HTTP/1.1\r\nHost: ") == b""
        assert asked(at)[0].status == 200


def test_more_connections_than_there_is_room_for_are_closed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "CONNECTIONS", 2)
    with served(home) as at:
        held = [socket.create_connection(("127.0.0.1", at.port), timeout=10) for _ in range(2)]
        for line in held:
            line.sendall(b"GET / HT")
        with socket.create_connection(("127.0.0.1", at.port), timeout=10) as third:
            assert third.recv(1) == b""
        for line in held:
            line.close()


def test_it_listens_on_loopback_alone_and_says_so_when_it_cannot(home: Path) -> None:
    live = Live(home, lambda: Mesh.open(home))
    with Server(live) as first:
        assert first.socket.getsockname()[0] == "127.0.0.1"
        assert first.url == f"http://127.0.0.1:{first.port}/"
        with pytest.raises(InputError) as refused:
            Server(live, first.port)

    assert refused.value.code == "cannot-listen"
