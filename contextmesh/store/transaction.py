"""One transaction as a value: what it put, enough to write the same again into a store that stands where it stood.

A transaction holds what was stated, never what followed. So its replay is judged by the rules like any other write,
and gives the records, the facts and their order, and the receipt that the first writing gave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from contextmesh.base import fields
from contextmesh.base.canon import DEPTH, DIGITS, require_canonical
from contextmesh.base.dates import Period, read_period
from contextmesh.base.errors import InputError, OntologyError, Problem, SnapshotError
from contextmesh.base.fields import Fault
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.records_json import (
    assumption_from_json,
    assumption_to_json,
    edge_from_json,
    edge_to_json,
    node_from_json,
    node_to_json,
    require_writable,
)
from contextmesh.store.relations import Fact
from contextmesh.store.transaction_agree import Proposed, Standing, disagreement_of

if TYPE_CHECKING:
    from contextmesh.store.receipt import Receipt
    from contextmesh.store.store import Store

KEYS = ("seq", "kind", "day", "build", "nodes", "edges", "assumptions", "verdicts", "facts")
_TOO_BIG = 10**DIGITS
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class Transaction:
    """What one transaction put.

    Attributes:
        seq: its number, from 1.
        kind: the word its writer gave it.
        day: the commit's date as the deployment supplied it, or None.
        build: the build after it.
        nodes, edges, assumptions: the records put, in order, as they were after it.
        verdicts: disproofs: an assumption and its evidence.
        facts: stated rows that no record stands for, in the order of each relation.
    """

    seq: int
    kind: str
    day: str | None
    build: int
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    verdicts: tuple[tuple[str, str], ...] = ()
    facts: tuple[Fact, ...] = ()


def transaction_of(store: Store, receipt: Receipt, day: str | None = None) -> Transaction:
    """The transaction of a receipt; to be called right after its commit, by an observer. Costs what it wrote.

    Raises:
        AssertionError: the receipt is not that of the store's last commit, or is a loader's.
    """
    assert receipt.committed, "a dry run writes nothing"
    assert receipt.seq == store.seq, "another transaction came after it"
    seq, stated = receipt.seq, dict.fromkeys(receipt.stated)
    by_loader = [row for row in receipt.added.plus("born") if row[1] != seq and ("born", row) not in stated]
    assert not by_loader, "a loader says itself when its records were born"
    verdicts = [row for row in receipt.added.plus("verdict") if ("verdict", row) not in stated]
    return Transaction(
        seq,
        receipt.kind,
        day,
        store.build,
        tuple(store.nodes[id] for id in receipt.nodes),
        tuple(store.edges[id] for id in receipt.edges),
        tuple(store.assumptions[id] for id in receipt.assumptions),
        tuple((str(row[0]), str(row[1])) for row in verdicts),
        receipt.stated,
    )


def flaw_of(store: Store, t: Transaction, receipt: Receipt) -> Fault | None:
    """What ``replay`` would refuse in the transaction that was just committed; None when it can be written again."""
    before = [record for record in receipt.replaced if isinstance(record, Assumption)]
    return disagreement_of(t, Standing(store), before)


def replay(store: Store, t: Transaction, *, reasons: bool = False) -> Receipt:
    """Write a transaction as the next one; with ``reasons`` its receipt can say why something fell.

    Raises:
        OntologyError: the rules refuse it; ``transaction-order``: another number comes next; what ``Stage`` refuses.
        Fault: its records contradict each other or those that are here, with the path in its JSON form.
        LimitReached: judging it took too much. In each case nothing changed.
    """
    if t.seq != store.seq + 1:
        message = f"transaction {t.seq} cannot follow transaction {store.seq}"
        raise OntologyError(Problem("transaction-order", message, subject=str(t.seq)))
    if t.build < store.build:
        message = f"transaction {t.seq} is of build {t.build}, and the graph is at build {store.build}"
        raise OntologyError(Problem("transaction-order", message, subject=str(t.seq)))
    stage = store.stage(t.kind)
    if t.build != store.build:
        stage.set_build(t.build)
    for node in t.nodes:
        stage.put_node(node)
    for edge in t.edges:
        stage.put_edge(edge)
    for record in t.assumptions:
        stage.put_assumption(record)
    for assumption, evidence in t.verdicts:
        stage.put_verdict(assumption, evidence)
    for relation, row in t.facts:
        stage.fact(relation, row)
    before = [store.assumptions[record.id] for record in t.assumptions if record.id in store.assumptions]
    fault = disagreement_of(t, Proposed(store, stage, t.verdicts), before)
    if fault is not None:
        raise fault
    return stage.commit(reasons=reasons)


# ---- as JSON --------------------------------------------------------------------------------


def transaction_to_json(t: Transaction) -> dict[str, Any]:
    """JSON values; a tuple within attributes becomes a list, as in every file.

    Raises:
        SnapshotError: ``unwritable-record``: a reader would refuse it; nothing is written that cannot be read.
    """
    records: tuple[Node | Edge | Assumption, ...] = (*t.nodes, *t.edges, *t.assumptions)
    for record in records:
        require_writable(record, t.build)
    widths = {len(node.embedding): node.id for node in t.nodes if node.embedding is not None}
    if len(widths) > 1:
        message = f"transaction {t.seq} has embeddings of {' and '.join(map(str, widths))} numbers"
        raise SnapshotError(Problem("unwritable-record", message, subject=next(iter(widths.values()))))
    return {
        "seq": t.seq,
        "kind": t.kind,
        "day": t.day,
        "build": t.build,
        "nodes": [node_to_json(node) for node in t.nodes],
        "edges": [edge_to_json(edge) for edge in t.edges],
        "assumptions": [assumption_to_json(record) for record in t.assumptions],
        "verdicts": [list(pair) for pair in t.verdicts],
        "facts": [[name, list(row)] for name, row in t.facts],
    }


def transaction_from_json(value: object) -> Transaction:
    """A transaction read as untrusted.

    Raises:
        Fault: what is wrong, with its path. What only a store can judge is judged by ``replay``.
    """
    try:
        require_canonical(value, depth=DEPTH)
    except InputError as error:
        raise Fault(error.code, f"holds what JSON cannot carry exactly: {error.problem.message}") from None
    row = fields.record(value, KEYS)
    seq, build = fields.whole(row, "seq", least=1), fields.whole(row, "build")
    nodes = _records(row, "nodes", lambda item: node_from_json(item, build))
    edges = _records(row, "edges", lambda item: edge_from_json(item, build))
    assumptions = _records(row, "assumptions", lambda item: assumption_from_json(item, build))
    for name, records in (("nodes", nodes), ("edges", edges), ("assumptions", assumptions)):
        _require_distinct(name, [record.id for record in records])
    _require_one_width(nodes)
    verdicts = tuple(_each(row, "verdicts", _verdict))
    _require_distinct("verdicts", verdicts)
    facts = tuple(_each(row, "facts", fact_from_json))
    kind = fields.text(row, "kind", empty=False)
    return Transaction(seq, kind, day_of(row, "day"), build, nodes, edges, assumptions, verdicts, facts)


def day_of(row: fields.Row, key: str) -> str | None:
    """The date of a commit as it was supplied, or None."""
    day = fields.text_or_none(row, key)
    if day is not None:
        try:
            stated_period(day)
        except Fault as fault:
            raise fault.under(key) from None
    return day


def stated_period(day: str) -> Period:
    """The stretch of time that a stored date of a commit names, which is written as it is kept.

    Raises:
        Fault: ``not-a-date``, ``impossible-date``.
    """
    try:
        period = read_period(day)
    except InputError as error:
        raise Fault(error.code, f"is {fields.shown(day)}, which is no date") from None
    if period.text != day:
        raise Fault("not-a-date", "has white space around the date")
    return period


def fact_from_json(value: object) -> Fact:
    """A relation and a row of text and whole numbers; whether they fit the rules is for the store to say."""
    if (
        not isinstance(value, list)
        or len(value) != 2
        or not isinstance(value[0], str)
        or not isinstance(value[1], list)
    ):
        raise Fault("wrong-type", "must be the name of a relation and its terms")
    for index, term in enumerate(value[1]):
        if isinstance(term, bool) or not isinstance(term, str | int):
            raise Fault("not-a-term", "must be text or a whole number", (1, index))
    return value[0], tuple(value[1])


def _verdict(value: object) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(id, str) for id in value):
        raise Fault("wrong-type", "must be the id of an assumption and that of its evidence")
    return value[0], value[1]


def _records(row: fields.Row, key: str, read: Callable[[object], _Read]) -> tuple[_Read, ...]:
    return tuple(_each(row, key, read))


def _each(row: fields.Row, key: str, read: Callable[[object], _Read]) -> Iterator[_Read]:
    for index, item in enumerate(fields.array(row, key)):
        try:
            yield read(item)
        except Fault as fault:
            raise fault.under(key, index) from None


def _require_distinct(name: str, ids: Iterable[object]) -> None:
    seen: dict[object, int] = {}
    for index, id in enumerate(ids):
        if id in seen:
            shown = fields.shown(id)
            raise Fault("two-identities", f"is {shown}, which another row has", (name, index), subject=str(id))
        seen[id] = index


def _require_one_width(nodes: Iterable[Node]) -> None:
    width: int | None = None
    for index, node in enumerate(nodes):
        if node.embedding is not None:
            width = width or len(node.embedding)
            if len(node.embedding) != width:
                message = f"has {len(node.embedding)} numbers, and the first has {width}"
                raise Fault("embedding-size", message, ("nodes", index, "embedding"), subject=node.id)
