"""The part of a graph that lies around a node: breadth first, along edges either way, up to a number of nodes."""

from __future__ import annotations

from dataclasses import dataclass

from contextmesh.base.errors import InputError, Problem
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.model import Edge, Node

MOST = 500
"""Nodes of one picture, unless its asker says otherwise."""


@dataclass(frozen=True, slots=True)
class Part:
    """Nodes and the edges between them, each in the order in which it was met.

    Attributes:
        left_out: whether more lies within the distance than the limit of nodes lets in.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: bool = False


def around(graph: ContextGraph, center: str, *, hops: int = 1, most: int = MOST) -> Part:
    """What can be reached from a node in so many steps, fallen nodes and dead edges included.

    Raises:
        UnknownError: unknown-node. InputError: out-of-range.
    """
    if hops < 0 or most < 1:
        message = f"{hops} hops and {most} nodes make no neighbourhood"
        raise InputError(Problem("out-of-range", message, "hops" if hops < 0 else "nodes"))
    found = {center: graph.node(center)}
    ring = [center]
    left_out = False
    for _ in range(hops):
        following: list[str] = []
        for id in ring:
            for other in (*(e.dst for e in graph.edges_from(id)), *(e.src for e in graph.edges_to(id))):
                if other in found:
                    continue
                if len(found) >= most:
                    left_out = True
                    continue
                found[other] = graph.node(other)
                following.append(other)
        ring = following
    edges = [edge for id in found for edge in graph.edges_from(id) if edge.dst in found]
    return Part(tuple(found.values()), tuple(edges), left_out)


def whole(graph: ContextGraph) -> Part:
    """All of it."""
    return Part(tuple(graph.store.nodes.values()), tuple(graph.store.edges.values()))
