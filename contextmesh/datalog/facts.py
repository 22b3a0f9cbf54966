"""Rows and how they are found: relations in insertion order, and their indexes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from typing import Any

from contextmesh.datalog.ast import Row, Value
from contextmesh.datalog.delta import Delta, odd_times
from contextmesh.datalog.index import Bucket, Index, Undo, rows_of
from contextmesh.datalog.keyed import Keyed, KeyIndex, KeysIndex, by_second, table_of
from contextmesh.datalog.rows_less import RowsLess
from contextmesh.datalog.table import PAIRS, Ones, Rows, Shape, Table

__all__ = ["MANY", "Delta", "Relation", "Rewound", "Where"]

Where = tuple[tuple[int, Value], ...]

Rewound = tuple[list[tuple[Row, bool | None]], list[Undo], int]
"""Rows with the state to go back to, steps of dicts, and how many indexes there were."""

MANY = 256
"""Below this many rows the numbers of a relation say nothing about how it will be."""


class Relation:
    """Distinct rows of one arity, in insertion order, with indexes made on demand and kept from then on.

    A dropped row stays in the table, hidden (a ghost, which keeps its place), until ``settle``, so that undoing
    the drop restores the order too; ``_ghosts`` has it as True, or as False once it is back. ``log``
    holds every row that came or went, oldest first, as far back as anyone may ask: a row that stands there an
    odd number of times has changed, and whether it is present now says in which direction. ``planned`` is the
    size up to which the plans of its readers are good, ``patience`` the length up to which the log may grow.

    ``keyed``: a value in the first column is expected to stand in one row. ``rows`` are the entries of the table,
    ``key`` is the index on the first column where the table is one.
    """

    __slots__ = (
        "_absent",
        "_filtered",
        "_ghosts",
        "_indexes",
        "_last_loss",
        "_matched",
        "_plain",
        "_table",
        "arity",
        "key",
        "log",
        "name",
        "patience",
        "planned",
        "rows",
    )

    def __init__(self, name: str, arity: int, *, keyed: bool = False) -> None:
        self.name = name
        self.arity = arity
        self.rows: dict[Any, Any] = {}
        self._table: Table = Rows(self.rows)
        self.key: KeyIndex | None = None
        if arity == 1:
            self._table = Ones(self.rows)
        elif keyed and arity:
            self._table = table = table_of(arity, self.rows)
            self.key = KeyIndex(table)
        self.log: list[Row] = []
        self.planned = MANY
        self.patience = MANY
        self._last_loss = 0
        self._ghosts: dict[Row, bool] = {}
        self._absent = 0
        self._plain: list[Index] = []
        self._filtered: list[tuple[int, dict[Value, list[Index]]]] = []
        self._indexes: dict[tuple[tuple[int, ...], Where], Index] = {}
        self._matched: dict[tuple[tuple[int, ...], Where], None] = {}

    def __len__(self) -> int:
        return len(self.rows) - self._absent - self._table.spare

    @property
    def shape(self) -> Shape:
        """What its entries are (see table); it changes only where ``loosen`` is called."""
        return self._table.shape

    @property
    def end(self) -> int:
        """The position after the last change; positions count from the oldest change still in the log."""
        return len(self.log)

    # ---- reading ----------------------------------------------------------------------------

    def scan(self) -> Iterable[Row]:
        """Every row, in insertion order; not to be held over a change."""
        return self._table.scan(hidden=self._absent > 0)

    def less(self, gone: Collection[Value]) -> RowsLess:
        """The rows without those whose first column is gone; to be read before anything changes."""
        return RowsLess(self._table, gone, hidden=self._absent > 0)

    def holds(self, row: Row) -> bool:
        return self._table.has(row)

    def index(self, columns: tuple[int, ...], where: Where = ()) -> Index:
        """The index on ``columns`` of the rows that have the given values elsewhere; made at the first call."""
        found = self._indexes.get((columns, where))
        if found is None:
            found = (KeysIndex if self.is_thin(columns, where) else Index)(columns, where)
            self._indexes[columns, where] = found
            found.add(self.scan())
            if where:
                self._file(found)
            else:
                self._plain.append(found)
        return found

    def _file(self, index: Index) -> None:
        column, value = index.where[0]
        for at, table in self._filtered:
            if at == column:
                table.setdefault(value, []).append(index)
                return
        self._filtered.append((column, {value: [index]}))

    def match(self, pattern: Sequence[Value | None]) -> Sequence[Row]:
        """Rows that agree with the pattern, None being anything, in insertion order."""
        columns = tuple(i for i, value in enumerate(pattern) if value is not None)
        if len(columns) == self.arity:
            row = tuple(value for value in pattern if value is not None)
            return (row,) if self._table.has(row) else ()
        if not columns:
            return tuple(self.scan())
        if self.key is not None and columns[0] == 0:
            bucket = self.key.get(pattern[0])
            found = () if bucket is None else rows_of(bucket)
            return found if len(columns) == 1 else [r for r in found if all(r[i] == pattern[i] for i in columns)]
        key: Any = tuple(pattern[i] for i in columns) if len(columns) > 1 else pattern[columns[0]]
        self._matched[columns, ()] = None
        return self.index(columns).rows(key)

    def is_thin(self, columns: tuple[int, ...], where: Where) -> bool:
        """Whether an index has keys in its buckets and not rows."""
        return self.shape == PAIRS and by_second(columns, where)

    def reader(self, column: int) -> Index:
        """The index on one column for somebody who reads its buckets again and again; kept from then on."""
        self._matched[(column,), ()] = None
        return self.index((column,))

    def finder(self, columns: tuple[int, ...], where: Where) -> Callable[[Any], Bucket | None]:
        """A lookup by an index that is made when it is first called."""
        return lambda key: self.index(columns, where).buckets.get(key)

    def keep_indexes(self, used: Callable[[Index], bool]) -> None:
        """Let go of indexes that no compiled rule uses and nobody matches by."""
        for key, index in list(self._indexes.items()):
            if key not in self._matched and not used(index):
                self._let_go(index)

    def _let_go(self, index: Index) -> None:
        del self._indexes[index.columns, index.where]
        if index.where:
            column, value = index.where[0]
            next(table for at, table in self._filtered if at == column)[value].remove(index)
        else:
            self._plain.remove(index)

    def is_matched(self, columns: tuple[int, ...], where: Where) -> bool:
        """Whether somebody reads by this index anyway."""
        return (columns, where) in self._matched

    def has_index(self, columns: tuple[int, ...], where: Where) -> bool:
        return (columns, where) in self._indexes

    def indexes(self) -> Iterable[Index]:
        """The indexes made so far."""
        return self._indexes.values()

    # ---- changing ---------------------------------------------------------------------------

    def add(self, rows: Iterable[Row]) -> int:
        """Add the rows that are not there yet; returns how many those are."""
        fresh = self._table.put_new(rows)
        self.entered(fresh)
        return len(fresh)

    def drop(self, rows: Iterable[Row]) -> int:
        """Drop the rows that are there; returns how many those are."""
        gone = [row for row in dict.fromkeys(rows) if self._table.has(row)]
        self.withdraw(gone)
        return len(gone)

    def give(self, rows: Iterable[Row]) -> None:
        """Have these rows as if they had stood there from the start; there must be none yet."""
        if isinstance(rows, RowsLess):
            rows.fill(self._table)
        else:
            self._table.put_new(rows)
        for index in self._indexes.values():
            index.add(self.scan())

    def put(self, row: Row) -> None:
        self._table.put(row)  # ``entered`` is to follow

    def put_new(self, rows: Iterable[Row]) -> list[Row]:
        fresh = self._table.put_new(rows)  # likewise
        return fresh if isinstance(fresh, list) else list(fresh)

    def withdraw(self, rows: list[Row]) -> None:
        """Drop rows that are there."""
        for row in rows:
            self._table.hide(row)
        self.left(rows)

    def bring_back(self, rows: list[Row]) -> None:
        """Add rows that are not there."""
        for row in rows:
            self._table.put(row)
        self.entered(rows)

    def entered(self, fresh: Collection[Row]) -> None:
        """Log and index rows that were just put into the table."""
        self.log.extend(fresh)
        self._index_rows(fresh)
        if self._absent:
            again = [row for row in fresh if self._ghosts.get(row)]
            self._ghosts.update(dict.fromkeys(again, False))
            self._absent -= len(again)
            tangled: list[tuple[Index, Any]] = []
            for index in self._indexes.values() if again else ():
                index.put_back(again, tangled)
            if tangled:
                self._untangle(tangled)

    def left(self, gone: list[Row]) -> None:
        """Log and unindex rows that were just hidden in the table."""
        self.log.extend(gone)
        self._last_loss = len(self.log)
        self._ghosts.update(dict.fromkeys(gone, True))
        self._absent += len(gone)
        for index in self._plain:
            index.discard(gone)
        for column, table in self._filtered:
            for row in gone:
                for index in table.get(row[column], ()):
                    index.discard((row,))

    def _index_rows(self, fresh: Collection[Row]) -> None:
        for index in self._plain:
            index.add(fresh)
        for column, table in self._filtered:
            for row in fresh:
                for index in table.get(row[column], ()):
                    index.add((row,))

    def forget(self, fresh: Iterable[Row]) -> None:
        """Take back rows that were put into the table but not yet entered."""
        for row in fresh:
            if self._ghosts.get(row):
                self._table.hide(row)
            else:
                self._table.erase(row)

    # ---- what changed -----------------------------------------------------------------------

    def net(self, since: int) -> tuple[list[Row], list[Row]]:
        """Rows that came and rows that went since a position, in the order of their first change."""
        changes = self.log[since:]
        if since >= self._last_loss:
            return changes, []
        if len(changes) == 1:
            return (changes, []) if self._table.has(changes[0]) else ([], changes)
        rows, has = odd_times(changes), self._table.has
        added = [row for row in rows if has(row)]
        return added, [] if len(added) == len(rows) else [row for row in rows if not has(row)]

    def trim(self, count: int) -> None:
        """Forget the oldest changes; whoever holds a position must lower it by as much."""
        del self.log[:count]
        self._last_loss = max(0, self._last_loss - count)

    def cut(self, since: int) -> None:
        """Forget the latest changes: they took each other back, or are being undone."""
        del self.log[since:]
        self._last_loss = min(self._last_loss, since)

    def settle(self) -> None:
        """Let go of ghosts and of what only an undo would need; nothing before now can be undone after."""
        if self._ghosts:
            for row, absent in self._ghosts.items():
                if absent:
                    self._table.erase(row)
            self._ghosts.clear()
            self._absent = 0
            if isinstance(self._table, Keyed):
                self._table.tidy()
            if not self.rows:
                self._clear()
        for index in self._indexes.values():
            if index.saved:
                index.saved = {}

    def _clear(self) -> None:
        """Give the memory of emptied tables back; a scan of them would pass every row that was ever there."""
        self._table.clear()
        for index in self._indexes.values():
            index.buckets.clear()

    def undo(self, since: int) -> None:
        """Restore rows, their order and the indexes as they were at a position."""
        added, dropped = self.net(since)
        self.cut(since)
        if not dropped and not self._ghosts and len(added) == len(self):
            self._clear()  # there was nothing
            return
        for row in added:
            if row in self._ghosts:
                self._table.hide(row)
                self._ghosts[row] = True
                self._absent += 1
            else:
                self._table.erase(row)
        for row in dropped:
            self._table.put(row)
            self._ghosts[row] = False
        self._absent -= len(dropped)
        tangled: list[tuple[Index, Any]] = []
        for index in self._indexes.values():
            index.restore(self._table.has, added, dropped, tangled)
        if tangled:
            self._untangle(tangled)

    def _untangle(self, tangled: list[tuple[Index, Any]]) -> None:
        """Put large buckets, which have no order of their own to go back to, in the order of the rows."""
        for index, key in tangled:
            index.buckets.pop(key, None)
        wanted = {id(index): (index, {k: None for i, k in tangled if i is index}) for index, _ in tangled}
        for row in self.scan():
            for index, keys in wanted.values():
                if index.admits(row) and index.key(row) in keys:
                    index.add((row,))

    def rewind(self, added: list[Row], dropped: list[Row]) -> Rewound:
        """Show the state before a change without logging; ``replay`` shows the present again."""
        undo: list[Undo] = []
        table, ghosts = self._table, self._ghosts
        back = [(row, True) for row in added] + [(row, table.state(row)) for row in dropped]
        undo += [(ghosts, row, ghosts.get(row)) for row, _ in back]
        for row in added:
            table.hide(row)
            ghosts[row] = True
        for row in dropped:
            table.put(row)
            ghosts[row] = False
        self._absent = sum(ghosts.values())
        for index in self._indexes.values():
            index.rewind(added, dropped, undo)
        return back, undo, len(self._indexes)

    def replay(self, rewound: Rewound) -> None:
        """Take the steps of a rewind back, last first."""
        back, undo, known = rewound
        for row, state in reversed(back):
            if state:
                self._table.put(row)
            elif state is None:
                self._table.erase(row)
            else:
                self._table.hide(row)
        for holder, key, before in reversed(undo):
            if before is None:
                holder.pop(key, None)
            else:
                holder[key] = before
        self._absent = sum(self._ghosts.values())
        for index in islice(self._indexes.values(), known, None):  # made of the state before
            index.buckets.clear()
            index.add(self.scan())

    # ---- shape ------------------------------------------------------------------------------

    def misfits(self) -> bool:
        """Whether the key of a row is no key for many rows."""
        odds = self._table.odds if isinstance(self._table, Keyed) else 0
        return odds > MANY and odds * 8 > len(self.rows)

    def loosen(self) -> None:
        """Have the general shape from now on. Whatever was compiled for the other one must be compiled again."""
        rows = list(self.scan())
        assert not self._ghosts, "the shape may change only between changes"
        self.rows.clear()
        self.rows.update(dict.fromkeys(rows, True))
        self._table, self.key = Rows(self.rows), None
        for index in [index for index in self._indexes.values() if isinstance(index, KeysIndex)]:
            self._let_go(index)

    def __repr__(self) -> str:
        return f"Relation({self.name}/{self.arity}, {len(self)} rows)"
