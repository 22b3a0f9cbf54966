"""Which nodes have an edge to something that the question names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextmesh.walk.index import Adjacency

# Of names that fewer edges reach, all that mention them are looked up once.
BUSY = 2000


class Bearers:
    """The nodes that one name in a question may mean: one as a rule, thousands for a name that many share.

    Attributes:
        ids: of these nodes.
    """

    def __init__(self, ids: Iterable[str], edges: Adjacency) -> None:
        self.ids = dict.fromkeys(ids)
        self._edges = edges
        self._near: frozenset[str] | None = None
        left = BUSY
        for id in self.ids:
            left -= edges.reaching(id) + 1
            if left < 0:
                return
        self._near = frozenset(edge.src for id in self.ids for edge in edges.into(id))

    def are_met_from(self, id: str) -> bool:
        """Whether an edge leads from a node to one of these."""
        if self._near is not None:
            return id in self._near
        if len(self.ids) == 1:
            return any(self._edges.between(id, name) for name in self.ids)
        return any(edge.dst in self.ids for edge in self._edges.out_of(id))
