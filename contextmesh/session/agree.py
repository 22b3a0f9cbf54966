"""What only a pair of files can contradict: every name of the resolver stands for an entity of the graph."""

from __future__ import annotations

from contextmesh.base.errors import Problem, SessionError, Where
from contextmesh.base.fields import path_text, shown
from contextmesh.resolve.resolver import Resolver
from contextmesh.store.store import Store

ENTITY = "entity"


def require_resolver_fits(resolver: Resolver, store: Store, file: str) -> None:
    """Raises SessionError, resolver-differs: an id that is no entity of the graph, or has another label there."""
    for id, label in resolver.labels.items():
        node = store.nodes.get(id)
        if node is not None and node.type == ENTITY and node.label == label:
            continue
        if node is None:
            what = "which the graph does not have"
        elif node.type != ENTITY:
            what = f"which is a {node.type} in the graph"
        else:
            what = f"which the graph calls {shown(node.label)}, not {shown(label)}"
        place = path_text(("canonical", id))
        raise SessionError(
            Problem(
                "resolver-differs",
                f"{place} names {shown(id)}, {what}",
                subject=id,
                fields=(("file", file), ("path", place)),
                where=Where(file),
                hint="resolver and graph must come from one generation",
            )
        )
