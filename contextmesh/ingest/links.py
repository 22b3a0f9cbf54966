"""LINK: typed edges between what was made. An illegal pair is dropped and counted, never forced and never fatal."""

from __future__ import annotations

from contextmesh.graph.batch import Batch
from contextmesh.ingest.report import Tally
from contextmesh.policy import Ontology

MENTIONS = "mentions"
DERIVED_FROM = "derived_from"
CITES = "cites"
SUPERSEDES = "supersedes"
DEPENDS_ON = "depends_on"


class Linker:
    """Adds edges of one transaction; the same edge again is no second observation."""

    def __init__(self, batch: Batch, ontology: Ontology, tally: Tally) -> None:
        self._batch = batch
        self._ontology = ontology
        self._tally = tally

    def link(self, src: str, type_: str, dst: str) -> bool:
        """Whether the edge stands now, new or old."""
        if src == dst:
            self._tally.drop(f"{type_}: to itself")
            return False
        kinds = self._batch.node(src).type, self._batch.node(dst).type
        if not self._ontology.is_legal(type_, *kinds):
            self._tally.drop(f"{kinds[0]} -[{type_}]-> {kinds[1]} is not legal")
            return False
        if self._batch.edge(src, type_, dst) is None:
            self._batch.link(src, type_, dst)
            self._tally.admitted += 1
            self._tally.note(f"new {type_}")
        return True
