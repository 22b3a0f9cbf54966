"""PROV-O (W3C) as JSON-LD: what came from what, who said it, and what a rejection took down.

A node is a ``prov:Entity``. Of a decision there is also the ``prov:Activity`` of making it, which generated the
decision and whatever it produced, and used what it stood on. A rejection is an activity that used the evidence and
invalidated the assumption and all that fell with it. Every edge also stands under its own name, with its type in the
vocabulary ``cm:``; what PROV has no word for (mentions, contradicts) stands there alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from contextmesh.graph.graph import ContextGraph
from contextmesh.store.model import Node
from contextmesh.store.relations import ASSUMPTION, DECISION, day_of

CONTEXT = {
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "cm": "urn:contextmesh:vocabulary:",
}
NODE, MAKING, REJECTION, AGENT = (f"urn:contextmesh:{word}:" for word in ("node", "making", "rejection", "agent"))

WORDS = {
    "derived_from": "prov:wasDerivedFrom",
    "supersedes": "prov:wasRevisionOf",
    "cites": "prov:wasInfluencedBy",
    "depends_on": "prov:wasInfluencedBy",
    "justified_by": "prov:wasInfluencedBy",
    "resolves_to": "prov:alternateOf",
}
"""By edge type, what PROV says of source and target."""

USED = ("derived_from", "cites", "depends_on", "justified_by")
"""Edge types of a decision whose targets its making used."""

Thing = dict[str, Any]


def prov(graph: ContextGraph) -> dict[str, Any]:
    """The whole document; things in the order of the graph, one object each."""
    made = _Made(graph)
    return {"@context": CONTEXT, "@graph": list(made.things())}


def iri(kind: str, name: str) -> str:
    """``urn:contextmesh:node:…``: the name with everything but letters, digits and ``_.-~`` as percent codes."""
    return f"{kind}{quote(name, safe='')}"


class _Made:
    def __init__(self, graph: ContextGraph) -> None:
        self._graph = graph
        self._store = graph.store
        self._roots: dict[str, list[str]] = {}
        rows = self._store.engine.rows
        invalid = {row[0]: None for row in rows("invalid")}
        for id, root in rows("fell"):
            if id in invalid:
                self._roots.setdefault(str(id), []).append(str(root))
        self._agents: dict[str, None] = {}

    def things(self) -> Iterator[Thing]:
        for node in self._store.nodes.values():
            yield self._node(node)
            if node.type == DECISION:
                yield self._making(node)
        yield from self._rejections()
        for name in self._agents:
            yield {"@id": iri(AGENT, name), "@type": "prov:Agent", "rdfs:label": name}

    def _node(self, node: Node) -> Thing:
        thing: Thing = {
            "@id": iri(NODE, node.id),
            "@type": ["prov:Entity", f"cm:{quote(node.type, safe='')}"],
            "rdfs:label": node.label,
            "cm:live": self._graph.is_live(node.id),
        }
        self._provenance(node, thing)
        for edge in self._graph.edges_from(node.id):
            target = {"@id": iri(NODE, edge.dst)}
            _add(thing, f"cm:{quote(edge.type, safe='')}", target)
            if edge.type in WORDS:
                _add(thing, WORDS[edge.type], target)
        for edge in self._graph.edges_to(node.id):
            if edge.type == "supports":
                _add(thing, "prov:wasInfluencedBy", {"@id": iri(NODE, edge.src)})
            elif edge.type == "produces":
                _add(thing, "prov:wasGeneratedBy", {"@id": iri(MAKING, edge.src)})
        if node.type == DECISION:
            _add(thing, "prov:wasGeneratedBy", {"@id": iri(MAKING, node.id)})
        for root in sorted(self._roots.get(node.id, ())):
            _add(thing, "prov:wasInvalidatedBy", {"@id": iri(REJECTION, root)})
        record = self._store.assumptions.get(node.id) if node.type == ASSUMPTION else None
        if record is not None:
            _add(thing, "prov:wasAttributedTo", self._agent(record.created_by))
            thing["cm:status"] = self._graph.status(node.id)
            thing["cm:version"] = record.version
        return thing

    def _provenance(self, node: Node, thing: Thing) -> None:
        day = node.attrs.get("retrieved_at")
        if day_of(day) is not None:
            thing["cm:retrievedAt"] = {"@value": day, "@type": "xsd:date"}
        read = node.provenance
        if read is None:
            return
        _add(thing, "prov:hadPrimarySource", {"@id": iri(NODE, read.source_id)})
        _add(thing, "prov:wasAttributedTo", self._agent(read.extractor))
        if read.span is not None:
            thing["cm:spanStart"], thing["cm:spanEnd"] = read.span

    def _making(self, node: Node) -> Thing:
        thing: Thing = {"@id": iri(MAKING, node.id), "@type": "prov:Activity"}
        for edge in self._graph.edges_from(node.id):
            if edge.type in USED:
                _add(thing, "prov:used", {"@id": iri(NODE, edge.dst)})
        return thing

    def _rejections(self) -> Iterator[Thing]:
        """What took something down: a rejected assumption, or a circle of grounds that held only itself up."""
        evidence = {str(row[0]): str(row[1]) for row in self._store.engine.rows("verdict")}
        for root in dict.fromkeys((*evidence, *(r for roots in self._roots.values() for r in sorted(roots)))):
            thing: Thing = {"@id": iri(REJECTION, root), "@type": "prov:Activity"}
            if root in evidence:
                _add(thing, "prov:used", {"@id": iri(NODE, evidence[root])})
            yield thing

    def _agent(self, name: str) -> Thing:
        self._agents[name] = None
        return {"@id": iri(AGENT, name)}


def _add(thing: Thing, key: str, value: Thing) -> None:
    """One more value of a property; the same value is said once."""
    held = thing.setdefault(key, [])
    if value not in held:
        held.append(value)
