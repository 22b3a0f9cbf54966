"""How many earlier generations stay beside the newest: one number in a small file that only this program reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contextmesh.base.errors import InputError, Problem, Refusal, SessionError, Where
from contextmesh.base.files import read_bytes, write_bytes
from contextmesh.session import files

KEEP = "session.keep"
DEFAULT = 1
MOST = 9_999
_SIZE = 16


def kept(directory: Path) -> int:
    """The number that was chosen for this directory; 1 when none was, or when the file does not hold one."""
    number = _number(directory)
    return DEFAULT if number is None else number


def holds_number(directory: Path) -> bool:
    """Whether the file holds what it should."""
    return _number(directory) is not None


def _number(directory: Path) -> int | None:
    try:
        text = read_bytes(directory / KEEP, limit=_SIZE, follow=False).decode("ascii", "replace").strip()
    except InputError:
        return None
    number = int(text) if text.isascii() and text.isdecimal() else MOST + 1
    return number if number <= MOST else None


def keep(directory: Path, number: int) -> None:
    """Choose it for every save from now on.

    Raises:
        SessionError: out-of-range, or unwritable-file.
    """
    require_number(number)
    files.identity(directory)
    if (directory / KEEP).is_symlink():
        message = f"{directory / KEEP} is a symbolic link that leads out of the session"
        where, hint = Where(str(directory / KEEP)), files.ask_doctor(directory)
        raise SessionError(Problem("linked-file", message, str(directory / KEEP), where=where, hint=hint))
    try:
        write_bytes(directory / KEEP, f"{number}\n".encode("ascii"))
    except InputError as error:
        raise SessionError(*error.problems) from None


def require_number(number: int) -> None:
    """Raises SessionError, ``out-of-range``, for a number that is none to choose."""
    if not 0 <= number <= MOST:
        message = f"{number} earlier generations cannot be kept"
        raise SessionError(Problem("out-of-range", message, "keep", hint=f"choose a number from 0 to {MOST}"))


@contextmanager
def keeping(directory: Path, number: int | None) -> Iterator[None]:
    """Choose it for a save and every later one; None leaves it. When the save is refused it is as it was.

    Raises:
        SessionError: as ``keep``.
    """
    before = _number(directory)
    if number is not None:
        keep(directory, number)
    try:
        yield
    except Refusal:
        if number is not None and before is not None:
            keep(directory, before)
        elif number is not None:
            files.remove(directory, KEEP)
        raise
