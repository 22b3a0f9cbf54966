"""The mesh that is served: loaded beside the transport, and read under one lock.

A write does not touch what is served before it stands: it is made and committed on a session of its own (see
``writer``), and told to what is served then. A reader waits for another reader, or for the telling; for no commit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from contextmesh.base.errors import InputError, Problem, Refusal
from contextmesh.mcp.writer import Change, Committed, Seen, Ticket, Writer

if TYPE_CHECKING:
    from contextmesh.api import Mesh
    from contextmesh.policy import Policy
    from contextmesh.run.registry import TaskRegistry
    from contextmesh.run.runner import Runner
    from contextmesh.session import SessionState
    from contextmesh.session.pending import Mark

T = TypeVar("T")
EVERY_ASK, ON_EXIT, NEVER = "every-ask", "on-exit", "never"
CHECKPOINTS = (EVERY_ASK, ON_EXIT, NEVER)
PATIENCE = 10.0
"""Seconds for which a call waits for a session that is still being loaded."""
WAIT = 5.0
"""Seconds for which a write queues while another process writes."""


def fault(when: str) -> Problem:
    """What is said when we failed ourselves; the traceback stands on stderr."""
    hint = "please report it with what the server wrote on stderr"
    return Problem("fault", "this is a fault of contextmesh, not of your input", subject=when, hint=hint)


class _Fault(Refusal):
    exit_code = 70


@dataclass
class _Held:
    """A mesh and the lock of its readers; reading builds indexes and runs trials on its engine."""

    mesh: Mesh
    lock: threading.Lock = field(default_factory=threading.Lock)


class Served:
    """One session, or the bundled demo, for as long as the server runs.

    Attributes:
        directory: the session's; None for the demo, which is not written.
        rules: where the rules are that are laid over the shipped ones.
        registry: the callables of the deployment, for the plan.
        has_plan: whether the tools of a plan are offered.
        checkpoint: when counters of walks are written: every-ask, on-exit or never.
        warnings: what is odd in the rules that are laid over the shipped ones, and in the session, once it was read.
        closing: set once the server has begun to end.
    """

    def __init__(
        self,
        directory: Path | None = None,
        *,
        rules: Path | None = None,
        registry: TaskRegistry | None = None,
        has_plan: bool = False,
        checkpoint: str = ON_EXIT,
        patience: float = PATIENCE,
        wait: float = WAIT,
    ) -> None:
        self.directory = directory
        self.registry = registry
        self.has_plan = has_plan
        self.checkpoint = checkpoint
        self._rules = rules
        self._policy: Policy | None = None
        self.warnings: tuple[Problem, ...] = ()
        self._patience = patience
        self._wait = wait
        self._held: _Held | None = None
        self._failure: Refusal | None = None
        self._loaded = threading.Event()
        self._writing = threading.Lock()
        self._queueing = threading.Lock()
        self._queue: list[Ticket] = []
        self._seen = Seen(0)
        self._writer: Writer | None = None
        self._running: Runner | None = None
        self.closing = threading.Event()

    # ---- load ---------------------------------------------------------------------------------------

    def load(self) -> None:
        """Read rules and session. What goes wrong is told to every call that waits for it, and ends the server."""
        try:
            self._held = _Held(self._opened())
            self.warnings += self._held.mesh.notices
        except Refusal as refusal:
            self._failure = refusal
        except Exception:
            self._failure = _Fault(fault("the session was read"))
            raise
        finally:
            self._loaded.set()

    @property
    def failure(self) -> Refusal | None:
        """Why the session could not be loaded; None while it is being loaded, and once it is there."""
        return self._failure

    @property
    def is_settled(self) -> bool:
        """Whether loading has come to its end, good or bad."""
        return self._loaded.is_set()

    def without_places(self, value: Any) -> Any:
        """A document for clients; where session and rules lie is not theirs to know, so each goes by its name."""
        if isinstance(value, str):
            for place in (self.directory, self._rules):
                if place is not None and place.name:
                    value = value.replace(str(place), place.name)
            return value
        return {key: self.without_places(inner) for key, inner in value.items()} if isinstance(value, dict) else value

    def _opened(self) -> Mesh:
        from contextmesh.policy import Policy
        from contextmesh.policy.advice import advice

        self._policy = Policy.load(self._rules)
        self.warnings = advice(self._policy) if self._rules is not None else ()
        if self.directory is None:
            from contextmesh.demo.build import demo_mesh

            return demo_mesh(policy=self._policy)
        self._writer = Writer(self.directory, self._policy, self._wait)
        return self._loaded_mesh()

    def _loaded_mesh(self) -> Mesh:
        """The session as it is in its directory, and how much of it that is."""
        from contextmesh.api import Mesh

        assert self.directory is not None, "the demo is built"
        seen = Seen.on_disk(self.directory)
        mesh = Mesh.open(self.directory, policy=self._policy)
        self._seen = seen
        return mesh

    def _current(self) -> _Held:
        """What is served now.

        Raises:
            InputError: ``loading``. Refusal: the failure, why it could not be loaded.
        """
        if not self._loaded.wait(self._patience):
            hint = "the server is up and reads the session; call again in a few seconds"
            raise InputError(Problem("loading", "the session is still being loaded", hint=hint))
        if self._failure is not None:
            raise self._failure
        assert self._held is not None, "loaded, and not failed"
        return self._held

    # ---- read ---------------------------------------------------------------------------------------

    def read(self, call: Callable[[Mesh], T]) -> T:
        """What a reader says of the mesh; sees what other processes committed before."""
        while True:
            held = self._refreshed()
            with held.lock:
                if held is self._held:  # or it was exchanged meanwhile, and what a walk counts on it nobody would see
                    return call(held.mesh)

    def ask(self, call: Callable[[Mesh], T]) -> tuple[T, tuple[Problem, ...]]:
        """A read that counts the walk it took, which is committed as the checkpoint policy says; and why it was not.

        An answer is one also where nothing can be written; what was counted waits for the next write.
        """
        result = self.read(call)
        if self.checkpoint != EVERY_ASK or self.directory is None:
            return result, ()
        try:
            self.commit(lambda state: (state, None))
        except Refusal as refusal:
            return result, refusal.problems
        return result, ()

    def _refreshed(self) -> _Held:
        """What is served, loaded again when another process committed; while a write goes on, as it is."""
        held = self._current()
        if not self._has_moved_on() or not self._writing.acquire(blocking=False):
            return held
        try:
            if self._has_moved_on():
                self._exchange(self._current(), self._loaded_mesh())
            return self._current()
        finally:
            self._writing.release()

    def _has_moved_on(self) -> bool:
        if self.directory is None:
            return False
        try:
            return Seen.on_disk(self.directory) != self._seen
        except Refusal:
            return False

    # ---- write --------------------------------------------------------------------------------------

    def commit(self, change: Change, *, on: str | None = None, alone: bool = False) -> Ticket:
        """Make a write on the session as it is on disk, commit it, and serve the result from then on.

        Args:
            on: the date of the commit, no earlier than that of the last commit that is served; None leaves it undated.
            alone: it must not share its commit with another: it runs code of the deployment.

        Raises:
            InputError: ``demo-session``; what speaks against the date: ``not-a-date``, ``impossible-date``,
                ``commit-date-ahead``, ``earlier-commit``.
            SessionLockedError, SessionError: it could not be committed; nothing changed.
        """
        self.require_writable()
        self._current()
        ticket = Ticket(change, None if on is None else self._date_to_come(on))
        if alone:
            with self._writing:
                self._write([ticket], alone=True)
            return ticket.settled()
        with self._queueing:
            self._queue.append(ticket)
        with self._writing:
            if not ticket.is_done:
                with self._queueing:
                    tickets, self._queue = self._queue, []
                self._write(tickets)
        return ticket.settled()

    def _date_to_come(self, on: str) -> str:
        """As the command line takes it: what is known of the session when it is given is what it must come after."""
        from contextmesh.base.clock import require_come

        require_come(on)
        return self.read(lambda mesh: mesh.date_to_come(on))

    def require_writable(self) -> None:
        """Raises InputError, ``demo-session``."""
        if self.directory is None:
            message, hint = "the bundled demo is not written to", "start the server with --session DIR"
            raise InputError(Problem("demo-session", message, hint=hint))

    @contextmanager
    def running(self, runner: Runner) -> Iterator[None]:
        """While a plan runs, so that the end of the server can end its round."""
        self._running = runner
        try:
            yield
        finally:
            self._running = None

    def close(self) -> None:
        """End a running round, and make the last checkpoint when the policy wants one and something was counted."""
        runner = self._running
        if runner is not None:
            runner.cancel()
        self.closing.set()
        if self.directory is None or self._held is None:
            return
        with self._writing:  # what is being written is written
            held = self._held
        with held.lock:
            has_news = held.mesh.has_news
        if self.checkpoint != NEVER and has_news:
            self.commit(lambda state: (state, None))

    def _write(self, tickets: list[Ticket], *, alone: bool = False) -> None:
        assert self._writer is not None, "checked to be writable"
        held, taught = self._current(), _Taught()

        def teach(state: SessionState) -> None:
            if self.checkpoint != NEVER:
                with held.lock:
                    taught.by(held.mesh, state)

        try:
            done = self._writer.alone(tickets[0], teach) if alone else self._writer.commit(tickets, teach)
            if done is not None:
                self._serve(held, done, taught)
        except BaseException as error:
            for ticket in tickets:
                ticket.error = ticket.error or error
            if not isinstance(error, Refusal):
                raise
        finally:
            for ticket in tickets:
                ticket.is_done = True

    def _serve(self, held: _Held, done: Committed, taught: _Taught) -> None:
        """What was committed is served: told to the mesh that is, or in its place when too much is new."""
        self._seen = Seen.of(done.state)
        with held.lock:
            taught.settle(held.mesh)
            if _told(held.mesh, done):
                return
        from contextmesh.api import Mesh

        assert self._writer is not None, "it has just written"
        self._writer.let_go()
        self._exchange(held, Mesh.of(done.state))

    def _exchange(self, held: _Held, mesh: Mesh) -> None:
        """Serve another mesh, which knows what was counted and learned on the one before."""
        with held.lock:
            _Taught().by(held.mesh, mesh.state)
            self._held = _Held(mesh)


class _Taught:
    """How far one session was told what readers counted and learned on another."""

    def __init__(self) -> None:
        self._mark: Mark | None = None

    def by(self, mesh: Mesh, state: SessionState) -> None:
        pending = mesh.state.pending
        if pending is None or state.pending is None:
            return
        self._mark = pending.mark()
        with suppress(InputError):  # a name that means another thing there by now: it is not learned, and nothing fails
            pending.carry_over(state.pending)

    def settle(self, mesh: Mesh) -> None:
        """It stands, so it need not be told again."""
        if self._mark is not None and mesh.state.pending is not None:
            mesh.state.pending.settle(self._mark)


def _told(mesh: Mesh, done: Committed) -> bool:
    """Make what was committed here too, transaction by transaction; whether that leads to the same place."""
    from contextmesh.store.transaction import replay

    pending, store = mesh.state.pending, mesh.graph.store
    if done.new is None or pending is None or store.seq + len(done.new) != done.state.graph.store.seq:
        return False
    history = mesh.state.history
    assert history is not None, "it was loaded"
    with pending.paused():  # it is in the directory already
        for transaction in done.new:
            history.day = transaction.day
            replay(store, transaction)
    history.day = None
    mesh.stand_on(done.state)
    return True
