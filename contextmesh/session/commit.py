"""Saving a session: whole files first, then the manifest that names them, under a name that never existed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from contextmesh.base.disk import disk
from contextmesh.base.errors import Problem, Refusal, SessionError, Where
from contextmesh.graph.history import History
from contextmesh.policy import Policy
from contextmesh.session import append, files
from contextmesh.session.base_form import stamp_written
from contextmesh.session.digests import digests_bytes, digests_name
from contextmesh.session.generation import Generation, parts_of, version_of
from contextmesh.session.keep import kept
from contextmesh.session.load import find_manifest, read_generation
from contextmesh.session.lock import Held, held_or_locked
from contextmesh.session.manifest import JOURNALLED, POINTER, numbered
from contextmesh.session.pending import Attempt, Pending
from contextmesh.session.plan_told import plan_told
from contextmesh.session.pointer import require_not_ahead
from contextmesh.session.state import Home, SessionState

_KINDS = ("graph", "records", "vectors", "resolver", "execution", "runledger", "journal", "session")


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save did.

    Attributes:
        state: the session, now at home where it was saved.
        written: the files of the new generation; empty when nothing had changed and nothing was written.
        removed: where nothing was written, the files of earlier generations that are not to be kept any more.
    """

    state: SessionState
    written: tuple[str, ...]
    removed: tuple[str, ...] = ()

    @property
    def generation(self) -> int:
        return self.state.generation


def save(
    directory: Path | str,
    state: SessionState,
    *,
    replace_session: bool = False,
    version: int | None = None,
    wait: float = 0.0,
    held: Held | None = None,
) -> Saved:
    """Commits the session as the next generation of a directory; an unchanged session writes nothing.

    Args:
        replace_session: commit on top of a session that this one was not loaded from, or that moved on since.
        version: of the format, 2 or 3; the smallest that can carry the session when left out, a large one as 3.
        wait: seconds to queue while another writer is at it.
        held: the writer lock, when the caller holds it already.

    Raises:
        SessionLockedError: locked: another writer is at it.
        SessionError: stale-session, session-exists, home-changed, not-a-folder, unwritable-file, pointer-differs;
            nothing changed.
        InputError: out-of-range: no version that is written, or no time that can be waited.
    """
    directory = Path(directory)
    version = version_of(state, version)
    at_home = at_home_in(directory, state)
    if at_home and _is_there(directory, state, version):
        return Saved(state, ())
    try:
        disk().make_folder(directory)
    except OSError as error:
        raise SessionError(unwritable(directory, error)) from None
    files.identity(directory)
    with held_or_locked(directory, held, wait):
        require_not_ahead(directory)
        current = _current(directory, state.graph.policy)
        if not replace_session:
            _require_ours(directory, state, at_home, current)
        return commit(directory, state, current + 1, version)


def commit(directory: Path, state: SessionState, number: int, version: int) -> Saved:
    """Writes a generation; the caller holds the lock, and has seen that it may.

    Raises:
        SessionError: unwritable-file; the session is as it was, and what is new in it is still new.
    """
    state = plan_told(state)
    if state.history is None:
        state = replace(state, history=History(state.graph.store))
    pending = state.pending if _follows(state) and (state.home is None or at_home_in(directory, state)) else None
    mark = pending.mark() if pending is not None else None
    made = Generation.of(state, number, version)
    outgoing = _outgoing(directory, state.graph.policy, number)
    try:
        for name, data in made.contents.items():
            files.publish(directory, name, data)
        files.sync(directory)
        files.publish(directory, made.manifest.name, made.stated)  # the commit
        files.sync(directory)
    except OSError as error:
        if pending is not None and mark is not None:
            pending.attempt = Attempt(number, made.stated, mark, made.position, is_generation=True)
        _take_back(directory, made)
        raise SessionError(unwritable(directory, error)) from None
    # What follows makes the generation easier to find and to check; it stands without.
    with suppress(OSError):
        if version != JOURNALLED:
            files.publish(directory, digests_name(number), digests_bytes(number, made.contents))
        files.publish(directory, POINTER, made.stated)
        files.sync(directory)
        for name in outgoing:
            files.remove(directory, name)
    stamp_written(made.records, state.graph.policy)
    if pending is None or mark is None:
        pending = Pending(state.graph.store, state.resolver, state.walks, state.history)
    else:
        pending.settle(mark)
    pending.carried, pending.rounds = state.carried, state.rounds
    home = Home(directory, *files.identity(directory), number, made.position)
    saved = replace(state, home=home, manifest=made.manifest, pending=pending)
    return Saved(saved, (*made.contents, made.manifest.name))


def _take_back(directory: Path, made: Generation) -> None:
    """Removes a generation that was not committed: its files only once nothing can name them any more."""
    with suppress(OSError):
        files.remove(directory, made.manifest.name)
        if (directory / made.manifest.name).is_file():
            return
        files.sync(directory)
        for name in made.contents:
            with suppress(OSError):
                files.remove(directory, name)


def at_home_in(directory: Path, state: SessionState) -> bool:
    """Whether this is the directory the session was loaded from or last saved to.

    Raises:
        SessionError: home-changed: it was, and another directory is there now.
    """
    home = state.home
    if home is None:
        return False
    same = directory.is_dir() and files.identity(directory) == home.identity
    if not same and home.path.absolute() == directory.absolute():
        message = f"{directory} is not the directory this session was loaded from any more"
        hint = "save it to another directory, or load the one that is there now"
        raise SessionError(Problem("home-changed", message, str(directory), where=Where(str(directory)), hint=hint))
    return same


def is_ours(directory: Path, state: SessionState, current: int) -> bool:
    """Whether the newest generation is the one that this session has seen, or its own that was refused half way."""
    assert state.home is not None, "asked of a session at home"
    if current == state.home.generation:
        return not _has_grown(directory, state)
    attempt = state.pending.attempt if state.pending is not None else None
    return (
        attempt is not None
        and attempt.generation == current
        and stands(directory, attempt)
        and (attempt.end is None or (directory / numbered("journal", current)).stat().st_size == attempt.end.size)
    )


def _has_grown(directory: Path, state: SessionState) -> bool:
    """Whether others appended to the journal since this session has seen it."""
    home, manifest = state.home, state.manifest
    if home is None or home.position is None or manifest is None or manifest.journal is None:
        return False
    try:
        with append.opened(directory, home.identity, manifest.journal, writing=False) as journal:
            tail = journal.after(home.position)
    except OSError as error:
        raise SessionError(unwritable(directory, error)) from None
    attempt = state.pending.attempt if state.pending is not None else None
    return bool(tail.lines) and not (attempt is not None and attempt.end == tail.position)


def stands(directory: Path, attempt: Attempt) -> bool:
    """Whether the manifest of a generation that the disk refused is there all the same."""
    try:
        return attempt.is_generation and (
            files.read_member(directory, numbered("session", attempt.generation)) == attempt.data
        )
    except Refusal:
        return False


def _follows(state: SessionState) -> bool:
    return state.pending is not None and state.pending.follows(state.graph.store, state.resolver, state.walks)


def _is_there(directory: Path, state: SessionState, version: int) -> bool:
    """Whether the newest generation of the home already holds exactly this, in the version that is to be written."""
    manifest, home = state.manifest, state.home
    assert home is not None, "asked of a session at home"
    if manifest is None or (manifest.walker, manifest.rounds) != (state.walker, state.rounds):
        return False
    if manifest.version != version:
        return False
    try:
        if files.newest(directory) != home.generation:
            return False
        if version == JOURNALLED and (home.changes or not _follows(state) or state.pending):
            return False
        there = read_generation(directory, state.graph.policy, home.generation)
    except (Refusal, OSError):
        return False
    if there.manifest != manifest:
        return False
    if version == JOURNALLED:
        held = state.carried
        names = (manifest.execution, manifest.ledger)
        stored = tuple(there.files[name] for name in names if name is not None)
        return manifest.policy == state.graph.policy.digest and stored == (
            (held.execution, held.ledger) if held is not None else ()
        )
    return list(there.files.values()) == list(parts_of(state, version).values())


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
        if not is_ours(directory, state, current):
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
    ours = [numbered(kind, generation) for kind in _KINDS]
    return [name for name in names if name not in (*ours, POINTER)]


def prune(directory: Path, policy: Policy) -> tuple[str, ...]:
    """Removes the earlier generations that are not kept; the caller holds the lock, and has read the newest whole.

    Raises:
        SessionError: unwritable-file; some may be gone.
    """
    numbers = files.generations(directory)[1 + kept(directory) :]
    names = tuple(name for number in numbers for name in _listed(directory, policy, number))
    gone = tuple(name for name in names if (directory / name).is_file())
    try:
        for name in gone:
            files.remove(directory, name)
    except OSError as error:
        raise SessionError(unwritable(directory, error)) from None
    return gone


def _listed(directory: Path, policy: Policy, number: int | None) -> tuple[str, ...]:
    try:
        manifest = find_manifest(directory, policy, number)
    except Refusal:
        return ()
    return (*manifest.files, manifest.name, digests_name(manifest.generation))


def unwritable(directory: Path, error: OSError) -> Problem:
    """What the disk refused."""
    name = error.filename if isinstance(error.filename, str) else str(directory)
    message = f"{name} cannot be written: {error.strerror or error}"
    hint = "what was committed before is still there; when the disk allows it, repeat what was refused"
    return Problem("unwritable-file", message, subject=str(directory), where=Where(name), hint=hint)
