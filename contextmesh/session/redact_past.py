"""What a redaction leaves of the past: every transaction with its date, and versions of records without the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from contextmesh.graph.history import History
from contextmesh.session.tombstones import Tombstones
from contextmesh.store.model import Edge, Node
from contextmesh.store.records_past import Chronicle
from contextmesh.store.store import Store


def past_without(
    history: History, before: Store, after: Store, stones: Tombstones, emptied: Callable[[Node], Mapping[str, Any]]
) -> History:
    """The history of a store whose text was removed. A version that was read in what is removed is forgotten.

    Args:
        before, after: the store that ``history`` follows, and the one without the text: the same records, in one order.
        emptied: gives id, label and attributes of what is left of a node.
    """
    told = history.chronicle()
    edges = dict(zip(before.edges, after.edges, strict=True))
    older = tuple(_older(told, stones, edges, emptied))
    stated = tuple(((name, tuple(stones.renamed(list(row)))), seq) for (name, row), seq in told.stated)
    return History(after, Chronicle(told.begins, told.build, told.commits, older, stated))


def _older(
    told: Chronicle, stones: Tombstones, edges: Mapping[str, str], emptied: Callable[[Node], Mapping[str, Any]]
) -> Iterator[tuple[int, Node | Edge]]:
    for seq, record in told.older:
        if isinstance(record, Edge):
            yield seq, _edge(record, stones, edges)
        elif record.id in stones.ids or record.provenance is None or record.provenance.source_id not in stones.ids:
            yield seq, _node(record, stones, emptied(record))


def _edge(edge: Edge, stones: Tombstones, edges: Mapping[str, str]) -> Edge:
    new = stones.renamed
    return replace(
        edge,
        id=edges[edge.id],
        src=new(edge.src),
        dst=new(edge.dst),
        assumption_id=new(edge.assumption_id),
        evidence_ids=tuple(new(list(edge.evidence_ids))),
    )


def _node(node: Node, stones: Tombstones, left: Mapping[str, Any]) -> Node:
    read = node.provenance
    made = replace(
        node,
        id=left["id"],
        label=left["label"],
        attrs=left["attrs"],
        provenance=None if read is None else replace(read, source_id=stones.renamed(read.source_id)),
    )
    return made if node.id not in stones.ids else replace(made, embedding=None, pruned=True)
