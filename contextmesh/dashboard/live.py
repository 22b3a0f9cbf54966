"""What the live page shows: read anew when a file of the session is another one, else what was read last."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from contextmesh.base.errors import Refusal
from contextmesh.dashboard.inline import inlined
from contextmesh.dashboard.payload import payload, payload_text, refused

if TYPE_CHECKING:
    from contextmesh.api import Mesh

DATA = "mesh.json"
"""The name under which the page finds its data."""
Stamp = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Document:
    """What is sent, and a validator of it that changes when it does."""

    body: bytes
    kind: str
    etag: str

    @classmethod
    def of(cls, text: str, kind: str) -> Document:
        body = text.encode("ascii" if kind == "application/json" else "utf-8")
        return cls(body, kind, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


class Live:
    """The documents of one session; several threads may ask, one at a time reads it.

    Args:
        home: the session directory; None for a mesh that does not change.
        opened: gives the mesh as it is now.
        around: where the page starts.
    """

    def __init__(self, home: Path | None, opened: Callable[[], Mesh], around: str | None = None) -> None:
        self._home = home
        self._open = opened
        self._around = around
        self._lock = Lock()
        self._stamp: Stamp | None = None
        self._documents: dict[str, Document] = {}
        self.refusal: Refusal | None = None

    def document(self, name: str) -> Document:
        """``mesh.json``, or the page under the empty name; of a session that is refused, with the refusal as data."""
        with self._lock:
            stamp = _stamp(self._home)
            if stamp != self._stamp or not self._documents:
                value = self._read()
                page = Document.of(inlined(value, live=DATA), "text/html; charset=utf-8")
                self._documents = {DATA: Document.of(payload_text(value), "application/json"), "": page}
                self._stamp = stamp  # of before it was read: what is committed meanwhile is read at the next look
            return self._documents[name]

    def _read(self) -> dict[str, Any]:
        self.refusal = None
        try:
            return payload(self._open(), self._around)
        except Refusal as refusal:
            self.refusal = refusal
            return refused(refusal)


def _stamp(home: Path | None) -> Stamp:
    """Name, size, time and number of each file of the session: what a commit changes."""
    if home is None:
        return ()
    found = []
    try:
        with os.scandir(home) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                found.append((entry.name, status.st_size, status.st_mtime_ns, status.st_ino))
    except OSError as error:
        return (("", error.errno or 0, 0, 0),)
    return tuple(sorted(found))
