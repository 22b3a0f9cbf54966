"""What a mesh with a home directory can do there: commit what is new, catch up with others, write a new generation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from contextmesh.base.errors import InputError, Problem
from contextmesh.base.read_only import writes
from contextmesh.session.catch_up import refresh
from contextmesh.session.checkpoint import Acknowledged, checkpoint
from contextmesh.session.commit import save
from contextmesh.session.lock import writer_lock
from contextmesh.session.manifest import WalkerSettings
from contextmesh.session.state import SessionState
from contextmesh.session.telemetry import Walked

if TYPE_CHECKING:
    from contextmesh.store.store import Store


class AtHome(ABC):
    """The part of a mesh that knows its session directory."""

    _state: SessionState

    @property
    def generation(self) -> int:
        """The generation this mesh stands on; 0 when it was never saved."""
        return self._state.generation

    @property
    def walker(self) -> WalkerSettings:
        return self._state.walker

    @writes
    def checkpoint(self, *, wait: float = 0.0) -> Acknowledged:
        """Commit what is new since the last commit: it is on the disk when this returns, at the cost of what is new.

        Where another writer came first, what is new here is written again on top of theirs, and this mesh is the
        newer session from then on; nodes and edges that were handed out before are records of then.

        Args:
            wait: seconds to queue while another writer is at it.

        Raises:
            SessionLockedError: another writer holds it.
            SessionError: ``stale-session``: both changed the same, with both versions; ``unwritable-file``: the disk
                refused. This mesh is as it was, and the checkpoint can be tried again.
            InputError: a mesh in memory, which was never saved to a directory.
        """
        if self._state.home is None:
            raise InputError(Problem("missing-session", "this mesh has no directory", hint="name one: save('dir')"))
        done = checkpoint(self._state, wait=wait)
        self._take(done.state)
        return done

    @writes
    @contextmanager
    def writing(self, *, wait: float = 0.0) -> Iterator[Self]:
        """Hold the session for writing: inside, this mesh stands on what others committed, and nobody else commits.

        At the end what is new is committed; an exception lets the lock go, and commits nothing.

        Raises:
            SessionLockedError, SessionError, InputError: as ``checkpoint``.
        """
        home = self._state.home
        if home is None:
            raise InputError(Problem("missing-session", "this mesh has no directory", hint="name one: save('dir')"))
        with writer_lock(home.path, wait=wait) as held:
            self._take(refresh(self._state))
            yield self
            self._take(checkpoint(self._state, held=held).state)

    @writes
    def refresh(self) -> None:
        """Stand on what others committed meanwhile; what is new here stays, on top of theirs.

        Raises:
            SessionError, InputError: as ``checkpoint``; nothing is written.
        """
        self._take(refresh(self._state))

    @writes
    def save(self, directory: str | Path | None = None, *, version: int | None = None, wait: float = 0.0) -> int:
        """Commit a new generation and return its number; an unchanged mesh keeps the one it has.

        A session with a journal is caught up with first, as by ``checkpoint``, and the journal begins anew.

        Args:
            version: of the format, 2 or 3; the smallest that can carry this mesh when left out, a large one as 3.
            wait: seconds to queue while another writer is at it.

        Raises:
            SessionLockedError: another writer holds it; SessionError: somebody else committed meanwhile.
            InputError: a mesh in memory was given no directory; ``out-of-range``: a version that is not written.
        """
        own = self._state.home.path if self._state.home is not None else None
        home = Path(directory) if directory is not None else own
        if home is None:
            raise InputError(Problem("missing-session", "this mesh has no directory", hint="name one: save('dir')"))
        if home == own and version is None and self._state.is_journalled:
            self._take(checkpoint(self._state, wait=wait, compact=True).state)
        else:
            self._take(save(home, self._state, version=version, wait=wait).state)
        return self.generation

    @property
    def notices(self) -> tuple[Problem, ...]:
        """What a reader should know of how the session was read."""
        return self._state.notices

    @property
    def walks(self) -> tuple[Walked, ...]:
        """The last walks, oldest first."""
        return tuple(self._state.walks)

    @property
    def state(self) -> SessionState:
        """The session it stands on."""
        return self._state

    @property
    def has_news(self) -> bool:
        """Whether anything was written, counted or learned here since the session was last committed."""
        return bool(self._state.pending)

    @writes
    def stand_on(self, state: SessionState) -> None:
        """Another copy of this session was committed, and what is new in it was made here too."""
        self._state = replace(self._state, home=state.home, manifest=state.manifest)

    def _take(self, state: SessionState) -> None:
        """Stand on a session that was loaded or committed."""
        before = self._state
        store = before.graph.store
        self._state = before.moved_to(state)
        if before.pending is not None and before.pending is not self._state.pending:
            before.pending.stop()
        self._moved(store)

    @abstractmethod
    def _moved(self, before: Store) -> None:
        """Called when it stands on another state; ``before`` is the store that it stood over."""
