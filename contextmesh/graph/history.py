"""The transactions of a graph as they were: which version of each record stood after each of them.

A store holds the newest version of every record. This follows its receipts and keeps the version that was replaced
and the number of the transaction that replaced it, so that a transaction costs what it wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from contextmesh.store import relations
from contextmesh.store.model import Edge, Node

if TYPE_CHECKING:
    from contextmesh.store.receipt import Receipt
    from contextmesh.store.store import Store

Record = TypeVar("Record", Node, Edge)

OF_RECORDS = frozenset(
    (
        *(
            "node",
            "named",
            "born",
            "born_at_build",
            "carries",
            "provenance",
            "pruned",
            "dated",
            "dated_within",
            "justification",
        ),
        *("premise", "record_key", "record_status", "imprecise_date", "refers", "edge", "bound", "verdict", "now"),
    )
)
"""Relations whose rows follow from the records and the verdicts."""


class History:
    """What stood after a transaction.

    Attributes:
        begins: the number of the transaction from which on everything is told apart; what came before is one state.
    """

    def __init__(self, store: Store) -> None:
        self.begins = store.seq
        self._store = store
        self._nodes = _Versions(store.nodes)
        self._edges = _Versions(store.edges)
        self._builds = [(store.seq, store.build)]
        self._stated: dict[relations.Fact, int] = {}
        for name, declaration in store.policy.program.declarations.items():
            if declaration.kind == "input" and name not in OF_RECORDS and name not in store.policy.facts:
                for row in store.engine.rows(name):
                    self._stated[name, row] = store.seq
        store.observers.append(self._follow)

    def nodes(self, seq: int) -> dict[str, Node]:
        """Every node after a transaction, as it was, in the order of insertion."""
        return dict(self._nodes.at(seq))

    def edges(self, seq: int) -> dict[str, Edge]:
        """Every edge after a transaction, as it was, in the order of insertion."""
        return dict(self._edges.at(seq))

    def build(self, seq: int) -> int:
        """The build that a transaction belongs to."""
        return next(build for at, build in reversed(self._builds) if at <= seq)

    def stated(self, seq: int) -> Iterator[relations.Fact]:
        """Facts that no record stands for, such as those of a runner, after a transaction."""
        return (fact for fact, at in self._stated.items() if at <= seq)

    def _follow(self, receipt: Receipt) -> None:
        store = self._store
        self._nodes.put(receipt.nodes, store.nodes, receipt.seq)
        self._edges.put(receipt.edges, store.edges, receipt.seq)
        if self._builds[-1][1] != store.build:
            self._builds.append((receipt.seq, store.build))
        for name, rows in receipt.added.added.items():
            for row in rows:
                if name not in OF_RECORDS or self._is_stated_beside(name, str(row[0])):
                    self._stated.setdefault((name, row), receipt.seq)

    def _is_stated_beside(self, name: str, subject: str) -> bool:
        """A date may be stated of anything; of a source its record says it."""
        node = self._store.nodes.get(subject)
        return name == "dated" and (node is None or node.type != relations.SOURCE)


class _Versions(Generic[Record]):
    def __init__(self, records: Mapping[str, Record]) -> None:
        self._newest: dict[str, Record] = dict(records)
        self._first: dict[str, int] = {}
        self._older: dict[str, list[tuple[int, Record]]] = {}

    def put(self, ids: tuple[str, ...], records: Mapping[str, Record], seq: int) -> None:
        for id in ids:
            old, new = self._newest.get(id), records[id]
            if old is None:
                self._first[id] = seq
            elif old is not new:
                self._older.setdefault(id, []).append((seq, old))
            self._newest[id] = new

    def at(self, seq: int) -> Iterator[tuple[str, Record]]:
        first, older = self._first, self._older
        for id, record in self._newest.items():
            if first.get(id, 0) > seq:
                continue
            if id in older:
                record = next((was for until, was in older[id] if until > seq), record)
            yield id, record
