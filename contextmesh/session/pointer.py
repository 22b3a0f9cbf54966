"""What ``session.json`` still says of a generation whose own manifest is lost, damaged or exchanged for a link.

A commit writes the numbered manifest first, so a pointer may be older than the newest one, and never newer.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from contextmesh.base.errors import Problem, Refusal, SessionError, Where
from contextmesh.base.fields import Fault
from contextmesh.base.strict import parse
from contextmesh.session.files import MANIFEST_SIZE, latest, read_member, read_pointer
from contextmesh.session.manifest import POINTER, Manifest, numbered, read_manifest


@dataclass(frozen=True, slots=True)
class Pointer:
    """A whole manifest under the name ``session.json``, which is no link.

    Attributes:
        stated: its bytes.
    """

    manifest: Manifest
    stated: bytes

    @property
    def generation(self) -> int:
        return self.manifest.generation


def pointer(directory: Path) -> Pointer | None:
    """What ``session.json`` holds; None when it is a link, is not there, or is no manifest."""
    path = directory / POINTER
    try:
        if path.is_symlink():
            return None
        data = read_pointer(directory, limit=MANIFEST_SIZE)
        document = parse(data, str(path), limit=MANIFEST_SIZE, refusal=SessionError)
        return Pointer(read_manifest(document, None), data)
    except (Refusal, Fault):
        return None


def alone(directory: Path, held: Pointer | None) -> bool:
    """Whether this is the only manifest of its generation: what is under the numbered name is none, or not here.

    A generation of which no file is left is nobody's: nothing would be lost with its manifest.
    """
    if held is None or not any((directory / name).exists() for name in held.manifest.files):
        return False
    path = directory / held.manifest.name
    try:
        if path.is_symlink():
            return True
        data = read_member(directory, held.manifest.name, limit=MANIFEST_SIZE)
        document = parse(data, str(path), limit=MANIFEST_SIZE, refusal=SessionError)
        read_manifest(document, None, generation=held.generation)
    except (Refusal, Fault):
        return True
    return False


def copied(directory: Path, source: str, name: str) -> str:
    """The command that puts a copy of one file of the directory under another name, and writes through no link."""
    file = directory / name
    command = f"cp -- {shlex.quote(str(directory / source))} {shlex.quote(str(file))}"
    if file.is_symlink() or (file.exists() and not file.is_file()):  # a copy would go where the link leads
        folder = file.is_dir() and not file.is_symlink()
        command = f"rm {'-r ' if folder else ''}-- {shlex.quote(str(file))} && {command}"
    return command


def ahead(directory: Path) -> Problem | None:
    """That ``session.json`` is newer than every numbered manifest, so that of its own generation is lost."""
    held = pointer(directory)  # before the others are listed: a commit in between must not look like this
    newest = latest(directory)
    if held is None or newest is None or held.generation <= newest:
        return None
    path, lost = directory / POINTER, held.manifest.name
    if alone(directory, held):
        command = copied(directory, POINTER, lost)
    else:
        command = copied(directory, numbered("session", newest), POINTER)
    message = f"{path} says generation {held.generation}, and {lost} is not there: generation {newest} is read"
    return Problem(
        "pointer-differs",
        message,
        str(path),
        (("stated", held.generation), ("newest", newest)),
        Where(str(path)),
        note="what is written now would take the place of that generation",
        hint=f"`{command}` mends it",
    )


def require_not_ahead(directory: Path) -> None:
    """Refuses to write on top of an older generation than the last that was committed.

    Raises:
        SessionError: ``pointer-differs``.
    """
    problem = ahead(directory)
    if problem is not None:
        raise SessionError(problem)
