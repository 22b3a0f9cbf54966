"""What a walk finds at a node whatever the question: the live edges on from it with their prices, where it was read.

Kept from one question to the next while nothing is written, so that ground walked before is not looked up again.
"""

from __future__ import annotations

from math import log2, sqrt
from typing import TYPE_CHECKING

from contextmesh.walk.places import Places
from contextmesh.walk.roads import BACKWARD, FORWARD
from contextmesh.walk.words import name_key

if TYPE_CHECKING:
    from contextmesh.store.model import Edge
    from contextmesh.store.store import Store
    from contextmesh.walk.index import Index
    from contextmesh.walk.places import Place
    from contextmesh.walk.roads import Roads

# Nodes whose ways are kept at most; then all are let go of.
KEPT = 20_000
# A name with more edges than this is gone on from without looking where they all lead.
FEW = 8
# How strength passes an entity: to the source it gives its name to, and to another that mentions it.
BRIDGE = 1.2
MENTION = 0.8

Way = tuple["Place", float, float, "Edge", str]
"""A step: the node it leads to, the price of the edge's type by how busy that node is, what repeated observations
divide it by, the edge, and the direction in which it is walked."""


class Ways:
    """Of one state of a store, for walks with one ``fan``.

    Attributes:
        places: the nodes as walks see them.
    """

    def __init__(self, index: Index, store: Store, roads: Roads, fan: int) -> None:
        self.stamp = (store.seq, id(roads), fan)
        self.places = Places(index, store.nodes)
        self._nodes = store.nodes
        self._edges = index.edges
        self._roads = roads
        self._fan = fan
        self._live = store.engine.read("live")
        self._dead = store.engine.read("edge_dead")
        self._of: dict[str, list[Way] | None] = {}
        self._to_home: dict[str, Way | None] = {}
        self._alone: dict[str, str | None] = {}
        self._names: dict[str, tuple[str, str, float]] = {}
        self._busy: dict[str, float] = {}

    def trim(self) -> None:
        """Let go of everything when it is much."""
        if len(self._of) + len(self._to_home) > KEPT:
            for table in (self._of, self._to_home, self._alone, self._names, self._busy, self.places):
                table.clear()

    def of(self, id: str) -> list[Way] | None:
        """The ways on from a node, forward ones first; None for a busy node, which gives some of its edges only."""
        try:
            return self._of[id]
        except KeyError:
            ways = self._of[id] = self._found(id)
            return ways

    def way(self, edge: Edge, direction: str) -> Way | None:
        """The way along an edge; None when the edge or where it leads is not live."""
        target = edge.dst if direction == FORWARD else edge.src
        if not self._live.holds((target,)) or self._dead.holds((edge.id,)):
            return None
        table = self._roads.forward if direction == FORWARD else self._roads.backward
        root = sqrt(sqrt(edge.weight)) if edge.weight > 1.0 else 1.0
        price = table.get(edge.type, 1.0) * self._busy_at(target)
        return self.places.of(target), price, root, edge, direction

    def to_home(self, id: str) -> Way | None:
        """The way from a statement to the source it was read in."""
        try:
            return self._to_home[id]
        except KeyError:
            way = self._to_home[id] = self._found_home(id)
            return way

    def leads_only_to(self, entity: str) -> str | None:
        """The one source that a name leads to, where every edge of the name comes from it or was read in it."""
        try:
            return self._alone[entity]
        except KeyError:
            alone = self._alone[entity] = self._found_alone(entity)
            return alone

    def name(self, entity: str) -> tuple[str, str, float]:
        """An entity's name, how a title opens that goes on after it, and what strength passes to sources without."""
        found = self._names.get(entity)
        if found is None:
            name = name_key(self._nodes[entity].label)
            # About half the edges of a name come from sources, half from the statements in them.
            passed = BRIDGE * (MENTION / sqrt(max(1.0, self._edges.degree(entity) / 2)))
            found = self._names[entity] = name, f"{name} ", passed
        return found

    def _busy_at(self, id: str) -> float:
        busy = self._busy.get(id)
        if busy is None:
            busy = self._busy[id] = 1 + log2(1 + self._edges.degree(id)) / 6
        return busy

    def _found(self, id: str) -> list[Way] | None:
        edges, roads, nodes = self._edges, self._roads, self._nodes
        if edges.leaving(id) > self._fan or edges.reaching(id) > self._fan:
            return None
        ways = [self.way(edge, FORWARD) for edge in edges.out_of(id) if edge.type in roads.forward]
        ways += [
            self.way(edge, BACKWARD)
            for edge in edges.into(id)
            if edge.type in roads.backward and nodes[edge.src].type in roads.asserts
        ]
        return [way for way in ways if way is not None]

    def _found_home(self, id: str) -> Way | None:
        home = self.places.of(id).home
        if home is None or not self._live.holds((home,)):
            return None
        for edge in self._edges.between(id, home):
            if edge.type in self._roads.forward and not self._dead.holds((edge.id,)):
                return self.way(edge, FORWARD)
        return None

    def _found_alone(self, entity: str) -> str | None:
        edges = self._edges
        if edges.leaving(entity) != 1 or edges.reaching(entity) > FEW:
            return None
        home = edges.out_of(entity)[0].dst
        return home if all(home in (edge.src, self.places.of(edge.src).home) for edge in edges.into(entity)) else None
