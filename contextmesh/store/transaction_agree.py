"""What two records of a graph can contradict, asked of the records of one transaction over those that stand.

The same is asked of a whole file; here it costs what the transaction wrote. It is asked of a write when it is made, so
that nothing is acknowledged which cannot be read, and again when the write is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from contextmesh.base.fields import Fault, shown
from contextmesh.base.ids import AUTO_DECISION
from contextmesh.store.agreement import flaw_of_record
from contextmesh.store.fingerprint import FINGERPRINT, IDENTITY, fingerprint
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.relations import ASSUMPTION, DECISION, SUPERSEDES

if TYPE_CHECKING:
    from contextmesh.store.stage import Stage
    from contextmesh.store.store import Store
    from contextmesh.store.transaction import Transaction

IDENTITIES = ("auto", "explicit")

Path = tuple[str | int, ...]


class Standing:
    """A store as it is."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def node(self, id: str) -> Node | None:
        return self.store.nodes.get(id)

    def assumption(self, id: str) -> Assumption | None:
        return self.store.assumptions.get(id)

    def is_rejected(self, id: str) -> bool:
        return any(True for _ in self.store.engine.match("verdict", (id, None, None)))

    def is_drawn(self, src: str, dst: str) -> bool:
        return any(True for _ in self.store.engine.match("edge", (None, src, SUPERSEDES, dst)))


class Proposed(Standing):
    """A store with a stage over it."""

    def __init__(self, store: Store, stage: Stage, verdicts: Iterable[tuple[str, str]]) -> None:
        super().__init__(store)
        self._stage = stage
        self._rejected = {assumption: None for assumption, _ in verdicts}
        self._drawn = {(edge.src, edge.dst): None for edge in stage.edges.values() if edge.type == SUPERSEDES}

    def node(self, id: str) -> Node | None:
        return self._stage.node(id)

    def assumption(self, id: str) -> Assumption | None:
        return self._stage.assumption(id)

    def is_rejected(self, id: str) -> bool:
        return id in self._rejected or super().is_rejected(id)

    def is_drawn(self, src: str, dst: str) -> bool:
        return (src, dst) in self._drawn or super().is_drawn(src, dst)


def disagreement_of(t: Transaction, view: Standing, before: Iterable[Assumption]) -> Fault | None:
    """The first record that a transaction leaves in contradiction, with its path in the transaction's JSON form.

    Args:
        view: the graph with the transaction in it.
        before: the records of assumptions that it took the place of.
    """
    for id, path in _touched(t, before).items():
        record = view.assumption(id)
        if record is None:
            node = view.node(id)
            if node is not None and node.type == ASSUMPTION:
                return Fault("no-assumption-record", "is an assumption without a record", path, subject=id)
            continue
        fault = flaw_of_record(record, view)
        if fault is not None:
            return fault.under(*path)
    for index, edge in enumerate(t.edges):
        if edge.assumption_id is not None and view.assumption(edge.assumption_id) is None:
            message = f"names {shown(edge.assumption_id)}, which is no assumption here"
            return Fault("unknown-id", message, ("edges", index, "assumption_id"), subject=edge.id)
        for place, other in enumerate(edge.evidence_ids):
            if view.node(other) is None:
                message = f"names {shown(other)}, which is no node here"
                return Fault("unknown-id", message, ("edges", index, "evidence_ids", place), subject=edge.id)
    return _of_vectors(t.nodes, view) or next(_of_decisions(view, t.nodes, t.edges), None)


def _touched(t: Transaction, before: Iterable[Assumption]) -> dict[str, Path]:
    """Assumptions that the transaction may leave in contradiction, each with the place that touched it."""
    found: dict[str, Path] = {}
    for index, record in enumerate(t.assumptions):
        found.setdefault(record.id, ("assumptions", index))
    for index, node in enumerate(t.nodes):
        if node.type == ASSUMPTION:
            found.setdefault(node.id, ("nodes", index))
    for index, (id, _) in enumerate(t.verdicts):
        found.setdefault(id, ("verdicts", index))
    for record in before:
        for other in (record.supersedes, record.superseded_by):
            if other is not None:
                found.setdefault(other, found.get(record.id, ("assumptions",)))
    return found


def _of_vectors(nodes: Sequence[Node], view: Standing) -> Fault | None:
    """Vectors of one graph have one width."""
    with_vectors = [(index, node) for index, node in enumerate(nodes) if node.embedding is not None]
    if not with_vectors:
        return None
    width = view.store.width(without={node.id: None for _, node in with_vectors})
    for index, node in with_vectors:
        assert node.embedding is not None, "chosen for it"
        width = len(node.embedding) if width is None else width
        if len(node.embedding) != width:
            message = f"has {len(node.embedding)} numbers, and others have {width}"
            return Fault("embedding-size", message, ("nodes", index, "embedding"), subject=node.id)
    return None


def _of_decisions(view: Standing, nodes: Sequence[Node], edges: Sequence[Edge]) -> Iterator[Fault]:
    """A decision that states how it got its id keeps the fingerprint of its record and edges."""
    store = view.store
    places: dict[str, Path] = {edge.src: ("edges", index) for index, edge in enumerate(edges)}
    places.update((node.id, ("nodes", index)) for index, node in enumerate(nodes))

    def type_of(id: str) -> str | None:
        found = view.node(id)
        return found.type if found is not None else None

    leaving: dict[str, dict[str, Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge.src, {})[edge.id] = edge
    for id, path in places.items():
        node = view.node(id)
        if node is None or node.type != DECISION or node.attrs.get(IDENTITY) not in IDENTITIES:
            continue
        if node.attrs[IDENTITY] == "explicit" and id.startswith(f"{AUTO_DECISION}:"):
            note = f"ids that start with {AUTO_DECISION}: are made for decisions without one"
            yield Fault("reserved-id", "is explicit under a reserved id", path, subject=id, note=note)
        standing = (store.edges[str(row[0])] for row in store.engine.match("edge", (None, id, None, None)))
        out = {edge.id: edge for edge in standing} | leaving.get(id, {})
        if node.attrs.get(FINGERPRINT) != fingerprint(node, out.values(), type_of):
            message = "is not the fingerprint of this decision and its edges"
            yield Fault("fingerprint-differs", message, path, subject=id)
