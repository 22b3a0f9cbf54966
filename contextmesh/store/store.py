"""Records in the order of insertion beside an engine that keeps every conclusion true."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from contextmesh.base.errors import OntologyError, Problem
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.limits import Limits
from contextmesh.datalog.strata import reads
from contextmesh.policy import Policy
from contextmesh.store import relations
from contextmesh.store.edges import EdgeRecords
from contextmesh.store.late import Promises
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.receipt import Receipt
from contextmesh.store.refusal import did_you_mean
from contextmesh.store.stage import Stage

Observer = Callable[[Receipt], None]

TOLD = (
    "rejected",
    "fell",
    "invalid",
    "rebuilt",
    "live",
    "edge_dead",
    "status",
    "superseded",
    "current",
    "unfounded",
    "suspect",
    "rescued",
    "lost",
    "stands_on",
)
"""What became of nodes, edges and assumptions. Signals, dates, prices and dead ends are derived when they are read."""

LIMITS = Limits(rows=100_000_000, rounds=10_000_000, seconds=600.0)
"""Of one transaction; a question has narrower ones."""


class Store:
    """One graph. Its only way to change is a Stage.

    Attributes:
        policy: the rules in force.
        engine: every fact and every row the rules conclude.
        nodes, edges, assumptions: records by id, in the order of insertion; read only.
        build: the number of the current build, 0 before the first.
        seq: the number of the last transaction.
        walks, traversals: telemetry by node id and edge id; an absent one is 0.
        observers: called with the receipt after each commit.
        told: the derived relations whose changes a receipt tells.
        promises: what receipts may still tell of the state that stands, kept before the next transaction.
        openings: plans that runners of this process opened, by name and number; another process knows nothing of them.
        always_carried: fields GRAPH.md asks for that every record has.
        lock: held while a transaction is judged and written, and by whoever reads while others may write.
    """

    def __init__(self, policy: Policy, *, limits: Limits | None = None) -> None:
        self.policy = policy
        self.lock = threading.RLock()
        facts: dict[str, tuple[Row, ...]] = {**policy.facts, "now": ((0,),)}
        self.engine = Engine(policy.program, facts, limits=limits or LIMITS, keyed=relations.ONE_EACH)
        self.build = 0
        self.seq = 0
        self.walks: dict[str, int] = {}
        self.traversals: dict[str, int] = {}
        self.observers: list[Observer] = []
        self.promises = Promises()
        self.openings: dict[tuple[str, int], None] = {}
        self._nodes: dict[str, Node] = {}
        self._edges: dict[str, Edge] | EdgeRecords = {}
        self._assumptions: dict[str, Assumption] = {}
        self.nodes: Mapping[str, Node] = MappingProxyType(self._nodes)
        self.edges: Mapping[str, Edge] = MappingProxyType(self._edges)
        self.assumptions: Mapping[str, Assumption] = MappingProxyType(self._assumptions)
        self.told = tuple(name for name in TOLD if name in policy.program.declarations)
        asked = dict.fromkeys(f for kind in policy.ontology.kinds for f in policy.ontology.must_carry(kind))
        self.always_carried = tuple(
            f for f in asked if f in relations.RECORD_FIELDS and f not in relations.OPTIONAL_FIELDS
        )
        self._edges_of_type: dict[str, int] = {}
        self._embedded: str | None = None  # a node with a vector, the last one that was looked for
        self._needed: dict[tuple[str, ...], Mapping[str, None]] = {}
        self._live_log: list[tuple[int, list[str], list[str]]] = []

    def stage(self, kind: str) -> Stage:
        """A new transaction; ``kind`` is the word its receipt bears."""
        return Stage(self, kind)

    def born(self, name: str) -> int:
        """The transaction that first wrote a node or an edge that is here."""
        for row in self.engine.match("born", (name, None)):
            seq = row[1]
            assert isinstance(seq, int)
            return seq
        raise AssertionError(f"{name} was never born")

    def width(self, without: Collection[str] = ()) -> int | None:
        """How many numbers the vectors here have, those of some nodes left out of account; None when there are none."""
        known = self.nodes.get(self._embedded) if self._embedded is not None else None
        if known is None or known.embedding is None or known.id in without:
            found = (node for node in reversed(self._nodes.values()) if node.embedding is not None)
            known = next((node for node in found if node.id not in without), None)
            self._embedded = known.id if known is not None else None
        return None if known is None or known.embedding is None else len(known.embedding)

    @property
    def edge_types_used(self) -> tuple[str, ...]:
        """The types of the edges that are here, sorted."""
        return tuple(sorted(self._edges_of_type))

    def needed_for(self, wanted: Collection[str]) -> Mapping[str, None]:
        """The relations that some relations are, or depend on through rules."""
        key = tuple(wanted)
        found = self._needed.get(key)
        if found is None:
            graph = reads(self.policy.program.rules)
            found = dict.fromkeys(key)
            todo = list(key)
            for name in todo:
                fresh = [edge.relation for edge in graph.get(name, ()) if edge.relation not in found]
                found |= dict.fromkeys(fresh)
                todo += dict.fromkeys(fresh)
            self._needed[key] = found
        return found

    def require_input(self, relation: str, row: Row) -> None:
        """Raises OntologyError unless the row may be stated as a fact from outside."""
        declaration = self.policy.program.declarations.get(relation)
        if declaration is None:
            known = [n for n, d in self.policy.program.declarations.items() if d.kind == "input"]
            hint = did_you_mean(relation, known)
            raise _bad("unknown-relation", relation, f"no rules file declares `{relation}`{hint}")
        if declaration.kind != "input" or relation in relations.CHECKS:
            raise _bad("input-derived", relation, f"`{relation}` is concluded, never stated")
        if relation in relations.OF_RECORDS and relation != relations.DATED:
            raise _bad("record-fact", relation, f"`{relation}` follows from records, and is never stated beside them")
        if relation in self.policy.facts:
            raise _bad("record-fact", relation, f"`{relation}` follows from GRAPH.md, and is never stated beside it")
        if len(row) != len(declaration.columns):
            columns = ", ".join(declaration.columns)
            raise _bad(
                "arity", relation, f"`{relation}({columns})` takes {len(declaration.columns)} terms, not {len(row)}"
            )
        for value in row:
            if isinstance(value, bool) or not isinstance(value, str | int):
                raise _bad(
                    "not-a-term", relation, f"`{relation}` was given {value!r}; a term is text or a whole number"
                )

    def adopt(self, stage: Stage, receipt: Receipt) -> None:
        """Take over what a stage has committed; called by the stage alone."""
        for edge in stage.edges.values():
            if edge.id not in self._edges:
                self._edges_of_type[edge.type] = self._edges_of_type.get(edge.type, 0) + 1
        self._nodes.update(stage.nodes)
        self._edges.update(stage.edges)
        self._assumptions.update(stage.assumptions)
        self.seq = receipt.seq
        if stage.build is not None:
            self.build = stage.build
        came, went = receipt.derived.plus("live"), receipt.derived.minus("live")
        if came or went:
            self._live_log.append((receipt.seq, _ids(came), _ids(went)))
        for observer in self.observers:
            observer(receipt)

    def take_over(
        self,
        nodes: Mapping[str, Node],
        edges: EdgeRecords,
        assumptions: Mapping[str, Assumption],
        engine: Engine,
        *,
        build: int,
        seq: int,
    ) -> None:
        """Stand on records that a file holds, and an engine over their facts; called by a loader, on an empty store."""
        assert not self.seq, "a loader fills an empty store"
        self._nodes.update(nodes)
        self._edges = edges
        self.edges = MappingProxyType(edges)
        self._assumptions.update(assumptions)
        self._edges_of_type.update(edges.kinds())
        self.engine, self.build, self.seq = engine, build, seq

    def live_reader(self, seq: int, ahead: Delta | None) -> Callable[[], tuple[str, ...]]:
        """Reads, whenever it is called, which nodes were live after a transaction, in the order of insertion.

        ``ahead`` is the delta of a dry run upon that transaction, which no log holds.
        """

        def read() -> tuple[str, ...]:
            live = self._live_at(seq)
            if ahead is not None:
                _shift(live, _ids(ahead.plus("live")), _ids(ahead.minus("live")))
            known = tuple(name for name in self._nodes if live.pop(name, False))
            return known + tuple(live)

        return read

    def _live_at(self, seq: int) -> dict[str, bool]:
        live = {str(row[0]): True for row in self.engine.rows("live")}
        for at, came, went in reversed(self._live_log):
            if at <= seq:
                break
            _shift(live, came=went, went=came)
        return live


def _ids(rows: list[Row]) -> list[str]:
    return [str(row[0]) for row in rows]


def _shift(live: dict[str, bool], came: list[str], went: list[str]) -> None:
    for name in went:
        live.pop(name, None)
    live.update(dict.fromkeys(came, True))


def _bad(code: str, relation: str, message: str) -> OntologyError:
    return OntologyError(Problem(code, message, subject=relation))
