"""What a rejection took down, or would take down, and what still stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from contextmesh.store.chains import chains, words_for
from contextmesh.store.model import Node, unfrozen
from contextmesh.store.receipt import Receipt

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph

Grounds = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """A node that lost a justification and still stands.

    Attributes:
        lost: the sets of grounds that no longer hold.
        stands_on: the sets that do.
    """

    id: str
    lost: tuple[Grounds, ...]
    stands_on: tuple[Grounds, ...]

    def as_json(self) -> dict[str, object]:
        return {"id": self.id, "lost": [list(g) for g in self.lost], "stands_on": [list(g) for g in self.stands_on]}


@dataclass(frozen=True, slots=True)
class Fallen:
    """One node that fell, and why, as words from the root."""

    id: str
    type: str
    label: str
    because: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        return {"id": self.id, "type": self.type, "label": self.label, "because": list(self.because)}


_OpenFallen: Any = unfrozen(Fallen)


@dataclass(frozen=True)
class Invalidation:
    """The outcome of a rejection, or of one that was only tried.

    Attributes:
        committed: False when nothing was written.
        blast_radius: how many nodes fell beside the assumption.
        replacement_id: the assumption that took its place, or None.

    Everything else is worked out when it is read, as of the rejection, whatever was written since.
    """

    assumption_id: str
    statement: str
    committed: bool
    blast_radius: int
    replacement_id: str | None
    _receipt: Callable[[], Receipt | None] = field(repr=False, compare=False)
    _live_after: Callable[[], int] = field(repr=False, compare=False)
    _still_standing: Callable[[], tuple[Standing, ...]] = field(repr=False, compare=False)
    _invalidated: Callable[[], tuple[Fallen, ...]] = field(repr=False, compare=False)
    _edges: Callable[[], tuple[str, ...]] = field(repr=False, compare=False)
    _preserved: Callable[[], tuple[str, ...]] = field(repr=False, compare=False)

    @cached_property
    def receipt(self) -> Receipt | None:
        """Of the transaction; of the dry run, when nothing was committed; None for a repeat."""
        return self._receipt()

    @cached_property
    def preserved_count(self) -> int:
        """How many nodes are live after it."""
        return self._live_after()

    @cached_property
    def still_standing(self) -> tuple[Standing, ...]:
        """Nodes that lost a justification and stand on another."""
        return self._still_standing()

    @cached_property
    def invalidated(self) -> tuple[Fallen, ...]:
        """The assumption itself and all that fell with it, nearest to it first; reasons are made when asked for."""
        return self._invalidated()

    @cached_property
    def invalidated_edges(self) -> tuple[str, ...]:
        """Edges that hold no longer, sorted."""
        return self._edges()

    @cached_property
    def fallen(self) -> tuple[str, ...]:
        """Ids of what fell, without the assumption itself."""
        return tuple(f.id for f in self.invalidated if f.id != self.assumption_id)

    @cached_property
    def preserved(self) -> tuple[str, ...]:
        """Every node live after it, in the order of insertion; reads the whole graph when asked."""
        return self._preserved()

    def because(self, node_id: str) -> tuple[str, ...]:
        """Why a node fell; empty when it did not."""
        return self._reasons.get(node_id, ())

    @cached_property
    def _reasons(self) -> dict[str, tuple[str, ...]]:
        return {f.id: f.because for f in self.invalidated}

    def as_json(self) -> dict[str, object]:
        """The shape that commands and tools print."""
        return {
            "assumption": self.assumption_id,
            "statement": self.statement,
            "committed": self.committed,
            "invalidated": [f.as_json() for f in self.invalidated],
            "invalidated_edges": list(self.invalidated_edges),
            "preserved_count": self.preserved_count,
            "preserved": list(self.preserved),
            "still_standing": [s.as_json() for s in self.still_standing],
            "replacement": self.replacement_id,
            "receipt": self.receipt.as_json() if self.receipt is not None and self.committed else None,
        }


def of_receipt(
    graph: ContextGraph,
    assumption_id: str,
    receipt: Receipt,
    *,
    replacement: str | None = None,
    hidden: str | None = None,
    whole: Callable[[], Receipt] | None = None,
) -> Invalidation:
    """Read from the delta; ``hidden`` is a node that stood only for a dry run.

    ``whole`` gives the receipt of everything, when ``receipt`` is only of what fell.
    """
    store, late = graph.store, graph.store.promises.late
    fallen = late(lambda: tuple(_fallen(store.nodes[name], why) for name, why in receipt.reasons()))
    full = late(whole if whole is not None else lambda: receipt)
    standing = late(lambda: _still_standing(graph, full.get()))
    return Invalidation(
        assumption_id,
        graph.assumption(assumption_id).statement,
        receipt.committed,
        sum(1 for row in receipt.derived.plus("invalid") if row[0] != assumption_id),
        replacement,
        full.get,
        lambda: full.get().live_after - (1 if hidden is not None else 0),
        standing.get,
        fallen.get,
        lambda: full.get().dead_edges,
        lambda: tuple(name for name in full.get().preserved if name != hidden),
    )


def of_standing(graph: ContextGraph, assumption_id: str, *, committed: bool) -> Invalidation:
    """What an earlier rejection took down, read from what holds now."""
    engine, store = graph.store.engine, graph.store
    record = graph.assumption(assumption_id)
    rows = [row for row in engine.match("fell", (None, assumption_id)) if engine.holds("invalid", (row[0],))]
    found = chains(engine, rows, lambda name: words_for(store.nodes[name]))
    ids = sorted((str(row[0]) for row in rows), key=lambda name: (found[name].length, name))
    lost = {str(row[0]): None for name in ids for row in _justifications_with(graph, name)}
    fallen = tuple(_fallen(store.nodes[name], found[name].as_words()) for name in ids)
    edges = _dead_edges(graph, assumption_id, ids)
    live = engine.count("live")
    standing = tuple(_standing(graph, name, None) for name in lost if not engine.holds("invalid", (name,)))
    return Invalidation(
        assumption_id,
        record.statement,
        committed,
        sum(1 for name in ids if name != assumption_id),
        record.superseded_by,
        lambda: None,
        lambda: live,
        lambda: standing,
        lambda: fallen,
        lambda: edges,
        store.live_reader(store.seq, None),
    )


def _fallen(node: Node, because: tuple[str, ...]) -> Fallen:
    made = _OpenFallen(node.id, node.type, node.label, because)
    made.__class__ = Fallen
    return made  # type: ignore[no-any-return]


def _dead_edges(graph: ContextGraph, assumption_id: str, ids: list[str]) -> tuple[str, ...]:
    engine = graph.store.engine
    bound = [str(row[0]) for row in engine.match("bound", (None, assumption_id))]
    around = [edge.id for name in ids if name != assumption_id for edge in graph.edges_from(name)]
    return tuple(sorted(dict.fromkeys(e for e in (*bound, *around) if engine.holds("edge_dead", (e,)))))


def _still_standing(graph: ContextGraph, receipt: Receipt) -> tuple[Standing, ...]:
    """Nodes that this transaction cost a justification and that did not fall."""
    invalid = {row[0]: None for row in receipt.derived.plus("invalid")}
    losers = dict.fromkeys(str(row[0]) for row in receipt.derived.plus("lost"))
    return tuple(_standing(graph, name, receipt) for name in losers if name not in invalid)


def _standing(graph: ContextGraph, name: str, receipt: Receipt | None) -> Standing:
    """Every justification of the node, as it stands after the receipt."""
    return Standing(
        name,
        tuple(_grounds(graph, j) for j in _justified(graph, "lost", name, receipt)),
        tuple(_grounds(graph, j) for j in _justified(graph, "stands_on", name, receipt)),
    )


def _justified(graph: ContextGraph, relation: str, name: str, receipt: Receipt | None) -> list[str]:
    names = {str(row[1]): None for row in graph.store.engine.match(relation, (name, None))}
    if receipt is not None and not receipt.committed:
        for row in receipt.derived.minus(relation):
            if row[0] == name:
                names.pop(str(row[1]), None)
        names.update((str(row[1]), None) for row in receipt.derived.plus(relation) if row[0] == name)
    return sorted(names)


def _grounds(graph: ContextGraph, justification: str) -> Grounds:
    rows = graph.store.engine.match("premise", (justification, None, None))
    return tuple(str(row[2]) for row in sorted(rows, key=_ordinal))


def _ordinal(row: tuple[str | int, ...]) -> int:
    assert isinstance(row[1], int)
    return row[1]


def _justifications_with(graph: ContextGraph, ground: str) -> list[tuple[str | int, ...]]:
    """Rows (node, justification) of every justification that needs this ground."""
    engine = graph.store.engine
    return [
        (row[1], row[0])
        for premise in engine.match("premise", (None, None, ground))
        for row in engine.match("justification", (premise[0], None))
    ]
