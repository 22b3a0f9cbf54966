"""Mesh: the whole in one value. A graph, the names it knows, an index to ask by, and perhaps a home directory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextmesh.base.errors import InputError, Problem, SessionError, UnknownError
from contextmesh.base.read_only import writes
from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.names_then import PastResolver
from contextmesh.graph.naming import find_nodes, node_named
from contextmesh.graph.not_then import not_then
from contextmesh.graph.portrait import Lineage, Portrait, lineage_of, portrait_of
from contextmesh.graph.timeline import KEPT, Bounds, Past, Timeline
from contextmesh.resolve.resolver import Resolver
from contextmesh.session.at_home import AtHome
from contextmesh.session.state import SessionState
from contextmesh.session.telemetry import Walked
from contextmesh.store.reasons import Absence, Proof

if TYPE_CHECKING:
    from contextmesh.datalog.engine import Answer as Rows
    from contextmesh.graph.health import Health
    from contextmesh.graph.history import History
    from contextmesh.graph.invalidation import Invalidation
    from contextmesh.graph.reconstruct import Reconstruction
    from contextmesh.ingest.pipeline import BuildReport
    from contextmesh.policy import Policy
    from contextmesh.store.model import Assumption, Edge, Node
    from contextmesh.store.store import Store
    from contextmesh.walk.answer import Answer
    from contextmesh.walk.index import Index, WordIndex

ABSENT = ("no-session",)
"""Codes that say there is no session yet, rather than a damaged one."""

Progress = Callable[[str, int, int], None]
"""stage, done, total (0 when unknown)"""


class Mesh(AtHome):
    """A mesh in memory, or one with a home directory.

    ``Mesh()`` is empty and in memory; ``Mesh.create`` makes a session directory, ``Mesh.open`` reads one.
    What is written is durable once ``checkpoint`` has returned, which costs what is new, or ``save``, which writes all.

    Attributes:
        graph: the typed graph; every write on it is checked by the rules.
        resolver: names to ids.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        graph: ContextGraph | None = None,
        resolver: Resolver | None = None,
        history: History | None = None,
    ) -> None:
        graph = graph or ContextGraph(policy)
        self._timeline = Timeline(graph, history)
        self._state = SessionState(graph, resolver or Resolver(), history=self._timeline.history)
        self._pasts: dict[Bounds, PastMesh] = {}
        self._blast: tuple[tuple[int, str], Invalidation] | None = None

    @property
    def graph(self) -> ContextGraph:
        return self._state.graph

    @property
    def resolver(self) -> Resolver:
        return self._state.resolver

    @property
    def policy(self) -> Policy:
        return self.graph.policy

    @cached_property
    def words(self) -> WordIndex:
        """The words of every statement; built at the first question, then kept up."""
        from contextmesh.walk.index import WordIndex

        return WordIndex(self.graph)

    @property
    def index(self) -> Index:
        """What a question starts from."""
        return self.words

    # ---- home -----------------------------------------------------------------------------------

    @classmethod
    def create(cls, directory: str | Path, policy: Policy | None = None) -> Mesh:
        """A new, empty session.

        Raises:
            SessionError: the directory holds a session already, or cannot be made.
        """
        mesh = cls(policy)
        mesh.save(directory)
        return mesh

    @classmethod
    def open(
        cls,
        directory: str | Path,
        policy: Policy | None = None,
        *,
        create: bool = False,
        adopt_policy: bool = False,
    ) -> Mesh:
        """The newest state of a session; with ``create`` an absent session becomes a new one.

        Args:
            adopt_policy: judge a session that was written under other rules by those in force.

        Raises:
            SessionError: there is none, or it is damaged; ``policy-differs``: it was written under other rules.
        """
        from contextmesh import session

        try:
            state = session.load(Path(directory), policy=policy, adopt_policy=adopt_policy)
        except SessionError as error:
            if not create or error.code not in ABSENT:
                raise
            return cls.create(directory, policy)
        return cls.of(state)

    @classmethod
    def of(cls, state: SessionState) -> Mesh:
        """The mesh over a session that is loaded already; it saves where the session lives."""
        mesh = cls(graph=state.graph, resolver=state.resolver, history=state.history)
        mesh._take(state)
        return mesh

    def _moved(self, before: Store) -> None:
        if self._state.history is not None and self._state.history is not self._timeline.history:
            self._timeline = Timeline(self.graph, self._state.history)
            self._pasts.clear()
        if self.graph.store is not before:  # somebody else committed meanwhile
            self.__dict__.pop("words", None)
            self._blast = None

    # ---- write ----------------------------------------------------------------------------------

    @writes
    def ingest(
        self, paths: Iterable[str | Path], *, kind: str | None = None, progress: Progress | None = None
    ) -> BuildReport:
        """Read files, folders (recursively) or ``-`` into the graph; reading the same again changes nothing.

        Raises:
            InputError: a named path does not exist, or ``kind`` is none of the known ones.
        """
        from contextmesh.ingest.pipeline import ingest
        from contextmesh.ingest.read import read_paths

        return ingest(self.graph, self.resolver, read_paths(paths, kind=kind), progress=progress)

    @writes
    def assume(self, statement: str, *, created_by: str = "agent", id: str | None = None) -> Assumption:
        return self.graph.assume(statement, created_by=created_by, id=id)

    @writes
    def decide(self, title: str, *, rationale: str, source: str, **grounds: Any) -> Node:
        """See ContextGraph.decide."""
        return self.graph.decide(title, rationale=rationale, source=source, **grounds)

    @writes
    def add_edge(self, src: str, type: str, dst: str, *, assumption: str | None = None, weight: float = 1.0) -> Edge:
        return self.graph.add_edge(src, type, dst, assumption=assumption, weight=weight)

    @writes
    def submit_evidence(
        self, text: str, *, source_id: str, external_id: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> Node:
        """An observation, without a verdict."""
        return self.graph.submit_evidence(text, source_id=source_id, external_id=external_id, metadata=metadata)

    @writes
    def reject(self, assumption: str, *, evidence_id: str, replacement: str | None = None) -> Invalidation:
        """An assumption falls, on recorded evidence; ``assumption`` is an id or its statement."""
        target = self.node(assumption, kind="assumption").id
        return self.graph.reject(target, evidence_id=evidence_id, replacement=replacement)

    @writes
    def commits_on(self, when: str | date) -> None:
        """Date what is written from now on; the clock is the deployment's. See Timeline.commits_on.

        Where another writer commits under a later date first, what is written bears that one, and ``notices`` and what
        ``checkpoint`` returns say ``later-date``.
        """
        self._timeline.commits_on(when)

    # ---- read -----------------------------------------------------------------------------------

    def date_to_come(self, when: str | date) -> str:
        """The date as the next commit may bear it; see ``commits_on``. Nothing is dated by it.

        Raises:
            InputError: ``not-a-date``, ``impossible-date``; ``earlier-commit``: it is before the last commit's.
        """
        return self._timeline.date_to_come(when)

    def ask(self, question: str, *, budget: int | None = None) -> Answer:
        """An answer with its path, or one of four dead ends.

        Args:
            budget: the most tokens that path and evidence may cost.
        """
        from contextmesh.walk.ask import ask
        from contextmesh.walk.settings import WalkSettings

        settings = WalkSettings(hop_budget=self.walker.hop_budget, max_expand=self.walker.max_expand)
        answer = ask(self.graph, self.resolver, self.index, question, settings=settings, budget_tokens=budget)
        found = answer.answer.id if answer.answer is not None else None
        self._state.walks.add(Walked(question, found, answer.dead_end, answer.seeds))
        return answer

    def node(self, name: str, *, kind: str | None = None) -> Node:
        """The node with this id, or the one node that bears this name.

        Raises:
            UnknownError: ``unknown-node``; ``ambiguous-name`` with the ids that bear it.
        """
        return node_named(self.graph, self.resolver, name, kind=kind)

    def find(self, text: str, *, limit: int = 20) -> tuple[Node, ...]:
        """Nodes whose names hold every word of the text: whole names first, then in the order of writing."""
        return find_nodes(self.graph, text, limit=limit)

    def portrait(self, name: str) -> Portrait:
        """A node with its edges, provenance, justifications and what the rules conclude of it."""
        return portrait_of(self.graph, self.node(name))

    def lineage(self, name: str) -> Lineage:
        """What superseded what, oldest first."""
        return lineage_of(self.graph, self.node(name))

    def blast(self, assumption: str) -> Invalidation:
        """What would fall with an assumption; changes nothing. The last one is kept until something is written."""
        target = self.node(assumption, kind="assumption").id
        asked = (self.graph.store.seq, target)
        if self._blast is None or self._blast[0] != asked:
            self._blast = (asked, self.graph.blast(target))
        return self._blast[1]

    def health(self) -> Health:
        return self.graph.health(near_misses=self.resolver.near_misses())

    def query(self, text: str, *, engine: str = "mesh", seconds: float = 10.0, rows: int = 1_000_000) -> Rows:
        """An ad-hoc Datalog query.

        Args:
            engine: ``mesh`` answers over the standing relations; ``pydatalog`` asks the second engine, in a child.

        Raises:
            RuleError: the text is not a safe query; LimitReached: it would cost more than allowed.
        """
        from contextmesh.datalog.limits import Limits

        limits = Limits(rows=rows, seconds=seconds)
        if engine == "mesh":
            return self.graph.query(text, limits=limits)
        if engine == "pydatalog":
            from contextmesh.store.second import second_opinion

            return second_opinion(self.graph.store, text, limits)
        raise InputError(
            Problem("unknown-engine", f"there is no engine {engine!r}", subject=engine, hint="mesh or pydatalog")
        )

    def why(self, fact: str) -> Proof:
        """The shortest derivation of a fact; see Proof.as_text and as_json."""
        return Proof(self.graph.why(fact))

    def why_not(self, fact: str) -> Absence:
        """For each rule that could derive a fact, the first literal that fails."""
        return Absence(fact, self.graph.why_not(fact))

    # ---- the past -------------------------------------------------------------------------------

    def as_of(self, when: str | date | int | None = None, *, valid_at: str | date | None = None) -> PastMesh:
        """The mesh as it was: by when it had learned something, by when its sources say it, or both.

        Everything that reads works on it; nothing that is read there changes this mesh, nor the answers given there.

        Args:
            when: a date, or the number of a transaction, 12 or "@12"; see Timeline.at for the clock of a date.
            valid_at: the latest day of source time.

        Raises:
            InputError: ``not-a-date``, ``impossible-date``, ``future-date``, ``no-dates`` … (see Timeline.at).
        """
        past = self._timeline.at(when, valid_at=valid_at)
        kept = self._pasts.pop(past.bounds, None)
        if kept is None or kept.past.graph is not past.graph:
            kept = PastMesh(past, self)
        self._pasts[past.bounds] = kept
        while len(self._pasts) > KEPT:
            del self._pasts[next(iter(self._pasts))]
        return kept

    def reconstruct(self, decision: str, *, as_of: str | date | int | None = None) -> Reconstruction:
        """What a decision stood on, what came afterwards, and what nothing dates; see graph.reconstruct."""
        from contextmesh.graph.reconstruct import reconstruct

        mesh = self if as_of is None else self.as_of(as_of)
        found = mesh.node(decision, kind="decision")
        return reconstruct(mesh.graph, found, self._commit_date)

    def _commit_date(self, seq: int) -> str | None:
        return self._timeline.commit_date(seq)


class PastMesh(Mesh):
    """A mesh of then, from ``Mesh.as_of``. What writes is refused with ``past-is-read-only``.

    Attributes:
        past: the bounds, and what a bound of source time left out.
    """

    is_past = True

    def __init__(self, past: Past, now: Mesh) -> None:
        super().__init__(graph=past.graph, resolver=PastResolver(past.graph, now.resolver))
        self._state = replace(self._state, walker=now.walker)
        self._now = now
        self.past = past

    def node(self, name: str, *, kind: str | None = None) -> Node:
        """As ``Mesh.node``; of what is here now, and was not then, the refusal says so."""
        try:
            return super().node(name, kind=kind)
        except UnknownError as error:
            if error.code != "unknown-node":
                raise
            try:
                now = self._now.node(name, kind=kind)
            except UnknownError:
                raise error from None
            if now.id in self.graph.store.nodes:
                raise
            raise not_then(name, now, self.past) from None

    @property
    def generation(self) -> int:
        """The generation that the mesh of now stands on."""
        return self._now.generation

    def _commit_date(self, seq: int) -> str | None:
        return self._now._commit_date(seq)

    @cached_property
    def index(self) -> Index:
        """The words of then, shared with the mesh of now as far as they are the same."""
        from contextmesh.walk.then import IndexThen

        return IndexThen(self._now.words, self.graph.store)
