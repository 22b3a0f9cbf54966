"""The nodes and edges of the payload: what the panels name, what lies around it, and the rest while there is room."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from contextmesh.dashboard.words import clipped
from contextmesh.graph.portrait import conclusions_of
from contextmesh.store.chains import chains, words_for

if TYPE_CHECKING:
    from contextmesh.api import Mesh
    from contextmesh.store.model import Node

NODES = 1_500
"""How many nodes are told; what the panels name is always among them."""
EDGES = 6_000
FANOUT = 12
"""How many neighbours of a node are taken in each way while others wait for theirs."""
STEPS = 12
"""The longest chain of reasons that is told."""


class Picture:
    """Args: named: ids that must be there, first come first."""

    def __init__(self, mesh: Mesh, named: Sequence[str]) -> None:
        self._graph = mesh.graph
        self._engine = mesh.graph.store.engine
        self._chosen = self._choose(named)

    def as_json(self) -> dict[str, Any]:
        store = self._graph.store
        reasons = self._reasons()
        edges, left_out = self._edges()
        return {
            "nodes_total": len(store.nodes),
            "nodes": [self._node(store.nodes[id], reasons.get(id)) for id in self._chosen],
            "edges_total": len(store.edges),
            "edges_left_out": left_out,
            "edges": edges,
        }

    def _choose(self, named: Sequence[str]) -> dict[str, None]:
        """Breadth first from what is named, then in the order of writing, until there are enough."""
        chosen = dict.fromkeys(named)
        queue = deque(named)
        while queue and len(chosen) < NODES:
            for other in self._neighbours(queue.popleft()):
                if other not in chosen and len(chosen) < NODES:
                    chosen[other] = None
                    queue.append(other)
        for id in self._graph.store.nodes:
            if len(chosen) >= NODES:
                break
            chosen.setdefault(id, None)
        return chosen

    def _neighbours(self, id: str) -> list[str]:
        out = self._engine.match("edge", (None, id, None, None))
        into = self._engine.match("edge", (None, None, None, id))
        return [str(row[3]) for row in out[:FANOUT]] + [str(row[1]) for row in into[:FANOUT]]

    def _reasons(self) -> dict[str, list[str]]:
        """Of each chosen node that fell the shortest chain of reasons, from the root to the node."""
        nodes = self._graph.store.nodes
        rows = [
            row
            for id in self._chosen
            if self._engine.holds("invalid", (id,))
            for row in self._engine.match("fell", (id, None))[:1]
        ]
        found = chains(self._engine, rows, lambda name: words_for(nodes[name]))
        return {id: _shortened(chain.as_words()) for id, chain in found.items()}

    def _node(self, node: Node, because: list[str] | None) -> dict[str, Any]:
        read, engine = node.provenance, self._engine
        told: dict[str, Any] = {
            "id": node.id,
            "type": node.type,
            "label": clipped(node.label),
            "state": list(conclusions_of(self._graph, node.id)),
            "out": len(engine.match("edge", (None, node.id, None, None))),
            "in": len(engine.match("edge", (None, None, None, node.id))),
        }
        rationale = node.attrs.get("rationale")
        if isinstance(rationale, str):
            told["rationale"] = clipped(rationale)
        if because is not None:
            told["because"] = because
        if read is not None:
            quote = node.attrs.get("quote", node.label if read.span is not None else None)
            known = read.source_id in self._chosen
            told["read_in"] = {
                "source": read.source_id if known else None,
                "label": clipped(self._label(read.source_id)),
                "span": list(read.span) if read.span is not None else None,
                "quote": clipped(quote) if isinstance(quote, str) else None,
            }
        return told

    def _label(self, id: str) -> str:
        node = self._graph.store.nodes.get(id)
        return node.label if node is not None else id

    def _edges(self) -> tuple[list[dict[str, Any]], int]:
        """Edges between chosen nodes, and how many of them found no room."""
        told: list[dict[str, Any]] = []
        left_out = 0
        for id in self._chosen:
            for edge, src, type_, dst in self._engine.match("edge", (None, id, None, None)):
                if dst not in self._chosen:
                    continue
                if len(told) >= EDGES:
                    left_out += 1
                    continue
                live = not self._engine.holds("edge_dead", (edge,))
                told.append({"from": src, "type": type_, "to": dst, "live": live})
        return told, left_out


def _shortened(chain: Sequence[str]) -> list[str]:
    words = [clipped(word) for word in chain]
    return words if len(words) <= STEPS else [*words[: STEPS // 2], "…", *words[-STEPS // 2 :]]
