"""Counters of what answers walked: kept beside the graph, never facts, shown to the rules only on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextmesh.store.store import Store
    from contextmesh.walk.answer import Step


def count_walk(store: Store, path: tuple[Step, ...]) -> None:
    """One more walk over each node of a path, one more traversal of each of its edges."""
    for step in path:
        store.walks[step.id] = store.walks.get(step.id, 0) + 1
        if step.edge_id is not None:
            store.traversals[step.edge_id] = store.traversals.get(step.edge_id, 0) + 1
