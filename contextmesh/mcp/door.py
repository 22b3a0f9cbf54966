"""The first answer over stdin and stdout, given while the SDK is still being imported.

That import costs a client most of what it waits for. The first line of nearly every client is one of two greetings, and
the answer to them is known: it is given at once, the line is handed on to the SDK all the same, and the answer that the
SDK makes of it is dropped. What is the least out of the ordinary waits for the SDK, which alone judges it.
"""

from __future__ import annotations

import codecs
import json
import sys
import threading
from collections.abc import Mapping
from typing import Any, BinaryIO, NoReturn

import contextmesh
from contextmesh.mcp.budget import compact
from contextmesh.mcp.wire import Wire, claimed, taken

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions of the protocol that begin with ``initialize``."""
STATELESS = "2026-07-28"
"""The one that has no handshake; its clients look first at what there is, by ``server/discover``."""
META = "io.modelcontextprotocol/"
CAPABILITIES: Mapping[str, Mapping[str, bool]] = {
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
INSTRUCTIONS = (
    "A memory of typed facts. Ask first: an answer is a path to a source, or one named dead end. "
    "What is concluded (live, fell, superseded) comes from rules; mesh_why proves it. "
    "You may submit evidence; a person judges it. A page ends with `next`: give it back to go on."
)
LINE, BRACKETS, ID = 8_192, 60, 200
"""Bytes of a plain greeting, what it may nest or list, and characters of its id."""
TICK = 0.005
"""Seconds between two looks whether the SDK is there."""
_REQUESTS: Mapping[str, Any] = {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}}
_FORMS: Mapping[str, Any] = {
    "roots": {"listChanged": bool},
    "sampling": {"context": {}, "tools": {}},
    "elicitation": {"form": {}, "url": {}},
    "tasks": {"list": {}, "cancel": {}, "requests": _REQUESTS},
}
"""Capabilities of clients whose form is known here: each part may be left out, and nothing may be added."""


class Door:
    """What the transport reads lines from; answers the first of them itself when it is a plain greeting.

    Args:
        lines: what the client sends.
        wire: the way to it.
    """

    def __init__(self, lines: BinaryIO, wire: Wire) -> None:
        self.wire = wire
        self._lines = lines
        self._first: bytes | None = b""
        self._come = threading.Event()
        self._answered: int | str | None = None

    @classmethod
    def standard(cls) -> Door:
        """Over stdin and stdout, which nobody else of this process, nor a child, reads or writes from then on."""
        return cls(taken(), claimed())

    def watch(self) -> None:
        """Wait for the first line beside what the caller does."""
        threading.Thread(target=self._greet, name="door", daemon=True).start()

    def readline(self) -> str:
        """The next line, the first one too; empty at the end of input."""
        self._come.wait()
        line, self._first = self._first, None
        return (self._lines.readline() if line is None else line).decode("utf-8", "replace")

    def gave(self, id: object) -> bool:
        """Whether the request of this id was answered here; true once, for the answer that is given again."""
        if self._answered is None or id != self._answered:
            return False
        self._answered = None
        return True

    def _greet(self) -> None:
        try:
            self._first = self._lines.readline().removeprefix(codecs.BOM_UTF8)
            answer = greeting(self._first)
            if answer is None:
                return
            while sys.modules.get("mcp_types") is None:  # without the SDK there is nothing to greet for
                self._come.wait(TICK)
            self.wire.write(compact(answer) + "\n")
            self.wire.flush()
            self._answered = answer["id"]
        except OSError:
            pass  # what cannot be read is at its end
        finally:
            self._come.set()


def greeting(line: bytes) -> dict[str, Any] | None:
    """The answer to a plain greeting, as the SDK would give it; None when the line is anything else."""
    if len(line) > LINE or b"\\u" in line or line.count(b"{") + line.count(b"[") > BRACKETS:
        return None
    try:
        asked = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except ValueError:
        return None
    if not isinstance(asked, dict) or set(asked) != {"jsonrpc", "id", "method", "params"} or asked["jsonrpc"] != "2.0":
        return None
    id, params = asked["id"], asked["params"]
    if not isinstance(params, dict) or not _is_plain_id(id):
        return None
    made = {"initialize": _initialized, "server/discover": _discovered}.get(str(asked["method"]))
    result = made(params) if made is not None else None
    return None if result is None else {"jsonrpc": "2.0", "id": id, "result": result}


def _initialized(params: Mapping[str, Any]) -> dict[str, Any] | None:
    if set(params) != {"protocolVersion", "capabilities", "clientInfo"} or params["protocolVersion"] not in HANDSHAKES:
        return None
    if not _is_plain_client(params["clientInfo"], params["capabilities"]):
        return None
    return {
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "protocolVersion": params["protocolVersion"],
        "serverInfo": _server(),
    }


def _discovered(params: Mapping[str, Any]) -> dict[str, Any] | None:
    meta = params.get("_meta")
    keys = [META + name for name in ("protocolVersion", "clientInfo", "clientCapabilities")]
    if set(params) != {"_meta"} or not isinstance(meta, dict) or set(meta) != set(keys):
        return None
    version, client, capabilities = (meta[key] for key in keys)
    if version != STATELESS or not _is_plain_client(client, capabilities):
        return None
    return {
        "cacheScope": "private",
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "resultType": "complete",
        "supportedVersions": [STATELESS],
        "ttlMs": 0,
        "_meta": {META + "serverInfo": _server()},
    }


def _server() -> dict[str, str]:
    return {"name": "contextmesh", "version": contextmesh.__version__}


def _is_plain_id(id: object) -> bool:
    if isinstance(id, str):
        return len(id) <= ID
    return isinstance(id, int) and not isinstance(id, bool) and abs(id) < 2**53


def _is_plain_client(client: object, capabilities: object) -> bool:
    """Who it is in words, and only capabilities whose form is known here."""
    if not isinstance(client, dict) or not isinstance(capabilities, dict):
        return False
    if not {"name", "version"} <= set(client) <= {"name", "version", "title", "description", "websiteUrl"}:
        return False
    return all(isinstance(word, str) for word in client.values()) and all(
        _fits(value, _FORMS[name]) if name in _FORMS else name in ("experimental", "extensions") and _is_settings(value)
        for name, value in capabilities.items()
    )


def _fits(value: object, form: Any) -> bool:
    if form is bool:
        return isinstance(value, bool)
    return isinstance(value, dict) and all(name in form and _fits(part, form[name]) for name, part in value.items())


def _is_settings(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(settings, dict) for settings in value.values())


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
