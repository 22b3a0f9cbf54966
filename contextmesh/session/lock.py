"""One writer at a time: a lock the kernel holds on one file that is never deleted, so it ends with its process."""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager as Context
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from contextmesh.base.disk import disk, write_all
from contextmesh.base.errors import InputError, Problem, SessionError, SessionLockedError, Where
from contextmesh.base.files import read_bytes, write_bytes
from contextmesh.session.files import ask_doctor
from contextmesh.session.turn import Turn

LOCK = "session.lock"
HOLDER = "session.lock.meta"
LONGEST = 86_400.0
"""Seconds that a writer may wait at most."""

_MODE = 0o644
_HOLDER_SIZE = 4096
_FIRST_PAUSE, _LAST_PAUSE = 0.001, 0.005


@dataclass(frozen=True, slots=True)
class Held:
    """The right to write, for as long as the block that gave it lasts.

    Attributes:
        directory: as it was named.
        device, inode: of the lock file, which is never deleted.
    """

    directory: Path
    device: int
    inode: int


@contextmanager
def writer_lock(
    directory: Path,
    *,
    wait: float = 0.0,
    clock: Callable[[], float] = monotonic,
    pause: Callable[[float], object] = sleep,
) -> Iterator[Held]:
    """Holds the directory for writing, and says in two small files who does.

    Args:
        wait: how many seconds to queue for it while another writer holds it; it is tried again after pauses that grow,
            and by one of those that queue at a time (see ``turn``).

    Raises:
        SessionLockedError: locked, with the holder's pid and host.
        SessionError: not-a-file, linked-file, unwritable-file: the lock file is not what it should be.
        InputError: ``out-of-range``: no number of seconds that can be waited.
    """
    if not 0.0 <= wait <= LONGEST:
        message = f"a writer waits from 0 to {LONGEST:.0f} seconds, not {wait}"
        raise InputError(Problem("out-of-range", message, subject="wait"))
    descriptor = _open(directory / LOCK)
    try:
        _queue(directory, descriptor, wait, clock, pause)
        try:
            _say_who(directory, descriptor)
            status = os.fstat(descriptor)
            yield Held(directory, status.st_dev, status.st_ino)
        finally:
            _unlock(descriptor)
    finally:
        os.close(descriptor)


def held_or_locked(directory: Path, held: Held | None, wait: float) -> Context[Held]:
    """The lock that the caller holds already, or a new one.

    Raises:
        SessionError: ``home-changed``: what is held is the lock of another directory.
    """
    if held is None:
        return writer_lock(directory, wait=wait)
    try:
        status = (directory / LOCK).lstat()
    except OSError:
        status = None
    if status is None or (status.st_dev, status.st_ino) != (held.device, held.inode):
        message = f"{directory} is not the directory whose lock is held"
        raise SessionError(Problem("home-changed", message, subject=str(directory), where=Where(str(directory))))
    return nullcontext(held)


def _queue(
    directory: Path,
    descriptor: int,
    wait: float,
    clock: Callable[[], float],
    pause: Callable[[float], object],
) -> None:
    if wait <= 0:
        if not _lock(descriptor):
            raise SessionLockedError(_held(directory, ", or queue for it (`--wait SECONDS`)"))
        return
    begun, step = clock(), _FIRST_PAUSE
    turn = Turn(directory)
    try:
        while not (turn.has_come(clock() - begun) and _lock(descriptor)):
            left = begun + wait - clock()
            if left <= 0:
                raise SessionLockedError(_held(directory, ", or queue for longer"))
            pause(min(step, left))
            step = min(step * 2, _LAST_PAUSE)
    finally:
        turn.close()


def _say_who(directory: Path, descriptor: int) -> None:
    """In the lock file, and in a file of its own that can be read while the lock is held everywhere.

    Neither need outlast a crash, and a writer that was the last one too has nothing to say.
    """
    holder = (json.dumps({"pid": os.getpid(), "host": socket.gethostname()}) + "\n").encode("utf-8")
    name = str(directory / LOCK)
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        if os.read(descriptor, _HOLDER_SIZE) == holder and _file(directory) == holder:
            return
        disk().truncate(descriptor, 0, name)
        os.lseek(descriptor, 0, os.SEEK_SET)
        write_all(descriptor, holder, name)
    except OSError as error:
        message = f"{name} cannot be written: {error.strerror}"
        raise SessionError(Problem("unwritable-file", message, subject=name, where=Where(name))) from None
    with suppress(InputError, OSError):  # it informs, and no more
        write_bytes(directory / HOLDER, holder, mode=_MODE, lasting=False)


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    flags |= getattr(os, "O_NONBLOCK", 0)
    name = str(path)
    try:
        descriptor = disk().open(path, flags, _MODE)
    except OSError as error:
        if path.is_symlink():
            message = f"{name} is a symbolic link, which is not followed here"
            hint = ask_doctor(path.parent)
            raise SessionError(Problem("linked-file", message, subject=name, where=Where(name), hint=hint)) from None
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


def held_by(directory: Path) -> Problem | None:
    """Who is writing at this moment, as a writer would be refused; None when nobody is. Nothing is written."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(directory / LOCK, flags)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        if not _lock(descriptor):
            return _held(directory)
        _unlock(descriptor)
        return None
    finally:
        os.close(descriptor)


def _held(directory: Path, otherwise: str = "") -> Problem:
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
        hint=f"try again when it has finished{otherwise}; the lock ends with its process",
    )


def _holder(directory: Path) -> dict[str, Any]:
    """Whoever the holder's file names; nothing when it cannot be read."""
    try:
        value = json.loads(_file(directory))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _file(directory: Path) -> bytes:
    try:
        return read_bytes(directory / HOLDER, limit=_HOLDER_SIZE, follow=False)
    except InputError:
        return b""
