"""How much a node matters because of what led to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contextmesh.walk.kinds import ENTITY
from contextmesh.walk.ways import BRIDGE

if TYPE_CHECKING:
    from collections.abc import Mapping

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

    def __init__(self, ways: Ways, question: Question, scorer: Scorer, visits: Mapping[str, Visit]) -> None:
        self._name = ways.name
        self._left = scorer.left
        self._visits = visits
        self._named = {name.id: name for name in question.names}

    def of(self, visit: Visit, target: Visit) -> float:
        """The strength of a source or an entity that a walk comes to from another node."""
        if target.place.kind == ENTITY:
            return self._standing(visit) * (NAMED_BRIDGE if target.id in self._named else 1.0)
        return self.bridged(visit, target) if visit.place.kind == ENTITY else target.fits

    def _standing(self, visit: Visit) -> float:
        """The strength of a node, or of the source it was read in when that is more."""
        home = visit.place.home
        at_home = self._visits.get(home) if home is not None else None
        return at_home.strength if at_home is not None and at_home.strength > visit.strength else visit.strength

    def bridged(self, entity: Visit, source: Visit) -> float:
        """The strength of a source that a name leads to: its own, and more for what it says of what is left.

        Being met through an entity says most about a source that bears its name.
        """
        name, opening, passed = self._name(entity.id)
        title = source.place.title
        if title == name or title.startswith(opening):
            passed = BRIDGE
        return source.fits + passed * entity.strength * (FLOOR + LEFT * self._left(source.id, entity.covered))
