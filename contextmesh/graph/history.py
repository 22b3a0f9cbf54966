"""The transactions of a graph as they were: which version of each record stood after each of them.

A store holds the newest version of every record. This follows its receipts and keeps the version that was replaced
and the number of the transaction that replaced it, so that a transaction costs what it wrote. It survives a reload as
plain values, a ``Chronicle``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from contextmesh.base.dates import read_period
from contextmesh.graph.facts_then import copy_of
from contextmesh.store import relations
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.records_past import Chronicle, Commit

if TYPE_CHECKING:
    from contextmesh.store.receipt import Receipt
    from contextmesh.store.store import Store

Record = TypeVar("Record", Node, Edge)


class History:
    """What stood after a transaction. It follows the store from when it is made, or goes on from a chronicle.

    To keep it over a reload: write ``chronicle()`` with the records (``store.records``), read both back, and give the
    chronicle to the next ``History`` of the loaded store: it then answers as this one does.

    Args:
        chronicle: the past of the store as a file kept it; it ends at the store's last transaction.

    Attributes:
        begins: the number of the transaction from which on everything is told apart; what came before is one state.
        day: the date that the transactions which follow are committed on, as it was supplied, or None.
    """

    def __init__(self, store: Store, chronicle: Chronicle | None = None) -> None:
        told = chronicle if chronicle is not None else self._now(store)
        self.begins = told.begins
        self.day: str | None = None
        self._store = store
        self._commits = list(told.commits)
        self._build = told.build
        self._older: list[tuple[int, Node | Edge]] = list(told.older)
        self._nodes: _Versions[Node] = _Versions(self._first)
        self._edges: _Versions[Edge] = _Versions(self._first)
        for until, record in told.older:
            self._versions_of(record).replaced(record, until)
        self._stated = dict(told.stated)
        self._born: dict[str, int] | None = None if told.commits else {}
        store.observers.append(self._follow)

    def chronicle(self) -> Chronicle:
        """All of it as plain values."""
        stated = tuple(self._stated.items())
        return Chronicle(self.begins, self._build, tuple(self._commits), tuple(self._older), stated)

    @property
    def commits(self) -> Sequence[Commit]:
        """Every transaction after ``begins``, in order."""
        return self._commits

    @staticmethod
    def _now(store: Store) -> Chronicle:
        """Nothing of the past is known."""
        stated: list[tuple[relations.Fact, int]] = []
        for name, declaration in store.policy.program.declarations.items():
            if declaration.kind == "input" and name not in relations.OF_RECORDS and name not in store.policy.facts:
                stated += [((name, row), store.seq) for row in store.engine.rows(name)]
        return Chronicle(store.seq, store.build, stated=tuple(stated))

    def _first(self) -> Mapping[str, int]:
        """The transaction that first wrote each record born since ``begins``."""
        if self._born is None:
            born = self._store.engine.rows("born")
            self._born = {str(id): seq for id, seq in born if isinstance(seq, int) and seq > self.begins}
        return self._born

    def nodes(self, seq: int) -> dict[str, Node]:
        """Every node after a transaction, as it was, in the order of insertion."""
        return self._nodes.at(self._store.nodes, seq)

    def edges(self, seq: int) -> dict[str, Edge]:
        """Every edge after a transaction, as it was, in the order of insertion."""
        return self._edges.at(self._store.edges, seq)

    def build(self, seq: int) -> int:
        """The build that a transaction belongs to."""
        place = bisect_right(self._commits, seq, key=lambda commit: commit.seq)
        return self._commits[place - 1].build if place else self._build

    def day_from(self, day: str | None) -> str | None:
        """The date that a commit of this day bears here: time does not run backwards, so it is never before the last.

        A transaction that comes in after one of a later date, as another writer's may, was there by that later date.
        """
        if day is None:
            return None
        last = next((commit.day for commit in reversed(self._commits) if commit.day is not None), day)
        return last if read_period(day) < read_period(last) else day

    def stated(self, seq: int) -> Iterator[relations.Fact]:
        """Facts that no record stands for, such as those of a runner, after a transaction."""
        return (fact for fact, at in self._stated.items() if at <= seq)

    def _follow(self, receipt: Receipt) -> None:
        seq = receipt.seq
        self._commits.append(Commit(seq, receipt.kind, self.day, self._store.build))
        replaced: dict[str, None] = {}
        for record in receipt.replaced:
            if isinstance(record, Assumption):
                continue
            replaced[record.id] = None
            newest: object = self._store.nodes.get(record.id) or self._store.edges.get(record.id)
            if newest is not record:
                self._older.append((seq, record))
                self._versions_of(record).replaced(record, seq)
        if self._born is not None:
            for id in (*receipt.nodes, *receipt.edges):
                if id not in replaced:
                    self._born[id] = seq
        for fact in receipt.stated:
            self._stated.setdefault(fact, seq)

    def _versions_of(self, record: Node | Edge) -> _Versions[Any]:
        return self._nodes if isinstance(record, Node) else self._edges


class _Versions(Generic[Record]):
    """Older versions of records; ``first`` gives the transactions that first wrote them."""

    def __init__(self, first: Callable[[], Mapping[str, int]]) -> None:
        self._first = first
        self._older: dict[str, list[tuple[int, Record]]] = {}

    def replaced(self, record: Record, seq: int) -> None:
        self._older.setdefault(record.id, []).append((seq, record))

    def at(self, newest: Mapping[str, Record], seq: int) -> dict[str, Record]:
        first, older = self._first(), self._older
        then = copy_of(newest)
        # Records stand in the order in which they were born.
        for id in list(takewhile(lambda id: first.get(id, 0) > seq, reversed(then))):
            del then[id]
        for id, versions in older.items():
            if id in then:
                then[id] = next((was for until, was in versions if until > seq), then[id])
        return then
