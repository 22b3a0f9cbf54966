"""The live page on loopback: two documents, read only, for nobody but pages of this machine.

A page of another site may reach a server on loopback, under a name of its own whose address it turns to 127.0.0.1.
Whoever comes under such a name is refused; what is served may be neither read, embedded nor framed by other pages.
"""

from __future__ import annotations

import io
import json
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import BoundedSemaphore, Timer
from typing import Any, BinaryIO, cast

from contextmesh.base.errors import InputError, Problem
from contextmesh.dashboard.inline import content_policy
from contextmesh.dashboard.live import DATA, Live

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
REQUEST_BYTES = 16_384
LINE_BYTES = 2_048
READ_SECONDS, WRITE_SECONDS = 10.0, 60.0
"""In which a request must have come, and its answer be taken."""
CONNECTIONS = 32
"""At once; one more is closed unanswered."""
PATHS = {"/": "", f"/{DATA}": DATA}

HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-cache"),
)


class Server(ThreadingHTTPServer):
    """Serves until ``shutdown``; ``url`` is where.

    Args:
        port: 0 for one that is free.

    Raises:
        InputError: ``cannot-listen``.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, live: Live, port: int = 0) -> None:
        self.live = live
        self._room = BoundedSemaphore(CONNECTIONS)
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            message = f"{HOST}:{port} cannot be listened on: {error.strerror or error}"
            raise InputError(Problem("cannot-listen", message, HOST, hint="choose another port")) from None

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/"

    def server_bind(self) -> None:
        """As the base class, without asking the network for the name of this machine."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.port

    def verify_request(self, request: Any, client_address: Any) -> bool:
        return self._room.acquire(blocking=False)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is none; a fault of ours is told as the base class does."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Request(io.RawIOBase):
    """Lines of a request, up to a number of bytes in all; nothing after them."""

    def __init__(self, inner: BinaryIO) -> None:
        self._inner = inner
        self._left = REQUEST_BYTES

    @property
    def is_spent(self) -> bool:
        return self._left <= 0

    def readline(self, size: int | None = -1, /) -> bytes:
        most = self._left if size is None or size < 0 else min(size, self._left)
        line = self._inner.readline(most)
        self._left -= len(line)
        return line


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = "contextmesh", ""
    server: Server

    def setup(self) -> None:
        super().setup()
        self._request = _Request(cast(BinaryIO, self.rfile))
        self.rfile = cast(Any, self._request)

    def handle(self) -> None:
        """One request a connection."""
        with suppress(TimeoutError, ConnectionError):
            self.handle_one_request()

    def handle_one_request(self) -> None:
        self.close_connection = True
        with _within(READ_SECONDS, self.connection):
            self.raw_requestline = self._request.readline(LINE_BYTES + 1)
            if len(self.raw_requestline) > LINE_BYTES:
                self.requestline, self.request_version, self.command = "", "HTTP/1.0", ""
                self._refuse(414, "too-large")
                return
            if not self.raw_requestline or not self.parse_request():
                return
        if self._may():
            self._answer()

    def _may(self) -> bool:
        hosts = self.headers.get_all("Host") or []
        if self._request.is_spent:
            self._refuse(431, "too-large")
        elif self.command not in ("GET", "HEAD"):
            self._refuse(405, "method-not-allowed", ("Allow", "GET, HEAD"))
        elif len(hosts) != 1 or hosts[0].strip().lower() not in self._hosts():
            self._refuse(403, "host-not-allowed")
        elif self.path.partition("?")[0] not in PATHS:
            self._refuse(404, "not-found")
        else:
            return True
        return False

    def _hosts(self) -> Iterator[str]:
        for name in NAMES:
            yield f"{name}:{self.server.port}"
            if self.server.port == 80:
                yield name

    def _answer(self) -> None:
        document = self.server.live.document(PATHS[self.path.partition("?")[0]])
        known = [tag.strip().removeprefix("W/") for tag in self.headers.get("If-None-Match", "").split(",")]
        with _within(WRITE_SECONDS, self.connection):
            if document.etag in known:
                self._head(304, ("ETag", document.etag))
                return
            size = ("Content-Length", str(len(document.body)))
            self._head(200, ("Content-Type", document.kind), size, ("ETag", document.etag))
            if self.command == "GET":
                self.wfile.write(document.body)

    def _refuse(self, status: int, code: str, *more: tuple[str, str]) -> None:
        body = json.dumps({"error": {"code": code}}).encode()
        self._head(status, ("Content-Type", "application/json"), ("Content-Length", str(len(body))), *more)
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the base class refuses of itself: a request that is none."""
        self._refuse(int(code), "bad-request")

    def _head(self, status: int, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (*headers, *HEADERS):
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", content_policy(live=True, framed=True))
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is written down of who looked."""


@contextmanager
def _within(seconds: float, connection: socket.socket) -> Iterator[None]:
    """Cut the connection when what is inside is not done in time, however slowly bytes go on coming."""
    timer = Timer(seconds, _cut, (connection,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
