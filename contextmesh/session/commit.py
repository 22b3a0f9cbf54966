"""Saving a session: whole files first, then the manifest that names them, under a name that never existed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from contextmesh.base.canon import pretty_bytes
from contextmesh.base.errors import Problem, Refusal, SessionError, Where
from contextmesh.policy import Policy
from contextmesh.session import files
from contextmesh.session.digests import digests_bytes, digests_name
from contextmesh.session.keep import kept
from contextmesh.session.load import find_manifest, read_generation
from contextmesh.session.lock import writer_lock
from contextmesh.session.manifest import POINTER, VERSION, Manifest, numbered
from contextmesh.session.state import Home, SessionState
from contextmesh.store.snapshot import graph_to_bytes


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save did.

    Attributes:
        state: the session, now at home where it was saved.
        written: the files of the new generation; empty when nothing had changed and nothing was written.
    """

    state: SessionState
    written: tuple[str, ...]

    @property
    def generation(self) -> int:
        return self.state.generation


def save(directory: Path | str, state: SessionState, *, replace_session: bool = False) -> Saved:
    """Commits the session as the next generation of a directory; an unchanged session writes nothing.

    Args:
        replace_session: commit on top of a session that this one was not loaded from, or that moved on since.

    Raises:
        SessionLockedError: locked: another writer is at it.
        SessionError: stale-session, session-exists, home-changed, not-a-folder, unwritable-file; nothing changed.
    """
    directory = Path(directory)
    at_home = _at_home(directory, state)
    parts = _parts(state)
    if at_home and _unchanged(directory, state, parts):
        return Saved(state, ())
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SessionError(_unwritable(directory, error)) from None
    files.identity(directory)
    with writer_lock(directory):
        current = _current(directory, state.graph.policy)
        if not replace_session:
            _require_ours(directory, state, at_home, current)
        return _commit(directory, state, parts, current + 1)


def _commit(directory: Path, state: SessionState, parts: dict[str, bytes], generation: int) -> Saved:
    names = {kind: numbered(kind, generation) for kind in parts}
    manifest = Manifest(
        generation,
        state.rounds,
        state.walker,
        names["graph"],
        names["resolver"],
        names.get("execution"),
        names.get("runledger"),
        state.carried.ledger_head if state.carried is not None else None,
    )
    outgoing = _outgoing(directory, state.graph.policy, generation)
    contents = {names[kind]: data for kind, data in parts.items()}
    stated = pretty_bytes(manifest.to_json())
    try:
        for name, data in contents.items():
            files.publish(directory, name, data)
        files.publish(directory, manifest.name, stated)  # the commit
    except OSError as error:
        for name in contents:
            with suppress(OSError):
                files.remove(directory, name)
        raise SessionError(_unwritable(directory, error)) from None
    # What follows makes the generation easier to find and to check; it stands without.
    with suppress(OSError):
        files.publish(directory, digests_name(generation), digests_bytes(generation, contents))
        files.publish(directory, POINTER, stated)
        files.sync(directory)
        for name in outgoing:
            files.remove(directory, name)
    home = Home(directory, *files.identity(directory), generation)
    saved = replace(state, home=home, manifest=manifest)
    return Saved(saved, (*contents, manifest.name))


def _parts(state: SessionState) -> dict[str, bytes]:
    """The companions of a generation by kind, in the order in which they are written."""
    parts = {"graph": graph_to_bytes(state.graph.store), "resolver": pretty_bytes(state.resolver.to_json())}
    if state.carried is not None:
        parts["execution"] = state.carried.execution
        parts["runledger"] = state.carried.ledger
    return parts


def _at_home(directory: Path, state: SessionState) -> bool:
    """Whether this is the directory the session was loaded from or last saved to.

    Raises:
        SessionError: home-changed: it was, and another directory is there now.
    """
    home = state.home
    if home is None:
        return False
    same = directory.is_dir() and files.identity(directory) == (home.device, home.inode)
    if not same and home.path.absolute() == directory.absolute():
        message = f"{directory} is not the directory this session was loaded from any more"
        hint = "save it to another directory, or load the one that is there now"
        raise SessionError(Problem("home-changed", message, str(directory), where=Where(str(directory)), hint=hint))
    return same


def _unchanged(directory: Path, state: SessionState, parts: dict[str, bytes]) -> bool:
    """Whether the newest generation of the home already holds exactly this, in a manifest of the version we write."""
    manifest, home = state.manifest, state.home
    assert home is not None, "asked of a session at home"
    if manifest is None or (manifest.walker, manifest.rounds) != (state.walker, state.rounds):
        return False
    try:
        newest = files.newest(directory)
        if newest != home.generation:
            return False
        there = read_generation(directory, state.graph.policy, newest)
    except (Refusal, OSError):
        return False
    return (
        there.manifest == manifest
        and manifest.version == VERSION
        and list(there.files.values()) == list(parts.values())
    )


def _current(directory: Path, policy: Policy) -> int:
    """The newest generation; of an older directory what its pointer says; 0 when there is none."""
    numbers = files.generations(directory)
    if numbers:
        return numbers[0]
    try:
        return find_manifest(directory, policy, None).generation
    except Refusal:
        return 0


def _require_ours(directory: Path, state: SessionState, at_home: bool, current: int) -> None:
    name = str(directory)
    if at_home:
        assert state.home is not None, "at home"
        if current != state.home.generation:
            seen = state.home.generation
            message = f"{name} is at generation {current}, and this session has seen {seen}: someone else committed"
            hint = "load it again and repeat the change"
            fields = (("current", current), ("seen", seen))
            raise SessionError(Problem("stale-session", message, name, fields, Where(name), hint=hint))
    elif files.has_session(directory):
        message = f"{name} already holds a session, and this one was not loaded from it"
        hint = "choose another directory; what is in this one stays as it is"
        raise SessionError(Problem("session-exists", message, name, (("current", current),), Where(name), hint=hint))


def _outgoing(directory: Path, policy: Policy, generation: int) -> list[str]:
    """Files of generations no longer kept, exactly as their manifests name them, and abandoned staging files."""
    names = list(files.staged_names(directory))
    numbers = files.generations(directory)
    for number in numbers[kept(directory) :]:
        names.extend(_listed(directory, policy, number))
    if not numbers:  # its manifest is about to be replaced by ours under the one name it has
        names.extend(_listed(directory, policy, None))
    ours = [numbered(kind, generation) for kind in ("graph", "resolver", "execution", "runledger", "session")]
    return [name for name in names if name not in (*ours, POINTER)]


def _listed(directory: Path, policy: Policy, number: int | None) -> tuple[str, ...]:
    try:
        manifest = find_manifest(directory, policy, number)
    except Refusal:
        return ()
    return (*manifest.files, manifest.name, digests_name(manifest.generation))


def _unwritable(directory: Path, error: OSError) -> Problem:
    name = error.filename if isinstance(error.filename, str) else str(directory)
    message = f"{name} cannot be written: {error.strerror or error}"
    return Problem("unwritable-file", message, subject=str(directory), where=Where(name))
