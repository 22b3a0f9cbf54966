"""The lines of a journal folded into the parts of its generation, each judged as if it were written now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contextmesh.base.errors import InputError, OntologyError, Problem, SessionError, Where
from contextmesh.base.fields import Fault
from contextmesh.graph.history import History
from contextmesh.resolve.resolver import Resolver
from contextmesh.resolve.snapshot import learned_from_json
from contextmesh.session.journal import Line, refused
from contextmesh.session.plan_lines import Plan
from contextmesh.session.telemetry import Walks, read_walk
from contextmesh.store.store import Store
from contextmesh.store.transaction import replay, transaction_from_json


@dataclass(slots=True)
class Parts:
    """What is folded into.

    Attributes:
        history: of the store, which it follows.
        plan: None when the generation holds none.
    """

    store: Store
    history: History
    resolver: Resolver
    walks: Walks
    plan: Plan | None = None

    def fold(self, lines: tuple[Line, ...], file: str) -> None:
        """Take up every line, in order.

        Raises:
            SessionError: the first line that cannot be, with file and line.
        """
        for line in lines:
            try:
                self._of(line.kind)(line.body)
            except Fault as fault:
                raise refused(line.at, file, fault) from None
            except (OntologyError, InputError) as error:
                raise SessionError(*(_placed(problem, line, file) for problem in error.problems)) from None

    def _of(self, kind: str) -> Callable[[dict[str, Any]], None]:
        return {
            "transaction": self._transaction,
            "resolver": self._resolver,
            "walk": self._walk,
            "plan": self._plan,
        }[kind]

    def _transaction(self, body: dict[str, Any]) -> None:
        transaction = transaction_from_json(body)
        if self.history.day_from(transaction.day) != transaction.day:
            raise Fault("earlier-commit", "is dated before a transaction before it", ("day",))
        self.history.day = transaction.day
        replay(self.store, transaction)

    def _resolver(self, body: dict[str, Any]) -> None:
        self.resolver.take(*learned_from_json(body, self.resolver))

    def _walk(self, body: dict[str, Any]) -> None:
        nodes, edges, last = read_walk(body)
        for key, counted, counters, known in (
            ("nodes", nodes, self.store.walks, self.store.nodes),
            ("edges", edges, self.store.traversals, self.store.edges),
        ):
            for id, count in counted.items():
                if id not in known:
                    raise Fault("unknown-id", "is not in the graph", (key, id), subject=id)
                counters[id] = counters.get(id, 0) + count
        for walked in last:
            self.walks.add(walked)

    def _plan(self, body: dict[str, Any]) -> None:
        if self.plan is None:
            raise Fault("incomplete-plan", "goes on with a plan, and the generation holds none")
        self.plan.fold(body)


def torn_tail(path: Path, line: int, torn: int) -> Problem:
    """What a reader is told of bytes after the last whole checkpoint."""
    return Problem(
        "torn-tail",
        f"the last {torn} bytes of {path} are no whole checkpoint and are left out",
        subject=str(path),
        fields=(("bytes", torn), ("line", line)),
        where=Where(str(path), line),
        note="a crash cut them off, or a writer is at it; they were never acknowledged",
        hint="nothing is to be done: the next write cuts them off",
    )


def _placed(problem: Problem, line: Line, file: str) -> Problem:
    fields = (*problem.fields, ("file", file), ("line", line.at))
    return replace(problem, fields=fields, where=Where(file, line.at))
