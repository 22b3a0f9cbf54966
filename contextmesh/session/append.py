"""Appending to a journal on the disk: in the pinned directory, through no link, acknowledged by one fsync."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from contextmesh.base.disk import disk, write_all
from contextmesh.base.errors import Problem, SessionError, Where
from contextmesh.session.files import ask_doctor
from contextmesh.session.journal import Lines, Position, decode, ends_at

_TAIL = 256


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of a generation, open to be appended to by whoever holds the writer lock.

    Attributes:
        name: the file as its user knows it.
        size: how long it was when it was opened.
    """

    descriptor: int
    name: str
    size: int

    def after(self, position: Position) -> Lines:
        """What others appended since a position, verified.

        Raises:
            SessionError: ``journal-broken``, when what was there is no longer; and as ``decode``.
        """
        start = max(0, position.size - _TAIL)
        data = self._read(start)
        known = data[: position.size - start]
        if self.size < position.size or not ends_at(known, position):
            message = f"{self.name} no longer holds what this session has seen in it"
            hint = "restore the file from a copy, or go back to an earlier generation"
            fields = (("line", position.lines), ("byte", position.size))
            raise SessionError(Problem("journal-broken", message, self.name, fields, Where(self.name), hint=hint))
        return decode(data[position.size - start :], position, self.name)

    def append(self, position: Position, data: bytes) -> None:
        """Write what follows a position, over a torn tail if there is one; on the disk when this returns.

        Raises:
            OSError: the disk refused. Then the journal ends where it did, if the disk lets that be done.
        """
        try:
            if self.size > position.size:
                disk().truncate(self.descriptor, position.size, self.name)
            os.lseek(self.descriptor, position.size, os.SEEK_SET)
            write_all(self.descriptor, data, self.name)
            disk().fsync(self.descriptor, self.name)
        except OSError:
            with suppress(OSError):
                disk().truncate(self.descriptor, position.size, self.name)
                disk().fsync(self.descriptor, self.name)
            raise

    def _read(self, start: int) -> bytes:
        os.lseek(self.descriptor, start, os.SEEK_SET)
        pieces: list[bytes] = []
        try:
            while piece := os.read(self.descriptor, 1 << 20):
                pieces.append(piece)
        except OSError as error:
            message = f"{self.name} cannot be read: {error.strerror}"
            raise SessionError(Problem("unreadable-file", message, self.name, where=Where(self.name))) from None
        return b"".join(pieces)


@contextmanager
def opened(directory: Path, identity: tuple[int, int], name: str, *, writing: bool = True) -> Iterator[Journal]:
    """A journal of the directory with this device and inode, wherever its path leads by now.

    Raises:
        SessionError: ``home-changed``, ``missing-file``, ``not-a-file``; ``linked-file``: under the name is a link, or
            the file has another name too, which a write would reach as well.
        OSError: the disk refused to open it.
    """
    path = directory / name
    if path.is_symlink():
        raise _refused("linked-file", path, "is a symbolic link, which is not followed here")
    flags = os.O_RDWR if writing else os.O_RDONLY
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    with _pinned(directory, identity) as dir_fd:
        try:
            make = disk().open if writing else os.open
            descriptor = make(name if dir_fd is not None else path, flags, dir_fd=dir_fd)
        except FileNotFoundError:
            raise _refused("missing-file", path, "does not exist") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _refused("not-a-file", path, "is not a regular file")
        if writing and status.st_nlink > 1:
            hint = "`contextmesh session save` writes a new generation, in files of its own"
            raise _refused("linked-file", path, "has a second name, and a write would change that file too", hint)
        yield Journal(descriptor, str(path), status.st_size)
    finally:
        os.close(descriptor)


@contextmanager
def _pinned(directory: Path, identity: tuple[int, int]) -> Iterator[int | None]:
    """The directory itself, where the system can open files relative to it."""
    if os.open not in os.supports_dir_fd:
        yield None
        return
    descriptor = os.open(directory, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) != identity:
            raise _refused("home-changed", directory, "is not the directory this session was loaded from any more")
        yield descriptor
    finally:
        os.close(descriptor)


def _refused(code: str, path: Path, what: str, hint: str | None = None) -> SessionError:
    hint = hint or ask_doctor(path.parent)
    return SessionError(Problem(code, f"{path} {what}", subject=str(path), where=Where(str(path)), hint=hint))
