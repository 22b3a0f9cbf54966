"""The session as it is written: a state of its own beside the one that is read.

Writes are made on it and committed, and only then served, so that a failure leaves nothing behind: the state is let go,
and the next write reads the session anew. As long as all goes well it is kept, so a write costs what it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextmesh.base.errors import Problem, Refusal

if TYPE_CHECKING:
    from contextmesh.policy import Policy
    from contextmesh.session import SessionState
    from contextmesh.session.state import Home
    from contextmesh.store.transaction import Transaction

Change = Callable[["SessionState"], "tuple[SessionState, Any]"]
"""A write on a session: the session after it, and what to answer. Refused, it has changed nothing."""
Teach = Callable[["SessionState"], None]
"""Tells a session what readers counted and learned."""


@dataclass
class Ticket:
    """A write that waits for its turn; those that wait together are committed together.

    Attributes:
        on: the date of its commit as it was given; None leaves it undated, whatever the one before it was.
        result: what to answer.
        notices: ``later-date``, where another writer committed under a later date first.
    """

    change: Change
    on: str | None = None
    is_done: bool = False
    result: Any = None
    notices: tuple[Problem, ...] = ()
    error: BaseException | None = None

    def apply(self, state: SessionState) -> SessionState:
        """The session after it; a refused write leaves the session as it was."""
        from contextmesh.session.rebase import dated

        assert state.history is not None, "it was loaded"
        notices, seq = dated(state.history, self.on), state.graph.store.seq
        try:
            state, self.result = self.change(state)
        except Refusal as refusal:
            self.error = refusal
        if state.graph.store.seq > seq:
            self.notices = notices
        return state

    def settled(self) -> Ticket:
        """This one, once it stands; raises why it does not."""
        if self.error is not None:
            raise self.error
        return self


@dataclass(frozen=True, slots=True)
class Seen:
    """How much of a directory was seen: another writer has been there when it is something else.

    Attributes:
        size: of the journal beside the generation, which grows with each commit; 0 where there is none.
    """

    generation: int
    size: int = 0

    @classmethod
    def of(cls, state: SessionState) -> Seen:
        """As a session knows it that was just committed."""
        home = state.home
        assert home is not None, "it was committed there"
        return cls(home.generation, home.position.size if home.position is not None else 0)

    @classmethod
    def on_disk(cls, directory: Path) -> Seen:
        """As it is now; taken before a session is read, so that what is committed meanwhile is read once more.

        Raises:
            SessionError: the directory cannot be listed.
        """
        from contextmesh.session.files import newest

        generation = newest(directory) or 0
        try:
            size = (directory / f"journal-{generation:06d}.jsonl").stat().st_size
        except OSError:
            size = 0
        return cls(generation, size)


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit did.

    Attributes:
        state: the session as it is in the directory.
        new: what a reader that stood before it must be told to stand on it; None when more than that is new there.
    """

    state: SessionState
    new: tuple[Transaction, ...] | None

    @property
    def home(self) -> Home:
        assert self.state.home is not None, "it was committed there"
        return self.state.home


class Writer:
    """One at a time: the caller holds the lock between threads.

    Args:
        wait: seconds to queue while another process writes.
    """

    def __init__(self, directory: Path, policy: Policy, wait: float) -> None:
        self._directory = directory
        self._policy = policy
        self._wait = wait
        self._state: SessionState | None = None

    def commit(self, tickets: Sequence[Ticket], teach: Teach) -> Committed:
        """Every write that is not refused, as one commit that costs what they change.

        Raises:
            SessionLockedError: another process writes. SessionError: it could not be committed, or read.
        """
        from contextmesh import session
        from contextmesh.session.lock import writer_lock

        with writer_lock(self._directory, wait=self._wait) as held:
            state = self._current()
            self._state = None
            for ticket in tickets:
                state = ticket.apply(state)
            teach(state)
            assert state.pending is not None, "it was loaded"
            _undated(state)
            new = tuple(written.transaction for written in state.pending.transactions)
            if not state.pending:
                self._state = state
                return Committed(state, new)
            done = session.checkpoint(state, held=held)
            self._state = done.state
            return Committed(done.state, None if done.rebased else new)

    def alone(self, ticket: Ticket, teach: Teach) -> Committed | None:
        """A write that runs code of the deployment: on a session read for it, while no other process can commit.

        None when it was refused.

        Raises:
            SessionLockedError: another process writes. SessionError: it could not be committed, or read.
        """
        from contextmesh import session
        from contextmesh.session.lock import writer_lock

        self._state = None
        with writer_lock(self._directory, wait=self._wait) as held:
            state = ticket.apply(session.load(self._directory, policy=self._policy))
            if ticket.error is not None:
                return None
            teach(state)
            _undated(state)
            return Committed(session.checkpoint(state, held=held).state, None)

    def let_go(self) -> None:
        """Somebody else has the state now."""
        self._state = None

    def _current(self) -> SessionState:
        """The session as it is in the directory: read, or the one that is kept with what others committed."""
        from contextmesh import session
        from contextmesh.session.catch_up import refresh

        if self._state is None:
            return session.load(self._directory, policy=self._policy)
        return refresh(self._state)


def _undated(state: SessionState) -> None:
    """What is written from now on bears no date, until somebody gives one."""
    assert state.history is not None, "it was loaded"
    state.history.day = None
