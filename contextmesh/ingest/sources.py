"""Which source node a document belongs to, and whether the graph holds its text already."""

from __future__ import annotations

from dataclasses import replace

from contextmesh.base.canon import digest
from contextmesh.base.ids import slug
from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.documents import Document
from contextmesh.store.model import Node

SOURCE = "source"
DIGEST = "content_digest"
FIELDS = "fields"


class SourceBook:
    """Places the documents of one ingest."""

    def __init__(self, graph: ContextGraph) -> None:
        self._graph = graph
        self._by_origin: dict[str, str] | None = None
        self._placed: dict[str, str] = {}  # source id -> digest, of this ingest
        self._ids: dict[str, str] = {}  # digest -> source id

    def place(self, document: Document) -> Document | None:
        """The document under the id of its source node; None when that node holds this text already."""
        mark = content_digest(document)
        source_id = self._source_id(document)
        self._ids[_name(document)] = source_id
        there = self._graph.store.nodes.get(source_id)
        if self._placed.get(source_id) == mark or (there is not None and there.attrs.get(DIGEST) == mark):
            self._placed.setdefault(source_id, mark)
            return None
        self._placed[source_id] = mark
        return document if source_id == document.id else replace(document, id=source_id)

    def id_of(self, document: Document) -> str:
        """The source id a document was placed under."""
        return self._ids[_name(document)]

    def forget(self, document: Document) -> None:
        """A document was not written after all."""
        self._placed.pop(document.id, None)

    def _source_id(self, document: Document) -> str:
        """The id it was read under before; else its own, unless that belongs to something else."""
        wanted = document.id
        known = self._origins().get(document.origin) if document.origin else None
        if known is not None and known not in self._placed:
            return known
        for candidate in (wanted, f"{wanted}~{slug(document.origin or document.title)[-6:]}"):
            if candidate in self._placed:
                if self._placed[candidate] == content_digest(document):
                    return candidate
                continue
            there = self._graph.store.nodes.get(candidate)
            if there is None or _is_same(there, document):
                return candidate
        return f"{SOURCE}:{slug(f'{wanted}|{document.origin}|{content_digest(document)}')}"

    def _origins(self) -> dict[str, str]:
        if self._by_origin is None:
            self._by_origin = {}
            for row in self._graph.store.engine.match("node", (None, SOURCE)):
                node = self._graph.store.nodes[str(row[0])]
                origin = node.attrs.get("origin")
                if isinstance(origin, str) and origin and DIGEST in node.attrs:
                    self._by_origin.setdefault(origin, node.id)
        return self._by_origin


def content_digest(document: Document) -> str:
    """SHA-256 over everything of a document that the graph is made from."""
    return digest(
        [
            document.kind,
            document.title,
            document.date,
            document.text,
            dict(document.header),
            list(document.entities),
            document.record.key if document.record is not None else None,
        ]
    )


def _is_same(there: Node, document: Document) -> bool:
    """Whether a source node of this id is the document read from elsewhere, or made without a text yet."""
    if there.type != SOURCE:
        return False
    origin = there.attrs.get("origin")
    return DIGEST not in there.attrs or origin == document.origin or there.label == document.title


def _name(document: Document) -> str:
    return f"{document.id}|{document.origin}"
