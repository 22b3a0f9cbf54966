"""The rows of one relation without those of some keys, for another relation that is to begin with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from contextmesh.datalog.ast import Row
from contextmesh.datalog.keyed import Keyed
from contextmesh.datalog.table import Table

FEW = 4
"""Of a table that lacks less than one in so many of another's entries, the other is copied and those taken out."""


class RowsLess:
    """Rows in their order, to be read at once: the relation may change later.

    Args:
        table: where the rows stand.
        hidden: whether some of them are not to be seen.
        gone: first columns of rows that are left out.
    """

    def __init__(self, table: Table, gone: Collection[Any], *, hidden: bool) -> None:
        self._table, self._gone, self._hidden = table, gone, hidden

    def __iter__(self) -> Iterator[Row]:
        rows, gone = self._table.scan(hidden=self._hidden), self._gone
        return (row for row in rows if row[0] not in gone) if gone else iter(rows)

    def fill(self, table: Table) -> None:
        """Put the rows into an empty table: where it has the same shape, without a step for each row."""
        assert not table.rows, "it would take the place of rows"
        one, other = self._table, table
        few = len(self._gone) * FEW <= len(one.rows) and not self._hidden
        if few and isinstance(one, Keyed) and isinstance(other, Keyed) and one.shape == other.shape and not one.odds:
            other.take(one, self._gone)
        else:
            table.put_new(self)
