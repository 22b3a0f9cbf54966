"""How much a node matters because of what led to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contextmesh.walk.index import ENTITY, SOURCE
from contextmesh.walk.scoring import PATH_SHARE
from contextmesh.walk.ways import BRIDGE
from contextmesh.walk.words import name_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contextmesh.store.model import Node
    from contextmesh.walk.question import Question
    from contextmesh.walk.scoring import Scorer
    from contextmesh.walk.visits import Visit
    from contextmesh.walk.ways import Ways

# What a source gets of the strength of a name that leads to it, and more for what it says of what is left.
FLOOR = 0.25
LEFT = 1.3
# An entity named in the question leads to little that its name did not find already.
NAMED_BRIDGE = 0.4


class Strength:
    """Passes on what matters: from a source that fits a part of the question, through a name, to one that has more."""

    def __init__(
        self, nodes: Mapping[str, Node], ways: Ways, question: Question, scorer: Scorer, visits: Mapping[str, Visit]
    ) -> None:
        self._nodes = nodes
        self._ways = ways
        self._scorer = scorer
        self._masses = scorer.masses
        self._visits = visits
        self._named = {name.id: name for name in question.names}

    def of(self, visit: Visit, target: Visit) -> float:
        """The strength of a node that a walk comes to from another."""
        kind = target.kind
        if kind == ENTITY:
            return self._standing(visit) * (NAMED_BRIDGE if target.id in self._named else 1.0)
        if kind != SOURCE:
            return target.fits + PATH_SHARE * self._masses[visit.said & ~target.own]
        return self.bridged(visit, target) if visit.kind == ENTITY else target.fits

    def _standing(self, visit: Visit) -> float:
        """The strength of a node, or of the source it was read in when that is more."""
        at_home = self._visits.get(visit.home) if visit.home is not None else None
        return at_home.strength if at_home is not None and at_home.strength > visit.strength else visit.strength

    def bridged(self, entity: Visit, source: Visit) -> float:
        """The strength of a source that a name leads to: its own, and more for what it says of what is left."""
        left = self._scorer.left(source.id, entity.covered)
        return source.fits + self._passed(entity.id, source.id) * entity.strength * (FLOOR + LEFT * left)

    def _passed(self, entity: str, source: str) -> float:
        """How much being met through an entity says about a source: most when the source bears its name."""
        name, opening, passed = self._ways.name(entity)
        title = name_key(self._nodes[source].label)
        return BRIDGE if title == name or title.startswith(opening) else passed
