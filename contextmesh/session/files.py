"""A session directory on disk: contained names, whole writes, and which generations are there."""

from __future__ import annotations

import os
import shlex
import stat
from contextlib import suppress
from pathlib import Path

from contextmesh.base.disk import disk
from contextmesh.base.errors import InputError, Problem, SessionError, Where
from contextmesh.base.files import SIZE, is_staged, read_bytes, stage_bytes, sync_folder
from contextmesh.session.manifest import POINTER, generation_of, numbered

PRIVATE = 0o600
MANIFEST_SIZE = 1 << 20


def identity(directory: Path) -> tuple[int, int]:
    """Device and inode of a directory.

    Raises:
        SessionError: no-session, not-a-folder.
    """
    name = str(directory)
    try:
        status = directory.stat()
    except (OSError, ValueError):
        hint = "`contextmesh init DIR` makes one"
        message = f"{name} does not exist"
        raise SessionError(Problem("no-session", message, name, where=Where(name), hint=hint)) from None
    if not stat.S_ISDIR(status.st_mode):
        message = f"{name} is not a folder, so it holds no session"
        raise SessionError(Problem("not-a-folder", message, subject=name, where=Where(name)))
    return status.st_dev, status.st_ino


def generations(directory: Path) -> tuple[int, ...]:
    """The generations whose manifests are there as regular files, newest first."""
    return tuple(number for number, linked in _manifests(directory) if not linked)


def newest(directory: Path) -> int | None:
    """The newest generation, or None when no numbered manifest is there.

    Raises:
        SessionError: linked-file: under the newest name is a symbolic link, so somebody else decides what it says.
    """
    for number, linked in _manifests(directory):
        if linked:
            raise SessionError(_link(str(directory / numbered("session", number))))
        return number
    return None


def latest(directory: Path) -> int | None:
    """The newest number that a manifest's name says, be it a link or not; None when there is no numbered one."""
    return next((number for number, _ in _manifests(directory)), None)


def read_member(directory: Path, name: str, *, limit: int = SIZE) -> bytes:
    """The bytes of a file of this directory; a link is followed only to a place inside it.

    Raises:
        SessionError: missing-file, not-a-file, unreadable-file, too-large, or linked-file.
    """
    path = directory / name
    try:
        if path.is_symlink() and _real(path).parent != _real(directory):
            raise SessionError(_link(str(path)))
        return read_bytes(path, limit=limit)
    except InputError as error:
        raise SessionError(*error.problems) from None


def read_pointer(directory: Path, *, limit: int = SIZE) -> bytes:
    """The bytes of ``session.json``, which alone may be a link, wherever it leads.

    Raises:
        SessionError: as ``read_member``.
    """
    target = _real(directory / POINTER)
    return read_member(target.parent, target.name, limit=limit)


def publish(directory: Path, name: str, data: bytes) -> None:
    """A whole private file under this name: fresh, written, synced, renamed.

    Raises:
        OSError: the disk refused.
    """
    staged = stage_bytes(directory / name, data, mode=PRIVATE)
    try:
        disk().chmod(staged, PRIVATE)
        disk().replace(staged, directory / name)
    except OSError:
        with suppress(OSError):
            disk().unlink(staged)
        raise


def sync(directory: Path) -> None:
    """Makes the renames of this directory last."""
    sync_folder(directory)


def remove(directory: Path, name: str) -> None:
    """Deletes a regular file of this directory; anything else under the name is let be."""
    path = directory / name
    if path.is_symlink() or not path.is_file():
        return
    disk().unlink(path)


def staged_names(directory: Path) -> tuple[str, ...]:
    """Fresh files that interrupted writers left behind."""
    with os.scandir(directory) as entries:
        return tuple(sorted(e.name for e in entries if is_staged(e.name) and e.is_file(follow_symlinks=False)))


def has_session(directory: Path) -> bool:
    """Whether anything under this path is or may be a session's manifest."""
    return bool(_manifests(directory)) or (directory / POINTER).exists()


def _manifests(directory: Path) -> list[tuple[int, bool]]:
    """Number, and whether it is a link, of each numbered manifest, newest first."""
    found = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                number = generation_of(entry.name)
                if number is not None and (entry.is_symlink() or entry.is_file(follow_symlinks=False)):
                    found.append((number, entry.is_symlink()))
    except OSError as error:
        name = str(directory)
        message = f"{name} cannot be listed: {error.strerror}"
        raise SessionError(Problem("unreadable-file", message, subject=name, where=Where(name))) from None
    return sorted(found, reverse=True)


def _real(path: Path) -> Path:
    """Where a path leads; ``Path.resolve`` raises for a link that leads to itself."""
    return Path(os.path.realpath(path))


def ask_doctor(directory: Path) -> str:
    """What to do about a file of a session that cannot be used."""
    return f"`contextmesh doctor --session {shlex.quote(str(directory))}` tells what is wrong, and how it is mended"


def _link(name: str) -> Problem:
    message = f"{name} is a symbolic link that leads out of the session"
    return Problem("linked-file", message, subject=name, where=Where(name))
