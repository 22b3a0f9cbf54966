"""Claims as nodes: one sentence is one claim wherever it is read, unless it leans on its document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from contextmesh.base.ids import slug
from contextmesh.graph.batch import Batch
from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.prune import PRUNED_BECAUSE
from contextmesh.ingest.drafts import CHECKS, EXTRACTOR, HEADER_CHECKS, HEADER_EXTRACTOR, Draft
from contextmesh.store.model import Node, Provenance

CLAIM = "claim"
ELSEWHERE = "elsewhere"
"""Attribute: further places of a claim, ``[[source id, start, end], …]``; its provenance is the first."""
QUOTE = "quote"


class Claims:
    """Reads and writes the claims of sources, inside one transaction."""

    def __init__(self, graph: ContextGraph, batch: Batch) -> None:
        self._graph = graph
        self._batch = batch
        self._superseded: dict[str, None] = {}  # in this transaction

    def of_source(self, source_id: str) -> dict[str, Node]:
        """The claims a source makes now, by label, in the order of its text."""
        found = []
        for edge in self._graph.edges_to(source_id, "derived_from"):
            node = self._batch.node(edge.src)
            if node.type == CLAIM and not node.pruned and not self._is_superseded(node.id):
                place = _place(node, source_id)
                if place is not None:
                    found.append((place, node))
        found.sort(key=lambda pair: pair[0])
        return {node.label: node for _, node in found}

    def put(self, draft: Draft, source_id: str) -> tuple[Node, bool]:
        """The claim of a draft that its source did not make before, and whether the node is new."""
        for claim_id in _ids(draft, source_id):
            there = self._batch.node(claim_id) if self._batch.has(claim_id) else None
            if there is None:
                made = self._batch.add_node(
                    CLAIM, draft.label, id=claim_id, attrs=_attrs(draft, {}), provenance=self._read(draft, source_id)
                )
                return made, True
            if (there.type, there.label) != (CLAIM, draft.label) or self._is_superseded(claim_id):
                continue
            if there.pruned:
                attrs = {name: value for name, value in there.attrs.items() if name not in (PRUNED_BECAUSE, ELSEWHERE)}
                read = self._read(draft, source_id)
                return self._batch.replace_node(
                    replace(there, pruned=False, provenance=read, attrs=_attrs(draft, attrs))
                ), True
            if draft.leans and _place(there, source_id) is None:
                continue  # another document's "it" is another thing
            return self.seen(there, draft, source_id), False
        raise AssertionError(f"no id left for the claim {draft.label!r}")

    def seen(self, node: Node, draft: Draft, source_id: str) -> Node:
        """Record where a claim that is there stands in this source; nothing is written when it stands there already."""
        if node.provenance is None or node.provenance.source_id == source_id:
            if node.provenance is None or node.provenance.span != draft.span or node.attrs.get(QUOTE) != _quote(draft):
                attrs = _attrs(draft, node.attrs)
                return self._batch.replace_node(replace(node, provenance=self._read(draft, source_id), attrs=attrs))
            return node
        places = [place for place in _elsewhere(node) if place[0] != source_id]
        now = [*places, [source_id, *draft.span]]
        return node if now == _elsewhere(node) else self._batch.replace_node(node.with_attrs(**{ELSEWHERE: now}))

    def leave(self, node: Node, source_id: str, successor: Node | None) -> str:
        """A source no longer holds a claim: what became of it, ``kept``, ``superseded`` or ``pruned``."""
        places = [place for place in _elsewhere(node) if place[0] != source_id]
        read = node.provenance
        if places and read is not None and read.source_id == source_id:
            first, *rest = places
            moved = replace(read, source_id=first[0], span=(first[1], first[2]), recorded_at_build=self._batch.build)
            attrs = {name: value for name, value in node.attrs.items() if name not in (QUOTE, ELSEWHERE)}
            self._batch.replace_node(replace(node, provenance=moved, attrs={**attrs, **_listed(rest)}))
            return "kept"
        if read is not None and read.source_id != source_id:
            attrs = {name: value for name, value in node.attrs.items() if name != ELSEWHERE}
            self._batch.replace_node(replace(node, attrs={**attrs, **_listed(places)}))
            return "kept"
        gone = replace(node, provenance=replace(read, span=None) if read is not None else None)
        if successor is not None:
            self._batch.replace_node(gone)
            self._superseded[node.id] = None
            return "superseded"
        why = f"{source_id} no longer says so"
        self._batch.replace_node(replace(gone, pruned=True, attrs={**node.attrs, PRUNED_BECAUSE: why}))
        return "pruned"

    def _read(self, draft: Draft, source_id: str) -> Provenance:
        headed = draft.sentence is None
        return Provenance(
            source_id,
            draft.span,
            HEADER_EXTRACTOR if headed else EXTRACTOR,
            HEADER_CHECKS if headed else CHECKS,
            self._batch.build,
        )

    def _is_superseded(self, claim_id: str) -> bool:
        return claim_id in self._superseded or self._graph.store.engine.holds("superseded", (claim_id,))


def _ids(draft: Draft, source_id: str) -> Iterator[str]:
    """Ids a claim may get, plainest first: of its sentence, of that in this document, of that said once more."""
    yield slug(draft.label, CLAIM, scripts=True)
    yield slug(f"{draft.label}|{source_id}", CLAIM, scripts=True)
    for number in range(2, 1000):
        yield slug(f"{draft.label}|{source_id}|v{number}", CLAIM, scripts=True)


def _place(node: Node, source_id: str) -> tuple[int, int] | None:
    """Where a claim stands in a source, for sorting; None when it does not."""
    read = node.provenance
    if read is not None and read.source_id == source_id:
        return read.span or (0, 0)
    for place in _elsewhere(node):
        if place[0] == source_id:
            return place[1], place[2]
    return None


def _elsewhere(node: Node) -> list[list[Any]]:
    """The further places of a claim; what a file of someone else keeps under that name is passed over."""
    value = node.attrs.get(ELSEWHERE)
    if not isinstance(value, list | tuple):
        return []
    return [
        list(place)
        for place in value
        if isinstance(place, list | tuple) and len(place) == 3 and isinstance(place[0], str) and _whole(place[1:])
    ]


def _whole(numbers: Any) -> bool:
    return all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)


def _listed(places: list[list[Any]]) -> dict[str, Any]:
    return {ELSEWHERE: places} if places else {}


def _quote(draft: Draft) -> str | None:
    return draft.quote if draft.quote != draft.label else None


def _attrs(draft: Draft, before: Mapping[str, Any]) -> dict[str, Any]:
    attrs = {name: value for name, value in before.items() if name != QUOTE}
    quote = _quote(draft)
    return attrs if quote is None else {**attrs, QUOTE: quote}
