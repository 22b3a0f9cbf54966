"""What a question asks of the very records it names: an edge that is not there, or which of them is current.

Words cannot stand in for such an edge. What no edge replaced is current itself, where the rules say so; anything else
that is asked for is not here, and what is said about other records is no answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.walk.roads import BACKWARD, FORWARD
from contextmesh.walk.seeds import NAME, SUPERSEDES

if TYPE_CHECKING:
    from contextmesh.store.model import Edge
    from contextmesh.store.store import Store
    from contextmesh.walk.index import Index
    from contextmesh.walk.justify import Standing
    from contextmesh.walk.question import Question
    from contextmesh.walk.roads import Roads
    from contextmesh.walk.seeds import Seeds
    from contextmesh.walk.visits import Visit, Walk

CURRENT = "current"


@dataclass(frozen=True, slots=True)
class Lack:
    """An edge that is asked of a named record, where no such live edge is."""

    id: str
    type: str
    direction: str

    @property
    def is_of_a_successor(self) -> bool:
        return (self.type, self.direction) == (SUPERSEDES, BACKWARD)


class Subject:
    """The records that a question names and asks something of.

    Attributes:
        lacks: what they lack of what is asked; empty when a step met it, or when no such thing is asked.
        own: those of them that answer for themselves, in the order of the question.
    """

    def __init__(
        self, store: Store, index: Index, roads: Roads, question: Question, standing: Standing, seeds: Seeds, walk: Walk
    ) -> None:
        self._edges, self._standing = index.edges, standing
        self._bare = question.bare
        named = [seed.id for seed in seeds.seeds if seed.how == NAME and seed.id in walk.visits]
        self._named = dict.fromkeys(named)
        asked = [id for id in named if walk.visits[id].place.spoken]
        self.lacks: tuple[Lack, ...] = ()
        is_met = any(visit.asked == 1.0 for visit in walk.visits.values())
        if question.current:
            self.lacks = tuple(Lack(id, SUPERSEDES, BACKWARD) for id in asked)
        elif not is_met:
            wanted = dict.fromkeys(Lack(id, ask.type, ask.direction) for id, ask in walk.unmet if id in self._named)
            self.lacks = tuple(lack for lack in wanted if not self._has(lack))
        newest = [lack.id for lack in self.lacks if lack.is_of_a_successor]
        self.own = tuple(
            id
            for id in newest
            if walk.visits[id].place.kind in roads.answers
            and ((question.current and standing.successors(id)) or store.engine.holds(CURRENT, (id,)))
        )
        self._homes = dict.fromkeys(walk.visits[lack.id].place.home for lack in self.lacks)

    def admits(self, visit: Visit) -> bool:
        """Whether what a node says may answer by its words: where an edge is lacking, only what is about the record."""
        if not self.lacks:
            return True
        if self.own or self._bare:
            return visit.id in self.own
        return visit.place.home in self._homes or self.is_about(visit)

    def is_about(self, visit: Visit) -> bool:
        """Whether an edge leads from a statement to what the question names."""
        return any(self._standing.holds(edge) for id in self._named for edge in self._edges.between(visit.id, id))

    def lack_of(self, id: str) -> Lack:
        """What a record that answers for itself lacks."""
        return next(lack for lack in self.lacks if lack.id == id)

    def _has(self, lack: Lack) -> bool:
        """Whether there is such an edge, though the walk did not follow it."""
        edges = self._edges.out_of(lack.id) if lack.direction == FORWARD else self._edges.into(lack.id)
        return any(self._is(edge, lack) for edge in edges)

    def _is(self, edge: Edge, lack: Lack) -> bool:
        return edge.type == lack.type and self._standing.holds(edge)


def lacking(store: Store, lack: Lack) -> str:
    """A sentence without its end."""
    verb = "leaves" if lack.direction == FORWARD else "reaches"
    return f"No live {lack.type} edge {verb} {store.nodes[lack.id].label!r}"
