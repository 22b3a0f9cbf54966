"""What stands before the protocol when it is spoken over HTTP: who may come, how often, how slowly. No SDK in it."""

from __future__ import annotations

import hmac
import json
import socket
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from dataclasses import dataclass
from typing import Any

from contextmesh.base.errors import InputError, Problem

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
TOKEN = "CONTEXTMESH_MCP_TOKEN"  # noqa: S105 - the name of the variable that holds it
TOKEN_LENGTH = 16
BODY_BYTES = 1_048_576
BODY_SECONDS = 20.0
QUIET_SECONDS = 20.0
"""For which a connection may be open without a request under way: it sends its headers by then, or comes again."""
CONNECTIONS = 512
"""At once; one more is told to come again."""
RATE, BURST = 50.0, 200.0
"""Requests of one client a second, and how many at once."""
CLIENTS = 1_000
"""Clients whose rate is remembered; of more, those that came longest ago are forgotten."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen, and who may come.

    Attributes:
        token: the bearer token every request must carry; None asks for none.
        hosts: values of the Host header that are let in; ``name:*`` is any port.
    """

    host: str
    port: int
    token: str | None
    hosts: tuple[str, ...]

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https"))


def address(text: str, token: str | None, allowed: tuple[str, ...] = ()) -> Address:
    """Where ``--http`` wants to be; beyond this machine only with a token.

    Args:
        allowed: further names under which clients may reach it.

    Raises:
        InputError: ``usage``, ``no-token``.
    """
    host, colon, number = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not number.isascii() or not number.isdigit() or not 0 <= int(number) < 65_536:
        message = f"--http takes HOST:PORT, not {text[:80]!r}"
        raise InputError(Problem("usage", message, "--http", hint="such as 127.0.0.1:8080"))
    local = host in LOOPBACK
    if token is None and not local:
        message = f"{host} can be reached from other machines, and no token is set"
        raise InputError(Problem("no-token", message, host, hint=f"set {TOKEN}, or listen on 127.0.0.1"))
    if token is not None and (len(token) < TOKEN_LENGTH or not token.isascii() or not token.isprintable()):
        message = f"{TOKEN} must be at least {TOKEN_LENGTH} printable ASCII characters"
        raise InputError(Problem("no-token", message, TOKEN))
    if host in ("0.0.0.0", "::") and not allowed:  # noqa: S104 - it is what is refused
        message = f"{host} is every address of this machine, so clients' names for it must be given"
        raise InputError(Problem("usage", message, "--allow-host", hint="add --allow-host NAME"))
    names = (*LOOPBACK, *allowed) if local else (host, *allowed)
    shown = tuple(f"[{name}]" if ":" in name else name for name in names)
    return Address(host, int(number), token, tuple(entry for name in shown for entry in (name, f"{name}:*")))


def listening(at: Address) -> socket.socket:
    """A socket that listens.

    Raises:
        InputError: ``cannot-listen``.
    """
    family = socket.AF_INET6 if ":" in at.host else socket.AF_INET
    try:
        return socket.create_server((at.host, at.port), family=family)
    except OSError as error:
        message = f"{at.host}:{at.port} cannot be listened on: {error.strerror or error}"
        raise InputError(Problem("cannot-listen", message, at.host, hint="choose another port")) from None


class Guard:
    """An ASGI application before another: token, rate, size and time of a request.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, inner: Application, token: str | None, clock: Callable[[], float]) -> None:
        self._inner = inner
        self._token = token
        self._clock = clock
        self._spent: dict[str, tuple[float, float]] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if self._token is not None and not _bears(headers.get("authorization", ""), self._token):
            await _refuse(send, 401, "unauthorized", [(b"www-authenticate", b"Bearer")])
        elif not self._may(_client(scope)):
            await _refuse(send, 429, "too-many-requests", [(b"retry-after", b"1")])
        else:
            await self._timed(scope, receive, send)

    async def _timed(self, scope: Message, receive: Receive, send: Send) -> None:
        """The body must come in time; what comes after it, such as the end of the connection, may take its own."""
        import asyncio  # at the launch it would cost more than all of the rest

        ends = self._clock() + BODY_SECONDS
        more = True

        async def timely() -> Message:
            nonlocal more
            if not more:
                return await receive()
            try:
                async with asyncio.timeout(max(0.0, ends - self._clock())):
                    message = await receive()
            except TimeoutError:
                more = False
                return {"type": "http.disconnect"}
            more = bool(message.get("more_body")) and message["type"] == "http.request"
            return message

        await self._inner(scope, timely, send)

    def _may(self, client: str) -> bool:
        """A bucket that fills at RATE and holds BURST."""
        now = self._clock()
        left, seen = self._spent.pop(client, (BURST, now))
        left = min(BURST, left + (now - seen) * RATE)
        allowed = left >= 1
        self._spent[client] = (left - 1 if allowed else left, now)
        while len(self._spent) > CLIENTS:
            del self._spent[next(iter(self._spent))]
        return allowed


async def close_quiet(connections: Collection[Any], clock: Callable[[], float]) -> None:
    """Close, again and again, each connection that has long had no request under way; never returns.

    A server minds how long a body takes once its headers are there, and not how long the headers take.

    Args:
        connections: the server's own, each with its ``transport`` and the ``cycle`` of its last request.
    """
    import asyncio

    quiet: dict[Any, tuple[Any, float]] = {}
    while True:
        await asyncio.sleep(QUIET_SECONDS / 10)
        now, before = clock(), quiet
        quiet = {}
        for one in list(connections):
            cycle = one.cycle
            if cycle is not None and not cycle.response_complete:
                continue
            last, since = before.get(one, (cycle, now))
            if last is not cycle:
                since = now
            if now - since >= QUIET_SECONDS:
                one.transport.close()
            else:
                quiet[one] = (cycle, since)


def _bears(header: str, token: str) -> bool:
    scheme, _, given = header.partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("latin-1"), token.encode("ascii"))


def _client(scope: Message) -> str:
    """Its address; of this machine, whose clients all share one, the connection. What a header says is not believed."""
    host, port = scope.get("client") or ("", 0)
    return f"{host} {port}" if host in LOOPBACK else str(host)


async def _refuse(send: Send, status: int, code: str, more: list[tuple[bytes, bytes]]) -> None:
    body = json.dumps({"error": {"code": code}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
