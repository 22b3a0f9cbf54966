"""The same graph by hand: dicts, adjacency lists and breadth-first search, as one would write it without rules."""

from __future__ import annotations

from collections import deque
from typing import Any

from bench.graph_world import World
from contextmesh.base.ids import edge_key, slug

LEGAL = {
    "mentions": {("source", "entity"), ("claim", "entity")},
    "derived_from": {("claim", "source"), ("decision", "claim"), ("entity", "source")},
    "cites": {("decision", "source"), ("claim", "claim")},
    "contradicts": {("claim", "claim"), ("evidence", "claim"), ("evidence", "assumption")},
    "supports": {("evidence", "claim"), ("claim", "decision"), ("evidence", "decision")},
    "depends_on": {("decision", "assumption"), ("decision", "decision"), ("claim", "assumption")},
    "produces": {("decision", "entity"), ("decision", "source")},
    "supersedes": {("decision", "decision"), ("assumption", "assumption"), ("claim", "claim")},
    "justified_by": {("decision", "evidence"), ("claim", "evidence"), ("assumption", "evidence")},
    "resolves_to": {("entity", "entity")},
}
CARRY = {
    "entity": ("canonical", "aliases"),
    "claim": ("provenance",),
    "source": ("origin", "retrieved_at"),
    "decision": ("rationale", "provenance"),
    "assumption": (),
    "evidence": ("kind",),
}
BACKWARD, FORWARD = {"derived_from", "depends_on"}, {"produces"}


class StraightGraph:
    """Nodes and edges as dicts; conclusions as sets that a pass over the graph fills."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.edges: dict[str, dict[str, Any]] = {}
        self.out: dict[str, list[str]] = {}
        self.into: dict[str, list[str]] = {}
        self.invalid: dict[str, list[str]] = {}
        self.rejected: dict[str, str] = {}

    def add_node(self, id: str, type: str, label: str, attrs: dict[str, Any], source: str | None) -> None:
        if type not in CARRY or id in self.nodes:
            raise ValueError(id)
        for name in CARRY[type]:
            if name not in attrs and not (name == "provenance" and source is not None):
                raise ValueError(f"{id} lacks {name}")
        self.nodes[id] = {"id": id, "type": type, "label": label, "attrs": attrs, "source": source}
        self.out[id], self.into[id] = [], []

    def add_edge(self, src: str, type: str, dst: str) -> None:
        if type not in LEGAL or src == dst or src not in self.nodes or dst not in self.nodes:
            raise ValueError((src, type, dst))
        if (self.nodes[src]["type"], self.nodes[dst]["type"]) not in LEGAL[type]:
            raise ValueError((src, type, dst))
        id = slug(edge_key(src, type, dst), "edge")
        if id in self.edges:
            self.edges[id]["weight"] += 1.0
            return
        self.edges[id] = {"id": id, "src": src, "type": type, "dst": dst, "weight": 1.0}
        self.out[src].append(id)
        self.into[dst].append(id)

    def blast(self, root: str) -> dict[str, str | None]:
        """What falls with a root, each with the edge it fell along; breadth first, so shortest reasons."""
        fell: dict[str, str | None] = {root: None}
        queue = deque([root])
        while queue:
            name = queue.popleft()
            for id in self.into[name]:
                edge = self.edges[id]
                if (
                    edge["type"] in BACKWARD
                    and edge["src"] not in fell
                    and self.nodes[edge["src"]]["type"] != "assumption"
                ):
                    fell[edge["src"]] = id
                    queue.append(edge["src"])
            for id in self.out[name]:
                edge = self.edges[id]
                if edge["type"] in FORWARD and edge["dst"] not in fell:
                    fell[edge["dst"]] = id
                    queue.append(edge["dst"])
        return fell

    def told(self, fell: dict[str, str | None]) -> list[tuple[str, list[str]]]:
        """Each fallen node with its reason: labels and edge types from the root."""
        chains: dict[str, list[str]] = {}
        for name, id in fell.items():
            label = self.nodes[name]["label"]
            if id is None:
                chains[name] = [label]
            else:
                edge = self.edges[id]
                before = edge["dst"] if edge["src"] == name else edge["src"]
                chains[name] = [*chains[before], edge["type"], label]
        return list(chains.items())

    def reject(self, root: str, evidence: str) -> list[tuple[str, list[str]]]:
        """Mark what falls, and tell."""
        fell = self.blast(root)
        for name in fell:
            self.invalid.setdefault(name, []).append(root)
        self.rejected[root] = evidence
        return self.told(fell)

    def health(self) -> dict[str, int]:
        """A full scan."""
        said, orphans, gap, open_ = {}, 0, 0, 0
        for edge in self.edges.values():
            if (
                edge["type"] == "mentions"
                and self.nodes[edge["src"]]["type"] == "claim"
                and edge["src"] not in self.invalid
            ):
                said[edge["dst"]] = True
            elif edge["type"] == "contradicts" and edge["src"] not in self.invalid and edge["dst"] not in self.invalid:
                open_ += 1
        missing = 0
        for name, node in self.nodes.items():
            if name in self.invalid:
                continue
            if not self.out[name] and not self.into[name]:
                orphans += 1
            if node["type"] == "entity" and name not in said:
                missing += 1
            if "provenance" in CARRY[node["type"]] and not self._sourced(name):
                gap += 1
        return {"orphans": orphans, "missing": missing, "gap": gap, "open": open_, "invalid": len(self.invalid)}

    def _sourced(self, name: str) -> bool:
        source = self.nodes[name]["source"]
        if source is not None and source not in self.invalid:
            return True
        ids = (self.edges[id] for id in self.out[name])
        return any(e["type"] in ("derived_from", "cites") and e["dst"] not in self.invalid for e in ids)


def build(made: World) -> StraightGraph:
    graph = StraightGraph()
    for node in made.nodes:
        graph.add_node(node.id, node.type, node.label, dict(node.attrs), node.source)
    for edge in made.edges:
        graph.add_edge(*edge)
    return graph
