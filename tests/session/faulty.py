"""Disks that fail: full ones, broken ones, read-only ones, slow ones, and one whose power is cut."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

from contextmesh.base.disk import Disk

Record = Callable[[], object]


class Counting(Disk):
    """Counts operations."""

    def __init__(self) -> None:
        self.log: list[tuple[str, str]] = []

    def before(self, operation: str, path: str) -> None:
        self.log.append((operation, Path(path).name))


class Failing(Disk):
    """Refuses the operation of a number, or every one from there on; a write may take a part of the data first.

    Attributes:
        healed: set to let everything through again.
    """

    def __init__(self, at: int, error: int, *, lasting: bool = False, short: bool = False) -> None:
        self.at, self.error, self.lasting, self.short = at, error, lasting, short
        self.count = 0
        self.healed = False

    def before(self, operation: str, path: str) -> None:
        self.count += 1
        if self._fails() and not (self.short and operation == "write"):
            raise OSError(self.error, os.strerror(self.error), path)

    def write(self, descriptor: int, data: bytes | memoryview, path: str) -> int:
        self.before("write", path)
        if self._fails() and self.short:
            taken = os.write(descriptor, data[: len(data) // 2])
            if not taken or len(data) < 40:
                raise OSError(self.error, os.strerror(self.error), path)
            self.at = self.count + 1  # and refuses the rest
            return taken
        return os.write(descriptor, data)

    def _fails(self) -> bool:
        return not self.healed and (self.count == self.at or (self.lasting and self.count >= self.at))


class Trickling(Disk):
    """Takes a few bytes at a time."""

    def write(self, descriptor: int, data: bytes | memoryview, path: str) -> int:
        return os.write(descriptor, data[:97])


class ReadOnly(Disk):
    """A file system that was mounted read-only."""

    def before(self, operation: str, path: str) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)


class PowerCut(BaseException):
    """The power went."""


class Unsafe(Disk):
    """Keeps nothing for long that was not synced: when the power goes, it is as if it was never done.

    A file keeps what it held when it was last synced; a folder its names of then.
    """

    def __init__(self, at: int) -> None:
        self.at = self.count = 0
        self.at = at
        self._synced: dict[tuple[int, int], tuple[str, bytes]] = {}
        self._undo: list[Record] = []

    def before(self, operation: str, path: str) -> None:
        self.count += 1
        if self.count == self.at:
            raise PowerCut

    def open(self, path: Path | str, flags: int, mode: int = 0o666, *, dir_fd: int | None = None) -> int:
        descriptor = super().open(path, flags, mode, dir_fd=dir_fd)
        status = os.fstat(descriptor)
        key = (status.st_dev, status.st_ino)
        if key not in self._synced:
            self._synced[key] = (str(path), self._content(descriptor))
        return descriptor

    def fsync(self, descriptor: int, path: str) -> None:
        super().fsync(descriptor, path)
        status = os.fstat(descriptor)
        if Path(path).is_dir():
            self._undo.clear()
        else:
            self._synced[status.st_dev, status.st_ino] = (path, self._content(descriptor))

    def rename(self, source: Path, target: Path) -> None:
        before = self._kept(target)
        super().rename(source, target)
        self._undo.append(before)

    def unlink(self, path: Path) -> None:
        before = self._kept(path)
        super().unlink(path)
        self._undo.append(before)

    def cut(self, directory: Path) -> None:
        """What is left when the power is back."""
        for path in directory.iterdir():
            status = path.stat()
            held = self._synced.get((status.st_dev, status.st_ino))
            if held is not None and path.is_file():
                path.write_bytes(held[1])
        for undo in reversed(self._undo):
            undo()

    def _kept(self, path: Path) -> Record:
        if not path.exists():
            return lambda: path.unlink(missing_ok=True)
        status, data = path.stat(), path.read_bytes()
        held = self._synced.get((status.st_dev, status.st_ino))
        content = held[1] if held is not None else data
        return lambda: path.write_bytes(content)

    @staticmethod
    def _content(descriptor: int) -> bytes:
        with Path(f"/proc/self/fd/{descriptor}").open("rb") as file:
            return file.read()
