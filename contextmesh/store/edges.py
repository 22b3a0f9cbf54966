"""The edges of a file by id: what a rule reads of one is there as a row, and its record is made when it is looked at.

A question looks at a few hundred of all records, and a record takes several times what it takes to keep its row, which
the engine holds anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import Any, cast

from contextmesh.store.model import Edge, new_edge

Ends = tuple[str, str, str, str]
"""Id, source, type and target: the row of an edge."""

More = tuple[str | None, tuple[str, ...], float, int]
"""What else a record has: assumption, evidence, weight and build."""


Key = tuple[Any, ...]


class EdgeRecords(Mapping[str, Edge]):
    """Edges in the order of insertion; each record is one object, whoever looks at it."""

    __slots__ = ("_asked", "_held", "_kinds", "_more", "_usual")

    def __init__(self, records: Sequence[Edge] = ()) -> None:
        self._held: dict[str, Edge | Ends] = {record.id: record for record in records}
        self._usual: More | None = None
        self._more: dict[str, More] = {}
        self._asked = bool(self._held)
        self._kinds = Counter(record.type for record in records)

    def add(
        self, rows: Collection[Ends], kinds: Mapping[str, int], more: Mapping[Key, More], keys: Iterable[Key]
    ) -> None:
        """Take new edges as rows.

        Args:
            kinds: how many there are of each type.
            more: what else a record has, by key; ``keys`` has one for each row.
        """
        self._kinds.update(kinds)
        ids = [row[0] for row in rows]
        self._held.update(zip(ids, rows, strict=True))
        if self._usual is None:
            self._usual = next(iter(more.values()), None)
        usual = self._usual
        if any(one != usual for one in more.values()):
            known = zip(ids, map(more.__getitem__, keys), strict=True)
            self._more.update({id: one for id, one in known if one != usual})

    def update(self, records: Mapping[str, Edge]) -> None:
        """Put records, each in the place of an older one of its id."""
        self._asked = self._asked or bool(records)
        self._kinds.update(record.type for id, record in records.items() if id not in self._held)
        self._held.update(records)

    # ---- what rules read -------------------------------------------------------------------------

    def rows(self) -> list[Ends]:
        """The row of each edge."""
        held = self._held.values()
        return [_row_of(one) for one in held] if self._asked else cast("list[Ends]", list(held))

    def of_type(self, type_: str) -> list[Ends]:
        """The rows of one type."""
        return [row for row in self.rows() if row[2] == type_] if type_ in self._kinds else []

    def kinds(self) -> dict[str, int]:
        """How many edges there are of each type; an edge keeps its type."""
        return dict(self._kinds)

    def by_id(self) -> dict[str, Ends]:
        """The same by id."""
        if not self._asked:
            return cast("dict[str, Ends]", self._held.copy())
        return {id: _row_of(one) for id, one in self._held.items()}

    def bound(self) -> list[tuple[str, str]]:
        """Each edge that is bound to an assumption, with that."""
        if self._asked or (self._usual is not None and self._usual[0] is not None):
            return [(id, edge.assumption_id) for id, edge in self.items() if edge.assumption_id is not None]
        return [(id, more[0]) for id, more in self._more.items() if more[0] is not None]

    # ---- a mapping -------------------------------------------------------------------------------

    def __getitem__(self, id: str) -> Edge:
        one = self._held[id]
        return one if one.__class__ is Edge else self._made(id, one)

    def get(self, id: str, default: Any = None) -> Any:
        one = self._held.get(id)
        if one is None:
            return default
        return one if one.__class__ is Edge else self._made(id, one)

    def _made(self, id: str, row: Any) -> Edge:
        more = self._more.get(id, self._usual)
        if more is None:  # somebody else has made them all meanwhile
            return cast("Edge", self._held[id])
        self._asked = True
        edge = self._held[id] = new_edge(*row, *more)  # type: ignore[call-arg]
        return edge

    def _all(self) -> dict[str, Edge]:
        made = self._made
        for id, one in self._held.items() if self._usual is not None else ():
            if one.__class__ is not Edge:
                made(id, one)
        self._usual = None
        self._more = {}
        return cast("dict[str, Edge]", self._held)

    def keys(self) -> KeysView[str]:
        return self._held.keys()

    def values(self) -> ValuesView[Edge]:
        return self._all().values()

    def items(self) -> ItemsView[str, Edge]:
        return self._all().items()

    def copy(self) -> dict[str, Edge]:
        return self._all().copy()

    def __contains__(self, id: object) -> bool:
        return id in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._held)

    def __len__(self) -> int:
        return len(self._held)


def _row_of(one: Edge | Ends) -> Ends:
    return (one.id, one.src, one.type, one.dst) if isinstance(one, Edge) else one


def of_type(edges: Mapping[str, Edge], type_: str) -> list[Ends]:
    """The rows of the edges of one type, of any mapping."""
    return edges.of_type(type_) if isinstance(edges, EdgeRecords) else [r for r in rows_of(edges) if r[2] == type_]


def rows_of(edges: Mapping[str, Edge]) -> list[Ends]:
    """The row of each edge of any mapping."""
    return edges.rows() if isinstance(edges, EdgeRecords) else [_row_of(edge) for edge in edges.values()]


def bound_of(edges: Mapping[str, Edge]) -> list[tuple[str, str]]:
    """Each edge of any mapping that is bound to an assumption, with that."""
    if isinstance(edges, EdgeRecords):
        return edges.bound()
    return [(id, edge.assumption_id) for id, edge in edges.items() if edge.assumption_id is not None]
