"""The fingerprint of a decision by a day: of the payload that counts by then.

A view leaves out an edge to what is of a later day, so the fingerprint that was written, of all of them, is not that
of the decision as it stands there. It is computed from the record and its edges, as in ``store.fingerprint``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from contextmesh.store.fingerprint import FINGERPRINT, IDENTITY, fingerprint

if TYPE_CHECKING:
    from contextmesh.store.model import Edge, Node
    from contextmesh.store.store import Store


def fingerprints_then(
    store: Store, nodes: Mapping[str, Node], edges: Mapping[str, Edge], cut: Iterable[str]
) -> Iterator[tuple[str, Node]]:
    """Those of the nodes that bear another fingerprint in a view.

    Args:
        nodes, edges: the records of the view.
        cut: ids of nodes from which an edge leads out of it.
    """

    def type_of(id: str) -> str | None:
        return nodes[id].type if id in nodes else None

    for id in cut:
        node = nodes.get(id)
        if node is None or IDENTITY not in node.attrs or FINGERPRINT not in node.attrs:
            continue
        rows = store.engine.match("edge", (None, id, None, None))
        left = [edges[name] for row in rows if (name := str(row[0])) in edges]
        yield id, replace(node, attrs={**node.attrs, FINGERPRINT: fingerprint(node, left, type_of)})
