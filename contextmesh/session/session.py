"""A session with its plan at work: graph, resolver, and the runner bound to a deployment's own registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from contextmesh.base.errors import Problem, SessionError
from contextmesh.run import RunLedger, Runner, TaskRegistry
from contextmesh.run.ledger_file import ledger_from_bytes, ledger_to_bytes
from contextmesh.run.plan_file import plan_from_bytes, plan_from_compared, plan_to_bytes
from contextmesh.run.registry import require_registry
from contextmesh.session.checkpoint import Acknowledged, checkpoint
from contextmesh.session.commit import Saved
from contextmesh.session.commit import save as commit
from contextmesh.session.load import load as read
from contextmesh.session.state import Carried, SessionState

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.policy import Policy
    from contextmesh.resolve.resolver import Resolver
    from contextmesh.run.ledger import Salts
    from contextmesh.run.redact import Disclosure
    from contextmesh.session.lock import Held


class Session:
    """Everything a deployment continues with.

    Attributes:
        runner: the plan, every key bound in the registry; None when the session holds no plan.
    """

    def __init__(self, state: SessionState, runner: Runner | None = None) -> None:
        self._state = state
        self.runner = runner

    @classmethod
    def load(
        cls,
        directory: Path | str,
        *,
        registry: TaskRegistry | None = None,
        policy: Policy | None = None,
        on_changed_worker: str = "warn",
        disclosures: Sequence[Disclosure] = (),
        salts: Salts | None = None,
    ) -> Session:
        """The newest generation, its plan bound to the registry.

        Args:
            on_changed_worker: as ``Runner.from_snapshot``.
            disclosures: texts behind commitments of the ledger, which a session does not hold: the deployment keeps
                ``ledger.texts.disclosures()``, and drops there what is to be forgotten.
            salts: random bytes, with which free texts of entries to come are committed, as ``RunLedger`` does.

        Raises:
            InputError: ``wrong-type``: the registry is none.
            SessionError: it cannot be trusted; ``missing-registry``: it holds a plan, and no registry was given.
            ExecutionCheckpointError: a key of the plan that the registry does not know.
            LedgerIntegrityError, ExecutionSnapshotError: plan and ledger are damaged or do not fit the graph.
        """
        if registry is not None:
            require_registry(registry)
        state = read(directory, policy=policy)
        if state.carried is not None and registry is None:
            message = f"{directory} holds a plan, and no registry of its workers was given"
            hint = "Session.load(directory, registry=...)"
            raise SessionError(Problem("missing-registry", message, subject=str(directory), hint=hint))
        if registry is None:
            return cls(state)
        return cls.bound(state, registry, on_changed_worker=on_changed_worker, disclosures=disclosures, salts=salts)

    @classmethod
    def bound(
        cls,
        state: SessionState,
        registry: TaskRegistry,
        *,
        on_changed_worker: str = "warn",
        disclosures: Sequence[Disclosure] = (),
        salts: Salts | None = None,
    ) -> Session:
        """A session that is loaded already, its plan (when it holds one) bound to the registry.

        Raises:
            ExecutionCheckpointError, LedgerIntegrityError, ExecutionSnapshotError: as ``load``.
        """
        if state.carried is None:
            return cls(state)
        compared = state.carried.compared
        if compared is not None and compared.holds_of(state.graph):
            runner = plan_from_compared(
                compared,
                state.graph,
                registry,
                on_changed_worker=on_changed_worker,
                disclosures=disclosures,
                salts=salts,
            )
            return cls(state, runner)
        names = state.manifest
        assert names is not None, "a loaded session has a manifest"
        ledger = ledger_from_bytes(
            state.carried.ledger,
            names.ledger or "runledger",
            expect_head=state.carried.ledger_head,
            disclosures=disclosures,
            salts=salts,
        )
        runner = plan_from_bytes(
            state.carried.execution,
            names.execution or "execution",
            graph=state.graph,
            registry=registry,
            ledger=ledger,
            on_changed_worker=on_changed_worker,
        )
        return cls(state, runner)

    @property
    def graph(self) -> ContextGraph:
        return self._state.graph

    @property
    def resolver(self) -> Resolver:
        return self._state.resolver

    @property
    def ledger(self) -> RunLedger | None:
        return self.runner.ledger if self.runner is not None else None

    @property
    def generation(self) -> int:
        return self._state.generation

    def save(self, directory: Path | str | None = None, *, wait: float = 0.0, held: Held | None = None) -> Saved:
        """Commits a new generation, the plan and its ledger with it; an unchanged session writes nothing.

        Args:
            wait: seconds to queue while another writer is at it.
            held: the writer lock, when the caller holds it already.

        Raises:
            SessionLockedError: another writer is at it; SessionError: someone else committed, or no directory is known.
            ExecutionCheckpointError: a task of the plan without a key.
        """
        home = self._state.home
        target = directory if directory is not None else home.path if home is not None else None
        if target is None:
            message = "this session was never in a directory"
            raise SessionError(Problem("missing-session", message, hint="name one: save('dir')"))
        saved = commit(target, self._with_plan(), wait=wait, held=held)
        self._state = saved.state
        return saved

    def checkpoint(self, *, wait: float = 0.0, held: Held | None = None) -> Acknowledged:
        """Commits what is new, the tasks that changed and what the ledger gained with it, at the cost of that.

        Args:
            wait: seconds to queue while another writer is at it.
            held: the writer lock, when the caller holds it already.

        Raises:
            SessionLockedError: another writer is at it; SessionError: someone else committed since it was loaded, and
                what a plan did is not done again on another graph; InputError: no directory is known.
            ExecutionCheckpointError: a task of the plan without a key.
        """
        done = checkpoint(self._with_plan(), wait=wait, held=held, rebases=self.runner is None)
        self._state = done.state
        return done

    def _with_plan(self) -> SessionState:
        if self.runner is None:
            return self._state
        ledger = self.runner.ledger
        carried = Carried(plan_to_bytes(self.runner), ledger_to_bytes(ledger), ledger.head)
        return replace(self._state, carried=carried, rounds=self.runner.round)
