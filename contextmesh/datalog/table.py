"""Where the rows of a relation stand, in insertion order: whole, or as no more than each of them needs.

===========  ======================  ==========================================================
shape        a table                 is for
===========  ======================  ==========================================================
``ROWS``     row → present           any relation
``ONES``     value → present         one column
``PAIRS``    key → value             two columns, where a value in front stands in one row
``KEYED``    key → row               more columns, likewise (keyed)
===========  ======================  ==========================================================

A row that is hidden (a ghost) keeps its place until it is erased. What a table cannot hold in its shape it holds
beside it: the shape is a matter of bytes, never of meaning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Literal, Protocol

from contextmesh.datalog.ast import Row

Shape = Literal["rows", "ones", "pairs", "keyed"]
ROWS: Shape = "rows"
ONES: Shape = "ones"
PAIRS: Shape = "pairs"
KEYED: Shape = "keyed"


class ByKey(Collection[Row]):
    """Rows as a table by key keeps them, one for each: key → value for two columns, key → row for more."""

    __slots__ = ("entries", "shape")

    def __init__(self, entries: dict[Any, Any], shape: Shape) -> None:
        self.entries = entries
        self.shape = shape

    def __iter__(self) -> Iterator[Row]:
        return iter(self.entries.items() if self.shape == PAIRS else self.entries.values())

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, row: object) -> bool:
        return row in (self.entries.items() if self.shape == PAIRS else self.entries.values())


class Groups(Collection[Row]):
    """Rows of two columns by the first: key → the values it stands with, one at least and each once.

    Equal tuples of values are best one object.
    """

    __slots__ = ("values",)

    def __init__(self, values: dict[Any, tuple[Any, ...]]) -> None:
        self.values = values

    def __iter__(self) -> Iterator[Row]:
        return ((key, value) for key, values in self.values.items() for value in values)

    def __len__(self) -> int:
        return sum(map(len, self.values.values()))

    def __contains__(self, row: object) -> bool:
        return any(row == one for one in self)


class Table(Protocol):
    """What a relation asks of its rows.

    Attributes:
        rows: the entries; the same object for as long as the relation lives, and empty only when it has no row.
        spare: how many entries stand for no row.
        shape: what compiled rules may take for granted.
    """

    shape: Shape
    rows: dict[Any, Any]
    spare: int

    def has(self, row: Row) -> bool: ...

    def state(self, row: Row) -> bool | None:
        """True: it is there; False: it is hidden; None: neither."""

    def scan(self, *, hidden: bool) -> Iterable[Row]:
        """The rows that are there, in order, with a length; ``hidden``: some are not."""

    def put(self, row: Row) -> None:
        """Show a hidden row in its place, or any other at the end; it must not be there."""

    def hide(self, row: Row) -> None:
        """The row, which is there, keeps its place and is not seen."""

    def erase(self, row: Row) -> None:
        """The row loses its place, hidden or not."""

    def clear(self) -> None: ...

    def put_new(self, rows: Iterable[Row]) -> Collection[Row]:
        """Put those that are not there, and tell which."""


class Rows:
    """The general shape."""

    __slots__ = ("rows",)
    shape: Shape = ROWS
    spare = 0

    def __init__(self, rows: dict[Any, Any]) -> None:
        self.rows = rows

    def has(self, row: Row) -> bool:
        return self.rows.get(row, False)  # type: ignore[no-any-return]

    def state(self, row: Row) -> bool | None:
        return self.rows.get(row)

    def scan(self, *, hidden: bool) -> Iterable[Row]:
        if hidden:
            return [row for row, present in self.rows.items() if present]
        return self.rows

    def put(self, row: Row) -> None:
        self.rows[row] = True

    def hide(self, row: Row) -> None:
        self.rows[row] = False

    def erase(self, row: Row) -> None:
        del self.rows[row]

    def clear(self) -> None:
        self.rows.clear()

    def put_new(self, rows: Iterable[Row]) -> list[Row]:
        present = self.rows
        if not present:
            present.update(dict.fromkeys(rows, True))
            return list(present)
        fresh = []
        for row in rows:
            if not present.get(row):
                present[row] = True
                fresh.append(row)
        return fresh


class Ones:
    """Values of one column; a row is made when it is read."""

    __slots__ = ("rows",)
    shape: Shape = ONES
    spare = 0

    def __init__(self, rows: dict[Any, Any]) -> None:
        self.rows = rows

    def has(self, row: Row) -> bool:
        return self.rows.get(row[0], False)  # type: ignore[no-any-return]

    def state(self, row: Row) -> bool | None:
        return self.rows.get(row[0])

    def scan(self, *, hidden: bool) -> Iterable[Row]:
        if hidden:
            return [(value,) for value, present in self.rows.items() if present]
        return _Singles(self.rows)

    def put(self, row: Row) -> None:
        self.rows[row[0]] = True

    def hide(self, row: Row) -> None:
        self.rows[row[0]] = False

    def erase(self, row: Row) -> None:
        del self.rows[row[0]]

    def clear(self) -> None:
        self.rows.clear()

    def put_new(self, rows: Iterable[Row]) -> list[Row]:
        present = self.rows
        fresh = []
        for row in rows:
            if not present.get(row[0]):
                present[row[0]] = True
                fresh.append(row)
        return fresh


class _Singles:
    """The keys of a dict as rows."""

    __slots__ = ("_keys",)

    def __init__(self, keys: dict[Any, Any]) -> None:
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[Row]:
        return zip(self._keys)
