"""What this user's machine has verified before, so that the same bytes need not be judged at every opening.

A stamp names exact bytes, the policy they were judged under and the program that judged them. It lies in the user's
cache directory, never inside a session: whoever hands over a session cannot hand over a stamp with it. Without a stamp,
or with one of other bytes, another policy or another program, everything is judged; without a cache, always.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from contextmesh.base.canon import canonical
from contextmesh.base.chain import is_digest
from contextmesh.base.errors import InputError
from contextmesh.base.files import read_bytes, write_bytes
from contextmesh.base.version import VERSION
from contextmesh.store.records import records_from_bytes

if TYPE_CHECKING:
    from contextmesh.datalog.limits import Limits
    from contextmesh.policy import Policy
    from contextmesh.store.records_past import Chronicle
    from contextmesh.store.store import Store

VARIABLE = "CONTEXTMESH_CACHE"
KEPT = 256
"""How many stamps are kept; the oldest go first."""

_CHECKS = 1
"""Counted up when a later program judges more than an earlier one of the same version did."""

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Stamps:
    """The stamps of one folder; None for no cache at all. Nothing here raises: a cache that fails costs time only."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @classmethod
    def of_user(cls, environ: Mapping[str, str] = os.environ) -> Stamps:
        """The stamps in this user's cache directory, which ``CONTEXTMESH_CACHE`` names; an empty value: no cache."""
        return cls(cache_directory(environ))

    def has(self, data: bytes, vectors: bytes | None, policy: Policy) -> bool:
        """Whether these exact bytes were verified in full by this user, under this policy, by this program."""
        if self._folder is None or not _is_private(self._folder):
            return False
        name, text = _stamp(data, vectors, policy)
        path = self._folder / name
        try:
            return _is_own(path) and read_bytes(path, limit=4096, follow=False) == text
        except InputError:
            return False

    def add(self, data: bytes, vectors: bytes | None, policy: Policy) -> None:
        """Remember that these bytes were just verified in full."""
        if self._folder is None:
            return
        with suppress(OSError, InputError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_private(self._folder):
                name, text = _stamp(data, vectors, policy)
                write_bytes(self._folder / name, text, mode=0o600, lasting=False)
                self._let_go()

    def _let_go(self) -> None:
        assert self._folder is not None, "there is a folder to look in"
        mine = [path for path in self._folder.iterdir() if is_digest(path.name)]
        if len(mine) > KEPT:
            mine.sort(key=lambda path: (path.lstat().st_mtime_ns, path.name))
            for path in mine[: len(mine) - KEPT]:
                path.unlink(missing_ok=True)


def open_records(
    data: bytes,
    vectors: bytes | None,
    name: str,
    policy: Policy,
    *,
    limits: Limits | None = None,
    stamps: Stamps | None = None,
) -> tuple[Store, Chronicle]:
    """``records_from_bytes``, judged unless a stamp says that this user judged these exact bytes before.

    Args:
        stamps: where to look, and where to leave a stamp once all was judged; None: judge, and leave none.

    Raises:
        SnapshotError, LimitReached: as ``records_from_bytes``.
    """
    verified = stamps is not None and stamps.has(data, vectors, policy)
    found = records_from_bytes(data, vectors, name, policy, limits=limits, verified=verified)
    if stamps is not None and not verified:
        stamps.add(data, vectors, policy)
    return found


def cache_directory(environ: Mapping[str, str], platform: str = sys.platform) -> Path | None:
    """Where ``CONTEXTMESH_CACHE`` says, or where the platform keeps a user's caches; None: nowhere."""
    given = environ.get(VARIABLE)
    if given is not None:
        return Path(given) if given else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if platform == "win32":
        local = environ.get("LOCALAPPDATA")
        return (Path(local) if local else home / "AppData" / "Local") / "contextmesh" / "Cache"
    if platform == "darwin":
        return home / "Library" / "Caches" / "contextmesh"
    base = Path(environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else home / ".cache") / "contextmesh"


def _stamp(data: bytes, vectors: bytes | None, policy: Policy) -> tuple[str, bytes]:
    """The name of the stamp, a digest of its text, and the text."""
    text = canonical(
        {
            "records": hashlib.sha256(data).hexdigest(),
            "vectors": None if vectors is None else hashlib.sha256(vectors).hexdigest(),
            "policy": policy.digest,
            "program": f"{VERSION}/{_CHECKS}",
        }
    ).encode("utf-8")
    return hashlib.sha256(text).hexdigest(), text


def _is_private(folder: Path) -> bool:
    """A real folder of this user that nobody else may write to."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and _is_mine(status)


def _is_own(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and _is_mine(status)


def _is_mine(status: os.stat_result) -> bool:
    """On Windows the folder of the user is guarded by its access list, which a mode does not show."""
    if os.name == "nt":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE
