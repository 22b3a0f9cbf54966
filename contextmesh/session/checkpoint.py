"""A checkpoint: what is new in a session is appended to its journal, on top of whatever others committed meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from contextmesh.base.errors import InputError, Problem, SessionError
from contextmesh.session import append, files
from contextmesh.session.catch_up import caught_up
from contextmesh.session.commit import at_home_in, commit, unwritable
from contextmesh.session.generation import version_of
from contextmesh.session.journal import encode
from contextmesh.session.lock import Held, held_or_locked
from contextmesh.session.manifest import JOURNALLED
from contextmesh.session.pending import Attempt, Entry
from contextmesh.session.plan_lines import plan_body
from contextmesh.session.plan_told import plan_told
from contextmesh.session.pointer import require_not_ahead
from contextmesh.session.rebase import LATER
from contextmesh.session.state import SessionState

LEAST = 256_000
"""Bytes that a journal may always have."""
SHARE = 4
"""… and beyond that, one part in so many of the records beside it."""
LINES = 2_000
"""… but no more lines than can be judged again in about a second when the session is opened."""

LARGE = 5_000
"""Records that may be put into lines before it is asked whether a new generation is the shorter way."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """What a checkpoint did; whatever it says is on the disk.

    Attributes:
        state: the session as it is in the directory now.
        lines: how many were appended to the journal.
        written: the files of a new generation, when one was written in place of lines.
        rebased: whether another writer came first, and ``state`` is what was pending here on top of theirs.
        notices: ``later-date``, where the date that was supplied gave way to a later one of another writer.
    """

    state: SessionState
    lines: int = 0
    written: tuple[str, ...] = ()
    rebased: bool = False
    notices: tuple[Problem, ...] = ()

    @property
    def generation(self) -> int:
        return self.state.generation

    @property
    def transaction(self) -> int:
        """The number of the last transaction."""
        return self.state.graph.store.seq


def checkpoint(
    state: SessionState,
    *,
    wait: float = 0.0,
    held: Held | None = None,
    compact: bool = False,
    rebases: bool = True,
) -> Acknowledged:
    """Commits what is new in a session at home; costs what is new, not what the session holds.

    Where another writer came first, what is new here is written again on top of theirs, if every record it changed is
    still the one it took the place of, and the rules still allow it.

    Args:
        wait: seconds to queue while another writer is at it.
        held: the writer lock, when the caller holds it already.
        compact: write a new generation in any case, unless nothing has changed since the last one was written.
        rebases: False when what is new here must not be written again on another graph, but be refused.

    Raises:
        SessionLockedError: ``locked``.
        SessionError: ``stale-session``, ``home-changed``, ``unwritable-file``, ``pointer-differs``, and why what
            others committed cannot be trusted. In each case the session is as it was, and the checkpoint can be tried
            again.
        SnapshotError: ``unwritable-record``: a record that a reader would refuse.
        InputError: ``missing-session``: it has no directory.
    """
    home = state.home
    if home is None or state.pending is None:
        message = "this session has no directory to be written to"
        raise InputError(Problem("missing-session", message, hint="save it to one first"))
    if not at_home_in(home.path, state):
        raise InputError(Problem("missing-session", f"{home.path} is not the home of this session"))
    if not _is_changed(state) and not (compact and home.changes):
        return Acknowledged(state)
    with held_or_locked(home.path, held, wait):
        require_not_ahead(home.path)
        current = caught_up(state, rebases=rebases)
        rebased = current is not state
        notices = _later(state, current)
        if rebased and not _is_changed(current) and not compact:
            return Acknowledged(current, rebased=True)
        current = plan_told(current)
        entries = None if compact else _entries(current)
        if entries is not None:
            appended = _appended(current, entries)
            if appended is not None:
                return Acknowledged(appended, lines=len(entries), rebased=rebased, notices=notices)
        newest = files.newest(home.path) or 0
        saved = commit(home.path, current, newest + 1, max(JOURNALLED, version_of(current)))
        return Acknowledged(saved.state, written=saved.written, rebased=rebased, notices=notices)


def _later(before: SessionState, state: SessionState) -> tuple[Problem, ...]:
    """What to tell of dates: those that gave way just now, and one that gave way before and is still in force."""
    day = state.history.day if state.history is not None else None
    later = (notice for notice in state.notices if notice.code == LATER)
    return tuple(notice for notice in later if notice not in before.notices or notice.subject == day)


def _is_changed(state: SessionState) -> bool:
    manifest, pending = state.manifest, state.pending
    assert pending is not None, "checked"
    if manifest is None or not pending.follows(state.graph.store, state.resolver, state.walks):
        return True
    return (
        bool(pending)
        or manifest.version != JOURNALLED
        or manifest.policy != state.graph.policy.digest
        or manifest.walker != state.walker
        or (state.carried, state.rounds) != (pending.carried, pending.rounds)
    )


def _entries(state: SessionState) -> list[Entry] | None:
    """The lines to append; None when lines cannot say what is new, or a new generation is due anyway."""
    manifest, pending, home = state.manifest, state.pending, state.home
    assert pending is not None, "checked"
    if manifest is None or home is None or home.position is None or manifest.version != JOURNALLED:
        return None
    if manifest.walker != state.walker or manifest.policy != state.graph.policy.digest:
        return None
    if pending.attempt is not None and pending.attempt.is_generation:  # its files may be there
        return None
    if not pending.follows(state.graph.store, state.resolver, state.walks):
        return None
    if pending.is_flawed:  # whoever reads the lines would refuse them
        return None
    store = state.graph.store
    if pending.size > max(LARGE, (len(store.nodes) + len(store.edges)) // SHARE):
        return None
    entries = pending.entries(pending.mark())
    if (state.carried, state.rounds) != (pending.carried, pending.rounds):
        if state.carried is None or pending.carried is None:
            return None
        body = plan_body(pending.carried, state.carried)
        if body is None or body["round"] != state.rounds:
            return None
        entries.append(("plan", body))
    return entries


def _appended(state: SessionState, entries: list[Entry]) -> SessionState | None:
    """The session with these lines in its journal; None when that would make the journal too long."""
    home, manifest, pending = state.home, state.manifest, state.pending
    assert home is not None, "checked"
    assert home.position is not None, "checked"
    assert pending is not None, "checked"
    assert manifest is not None, "checked"
    assert manifest.journal is not None, "of version 3"
    mark = pending.mark()
    try:
        data, end = encode(home.position, entries)
    except SessionError as error:
        if error.code == "too-large":
            return None
        raise
    if end.size > _most(home.path, manifest.records) or home.changes + len(entries) > LINES:
        return None
    pending.attempt = Attempt(home.generation, data, mark, end, is_generation=False)
    try:
        with append.opened(home.path, home.identity, manifest.journal) as journal:
            journal.append(home.position, data)
    except OSError as error:
        raise SessionError(unwritable(home.path, error)) from None
    pending.settle(mark)
    pending.carried, pending.rounds = state.carried, state.rounds
    return replace(state, home=replace(home, position=end, changes=home.changes + len(entries)))


def _most(directory: Path, records: str | None) -> int:
    """How long the journal may become."""
    try:
        size = (directory / (records or "")).stat().st_size
    except OSError:
        size = 0
    return max(LEAST, size // SHARE)
