"""Every operation that changes a file goes through one door, so that a test can break each of them in turn."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

SHARING = (5, 32, 33)
"""Windows: access denied, sharing violation, lock violation; what a reader or a scanner causes for a moment."""

PAUSES = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
"""Seconds between the tries of a rename that somebody's open file stands in the way of."""


class Disk:
    """The file system. ``before`` is called with the name of each operation and its file, and does nothing."""

    def before(self, operation: str, path: str) -> None:
        """Called before anything is done; an OSError raised here is what the operation raises."""

    def open(self, path: Path | str, flags: int, mode: int = 0o666, *, dir_fd: int | None = None) -> int:
        """A descriptor for writing; see ``os.open``."""
        self.before("open", str(path))
        return os.open(path, flags, mode, dir_fd=dir_fd)

    def write(self, descriptor: int, data: bytes | memoryview, path: str) -> int:
        """Writes some of the data and says how much."""
        self.before("write", path)
        return os.write(descriptor, data)

    def fsync(self, descriptor: int, path: str) -> None:
        self.before("fsync", path)
        os.fsync(descriptor)

    def truncate(self, descriptor: int, size: int, path: str) -> None:
        self.before("truncate", path)
        os.ftruncate(descriptor, size)

    def replace(self, source: Path, target: Path) -> None:
        """Renames over a name; tried again for a while where a file that somebody has open stands in the way."""
        for pause in (*PAUSES, None):
            try:
                self.before("replace", str(target))
                self.rename(source, target)
                return
            except OSError as error:
                if pause is None or getattr(error, "winerror", None) not in SHARING:
                    raise
            self.wait(pause)

    def rename(self, source: Path, target: Path) -> None:
        """One try of ``replace``."""
        source.replace(target)

    def unlink(self, path: Path) -> None:
        self.before("unlink", str(path))
        path.unlink(missing_ok=True)

    def chmod(self, path: Path, mode: int) -> None:
        self.before("chmod", str(path))
        path.chmod(mode)

    def make_folder(self, path: Path) -> None:
        """The folder and those above it; one that is there is fine."""
        if not path.is_dir():
            self.before("mkdir", str(path))
            path.mkdir(parents=True, exist_ok=True)

    def wait(self, seconds: float) -> None:
        sleep(seconds)


_REAL = Disk()
_in_use: list[Disk] = [_REAL]


def disk() -> Disk:
    """The file system in use."""
    return _in_use[-1]


@contextmanager
def using(other: Disk) -> Iterator[Disk]:
    """Inside, everything is written through another disk: one that is full, read-only, or slow to let go."""
    _in_use.append(other)
    try:
        yield other
    finally:
        _in_use.remove(other)


def write_all(descriptor: int, data: bytes, path: str) -> None:
    """All of the data, however little the system takes at a time.

    Raises:
        OSError: the disk refused, or takes nothing any more.
    """
    rest = memoryview(data)
    while rest:
        count = disk().write(descriptor, rest, path)
        if count <= 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)
        rest = rest[count:]
