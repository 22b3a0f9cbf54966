"""The facts of a past, relation by relation, each made when it is first read.

Most records are what they were, so their facts are rows that stand now. Of the others the record of then tells its own.
Rows stand in the order of insertion of their records, whatever was written to them since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import compress
from operator import is_not, itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from contextmesh.store import relations

if TYPE_CHECKING:
    from contextmesh.datalog.ast import Row, Value
    from contextmesh.store.model import Edge, Node
    from contextmesh.store.relations import Fact
    from contextmesh.store.store import Store

OF_NODES = (
    *("node", "named", "born_at_build", "carries", "provenance", "pruned", "dated", "dated_within", "justification"),
    *("premise", "record_key", "record_status", "imprecise_date", "refers"),
)
OF_EDGES = ("edge", "bound")

IN_ORDER = ("node", "edge")
"""Relations whose rows never change once they are there, so that they stand in order by themselves."""

FEW = 4
"""A past that lacks less than one in so many records of now is what is now, less those."""

Key = TypeVar("Key")
Record = TypeVar("Record")

Gone = Mapping[str, None]

Late = Callable[[], Iterable["Row"]]


def facts_then(
    now: Store,
    nodes: Mapping[str, Node],
    edges: Mapping[str, Edge],
    born: Callable[[str], int],
    *,
    stated: Iterable[Fact],
    beside: Callable[[], Iterable[Fact]],
) -> dict[str, Late]:
    """For each relation that follows from records: what gives its rows of then.

    Args:
        now: has these records, or newer ones of their ids, and goes on meanwhile.
        nodes, edges: the records of then, in the order of insertion.
        born: the transaction that first wrote a node or an edge.
        stated: facts of then that no record stands for.
        beside: gives all such facts of ``now``; of them only those of then are in the past.
    """
    then = _Then(now, nodes, edges, born, tuple(stated), beside)
    late: dict[str, Late] = {name: partial(then.of_nodes, name) for name in OF_NODES}
    late |= {name: partial(then.of_edges, name) for name in OF_EDGES}
    late["born"] = then.births
    declared = now.policy.program.declarations
    return {name: rows for name, rows in late.items() if name in declared}


class _Then:
    def __init__(
        self,
        now: Store,
        nodes: Mapping[str, Node],
        edges: Mapping[str, Edge],
        born: Callable[[str], int],
        stated: tuple[Fact, ...],
        beside: Callable[[], Iterable[Fact]],
    ) -> None:
        self._now, self._nodes, self._edges, self._born = now, nodes, edges, born
        self._stated, self._beside = stated, beside
        self._looked = -1
        self._gone: tuple[Gone, Gone] = ({}, {})
        self._changed: tuple[dict[str, Node], dict[str, Edge]] = ({}, {})

    def of_nodes(self, relation: str) -> Iterable[Row]:
        nodes = self._nodes
        if relation in IN_ORDER:
            return self._standing(relation, self._gone_nodes, {})
        rows = list(self._standing(relation, self._gone_nodes, self._changed_nodes))
        for node in self._changed_nodes.values():
            facts = relations.node_facts(node, self._born(node.id), self._now.always_carried)
            rows += [row for name, row in facts if name == relation]
        if rows:
            place, subject = {id: at for at, id in enumerate(nodes)}, _subject(relation)
            rows.sort(key=lambda row: place[subject(row)])
        return rows + [row for name, row in self._stated if name == relation]

    def of_edges(self, relation: str) -> Iterable[Row]:
        edges = self._edges
        if relation in IN_ORDER:
            return self._standing(relation, self._gone_edges, {})
        rows = list(self._standing(relation, self._gone_edges, self._changed_edges))
        for edge in self._changed_edges.values():
            rows += [row for name, row in relations.edge_facts(edge, self._born(edge.id)) if name == relation]
        if rows:
            told = dict.fromkeys(row[0] for row in rows)  # a few of all the edges
            place: dict[Value, int] = {id: at for at, id in enumerate(edges) if id in told}
            rows.sort(key=lambda row: place[row[0]])
        return rows + [row for name, row in self._stated if name == relation]

    def births(self) -> Iterable[Row]:
        return self._now.engine.read("born").less(dict.fromkeys([*self._gone_nodes, *self._gone_edges]))

    @property
    def _changed_nodes(self) -> Mapping[str, Node]:
        """Those that have another record now."""
        self._look_again()
        return self._changed[0]

    @property
    def _changed_edges(self) -> Mapping[str, Edge]:
        self._look_again()
        return self._changed[1]

    @property
    def _gone_nodes(self) -> Gone:
        """Those of now that were not there."""
        self._look_again()
        return self._gone[0]

    @property
    def _gone_edges(self) -> Gone:
        self._look_again()
        return self._gone[1]

    def _look_again(self) -> None:
        now = self._now
        if self._looked != now.seq:
            self._looked = now.seq
            gone_nodes, nodes = differences(self._nodes, now.nodes)
            gone_edges, edges = differences(self._edges, now.edges)
            self._gone, self._changed = (gone_nodes, gone_edges), (nodes, edges)

    def _standing(self, relation: str, gone: Gone, changed: Mapping[str, object]) -> Iterable[Row]:
        """The rows of now that tell of a record that was there and is what it was."""
        standing, subject = self._now.engine.read(relation), _subject(relation)
        beside = {row for name, row in self._beside() if name == relation}
        rows: Iterable[Row] = standing.scan()
        if relation in ("premise", "justification"):
            rows = [row for row in rows if (id := subject(row)) not in gone and id not in changed]
        elif changed:
            rows = [row for row in rows if row[0] not in gone and row[0] not in changed]
        elif not beside:
            return standing.less(gone.keys())
        elif gone:
            rows = [row for row in rows if row[0] not in gone]
        return [row for row in rows if row not in beside] if beside else rows


def copy_of(records: Mapping[Key, Record]) -> dict[Key, Record]:
    """A copy of a dict, or of a view of one, made at once rather than key by key."""
    return records.copy() if isinstance(records, dict | MappingProxyType) else dict(records)


def less(records: Mapping[Key, Record], gone: Mapping[Key, None]) -> dict[Key, Record]:
    """Records, in their order, without those that are gone."""
    if len(gone) * FEW > len(records):
        return {id: record for id, record in records.items() if id not in gone}
    left = copy_of(records)
    for id in gone:
        del left[id]
    return left


def differences(then: Mapping[str, Record], now: Mapping[str, Record]) -> tuple[Gone, dict[str, Record]]:
    """What of now was not there, and the records of then that are not those of now.

    Both stand in one order, so what is left of now lines up with then, and no record is looked up by its id.
    """
    missing = now.keys() - then.keys() if len(then) < len(now) else ()
    gone = dict.fromkeys(id for id in now if id in missing) if missing else {}
    newest = less(now, gone).values() if gone else now.values()
    return gone, {id: then[id] for id in compress(then, map(is_not, then.values(), newest))}


def _subject(relation: str) -> Callable[[Row], str]:
    """Reads from a row the record that it tells of."""
    if relation == "premise":
        return lambda row: _node_of(row[0])
    return itemgetter(1 if relation == "justification" else 0)


def _node_of(justification: object) -> str:
    """The node that a justification is of; see ``relations.justification_id``."""
    return str(justification)[len(relations.RESERVED_IDS) :].rpartition("#")[0]
