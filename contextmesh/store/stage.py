"""One transaction: propose records, let the rules judge, then keep everything or nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from contextmesh.base.errors import OntologyError, Problem
from contextmesh.datalog.ast import Row
from contextmesh.datalog.facts import Delta, Relation
from contextmesh.store import relations
from contextmesh.store.chains import Reasons, words_for
from contextmesh.store.heap import settle
from contextmesh.store.model import Assumption, Edge, Node, a
from contextmesh.store.receipt import Chain, Receipt
from contextmesh.store.refusal import Wording
from contextmesh.store.relations import Rows

if TYPE_CHECKING:
    from contextmesh.store.store import Store

VIOLATION = "violation"
Record = TypeVar("Record")


class Stage:
    """What one transaction would write. Nothing of it is seen elsewhere before ``commit``.

    Attributes:
        nodes, edges, assumptions: the records put so far, by id, in order.
    """

    def __init__(self, store: Store, kind: str) -> None:
        self._store = store
        self.kind = kind
        self.nodes: dict[str, Node] = {}
        self.edges: dict[str, Edge] = {}
        self.assumptions: dict[str, Assumption] = {}
        self._verdicts: dict[tuple[str, str], int | None] = {}
        self._extra: dict[relations.Fact, None] = {}
        self._fresh: list[relations.Fact] = []
        self._born: dict[str, int] = {}
        self._build: int | None = None
        self._done = False
        self._based_on = store.seq

    # -- proposing --------------------------------------------------------------------------------

    def put_node(self, node: Node, *, born: int | None = None) -> None:
        """Add a node, or replace the record of that id and move its facts.

        ``born`` is for loaders: the number of an earlier transaction that wrote it.

        Raises:
            OntologyError: ``two-identities``, ``reserved-id``.
        """
        there = self.node(node.id)
        if there is not None and there.type != node.type:
            message = f"{node.id} is {a(there.type)} and cannot become {a(node.type)}"
            raise OntologyError(Problem("two-identities", message, subject=node.id))
        if node.id.startswith(relations.RESERVED_IDS):
            message = f"ids that start with `{relations.RESERVED_IDS}` name justifications"
            raise OntologyError(Problem("reserved-id", message, subject=node.id, hint="choose another id"))
        self.nodes[node.id] = node
        if born is not None:
            self._born[node.id] = born

    def put_edge(self, edge: Edge, *, born: int | None = None) -> None:
        """Add an edge, or replace the record of that id and move its facts.

        Raises:
            OntologyError: ``two-identities``.
        """
        there = self.edge(edge.id)
        if there is not None and (there.src, there.type, there.dst) != (edge.src, edge.type, edge.dst):
            message = f"{edge.id} is {there.src} -[{there.type}]-> {there.dst} and cannot become another edge"
            raise OntologyError(Problem("two-identities", message, subject=edge.id))
        self.edges[edge.id] = edge
        if born is not None:
            self._born[edge.id] = born

    def put_assumption(self, assumption: Assumption) -> None:
        """Add or replace the record beside an assumption node."""
        self.assumptions[assumption.id] = assumption

    def put_verdict(self, assumption: str, evidence: str, *, at: int | None = None) -> None:
        """State a disproof; ``at`` is for loaders."""
        self._verdicts[assumption, evidence] = at

    def set_build(self, build: int) -> None:
        """Move the graph to a build; ``now`` follows."""
        self._build = build

    def fact(self, relation: str, row: Row) -> None:
        """Add a row to an input relation that no record stands for.

        Raises:
            OntologyError: ``unknown-relation``, ``input-derived``, ``arity``, ``not-a-term``.
        """
        self._store.require_input(relation, row)
        self._extra[relation, row] = None

    # -- reading what is proposed over what stands --------------------------------------------------

    def node(self, node_id: str) -> Node | None:
        found = self.nodes.get(node_id)
        return found if found is not None else self._store.nodes.get(node_id)

    def edge(self, edge_id: str) -> Edge | None:
        found = self.edges.get(edge_id)
        return found if found is not None else self._store.edges.get(edge_id)

    def assumption(self, assumption_id: str) -> Assumption | None:
        found = self.assumptions.get(assumption_id)
        return found if found is not None else self._store.assumptions.get(assumption_id)

    def __bool__(self) -> bool:
        """Whether anything was proposed."""
        return bool(
            self.nodes or self.edges or self.assumptions or self._verdicts or self._extra or self._build is not None
        )

    # -- judging ------------------------------------------------------------------------------------

    def commit(self, *, reasons: bool = True) -> Receipt:
        """Write all of it as one transaction. With ``reasons=False`` the receipt cannot say why something fell.

        Raises:
            OntologyError: the rules refuse it; every violation is told, and nothing changed.
            OntologyError: ``stale-transaction``: another one was committed since this was begun.
            LimitReached: judging it took too much; nothing changed.
        """
        assert not self._done, "a stage commits once"
        store = self._store
        with store.lock:
            if self._based_on != store.seq:
                message = f"the graph was written to since this `{self.kind}` transaction began"
                hint = "finish one batch before the next write"
                raise OntologyError(Problem("stale-transaction", message, subject=self.kind, hint=hint))
            store.promises.keep()
            receipt = self._written(reasons)
        settle(len(self.nodes) + len(self.edges))
        return receipt

    def _written(self, reasons: bool) -> Receipt:
        store, engine = self._store, self._store.engine
        judging = engine.stage_of(VIOLATION)
        if judging is not None and not judging.built:
            engine.read(
                VIOLATION
            )  # of nothing: from now on it is driven by what is new, never by a table of the policy
        seq, facts, checks = self._facts()
        derived = engine.apply(facts, report=store.told, checks=checks, judge=(VIOLATION, self._require_legal))
        self._done = True
        reason = _reasons(store, self.node, derived, now=False) if reasons else dict
        receipt = self._receipt(seq, True, facts, derived, engine.count("live"), reason, store.live_reader(seq, None))
        store.adopt(self, receipt)
        return receipt

    def dry_run(self, wanted: Collection[str] | None = None) -> Receipt:
        """The receipt that a commit would give, and nothing changed.

        ``wanted`` names the derived relations worth maintaining; the others are absent from the receipt.

        Raises:
            OntologyError, LimitReached: as ``commit``.
        """
        store, engine = self._store, self._store.engine
        names = store.told if wanted is None else tuple(wanted)
        with store.lock, engine.trial(wanted=(*names, VIOLATION)):
            seq, facts, checks = self._facts()
            derived = engine.apply(facts, report=names, checks=checks, judge=(VIOLATION, self._require_legal))
            reasons = _reasons(store, self.node, derived, now=True)
            live = engine.count("live") if "live" in names else 0
            return self._receipt(seq, False, facts, derived, live, reasons, store.live_reader(store.seq, derived))

    @property
    def build(self) -> int | None:
        return self._build

    def _receipt(
        self,
        seq: int,
        committed: bool,
        facts: Delta,
        derived: Delta,
        live: int,
        reasons: Callable[[], Mapping[str, Chain]],
        preserved: Callable[[], tuple[str, ...]],
    ) -> Receipt:
        names = (tuple(self.nodes), tuple(self.edges), tuple(self.assumptions))
        told = (seq, self.kind, committed, facts, derived, *names, live, self._replaced(), reasons, preserved)
        return Receipt(*told, stated=tuple(self._fresh))

    def _replaced(self) -> tuple[Node | Edge | Assumption, ...]:
        store = self._store
        return (
            *(store.nodes[id] for id in self.nodes if id in store.nodes),
            *(store.edges[id] for id in self.edges if id in store.edges),
            *(store.assumptions[id] for id in self.assumptions if id in store.assumptions),
        )

    def _require_legal(self, violations: Relation) -> None:
        if not len(violations):
            return
        engine = self._store.engine
        order = {name: place for place, name in enumerate((*self.nodes, *self.edges))}
        wording = Wording(engine, self._store.policy.ontology, self.node, self.edges)
        raise wording.refusal(list(violations.scan()), order)

    def _facts(self) -> tuple[int, Delta, Rows]:
        """The number of the transaction, the facts that come and go, and rows that say what is to be checked."""
        given = (*self._born.values(), *(at for at in self._verdicts.values() if at is not None))
        seq = max(self._store.seq + 1, *given) if given else self._store.seq + 1
        added: Rows = {}
        dropped: Rows = {}
        checks: Rows = {}
        self._node_facts(seq, added, dropped, checks)
        self._edge_facts(seq, added, dropped, checks)
        for (assumption, evidence), at in self._verdicts.items():
            _add(added, relations.verdict_fact(assumption, evidence, seq if at is None else at))
            _add(checks, relations.new_verdict(assumption, evidence))
        self._fresh = [fact for fact in self._extra if not self._store.engine.holds(*fact)]
        for fact in self._fresh:
            _add(added, fact)
        if self._build is not None and self._build != self._store.build:
            _add(dropped, relations.now_fact(self._store.build))
            _add(added, relations.now_fact(self._build))
        return seq, Delta(added, dropped), checks

    def _node_facts(self, seq: int, added: Rows, dropped: Rows, checks: Rows) -> None:
        """That a node is new, and of which type, is said by one row."""
        here, carried = self._store.nodes, self._store.always_carried
        for new, name, node in _runs(self.nodes, here):
            if new:
                facts = relations.facts_of_nodes(new, self._born, seq, carried)
                _extend(checks, {"new_node": facts["node"]})
                _extend(added, facts)
            if node is not None:
                was = relations.node_facts(here[name], self._store.born(name), carried)
                if _move(was, relations.node_facts(node, self._born_of(name), carried), added, dropped):
                    _add(checks, relations.new_node(node))

    def _edge_facts(self, seq: int, added: Rows, dropped: Rows, checks: Rows) -> None:
        """That an edge is there and that it is new is said by one row."""
        here = self._store.edges
        for new, name, edge in _runs(self.edges, here):
            if new:
                facts = relations.facts_of_edges(new, self._born, seq)
                _extend(checks, {"new_edge": facts["edge"]})
                _extend(added, facts)
            if edge is None or (relations.says_the_same(here[name], edge) and name not in self._born):
                continue  # at most one more observation: a matter of the record
            was = relations.edge_facts(here[name], self._store.born(name))
            if _move(was, relations.edge_facts(edge, self._born_of(name)), added, dropped):
                _add(checks, relations.new_edge(edge))

    def _born_of(self, name: str) -> int:
        """The transaction that first wrote what is here, or what a loader says it was."""
        given = self._born.get(name)
        return given if given is not None else self._store.born(name)


def _runs(put: dict[str, Record], here: Mapping[str, Record]) -> Iterator[tuple[dict[str, Record], str, Record | None]]:
    """What was put, in order: new records that follow each other, and the replacement after them, if any."""
    if put.keys().isdisjoint(here.keys()):
        yield put, "", None
        return
    new: dict[str, Record] = {}
    for name, record in put.items():
        if name in here:
            yield new, name, record
            new = {}
        else:
            new[name] = record
    yield new, "", None


def _extend(side: Rows, more: Rows) -> None:
    for relation, rows in more.items():
        side.setdefault(relation, []).extend(rows)


def _move(was: Iterable[relations.Fact], now: Iterable[relations.Fact], added: Rows, dropped: Rows) -> bool:
    """Record the difference of two sets of facts; whether there is one."""
    before, after = dict.fromkeys(was), dict.fromkeys(now)
    gone, come = [f for f in before if f not in after], [f for f in after if f not in before]
    for fact in gone:
        _add(dropped, fact)
    for fact in come:
        _add(added, fact)
    return bool(gone or come)


def _reasons(
    store: Store, node_of: Callable[[str], Node | None], derived: Delta, *, now: bool
) -> Callable[[], Mapping[str, Chain]]:
    """Why each node of a delta fell: put into words when asked for, and no later than the next transaction.

    ``now``: the state will be gone; what carried failure in it is noted at once.
    """
    invalid = {row[0]: None for row in derived.plus("invalid")}
    if not invalid:
        return dict
    rows = [row for row in derived.plus("fell") if row[0] in invalid]
    noted = Reasons(store.engine, rows) if now else None

    def label_of(node_id: str) -> str:
        node = node_of(node_id)
        return words_for(node) if node is not None else node_id

    def chains() -> Mapping[str, Chain]:
        return (noted or Reasons(store.engine, rows)).chains(label_of)

    return store.promises.late(chains).get


def _add(side: Rows, fact: relations.Fact) -> None:
    side.setdefault(fact[0], []).append(fact[1])
