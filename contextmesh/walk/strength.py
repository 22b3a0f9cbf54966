"""How much a node matters because of what led to it, and what a step to it costs."""

from __future__ import annotations

from math import log2, sqrt
from typing import TYPE_CHECKING

from contextmesh.walk.index import ENTITY, SOURCE
from contextmesh.walk.roads import FORWARD
from contextmesh.walk.words import name_key

if TYPE_CHECKING:
    from contextmesh.store.model import Edge
    from contextmesh.store.store import Store
    from contextmesh.walk.index import Index
    from contextmesh.walk.question import Question
    from contextmesh.walk.roads import Roads
    from contextmesh.walk.scoring import Scorer
    from contextmesh.walk.visits import Visit, Walk

# An edge that the question asks for is nearly free.
ASKED_PRICE = 0.2
# How strength passes an entity: to the source it gives its name to, and to another that mentions it.
BRIDGE = 1.2
MENTION = 0.8
FLOOR = 0.25
LEFT = 1.3
# An entity named in the question leads to little that its name did not find already.
NAMED_BRIDGE = 0.4


class Strength:
    """Passes on what matters: from a source that fits a part of the question, through a name, to one that has more."""

    def __init__(
        self, store: Store, index: Index, roads: Roads, question: Question, scorer: Scorer, walk: Walk
    ) -> None:
        self._nodes = store.nodes
        self._edges = index.edges
        self._roads = roads
        self._scorer = scorer
        self._walk = walk
        self._named = {name.id: name for name in question.names}
        self._busy: dict[str, float] = {}

    def of(self, visit: Visit, target: str) -> float:
        """The strength of a node that a walk comes to from another."""
        kind = self._nodes[target].type
        if kind == ENTITY:
            return self._standing(visit) * (NAMED_BRIDGE if target in self._named else 1.0)
        if kind != SOURCE:
            return self._scorer.on_path(self._scorer.statement(target), visit.said)
        if self._nodes[visit.id].type == ENTITY:
            return self.bridged(visit, target)
        return self._scorer.passage(target)

    def _standing(self, visit: Visit) -> float:
        """The strength of a node, or of the source it was read in when that is more."""
        home = self.home(visit.id)
        at_home = self._walk.visits.get(home) if home is not None else None
        return max(visit.strength, at_home.strength) if at_home is not None else visit.strength

    def bridged(self, entity: Visit, source: str) -> float:
        """The strength of a source that a name leads to: its own, and more for what it says of what is left."""
        left = self._scorer.left(source, entity.covered)
        gain = BRIDGE * self._telling(entity.id, source) * entity.strength * (FLOOR + LEFT * left)
        return self._scorer.passage(source) + gain

    def _telling(self, entity: str, source: str) -> float:
        """How much being met through an entity says about a source: most when the source bears its name."""
        title, name = name_key(self._nodes[source].label), name_key(self._nodes[entity].label)
        if title == name or title.startswith(f"{name} "):
            return 1.0
        # About half the edges of a name come from sources, half from the statements in them.
        return MENTION / sqrt(max(1.0, self._edges.degree(entity) / 2))

    def home(self, id: str) -> str | None:
        """The source a node was read in."""
        read = self._nodes[id].provenance
        return read.source_id if read is not None else None

    def price(self, edge: Edge, direction: str, target: str, strength: float, asked: float) -> float:
        """The price of the edge's type, more for a busy target, less for a repeated observation or a good fit."""
        table = self._roads.forward if direction == FORWARD else self._roads.backward
        base = table.get(edge.type, 1.0)
        busy = self._busy.get(target)
        if busy is None:
            busy = self._busy[target] = 1 + log2(1 + self._edges.degree(target)) / 6
        price = base * busy * (1.6 - min(1.0, strength))
        if edge.weight > 1.0:
            price /= sqrt(sqrt(edge.weight))
        return price * ASKED_PRICE if asked else price
