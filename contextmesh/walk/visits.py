"""What a walk keeps of the nodes it met."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextmesh.store.model import Edge
    from contextmesh.walk.places import Place
    from contextmesh.walk.question import Ask


@dataclass(slots=True)
class Visit:
    """A node the walk met.

    Attributes:
        fits: how its own words fit the question: a statement's score, a source's passage, 0 for an entity.
        own: the terms of the question that it says itself.
        held: the same, with what was read from it when it is a source.
        price: of the cheapest way to it; ``hops`` are its edges, ``parent``, ``edge``, ``direction`` its last step.
        strength: how much it matters to the question, by itself and by what led to it; -1 when it was not yet weighed.
        said: the terms of the question that its name, its words and those of statements on the way hold.
        covered: the same, with all that was read from the sources on the way.
        asked: the share of the question's demand for an edge type that the step to it meets, in [0, 1].
        led_on: whether its source was met with it.
        spread: its strength when its edges were followed, or -1.
    """

    id: str
    place: Place
    fits: float
    own: int
    held: int
    price: float = inf
    hops: int = 0
    parent: str | None = None
    edge: Edge | None = None
    direction: str | None = None
    strength: float = -1.0
    said: int = 0
    covered: int = 0
    asked: float = 0.0
    led_on: bool = False
    spread: float = -1.0


@dataclass(slots=True)
class Walk:
    """Everything met, in the order of meeting.

    Attributes:
        expanded: how many nodes had their edges followed.
        unmet: nodes with an edge type and direction that the question asks of them, and no such live edge.
    """

    visits: dict[str, Visit] = field(default_factory=dict)
    expanded: int = 0
    unmet: list[tuple[str, Ask]] = field(default_factory=list)

    def way_to(self, id: str) -> list[Visit]:
        """The visits from a seed to a node."""
        way = [self.visits[id]]
        while way[-1].parent is not None:
            way.append(self.visits[way[-1].parent])
        return way[::-1]
