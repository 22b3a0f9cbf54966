"""Take in an observation, bounded and without a verdict; the same observation is the same node."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from contextmesh.base.canon import canonical, digest
from contextmesh.base.errors import OntologyError, Problem
from contextmesh.base.ids import slug
from contextmesh.graph.batch import id_taken
from contextmesh.store.model import Node, Provenance, a
from contextmesh.store.relations import EVIDENCE, SOURCE

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph

TEXT_BYTES = 65_536
EXTERNAL_ID_BYTES = 512
METADATA_BYTES = 65_536
METADATA_DEPTH = 8
METADATA_MEMBERS = 1_000
EXTRACTOR = "mcp:evidence-intake-v1"
CHECKS = ("evidence-intake-v1",)
INTAKE = "evidence_intake"


def submit_evidence(
    graph: ContextGraph,
    text: str,
    *,
    source_id: str,
    external_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Node:
    """Write an evidence node of kind ``observation``, or return the one of the same payload. No edge is written.

    Raises:
        OntologyError: ``bad-evidence``, naming the field and its limit; ``id-taken``.
        UnknownError: ``unknown-node`` for the source.
    """
    _require_text("text", text, TEXT_BYTES)
    if external_id is not None:
        _require_text("external_id", external_id, EXTERNAL_ID_BYTES)
        if not external_id.isprintable():
            raise _bad("external_id", "holds a character that cannot be printed")
    extra = dict(metadata or {})
    _require_metadata(extra)
    source = graph.node(source_id)
    if source.type != SOURCE:
        raise _bad("source_id", f"names {a(source.type)}; evidence comes from a source")
    payload = {"external_id": external_id, "metadata": extra, "source_id": source_id, "text": text}
    fingerprint = digest(payload)
    there = _standing(graph, text, payload, fingerprint)
    if there is not None:
        return there
    node_id = f"{EVIDENCE}:{fingerprint}"
    record = {"version": 1, "external_id": external_id, "payload_digest": fingerprint, "metadata": extra}
    with graph.batch("evidence") as batch:
        provenance = Provenance(source_id, None, EXTRACTOR, CHECKS, batch.build)
        attrs = {"kind": "observation", INTAKE: record}
        node = Node(node_id, EVIDENCE, text, attrs, provenance, build=batch.build)
        batch.stage.put_node(node)
    return node


def _standing(graph: ContextGraph, text: str, payload: Mapping[str, object], fingerprint: str) -> Node | None:
    """The node of this observation, under its own id or the short one that older files bear."""
    own = graph.store.nodes.get(f"{EVIDENCE}:{fingerprint}")
    if own is not None:
        if _payload_of(own) != payload:
            raise id_taken(own, EVIDENCE, text)
        return own
    legacy = graph.store.nodes.get(slug(canonical(payload), EVIDENCE))
    return legacy if legacy is not None and _payload_of(legacy) == payload else None


def _payload_of(node: Node) -> dict[str, object] | None:
    """The payload a record states, or None when it is no intake record."""
    record = node.attrs.get(INTAKE)
    if node.type != EVIDENCE or node.provenance is None or not isinstance(record, Mapping):
        return None
    return {
        "external_id": record.get("external_id"),
        "metadata": record.get("metadata"),
        "source_id": node.provenance.source_id,
        "text": node.label,
    }


def _require_text(name: str, text: object, limit: int) -> None:
    if not isinstance(text, str):
        raise _bad(name, f"is not text but {type(text).__name__}")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise _bad(name, "holds an unpaired surrogate") from None
    if not text.strip():
        raise _bad(name, "is blank")
    if size > limit:
        raise _bad(name, f"is {size:,} bytes; at most {limit:,}")


def _require_metadata(metadata: dict[str, Any]) -> None:
    stack: list[tuple[str, Any, int]] = [("metadata", metadata, 1)]
    while stack:
        path, value, depth = stack.pop()
        if value is None or isinstance(value, bool | int):
            continue
        if isinstance(value, float):
            if not math.isfinite(value):
                raise _bad(path, "is not a finite number")
        elif isinstance(value, str):
            _require_member_text(path, value)
        elif isinstance(value, dict | list):
            if depth > METADATA_DEPTH:
                raise _bad(path, f"is nested deeper than {METADATA_DEPTH}")
            if len(value) > METADATA_MEMBERS:
                raise _bad(path, f"has {len(value):,} members; at most {METADATA_MEMBERS:,}")
            stack.extend(_members(path, value, depth + 1))
        else:
            raise _bad(path, f"is a {type(value).__name__}, which JSON cannot carry exactly")
    size = len(canonical(metadata).encode("utf-8"))
    if size > METADATA_BYTES:
        raise _bad("metadata", f"is {size:,} bytes; at most {METADATA_BYTES:,}")


def _members(path: str, value: dict[Any, Any] | list[Any], depth: int) -> list[tuple[str, Any, int]]:
    if isinstance(value, list):
        return [(f"{path}[{i}]", member, depth) for i, member in enumerate(value)]
    for key in value:
        if not isinstance(key, str):
            raise _bad(path, f"has a key that is not text: {key!r}")
        _require_member_text(f"{path} key", key)
    return [(f"{path}.{key}", member, depth) for key, member in value.items()]


def _require_member_text(path: str, text: str) -> None:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise _bad(path, "holds an unpaired surrogate") from None
    if size > TEXT_BYTES:
        raise _bad(path, f"is {size:,} bytes; at most {TEXT_BYTES:,}")


def _bad(field: str, what: str) -> OntologyError:
    return OntologyError(Problem("bad-evidence", f"{field} {what}", subject=field))
