"""Rows and how they are found: relations in insertion order, their indexes, and deltas between two states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contextmesh.datalog.ast import Row, Value
from contextmesh.datalog.index import Index, Undo, rows_of

Where = tuple[tuple[int, Value], ...]

MANY = 256
"""Below this many rows the numbers of a relation say nothing about how it will be."""


@dataclass(frozen=True, slots=True)
class Delta:
    """What came and what went, by relation. Net when an engine made it: no row stands on both sides."""

    added: Mapping[str, list[Row]] = field(default_factory=dict)
    dropped: Mapping[str, list[Row]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        added: Mapping[str, Iterable[Row]] | None = None,
        dropped: Mapping[str, Iterable[Row]] | None = None,
    ) -> Delta:
        """A delta from any iterables of rows."""
        return cls(
            {name: list(rows) for name, rows in (added or {}).items()},
            {name: list(rows) for name, rows in (dropped or {}).items()},
        )

    def plus(self, relation: str) -> list[Row]:
        """The rows that came."""
        return self.added.get(relation, [])

    def minus(self, relation: str) -> list[Row]:
        """The rows that went."""
        return self.dropped.get(relation, [])

    def __bool__(self) -> bool:
        return any(self.added.values()) or any(self.dropped.values())


class Relation:
    """Distinct rows of one arity, in insertion order, with indexes made on demand and kept from then on.

    A dropped row stays in ``rows`` as ``False`` (a ghost, which keeps its place) until ``settle``, so that
    undoing the drop restores the order too; ``_ghosts`` has it as True, or as False once it is back. ``log``
    holds every row that came or went, oldest first, as far back as anyone may ask: a row that stands there an
    odd number of times has changed, and whether it is present now says in which direction. ``planned`` is the
    size up to which the plans of its readers are good, ``patience`` the length up to which the log may grow.
    """

    __slots__ = (
        "_absent",
        "_filtered",
        "_ghosts",
        "_indexes",
        "_last_loss",
        "_matched",
        "_plain",
        "arity",
        "log",
        "name",
        "patience",
        "planned",
        "rows",
    )

    def __init__(self, name: str, arity: int) -> None:
        self.name = name
        self.arity = arity
        self.rows: dict[Row, bool] = {}
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
        return len(self.rows) - self._absent

    @property
    def end(self) -> int:
        """The position after the last change; positions count from the oldest change still in the log."""
        return len(self.log)

    # ---- reading ----------------------------------------------------------------------------

    def scan(self) -> Iterable[Row]:
        """Every row, in insertion order; not to be held over a change."""
        if self._absent:
            return [row for row, present in self.rows.items() if present]
        return self.rows

    def holds(self, row: Row) -> bool:
        return self.rows.get(row, False)

    def index(self, columns: tuple[int, ...], where: Where = ()) -> Index:
        """The index on ``columns`` of the rows that have the given values elsewhere; made at the first call."""
        found = self._indexes.get((columns, where))
        if found is None:
            found = self._indexes[columns, where] = Index(columns, where)
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
            return (row,) if self.rows.get(row) else ()
        if not columns:
            return tuple(self.scan())
        key: Any = tuple(pattern[i] for i in columns) if len(columns) > 1 else pattern[columns[0]]
        self._matched[columns, ()] = None
        bucket = self.index(columns).buckets.get(key)
        return () if bucket is None else rows_of(bucket)

    def reader(self, column: int) -> Index:
        """The index on one column for somebody who reads its buckets again and again; kept from then on."""
        self._matched[(column,), ()] = None
        return self.index((column,))

    def keep_indexes(self, used: Mapping[Index, None]) -> None:
        """Let go of indexes that no compiled rule uses and nobody matches by."""
        for key, index in list(self._indexes.items()):
            if index not in used and key not in self._matched:
                del self._indexes[key]
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
        present = self.rows
        fresh: list[Row] = []
        if present:
            for row in rows:
                if not present.get(row):
                    present[row] = True
                    fresh.append(row)
        else:
            present.update(dict.fromkeys(rows, True))
            fresh += present
        self.entered(fresh)
        return len(fresh)

    def drop(self, rows: Iterable[Row]) -> int:
        """Drop the rows that are there; returns how many those are."""
        present = self.rows
        gone = []
        for row in rows:
            if present.get(row):
                present[row] = False
                gone.append(row)
        self.left(gone)
        return len(gone)

    def entered(self, fresh: list[Row]) -> None:
        """Log and index rows that were just set present in ``rows``."""
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
        """Log and unindex rows that were just set absent in ``rows``."""
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

    def _index_rows(self, fresh: Sequence[Row]) -> None:
        for index in self._plain:
            index.add(fresh)
        for column, table in self._filtered:
            for row in fresh:
                for index in table.get(row[column], ()):
                    index.add((row,))

    def forget(self, fresh: Iterable[Row]) -> None:
        """Take back rows that were set present but not yet entered."""
        for row in fresh:
            if self._ghosts.get(row):
                self.rows[row] = False
            else:
                del self.rows[row]

    # ---- what changed -----------------------------------------------------------------------

    def net(self, since: int) -> tuple[list[Row], list[Row]]:
        """Rows that came and rows that went since a position, in the order of their first change."""
        changes = self.log[since:]
        if since >= self._last_loss:
            return changes, []
        if len(changes) == 1:
            return (changes, []) if self.rows.get(changes[0]) else ([], changes)
        toggled: dict[Row, None] = dict.fromkeys(changes)
        if len(toggled) < len(changes):
            toggled = {}
            for row in changes:
                if row in toggled:
                    del toggled[row]
                else:
                    toggled[row] = None
        present = self.rows
        added = [row for row in toggled if present.get(row)]
        if len(added) == len(toggled):
            return added, []
        return added, [row for row in toggled if not present.get(row)]

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
                    del self.rows[row]
            self._ghosts.clear()
            self._absent = 0
            if not self.rows:
                self._clear()
        for index in self._indexes.values():
            if index.saved:
                index.saved = {}

    def _clear(self) -> None:
        """Give the memory of emptied tables back; a scan of them would pass every row that was ever there."""
        self.rows.clear()
        for index in self._indexes.values():
            index.buckets.clear()

    def undo(self, since: int) -> None:
        """Restore rows, their order and the indexes as they were at a position."""
        added, dropped = self.net(since)
        self.cut(since)
        if len(added) == len(self.rows) and not dropped and not self._ghosts:
            self._clear()  # there was nothing
            return
        for row in added:
            if row in self._ghosts:
                self.rows[row] = False
                self._ghosts[row] = True
                self._absent += 1
            else:
                del self.rows[row]
        for row in dropped:
            self.rows[row] = True
            self._ghosts[row] = False
        self._absent -= len(dropped)
        tangled: list[tuple[Index, Any]] = []
        for index in self._indexes.values():
            index.restore(self.rows, added, dropped, tangled)
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

    def rewind(self, added: list[Row], dropped: list[Row]) -> list[Undo]:
        """Show the state before a change without logging; ``replay`` shows the present again."""
        undo: list[Undo] = []
        rows, ghosts = self.rows, self._ghosts
        for row in added:
            undo.append((rows, row, True))
            undo.append((ghosts, row, ghosts.get(row)))
            rows[row] = False
            ghosts[row] = True
        for row in dropped:
            undo.append((rows, row, rows.get(row)))
            undo.append((ghosts, row, ghosts.get(row)))
            rows[row] = True
            ghosts[row] = False
        self._absent += len(added) - sum(1 for holder, _, before in undo if holder is ghosts and before)
        for index in self._indexes.values():
            index.rewind(added, dropped, undo)
        return undo

    def replay(self, undo: list[Undo]) -> None:
        """Take the steps of a rewind back, last first."""
        for holder, key, before in reversed(undo):
            if before is None:
                holder.pop(key, None)
            else:
                holder[key] = before
        self._absent = sum(self._ghosts.values())

    def __repr__(self) -> str:
        return f"Relation({self.name}/{self.arity}, {len(self)} rows)"
