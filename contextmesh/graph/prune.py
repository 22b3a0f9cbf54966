"""Set aside what the rules call prunable: it stays in the graph, and is live no longer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from contextmesh.store.counters import observed
from contextmesh.store.receipt import Receipt

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph


PRUNED_BECAUSE = "pruned_because"
"""Attribute of what was set aside: the reason."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What one pruning set aside.

    Attributes:
        reasons: the reason of each pruned node, by id, in the order of insertion.
        receipt: None when there was nothing to prune.
    """

    reasons: dict[str, str]
    receipt: Receipt | None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self.reasons)

    def by(self, reason: str) -> tuple[str, ...]:
        return tuple(name for name, word in self.reasons.items() if word == reason)


def prunable(graph: ContextGraph) -> dict[str, str]:
    """What the rules would set aside now, and why: the first reason in alphabetical order."""
    with observed(graph.store, ("prunable",)):
        rows = sorted((str(reason), str(name)) for name, reason in graph.store.engine.rows("prunable"))
    found: dict[str, str] = {}
    for reason, name in rows:
        found.setdefault(name, reason)
    return found


def prune(graph: ContextGraph, *, reason: str | None = None) -> Pruned:
    """Prune every node the rules name, or those named for one reason, as one transaction."""
    found = prunable(graph)
    chosen = {name: word for name, word in found.items() if reason is None or word == reason}
    if not chosen:
        return Pruned({}, None)
    reasons = {name: chosen[name] for name in graph.store.nodes if name in chosen}
    with graph.batch("prune") as batch:
        for name, why in reasons.items():
            node = batch.node(name)
            batch.stage.put_node(replace(node, pruned=True, attrs={**node.attrs, PRUNED_BECAUSE: why}))
    return Pruned(reasons, batch.receipt)
