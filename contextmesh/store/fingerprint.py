"""The fingerprint of a decision: what makes an explicit id an idempotency key."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from contextmesh.base.canon import digest
from contextmesh.store.model import Edge, Node

IDENTITY = "decision_identity"
FINGERPRINT = "decision_payload_digest"
LISTS = ("cites", "derived_from", "depends_on", "produces")


def payload_digest(
    *,
    title: str,
    rationale: object,
    source_id: str | None,
    targets: dict[str, Iterable[str]],
    supersedes: str | None,
) -> str:
    """SHA-256 over the eight keys; ``targets`` holds the ids of each of ``LISTS``.

    ``cites`` must not name the provenance source, ``depends_on`` only assumptions.
    """
    payload: dict[str, object] = {name: sorted(dict.fromkeys(targets.get(name, ()))) for name in LISTS}
    payload.update(title=title, rationale=rationale, source_id=source_id, supersedes=supersedes)
    return digest(payload, spaced=True)


def fingerprint(node: Node, out_edges: Iterable[Edge], type_of: Callable[[str], str | None]) -> str:
    """Recomputed from a decision's record and its out-edges in adjacency order, dead or not."""
    source = node.provenance.source_id if node.provenance is not None else None
    targets: dict[str, list[str]] = {name: [] for name in LISTS}
    supersedes: str | None = None
    for edge in out_edges:
        if edge.type == "supersedes" and supersedes is None:
            supersedes = edge.dst
        elif counts(edge.type, edge.dst, source, type_of):
            targets[edge.type].append(edge.dst)
    rationale = node.attrs.get("rationale")
    return payload_digest(
        title=node.label, rationale=rationale, source_id=source, targets={**targets}, supersedes=supersedes
    )


def counts(type_: str, dst: str, source_id: str | None, type_of: Callable[[str], str | None]) -> bool:
    """Whether an out-edge of a decision is part of its fingerprint (``supersedes`` aside)."""
    if type_ == "cites":
        return dst != source_id
    if type_ == "depends_on":
        return type_of(dst) == "assumption"
    return type_ in LISTS
