"""The mesh that is served: loaded beside the transport, read under one lock, and exchanged whole once a write stands.

A write never touches what is served. It is made on a freshly loaded session and adopted after it was committed, so that
a failure leaves nothing behind, and a reader waits for another reader at most.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from contextmesh.base.errors import InputError, Problem, Refusal

if TYPE_CHECKING:
    from contextmesh.api import Mesh
    from contextmesh.policy import Policy
    from contextmesh.run.registry import TaskRegistry
    from contextmesh.run.runner import Runner
    from contextmesh.session import SessionState
    from contextmesh.store.store import Store
    from contextmesh.walk.answer import Answer, Step

T = TypeVar("T")
Change = Callable[["SessionState"], "tuple[SessionState, Any]"]
"""A write on a freshly loaded session: the session after it, and what to answer."""

EVERY_ASK, ON_EXIT, NEVER = "every-ask", "on-exit", "never"
CHECKPOINTS = (EVERY_ASK, ON_EXIT, NEVER)
PATIENCE = 5.0
"""Seconds for which a call waits for a session that is still being loaded."""
ATTEMPTS = 3


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


@dataclass
class _Ticket:
    """A write that waits for its turn; those that wait together are committed together."""

    change: Change
    is_done: bool = False
    result: Any = None
    error: BaseException | None = None

    def apply(self, state: SessionState) -> SessionState:
        """The session after it; a refused write leaves the session as it was."""
        self.result, self.error = None, None
        try:
            state, self.result = self.change(state)
        except Refusal as refusal:
            self.error = refusal
        return state

    def outcome(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result


class Served:
    """One session, or the bundled demo, for as long as the server runs.

    Attributes:
        directory: the session's; None for the demo, which is not written.
        rules: where the rules are that are laid over the shipped ones.
        registry: the callables of the deployment, for the plan.
        has_plan: whether the tools of a plan are offered.
        checkpoint: when counters of walks are written: every-ask, on-exit or never.
        warnings: what is odd in the rules that are laid over the shipped ones, once they have been read.
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
    ) -> None:
        self.directory = directory
        self.registry = registry
        self.has_plan = has_plan
        self.checkpoint = checkpoint
        self._rules = rules
        self._policy: Policy | None = None
        self.warnings: tuple[Problem, ...] = ()
        self._patience = patience
        self._held: _Held | None = None
        self._failure: Refusal | None = None
        self._loaded = threading.Event()
        self._writing = threading.Lock()
        self._queueing = threading.Lock()
        self._queue: list[_Ticket] = []
        self._walked = _Walked()
        self._running: Runner | None = None
        self.closing = threading.Event()

    # ---- load ---------------------------------------------------------------------------------------

    def load(self) -> None:
        """Read rules and session. What goes wrong is told to every call that waits for it, and ends the server."""
        try:
            self._held = _Held(self._opened())
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
        from contextmesh.api import Mesh

        return Mesh.open(self.directory, policy=self._policy)

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
        held = self._refreshed()
        with held.lock:
            return call(held.mesh)

    def ask(self, call: Callable[[Mesh], tuple[Answer, T]]) -> T:
        """A read that counts the walk it took; the counters are committed as the checkpoint policy says."""
        answer, result = self.read(call)
        if answer.path:
            with self._queueing:
                self._walked.add(answer.path)
            if self.checkpoint == EVERY_ASK and self.directory is not None:
                self.commit(lambda state: (state, None))
        return result

    def _refreshed(self) -> _Held:
        """What is served, loaded again when another process committed; while a write goes on, as it is."""
        held = self._current()
        if not self._has_moved_on(held) or not self._writing.acquire(blocking=False):
            return held
        try:
            if self._has_moved_on(self._current()):
                from contextmesh import session

                assert self.directory is not None, "only a session moves on"
                self._adopt(session.load(self.directory, policy=self._policy))
            return self._current()
        finally:
            self._writing.release()

    def _has_moved_on(self, held: _Held) -> bool:
        from contextmesh.session.files import newest

        if self.directory is None:
            return False
        try:
            number = newest(self.directory)
        except Refusal:
            return False
        return number is not None and number != held.mesh.generation

    # ---- write --------------------------------------------------------------------------------------

    def commit(self, change: Change, *, alone: bool = False) -> Any:
        """Apply a write to the session as it is on disk, commit it, and serve the result from then on.

        Args:
            alone: it must not be tried again, nor share its commit with another: it runs code of the deployment.

        Raises:
            InputError: ``demo-session``. SessionLockedError, SessionError: it could not be committed; nothing changed.
        """
        self.require_writable()
        self._current()
        ticket = _Ticket(change)
        if alone:
            with self._writing:
                self._write([ticket], attempts=1)
            return ticket.outcome()
        with self._queueing:
            self._queue.append(ticket)
        with self._writing:
            if not ticket.is_done:
                with self._queueing:
                    tickets, self._queue = self._queue, []
                self._write(tickets, attempts=ATTEMPTS)
        return ticket.outcome()

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
        with self._writing:
            pass  # what is being written is written
        if self.checkpoint != NEVER and self._walked:
            self.commit(lambda state: (state, None))

    def _write(self, tickets: list[_Ticket], *, attempts: int) -> None:
        walked = self._taken()
        try:
            self._adopt(self._committed(tickets, walked, attempts))
        except BaseException as error:
            with self._queueing:
                self._walked.put_back(walked)
            for ticket in tickets:
                ticket.error = ticket.error or error
            if not isinstance(error, Refusal):
                raise
        finally:
            for ticket in tickets:
                ticket.is_done = True

    def _committed(self, tickets: list[_Ticket], walked: _Walked, attempts: int) -> SessionState:
        """The session with every write that was not refused; loaded again when somebody else came first."""
        from contextmesh import session

        assert self.directory is not None, "checked to be writable"
        for attempt in range(1, attempts + 1):
            state = self._counted(session.load(self.directory, policy=self._policy), walked)
            for ticket in tickets:
                state = ticket.apply(state)
            try:
                return session.save(self.directory, state).state
            except Refusal as refusal:
                if refusal.code != "stale-session" or attempt == attempts:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _taken(self) -> _Walked:
        """The walks counted since the last commit, if they are ever to be written."""
        if self.checkpoint == NEVER:
            return _Walked()
        with self._queueing:
            walked, self._walked = self._walked, _Walked()
        return walked

    def _counted(self, state: SessionState, walked: _Walked) -> SessionState:
        """The session with walks counted here, and the aliases learned on them unless somebody else wrote since."""
        walked.add_to(state.graph.store)
        held = self._current()
        if not walked or state.generation != held.mesh.generation:
            return state
        from contextmesh.resolve.resolver import Resolver

        with held.lock:
            learned = held.mesh.resolver.to_json()
        return replace(state, resolver=Resolver.from_json(learned))

    def _adopt(self, state: SessionState) -> None:
        from contextmesh.api import Mesh

        with self._queueing:
            self._walked.add_to(state.graph.store)
        self._held = _Held(Mesh.of(state))


class _Walked:
    """How often nodes and edges were walked, not yet written."""

    def __init__(self) -> None:
        self._nodes: dict[str, int] = {}
        self._edges: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._nodes)

    def add(self, path: tuple[Step, ...]) -> None:
        for step in path:
            self._nodes[step.id] = self._nodes.get(step.id, 0) + 1
            if step.edge_id is not None:
                self._edges[step.edge_id] = self._edges.get(step.edge_id, 0) + 1

    def put_back(self, other: _Walked) -> None:
        for ours, theirs in ((self._nodes, other._nodes), (self._edges, other._edges)):
            for name, count in theirs.items():
                ours[name] = ours.get(name, 0) + count

    def add_to(self, store: Store) -> None:
        """Count them in a store; what is no longer there is left out."""
        for counters, ours, known in (
            (store.walks, self._nodes, store.nodes),
            (store.traversals, self._edges, store.edges),
        ):
            for name, count in ours.items():
                if name in known:
                    counters[name] = counters.get(name, 0) + count
