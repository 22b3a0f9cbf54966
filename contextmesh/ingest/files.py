"""From named paths to texts: which files, in which order, and every reason why one is not read."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from contextmesh.base.errors import InputError, Problem
from contextmesh.ingest.documents import Skipped

STDIN = "-"
_PASSED_OVER = frozenset(("__pycache__", "node_modules"))


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What is read at most: bytes of a document and of a line, files of one call, rows (and bad rows) of a file."""

    file_bytes: int = 8 << 20
    line_bytes: int = 1 << 20
    files: int = 100_000
    rows: int = 5_000_000
    bad_rows: int = 10_000


@dataclass(frozen=True, slots=True)
class Found:
    """A file to be read.

    Attributes:
        path: where it is; ``-`` for standard input.
        origin: how the user would name it.
        name: the folder it was found under and its path in it: the same from wherever it is named.
        named: the user named the file itself, not a folder around it.
    """

    path: Path
    origin: str
    name: str
    named: bool


def find_files(paths: Iterable[str | Path], limits: ReadLimits) -> Iterator[Found | Skipped]:
    """Every file under the named paths, in the order of the paths, those of a folder sorted by name.

    Names that start with a point are passed over. A link is followed when it stays inside the named folder.

    Raises:
        InputError: missing-path, for every named path that does not exist, before anything is read.
    """
    named = [str(path) for path in paths]
    missing = [name for name in named if name != STDIN and not os.path.lexists(name)]
    if missing:
        raise InputError.of(
            Problem("missing-path", f"{name} does not exist", subject=name, hint="check the spelling of the path")
            for name in missing
        )
    return _bounded(_each(named), limits)


def _bounded(found: Iterator[Found | Skipped], limits: ReadLimits) -> Iterator[Found | Skipped]:
    count = 0
    for item in found:
        if isinstance(item, Found) and not _is_text(item.origin + item.name):
            shown = item.origin.encode("utf-8", "backslashreplace").decode()
            yield Skipped(shown, "bad-name", "the name of the file is not UTF-8")
            continue
        count += isinstance(item, Found)
        if count > limits.files:
            message = f"more than {limits.files} files; what follows was not read"
            yield Skipped(item.origin if isinstance(item, Found) else item.path, "too-many-files", message)
            return
        yield item


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _each(named: Sequence[str]) -> Iterator[Found | Skipped]:
    for name in named:
        if name == STDIN:
            yield Found(Path(STDIN), "<stdin>", "stdin", named=True)
            continue
        path = Path(name)
        if path.is_dir():
            root = path.resolve()
            yield from _folder(path, root, root.name or "root", {})
        else:
            whole = path.parent.resolve() / path.name
            yield Found(path, path.as_posix(), f"{whole.parent.name or 'root'}/{whole.name}", named=True)


def _folder(folder: Path, root: Path, label: str, above: dict[tuple[int, int], None]) -> Iterator[Found | Skipped]:
    """The files of a folder and below; ``above`` holds the folders it lies in, so that a loop of links ends."""
    stack: list[tuple[Path, str, dict[tuple[int, int], None]]] = [(folder, label, above)]
    while stack:
        here, name, around = stack.pop()
        try:
            status = here.stat()
            entries = sorted(entry.name for entry in here.iterdir())
        except OSError as error:
            yield Skipped(here.as_posix(), "unreadable", f"the folder cannot be read: {error.strerror}")
            continue
        if (status.st_dev, status.st_ino) in around:
            yield Skipped(here.as_posix(), "directory-loop", "the link leads to a folder that it lies in")
            continue
        inside = {**around, (status.st_dev, status.st_ino): None}
        below = []
        for entry in entries:
            if entry.startswith(".") or entry in _PASSED_OVER:
                continue
            path = here / entry
            if path.is_symlink() and not path.exists():
                yield Skipped(path.as_posix(), "unreadable", "the link leads to nothing")
            elif path.is_symlink() and not _stays(path, root):
                yield Skipped(path.as_posix(), "outside-folder", "the link leads out of the folder that was named")
            elif path.is_dir():
                below.append((path, f"{name}/{entry}", inside))
            else:
                yield Found(path, path.as_posix(), f"{name}/{entry}", named=False)
        stack.extend(reversed(below))


def _stays(path: Path, root: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def open_file(found: Found) -> BinaryIO | Skipped:
    """The bytes of a regular file, or of standard input; a pipe or device is never waited for."""
    if found.name == "stdin" and str(found.path) == STDIN:
        return sys.stdin.buffer
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(found.path, flags)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return Skipped(found.origin, "unreadable", f"cannot be opened: {why}")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return Skipped(found.origin, "not-a-file", "is a pipe, a socket or a device, not a file")
    return os.fdopen(descriptor, "rb")


def read_text(found: Found, file: BinaryIO, limits: ReadLimits) -> str | Skipped:
    """The whole text: UTF-8, without a byte order mark, lines ended by ``\\n``."""
    try:
        data = file.read(limits.file_bytes + 1)
    except OSError as error:
        return Skipped(found.origin, "unreadable", f"cannot be read: {error.strerror}")
    if len(data) > limits.file_bytes:
        return Skipped(found.origin, "file-too-large", f"is larger than {limits.file_bytes} bytes")
    if not data.strip():
        return Skipped(found.origin, "empty-file", "holds no text")
    if b"\x00" in data[:65536]:
        return Skipped(found.origin, "binary-file", "holds bytes that no text has")
    text = decode(data)
    if isinstance(text, int):
        line = data.count(b"\n", 0, text) + 1
        return Skipped(f"{found.origin}:{line}", "not-utf-8", f"byte {text} is not UTF-8; save the file as UTF-8")
    if "\x00" in text:
        return Skipped(found.origin, "binary-file", "holds bytes that no text has")
    longest = max(map(len, text.split("\n")))
    if longest > limits.line_bytes:
        return Skipped(found.origin, "line-too-long", f"has a line of {longest} characters")
    return text if text.strip() else Skipped(found.origin, "empty-file", "holds no text")


def decode(data: bytes) -> str | int:
    """The text of UTF-8 bytes, or the offset of the first byte that is none."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return error.start
    return text.replace("\r\n", "\n").replace("\r", "\n")
