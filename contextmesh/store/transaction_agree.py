"""What two records of a graph can contradict, asked of the records of one transaction over those that stand.

The same is asked of a whole file; here it costs what the transaction wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contextmesh.base.fields import Fault, shown
from contextmesh.base.ids import AUTO_DECISION
from contextmesh.store.fingerprint import FINGERPRINT, IDENTITY, fingerprint
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.relations import ASSUMPTION, DECISION

if TYPE_CHECKING:
    from contextmesh.store.stage import Stage
    from contextmesh.store.store import Store

IDENTITIES = ("auto", "explicit")


def require_agreement(
    store: Store, stage: Stage, nodes: Sequence[Node], edges: Sequence[Edge], records: Sequence[Assumption]
) -> None:
    """Raises Fault at the first record of a stage that another one contradicts, with its path in the transaction."""
    for index, record in enumerate(records):
        node = stage.node(record.id)
        if node is None or node.type != ASSUMPTION:
            what = "names no node" if node is None else f"names a {node.type}, not an assumption"
            raise Fault("no-such-assumption", what, ("assumptions", index, "id"), subject=record.id)
        for key, other in (("supersedes", record.supersedes), ("superseded_by", record.superseded_by)):
            if other is not None and stage.assumption(other) is None:
                message = f"names {shown(other)}, which is no assumption here"
                raise Fault("unknown-id", message, ("assumptions", index, key), subject=record.id)
        _require_evidence(stage, record.id, record.evidence_ids, ("assumptions", index))
    for index, node in enumerate(nodes):
        if node.type == ASSUMPTION and stage.assumption(node.id) is None:
            raise Fault("no-assumption-record", "is an assumption without a record", ("nodes", index), subject=node.id)
    for index, edge in enumerate(edges):
        if edge.assumption_id is not None and stage.assumption(edge.assumption_id) is None:
            message = f"names {shown(edge.assumption_id)}, which is no assumption here"
            raise Fault("unknown-id", message, ("edges", index, "assumption_id"), subject=edge.id)
        _require_evidence(stage, edge.id, edge.evidence_ids, ("edges", index))
    _require_fingerprints(store, stage, nodes, edges)


def _require_evidence(stage: Stage, id: str, evidence_ids: Sequence[str], path: tuple[str, int]) -> None:
    for index, other in enumerate(evidence_ids):
        if stage.node(other) is None:
            message = f"names {shown(other)}, which is no node here"
            raise Fault("unknown-id", message, (*path, "evidence_ids", index), subject=id)


def _require_fingerprints(store: Store, stage: Stage, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
    """A decision that states how it got its id keeps the fingerprint of its record and edges."""
    places: dict[str, tuple[str, int]] = {edge.src: ("edges", index) for index, edge in enumerate(edges)}
    places.update((node.id, ("nodes", index)) for index, node in enumerate(nodes))

    def type_of(id: str) -> str | None:
        found = stage.node(id)
        return found.type if found is not None else None

    leaving: dict[str, dict[str, Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge.src, {})[edge.id] = edge
    for id, path in places.items():
        node = stage.node(id)
        if node is None or node.type != DECISION or node.attrs.get(IDENTITY) not in IDENTITIES:
            continue
        if node.attrs[IDENTITY] == "explicit" and id.startswith(f"{AUTO_DECISION}:"):
            note = f"ids that start with {AUTO_DECISION}: are made for decisions without one"
            raise Fault("reserved-id", "is explicit under a reserved id", path, subject=id, note=note)
        standing = (store.edges[str(row[0])] for row in store.engine.match("edge", (None, id, None, None)))
        out = {edge.id: edge for edge in standing} | leaving.get(id, {})
        if node.attrs.get(FINGERPRINT) != fingerprint(node, out.values(), type_of):
            message = "is not the fingerprint of this decision and its edges"
            raise Fault("fingerprint-differs", message, path, subject=id)
