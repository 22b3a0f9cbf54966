"""What a session holds that its directory does not hold yet, kept while it is written, so that a checkpoint costs that.

Each transaction of the graph is kept as a value with the records it took the place of; the table of names, the
counters and the walks say themselves what is new in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contextmesh.resolve.resolver import Cursor, Resolver
from contextmesh.resolve.snapshot import attempt_to_json
from contextmesh.session.agree import misfits
from contextmesh.session.telemetry import Counts, Walks, settle, walk_body
from contextmesh.store.transaction import Transaction, flaw_of, transaction_of, transaction_to_json

if TYPE_CHECKING:
    from contextmesh.base.fields import Fault
    from contextmesh.graph.history import History
    from contextmesh.session.journal import Position
    from contextmesh.session.state import Carried
    from contextmesh.store.model import Assumption, Edge, Node
    from contextmesh.store.receipt import Receipt
    from contextmesh.store.store import Store

Entry = tuple[str, Mapping[str, Any]]
"""Kind and body of a line."""


BINDS = "restore"
"""The kind of the transaction by which a plan that was read is stated to the rules."""


@dataclass(frozen=True, slots=True)
class Written:
    """A transaction that is not in the directory yet.

    Attributes:
        replaced: the records it took the place of, as they were.
        flaw: why a reader would refuse it as a line; None when it would not.
    """

    transaction: Transaction
    replaced: tuple[Node | Edge | Assumption, ...]
    flaw: Fault | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """How far what is pending was looked at."""

    transactions: int
    resolver: Cursor
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    walks: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """A commit that the disk refused, of which something may be there all the same.

    Attributes:
        generation: of the journal, or the new one.
        data: the lines, or the manifest.
        mark: what it wrote down.
        end: where the journal ends with it; None for a generation without one.
        is_generation: whether it was a whole generation, and not lines.
    """

    generation: int
    data: bytes
    mark: Mark
    end: Position | None
    is_generation: bool


def _only_binds(transaction: Transaction) -> bool:
    return transaction.kind == BINDS and not (transaction.nodes or transaction.edges or transaction.verdicts)


class Pending:
    """Follows the parts of a session from when it is made.

    Attributes:
        transactions: those that were committed since the directory was last written, in order.
        attempt: the last commit, when the disk refused it.
        carried, rounds: the plan as it is in the directory.
    """

    def __init__(
        self,
        store: Store,
        resolver: Resolver,
        walks: Walks,
        history: History | None,
        carried: Carried | None = None,
        rounds: int = 0,
    ) -> None:
        self.transactions: list[Written] = []
        self._history = history
        self.attempt: Attempt | None = None
        self.carried, self.rounds = carried, rounds
        self.resolver = resolver
        self._store = store
        self._walks = walks
        self._cursor = resolver.cursor
        self._walked = walks.total
        store.walks, self._nodes = Counts.followed(store.walks)
        store.traversals, self._edges = Counts.followed(store.traversals)
        store.observers.append(self._follow)

    def _follow(self, receipt: Receipt) -> None:
        day = self._history.day if self._history is not None else None
        transaction = transaction_of(self._store, receipt, day)
        flaw = flaw_of(self._store, transaction, receipt)
        self.transactions.append(Written(transaction, receipt.replaced, flaw))

    def follows(self, store: Store, resolver: Resolver, walks: Walks) -> bool:
        """Whether these are the parts it follows; of others it does not know what is new in them."""
        return self._store is store and self.resolver is resolver and self._walks is walks

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Lets one write by that no line can say; if it stands, ``stop`` following, and write a whole generation."""
        self._store.observers.remove(self._follow)
        try:
            yield
        finally:
            self._store.observers.append(self._follow)

    def stop(self) -> None:
        """Follow the parts no longer."""
        if self._follow in self._store.observers:
            self._store.observers.remove(self._follow)
        for counters, fresh in ((self._store.walks, self._nodes), (self._store.traversals, self._edges)):
            if isinstance(counters, Counts):
                counters.followers[:] = [one for one in counters.followers if one is not fresh]

    def __bool__(self) -> bool:
        """Whether anything is new. That a plan was bound to its workers again is not: it is said at each opening."""
        mark = self.mark()
        return bool(
            any(not _only_binds(written.transaction) for written in self.transactions)
            or mark.resolver != self._cursor
            or mark.nodes
            or mark.edges
            or mark.walks != self._walked
        )

    @property
    def is_flawed(self) -> bool:
        """Whether a reader would refuse what is new as lines; what a later write mended, a whole generation can say."""
        steps, _ = self.resolver.since(self._cursor)
        named = dict.fromkeys(key for kind, key, _ in steps if kind == "label")
        named |= dict.fromkeys(node.id for written in self.transactions for node in written.transaction.nodes)
        flawed = any(written.flaw is not None for written in self.transactions)
        return flawed or misfits(self.resolver, self._store, named)

    @property
    def size(self) -> int:
        """How many records its transactions put."""
        new = (written.transaction for written in self.transactions)
        return sum(len(one.nodes) + len(one.edges) + len(one.assumptions) for one in new)

    def mark(self) -> Mark:
        return Mark(
            len(self.transactions),
            self.resolver.cursor,
            dict(self._nodes),
            dict(self._edges),
            self._walks.total,
        )

    def entries(self, mark: Mark) -> list[Entry]:
        """The lines for what is new up to a mark.

        Raises:
            SnapshotError: ``unwritable-record``: a record that a reader would refuse.
        """
        entries: list[Entry] = [
            ("transaction", transaction_to_json(written.transaction))
            for written in self.transactions[: mark.transactions]
        ]
        if mark.resolver != self._cursor:
            steps, attempts = self.resolver.since(self._cursor)
            body = {"steps": [list(step) for step in steps], "log": [attempt_to_json(attempt) for attempt in attempts]}
            entries.append(("resolver", body))
        walks = self._walks.since(self._walked)
        if mark.nodes or mark.edges or walks:
            entries.append(("walk", walk_body(mark.nodes, mark.edges, walks)))
        return entries

    def settle(self, mark: Mark) -> None:
        """What was new up to a mark is in the directory."""
        del self.transactions[: mark.transactions]
        self._cursor = mark.resolver
        settle(self._nodes, mark.nodes)
        settle(self._edges, mark.edges)
        self._walked = mark.walks
        self.attempt = None

    def carry_over(self, other: Pending) -> None:
        """Teach another session what names and walks are new here; its transactions are replayed elsewhere.

        Raises:
            InputError: ``two-identities``: a name means another thing there.
        """
        other.resolver.take(*self.resolver.since(self._cursor))
        store = other._store
        for fresh, counters, known in (
            (self._nodes, store.walks, store.nodes),
            (self._edges, store.traversals, store.edges),
        ):
            for id, count in fresh.items():
                if id in known:
                    counters[id] = counters.get(id, 0) + count
        for walked in self._walks.since(self._walked):
            other._walks.add(walked)
