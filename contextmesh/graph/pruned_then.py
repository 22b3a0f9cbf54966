"""What was set aside by a day of source time: asked of the rules anew, over the facts of the view.

Something is set aside because nothing links it (``rules/prune.dl``), and a link may have come loose only by evidence of
a later day. So a view by source time takes such marks off, and puts back those that the rules would put there by that
day. What was set aside for another reason, or redacted, stays so: no source says when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from contextmesh.graph.prune import PRUNED_BECAUSE

if TYPE_CHECKING:
    from contextmesh.graph.then import PastStore
    from contextmesh.store.model import Node
    from contextmesh.store.store import Store

OF_ITS_DAY = "of_its_day"


def with_marks(store: Store, nodes: dict[str, Node], made: Callable[[dict[str, Node]], PastStore]) -> PastStore:
    """The view of these nodes, of which only those are set aside that the rules would set aside there.

    Args:
        store: which the view is of.
        made: makes a view of nodes; called once more where something stays set aside.
    """
    marked = _asked_anew(store, nodes)
    if not marked:
        return made(nodes)
    bare = dict(nodes)
    bare.update((id, _without_mark(node)) for id, node in marked.items())
    then = made(bare)
    still = dict.fromkeys(
        id for id, node in marked.items() if then.engine.match("prunable", (id, str(node.attrs[PRUNED_BECAUSE])))
    )
    if not still:
        return then
    bare.update((id, marked[id]) for id in still)
    return made(bare)


def _asked_anew(store: Store, nodes: Mapping[str, Node]) -> dict[str, Node]:
    """What is set aside for a reason that lies in what the sources say."""
    declared = store.policy.program.declarations
    reasons = dict.fromkeys(_firsts(store.engine.rows(OF_ITS_DAY))) if OF_ITS_DAY in declared else {}
    pruned = [nodes[id] for id in _firsts(store.engine.read("pruned").scan()) if id in nodes]
    return {node.id: node for node in pruned if _reason(node) in reasons and "redacted" not in node.attrs}


def _reason(node: Node) -> str:
    reason = node.attrs.get(PRUNED_BECAUSE)
    return reason if isinstance(reason, str) else ""


def _without_mark(node: Node) -> Node:
    attrs = {name: value for name, value in node.attrs.items() if name != PRUNED_BECAUSE}
    return replace(node, pruned=False, attrs=attrs)


def _firsts(rows: Iterable[tuple[object, ...]]) -> list[str]:
    return [str(row[0]) for row in rows]
