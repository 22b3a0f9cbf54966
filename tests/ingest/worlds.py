"""Small documents, a graph to put them in, and everything a graph holds as one comparable value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from contextmesh.graph.graph import ContextGraph
from contextmesh.ingest.documents import Document, Skipped
from contextmesh.ingest.pipeline import ingest
from contextmesh.ingest.report import BuildReport
from contextmesh.resolve.resolver import Resolver
from contextmesh.store.model import Node


@dataclass
class World:
    """A graph, its names, and the texts that were put in last."""

    graph: ContextGraph = field(default_factory=ContextGraph)
    resolver: Resolver = field(default_factory=Resolver)
    texts: dict[str, str] = field(default_factory=dict)

    def read(self, *documents: Document | Skipped) -> BuildReport:
        self.texts.update({d.id: d.text for d in documents if isinstance(d, Document)})
        return ingest(self.graph, self.resolver, documents)

    def of_type(self, type_: str) -> list[Node]:
        return [node for node in self.graph.store.nodes.values() if node.type == type_]

    def labelled(self, type_: str, label: str) -> Node:
        (node,) = [n for n in self.of_type(type_) if n.label == label]
        return node

    def linked(self, src: str, type_: str) -> list[str]:
        return [edge.dst for edge in self.graph.edges_from(src, type_)]

    def current_claims(self, source_id: str) -> list[str]:
        """What a source says now, in the order of its text."""
        holds = self.graph.store.engine.holds
        found = []
        for edge in self.graph.edges_to(source_id, "derived_from"):
            node = self.graph.node(edge.src)
            place = place_in(node, source_id)
            if node.type == "claim" and place is not None and not node.pruned and not holds("superseded", (node.id,)):
                found.append((place, node.label))
        return [label for _, label in sorted(found)]

    def misplaced(self) -> list[str]:
        """Claims whose quote does not stand where their provenance says."""
        wrong = []
        for node in self.of_type("claim"):
            read = node.provenance
            if read is not None and read.span is not None and read.source_id in self.texts:
                start, end = read.span
                if self.texts[read.source_id][start:end] != node.attrs.get("quote", node.label):
                    wrong.append(node.id)
        return wrong


def place_in(node: Node, source_id: str) -> tuple[int, int] | None:
    read = node.provenance
    if read is not None and read.source_id == source_id:
        return read.span
    for place in node.attrs.get("elsewhere", []):
        if place[0] == source_id:
            return place[1], place[2]
    return None


def page(name: str, text: str, title: str = "A page", **more: Any) -> Document:
    return Document(f"source:{name}", title, text, origin=f"{name}.txt", **more)


def state(world: World) -> dict[str, Any]:
    """Every record and every name; two equal states are one graph."""
    return {
        "graph": world.graph.to_json(),
        "resolver": world.resolver.to_json(),
        "inputs": {
            name: sorted(map(repr, world.graph.store.engine.rows(name)))
            for name, declared in world.graph.policy.program.declarations.items()
            if declared.kind == "input"
        },
    }


def illegal(world: World) -> Iterable[str]:
    """Edges between types that GRAPH.md does not pair."""
    graph = world.graph
    for edge in graph.store.edges.values():
        if not graph.policy.ontology.is_legal(edge.type, graph.node(edge.src).type, graph.node(edge.dst).type):
            yield edge.id
