"""ContextGraph: what one may say to a graph, and ask it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contextmesh.base.source import Source
from contextmesh.datalog.adhoc import Answer
from contextmesh.datalog.ast import Row
from contextmesh.datalog.explain import Derivation, Failure
from contextmesh.datalog.limits import Limits
from contextmesh.graph import assumptions, decisions, evidence, reject
from contextmesh.graph.alone import alone
from contextmesh.graph.arguments import (
    require_justifications,
    require_lists,
    require_mapping,
    require_required,
    require_texts,
)
from contextmesh.graph.batch import Batch
from contextmesh.graph.health import Health, health
from contextmesh.graph.invalidation import Invalidation
from contextmesh.graph.justify import justify
from contextmesh.graph.lineage import lineage
from contextmesh.graph.names import Names
from contextmesh.graph.prune import Pruned, prunable, prune
from contextmesh.policy import Policy
from contextmesh.store import explain, snapshot
from contextmesh.store.model import Assumption, Edge, Node, Provenance
from contextmesh.store.query import run_query
from contextmesh.store.store import Store
from contextmesh.store.view import View


class ContextGraph:
    """A typed context graph. Facts are appended; whatever follows from them is read from the rules.

    Every write is one transaction: the rules refuse it whole, or it stands whole and leaves a receipt. Several threads
    may call it: each call is made alone. A batch holds nobody up; when another thread wrote before its end, it is
    refused as ``stale-transaction``.

    Attributes:
        store: records, facts and the engine.
        decision_numbers: for each title, where the search for a free automatic id goes on.
    """

    def __init__(self, policy: Policy | None = None, *, store: Store | None = None) -> None:
        """An empty graph under the shipped policy or another; or the graph over a store."""
        self.store = store if store is not None else Store(policy if policy is not None else Policy.load())
        self.decision_numbers: dict[str, int] = {}
        self._view = View(self.store)
        self._names: Names | None = None

    @property
    def policy(self) -> Policy:
        return self.store.policy

    @property
    def build(self) -> int:
        return self.store.build

    def move_to(self, store: Store) -> None:
        """Stand over another store of the same policy, so that whoever holds this graph sees what is there."""
        self.store = store
        self.decision_numbers = {}
        self._view = View(store)
        self._names = None

    # -- writing --------------------------------------------------------------------------------------

    @alone
    def begin_build(self) -> int:
        """Start the next build; what is written from now on belongs to it."""
        stage = self.store.stage("build")
        stage.set_build(self.store.build + 1)
        stage.commit()
        return self.store.build

    @contextmanager
    def batch(self, kind: str) -> Iterator[Batch]:
        """Many writes as one transaction, judged once at the end of the block; an exception lets all of it go."""
        batch = Batch(self.store, kind)
        yield batch
        batch.commit()

    @alone
    def add_node(
        self,
        type: str,
        label: str,
        *,
        id: str | None = None,
        attrs: Mapping[str, Any] | None = None,
        provenance: Provenance | None = None,
        embedding: Sequence[float] | None = None,
    ) -> Node:
        """Add a node, or find the one of this type and label and merge attributes; see ``Batch.add_node``.

        Raises:
            OntologyError: ``no-such-node-type``, ``missing-field``, ``id-taken``, ``reserved-id`` …
            InputError: ``not-canonical``.
        """
        with self.batch("node") as batch:
            return batch.add_node(type, label, id=id, attrs=attrs, provenance=provenance, embedding=embedding)

    @alone
    def add_edge(
        self,
        src: str,
        type: str,
        dst: str,
        *,
        assumption: str | None = None,
        evidence: Sequence[str] = (),
        weight: float = 1.0,
    ) -> Edge:
        """Add a typed edge; a repeat is one more observation, and its weight is added.

        Raises:
            OntologyError: ``illegal-pair``, ``unknown-node``, ``self-edge``, ``no-such-edge-type`` …
            UnknownError: ``unknown-assumption``, ``unknown-node`` for evidence.
        """
        batch = Batch(self.store, "edge")
        edge = batch.add_edge(src, type, dst, assumption=assumption, evidence=evidence, weight=weight)
        batch.commit()
        return edge

    @alone
    def assume(self, statement: str, *, created_by: str = "agent", id: str | None = None) -> Assumption:
        """Record what is taken to be true; see ``assumptions.assume``."""
        require_required(statement=statement, created_by=created_by)
        require_texts(id=id)
        return assumptions.assume(self, statement, created_by=created_by, id=id)

    @alone
    def supersede(self, old: str, statement: str, *, created_by: str = "agent") -> Assumption:
        """Replace an assumption by a statement, or by the assumption of that id; see ``assumptions.supersede``."""
        require_required(old=old, statement=statement, created_by=created_by)
        return assumptions.supersede(self, old, statement, created_by=created_by)

    @alone
    def bind(self, edge_id: str, assumption_id: str) -> Edge:
        """Let an edge hold only as long as an assumption is not rejected; see ``assumptions.bind``."""
        return assumptions.bind(self, edge_id, assumption_id)

    @alone
    def decide(
        self,
        title: str,
        *,
        rationale: str,
        source: str,
        cites: Sequence[str] = (),
        derived_from: Sequence[str] = (),
        depends_on: Sequence[str] = (),
        produces: Sequence[str] = (),
        supersedes: str | None = None,
        supported_by: Sequence[str] = (),
        id: str | None = None,
        justifications: Sequence[Sequence[str]] | None = None,
        attrs: Mapping[str, Any] | None = None,
    ) -> Node:
        """Write a decision and all its edges as one transaction.

        ``justifications`` are sets of grounds, each of which suffices; without any, every ground is necessary.
        An id that is given is an idempotency key: the same payload returns the same node, another is refused.

        Raises:
            OntologyError: ``other-payload``, ``reserved-id``, ``id-taken``, ``blank-text`` … and what the rules refuse.
            UnknownError: ``unknown-node``.
            InputError: ``wrong-type``: text where a list is wanted, or the other way round.
        """
        require_required(title=title, rationale=rationale, source=source)
        require_texts(supersedes=supersedes, id=id)
        require_lists(
            cites=cites, derived_from=derived_from, depends_on=depends_on, produces=produces, supported_by=supported_by
        )
        require_justifications(justifications)
        require_mapping("attrs", attrs)
        proposal = decisions.Proposal(
            title,
            rationale,
            source,
            _once(cites),
            _once(derived_from),
            _once(depends_on),
            _once(produces),
            supersedes,
            _once(supported_by),
            tuple(_once(grounds) for grounds in justifications or ()),
            dict(attrs or {}),
        )
        return decisions.decide(self, proposal, id)

    @alone
    def justify(self, node_id: str, grounds: Sequence[str]) -> Node:
        """State one more set of grounds on which a claim stands; see ``graph.justify``."""
        return justify(self, node_id, grounds)

    @alone
    def submit_evidence(
        self,
        text: str,
        *,
        source_id: str,
        external_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Node:
        """Take in an observation, without a verdict; see ``evidence.submit_evidence``."""
        require_required(source_id=source_id)
        require_mapping("metadata", metadata)
        return evidence.submit_evidence(self, text, source_id=source_id, external_id=external_id, metadata=metadata)

    @alone
    def reject(self, assumption_id: str, *, evidence_id: str, replacement: str | None = None) -> Invalidation:
        """Reject an assumption on evidence; see ``reject.reject``."""
        require_required(assumption_id=assumption_id, evidence_id=evidence_id)
        require_texts(replacement=replacement)
        return reject.reject(self, assumption_id, evidence_id=evidence_id, replacement=replacement)

    @alone
    def prune(self, *, reason: str | None = None) -> Pruned:
        """Set aside what the rules call prunable."""
        return prune(self, reason=reason)

    # -- reading ----------------------------------------------------------------------------------------

    def node(self, node_id: str) -> Node:
        """Raises UnknownError, code ``unknown-node``, with the nearest id."""
        return self._view.node(node_id)

    def edge(self, edge_id: str) -> Edge:
        """Raises UnknownError, code ``unknown-edge``."""
        return self._view.edge(edge_id)

    def assumption(self, assumption_id: str) -> Assumption:
        """Raises UnknownError, code ``unknown-assumption``."""
        return self._view.assumption(assumption_id)

    @alone
    def find(self, name: str) -> tuple[Node, ...]:
        """Nodes of this label, alias or record key, whatever the case."""
        if self._names is None:
            self._names = Names(self.store)
        return self._names.find(name)

    @alone
    def edges_from(self, node_id: str, type: str | None = None) -> tuple[Edge, ...]:
        """Edges that leave a node, dead ones included, in the order of insertion."""
        return self._view.edges_from(node_id, None if type is None else str(type))

    @alone
    def edges_to(self, node_id: str, type: str | None = None) -> tuple[Edge, ...]:
        """Edges that reach a node, dead ones included, in the order of insertion."""
        return self._view.edges_to(node_id, None if type is None else str(type))

    @alone
    def is_live(self, node_id: str) -> bool:
        return self._view.is_live(node_id)

    @alone
    def is_edge_live(self, edge_id: str) -> bool:
        return self._view.is_edge_live(edge_id)

    def live_nodes(self, type: str | None = None) -> Iterator[Node]:
        """Live nodes, of one type when given, in the order of insertion."""
        return self._view.live_nodes(None if type is None else str(type))

    @alone
    def status(self, assumption_id: str) -> str:
        """``active``, ``superseded`` or ``rejected``, as the rules say."""
        return self._view.status(assumption_id)

    @alone
    def blast(self, assumption_id: str) -> Invalidation:
        """What a rejection would take down; nothing is written."""
        return reject.blast(self, assumption_id)

    @alone
    def lineage(self, node_id: str) -> tuple[Node, ...]:
        """What a node replaced, the node, and what replaced it, oldest first."""
        return lineage(self, node_id)

    @alone
    def health(self, *, near_misses: Sequence[str] = (), facts: Mapping[str, Sequence[Row]] | None = None) -> Health:
        """Every signal of the rules; see ``health.health``."""
        return health(self, near_misses=near_misses, facts=facts)

    @alone
    def prunable(self) -> dict[str, str]:
        """What ``prune`` would set aside now, and the reason of each."""
        return prunable(self)

    @alone
    def query(self, text: str | Source, *, limits: Limits | None = None) -> Answer:
        """Rows that satisfy a Datalog body, with named columns.

        Raises:
            RuleError: not a safe query over declared relations.
            LimitReached: it would cost more than ``limits``.
        """
        return run_query(self.store, text, limits)

    @alone
    def why(self, text: str | Source, *, limits: Limits | None = None) -> Derivation:
        """The shortest derivation of a fact, or of the first row that matches.

        Raises:
            RuleError: not one fact. UnknownError: ``does-not-hold``.
        """
        return explain.why(self.store, text, limits)

    @alone
    def why_not(self, text: str | Source, *, limits: Limits | None = None) -> tuple[Failure, ...]:
        """For each rule of the relation, the first literal that fails for this fact."""
        return explain.why_not(self.store, text, limits)

    # -- files --------------------------------------------------------------------------------------------

    @alone
    def to_json(self) -> dict[str, Any]:
        """The graph as ``contextmesh.graph`` version 1."""
        return snapshot.graph_to_json(self.store)

    @alone
    def save_json(self, path: str | Path) -> None:
        """Write the graph to a file, whole or not at all.

        Raises:
            InputError: the file cannot be written.
        """
        snapshot.save_graph(self.store, Path(path))

    @classmethod
    def from_json(cls, data: object, policy: Policy | None = None) -> ContextGraph:
        """Read what ``to_json`` gave, as untrusted.

        Raises:
            SnapshotError: damaged, or stating what the rules do not derive.
        """
        return cls(store=snapshot.graph_from_json(data, policy if policy is not None else Policy.load()))

    @classmethod
    def load_json(cls, path: str | Path, policy: Policy | None = None) -> ContextGraph:
        """Read a file, as untrusted.

        Raises:
            SnapshotError: it cannot be read, is damaged, or states what the rules do not derive.
        """
        return cls(store=snapshot.load_graph(Path(path), policy if policy is not None else Policy.load()))


def _once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
