"""Whole files: read within a limit and only when they are files, written so that no reader sees half of one."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from contextmesh.base.disk import disk, write_all
from contextmesh.base.errors import InputError, Problem, Where

SIZE = 1 << 30
"""The most bytes a file may have unless its reader says otherwise."""

_PIECE = 1 << 20


def read_bytes(path: Path, *, limit: int = SIZE, follow: bool = True) -> bytes:
    """The bytes of a regular file.

    Args:
        limit: the most bytes to accept.
        follow: whether the last part of the path may be a symbolic link.

    Raises:
        InputError: missing-file, unreadable-file, not-a-file (a folder, pipe or device, or a link not to be
            followed) or too-large.
    """
    descriptor, size = _opened(path, follow)
    with os.fdopen(descriptor, "rb") as file:
        try:
            data = _read(file, size, limit) if size <= limit else None
        except OSError as error:
            raise _unreadable("unreadable-file", f"{path} cannot be read: {error.strerror}", str(path)) from None
    if data is None or len(data) > limit:
        raise _unreadable("too-large", f"{path} is larger than {limit} bytes", str(path))
    return data


def read_start(path: Path, size: int) -> bytes:
    """So many of the first bytes of a regular file, or all of a shorter one.

    Raises:
        InputError: as ``read_bytes``, but for too-large.
    """
    descriptor, _ = _opened(path, follow=True)
    with os.fdopen(descriptor, "rb") as file:
        try:
            return file.read(size)
        except OSError as error:
            raise _unreadable("unreadable-file", f"{path} cannot be read: {error.strerror}", str(path)) from None


def _opened(path: Path, follow: bool) -> tuple[int, int]:
    """A descriptor of a regular file, which is never waited for, and how long the file says it is."""
    name = str(path)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    if not follow and path.is_symlink():
        raise _unreadable("not-a-file", f"{name} is a symbolic link, which is not followed here", name)
    try:
        descriptor = os.open(path, flags if follow else flags | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        raise _unreadable("missing-file", f"{name} does not exist", name) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise _unreadable("unreadable-file", f"{name} cannot be opened: {why}", name) from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise _unreadable("not-a-file", f"{name} is not a regular file", name)
    return descriptor, status.st_size


def _read(file: BinaryIO, size: int, limit: int) -> bytes:
    """All of it, or one byte more than the limit; memory is asked for by what is there, never by the limit."""
    pieces = [file.read(size + 1)]
    found = len(pieces[0])
    while size < found <= limit and pieces[-1]:  # it grew, or its size is not told
        pieces.append(file.read(min(_PIECE, limit + 1 - found)))
        found += len(pieces[-1])
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def write_bytes(path: Path, data: bytes, *, mode: int = 0o666, lasting: bool = True) -> None:
    """Replaces a file by a whole new one: a fresh file beside it, written, synced, then renamed over the name.

    Args:
        mode: the permissions of a new file, before the umask.
        lasting: whether it must be on the disk when this returns; what only informs need not.

    Raises:
        InputError: unwritable-file; what was there stays as it was.
    """
    staged: Path | None = None
    try:
        staged = stage_bytes(path, data, mode=mode, lasting=lasting)
        disk().replace(staged, path)
        if lasting:
            sync_folder(path.parent)
    except (OSError, ValueError) as error:
        if staged is not None:
            with suppress(OSError):
                disk().unlink(staged)
        why = getattr(error, "strerror", None) or str(error)
        message = f"{path} cannot be written: {why}"
        raise InputError(Problem("unwritable-file", message, subject=str(path), where=Where(str(path)))) from None


def write_out(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """``write_bytes`` under a name that a person gave: a link, a device or a pipe is not replaced by a file.

    Raises:
        InputError: unwritable-file; what was there stays as it was.
    """
    try:
        there = path.lstat().st_mode
    except (OSError, ValueError):
        there = stat.S_IFREG  # nothing is there, or the write itself says why it cannot be
    if not (stat.S_ISREG(there) or stat.S_ISDIR(there)):
        kind = "a symbolic link" if stat.S_ISLNK(there) else "a device, pipe or socket"
        hint = "name a file; what is written to stdout may go anywhere"
        message = f"{path} cannot be written: it is {kind}, which is not replaced"
        raise InputError(Problem("unwritable-file", message, str(path), where=Where(str(path)), hint=hint))
    write_bytes(path, data, mode=mode)


def stage_bytes(path: Path, data: bytes, *, mode: int = 0o666, lasting: bool = True) -> Path:
    """A fresh file with this content on the disk beside ``path``, to be renamed over it; removed again on an error."""
    staged, descriptor = _fresh(path, mode)
    try:
        try:
            write_all(descriptor, data, str(staged))
            if lasting:
                disk().fsync(descriptor, str(staged))
        finally:
            os.close(descriptor)
    except BaseException:
        with suppress(OSError):
            disk().unlink(staged)
        raise
    return staged


def sync_folder(folder: Path) -> None:
    """Makes renames in a folder last, where the system can do that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        disk().fsync(descriptor, str(folder))
    finally:
        os.close(descriptor)


def is_staged(name: str) -> bool:
    """Whether a file name is one that ``stage_bytes`` gives."""
    return name.startswith(_STAGED[0]) and name.endswith(_STAGED[1])


_STAGED = (".staging-", ".tmp")


def _fresh(path: Path, mode: int) -> tuple[Path, int]:
    """A new file whose name no other writer of this moment has: process and a count, never chance."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    count = 0
    while True:
        staged = path.parent / f"{_STAGED[0]}{path.name}-{os.getpid()}-{count}{_STAGED[1]}"
        try:
            return staged, disk().open(staged, flags | getattr(os, "O_CLOEXEC", 0), mode)
        except FileExistsError:
            count += 1


def _unreadable(code: str, message: str, name: str) -> InputError:
    return InputError(Problem(code, message, subject=name, where=Where(name)))
