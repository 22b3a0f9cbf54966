"""One writer at a time: a lock the kernel holds on one file that is never deleted, so it ends with its process."""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contextmesh.base.errors import InputError, Problem, SessionError, SessionLockedError, Where
from contextmesh.base.files import read_bytes, write_bytes

LOCK = "session.lock"
HOLDER = "session.lock.meta"
_MODE = 0o644
_HOLDER_SIZE = 4096


@contextmanager
def writer_lock(directory: Path) -> Iterator[None]:
    """Holds the directory for writing, and says in two small files who does.

    Raises:
        SessionLockedError: locked, with the holder's pid and host.
        SessionError: not-a-file, unwritable-file: the lock file is not what it should be.
    """
    descriptor = _open(directory / LOCK)
    try:
        if not _lock(descriptor):
            raise SessionLockedError(_held(directory))
        try:
            _say_who(directory, descriptor)
            yield
        finally:
            _unlock(descriptor)
    finally:
        os.close(descriptor)


def _say_who(directory: Path, descriptor: int) -> None:
    """In the lock file, and in a file of its own that can be read while the lock is held everywhere."""
    holder = (json.dumps({"pid": os.getpid(), "host": socket.gethostname()}) + "\n").encode("utf-8")
    try:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, holder)
        write_bytes(directory / HOLDER, holder, mode=_MODE)
    except OSError as error:
        name = str(directory / LOCK)
        message = f"{name} cannot be written: {error.strerror}"
        raise SessionError(Problem("unwritable-file", message, subject=name, where=Where(name))) from None
    except InputError as error:
        raise SessionError(*error.problems) from None


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    flags |= getattr(os, "O_NONBLOCK", 0)
    name = str(path)
    try:
        descriptor = os.open(path, flags, _MODE)
    except OSError as error:
        message = f"{name} cannot be opened for locking: {error.strerror}"
        raise SessionError(Problem("unwritable-file", message, subject=name, where=Where(name))) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SessionError(Problem("not-a-file", f"{name} is not a regular file", subject=name, where=Where(name)))
    return descriptor


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _held(directory: Path) -> Problem:
    holder = _holder(directory)
    pid, host = holder.get("pid"), holder.get("host")
    known = isinstance(pid, int) and isinstance(host, str)
    who = f"process {pid} on {host}" if known else "another writer"
    return Problem(
        "locked",
        f"{who} is writing to {directory}",
        subject=str(directory),
        fields=(("pid", pid if isinstance(pid, int) else None), ("host", host if isinstance(host, str) else None)),
        where=Where(str(directory)),
        hint="try again when it has finished; the lock ends with its process",
    )


def _holder(directory: Path) -> dict[str, Any]:
    """Whoever the holder's file names; nothing when it cannot be read."""
    try:
        value = json.loads(read_bytes(directory / HOLDER, limit=_HOLDER_SIZE, follow=False))
    except (InputError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
