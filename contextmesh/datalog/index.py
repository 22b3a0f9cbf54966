"""A hash index of a relation on some of its columns, small in memory: a key with one row holds that row itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from contextmesh.datalog.ast import Row, Value

Bucket = Any
"""One row (a tuple of values), up to LARGE rows (a tuple of rows), or more (a dict keyed by row)."""

Undo = tuple[dict[Any, Any], Any, Any]
"""One step of a rewind: a dict, a key of it, and what stood there before (None: nothing)."""

LARGE = 12


def _nothing(row: Row) -> tuple[()]:
    return ()


def rows_of(bucket: Bucket) -> tuple[Row, ...]:
    """The rows of a bucket, whatever its shape, oldest first."""
    if bucket.__class__ is dict:
        return tuple(bucket)
    return bucket if bucket[0].__class__ is tuple else (bucket,)


def count_of(bucket: Bucket) -> int:
    """How many rows a bucket has."""
    return len(bucket) if bucket.__class__ is dict or bucket[0].__class__ is tuple else 1


def first_of(bucket: Bucket, most: int) -> tuple[Row, ...]:
    """The oldest rows of a bucket, at most so many; of a large one no more is looked at."""
    return tuple(islice(bucket, most)) if bucket.__class__ is dict else rows_of(bucket)[:most]


def bucket_of(rows: Sequence[Row]) -> Bucket:
    """The bucket that holds these rows; there must be one at least."""
    if len(rows) == 1:
        return rows[0]
    return tuple(rows) if len(rows) <= LARGE else dict.fromkeys(rows, True)


class Index:
    """Rows by the values of ``columns`` (one value, or a tuple of several), among those that satisfy ``where``.

    ``saved`` remembers each small bucket before its first loss since the outermost frame began, so that an undo
    restores its order; a large bucket is remembered by key alone.
    """

    __slots__ = ("buckets", "columns", "key", "saved", "where")

    def __init__(self, columns: tuple[int, ...], where: tuple[tuple[int, Value], ...]) -> None:
        self.columns = columns
        self.where = where
        self.key: Callable[[Row], Any] = itemgetter(*columns) if columns else _nothing
        self.buckets: dict[Any, Bucket] = {}
        self.saved: dict[Any, Bucket] = {}

    # ---- what a bucket holds of a row: here the row itself (see keyed for another) ------------

    def item(self, row: Row) -> Any:
        return row

    def items(self, bucket: Bucket) -> tuple[Any, ...]:
        """What a bucket holds, oldest first."""
        return rows_of(bucket)

    def made(self, items: Sequence[Any]) -> Bucket:
        """The bucket that holds these; there must be one at least."""
        return bucket_of(items)

    def row(self, key: Any, item: Any) -> Row:
        return item  # type: ignore[no-any-return]

    def rows(self, key: Any) -> tuple[Row, ...]:
        """The rows of a key, oldest first."""
        bucket = self.buckets.get(key)
        return () if bucket is None else tuple(self.row(key, item) for item in self.items(bucket))

    # ---- changing ----------------------------------------------------------------------------

    def admits(self, row: Row) -> bool:
        return all(row[column] == value for column, value in self.where)

    def _admitted(self, rows: Iterable[Row]) -> Iterable[Row]:
        if len(self.where) == 1:
            ((column, value),) = self.where
            return [row for row in rows if row[column] == value]
        return [row for row in rows if self.admits(row)] if self.where else rows

    def add(self, rows: Iterable[Row]) -> None:
        buckets, key_of = self.buckets, self.key
        get = buckets.get
        for row in self._admitted(rows) if self.where else rows:
            key = key_of(row)
            bucket = get(key)
            if bucket is None:
                buckets[key] = row
            elif bucket.__class__ is dict:
                bucket[row] = True
            elif bucket[0].__class__ is not tuple:
                buckets[key] = (bucket, row)
            elif len(bucket) < LARGE:
                buckets[key] = (*bucket, row)
            else:
                buckets[key] = large = dict.fromkeys(bucket, True)
                large[row] = True

    def discard(self, rows: Iterable[Row]) -> None:
        saved = self.saved
        for row in self._admitted(rows):
            key = self.key(row)
            if key not in saved:
                bucket = self.buckets[key]
                saved[key] = None if bucket.__class__ is dict else bucket
            self._discard(key, self.item(row))

    def put_back(self, rows: Iterable[Row], tangled: list[tuple[Index, Any]]) -> None:
        """Rows that were just added and had been discarded a little before stand where they stood.

        Where this index was made in between, and does not know, the key goes into ``tangled``.
        """
        for row in self._admitted(rows):
            key = self.key(row)
            bucket = self.saved.get(key, ())
            if bucket is not None:
                before = {} if bucket == () else dict.fromkeys(self.items(bucket))
                if self.item(row) not in before:
                    tangled.append((self, key))
                    continue
                standing = dict.fromkeys(self.items(self.buckets[key]))
                order = [one for one in before if one in standing] + [one for one in standing if one not in before]
                self.buckets[key] = self.made(order)

    def _discard(self, key: Any, item: Any) -> None:
        bucket = self.buckets[key]
        if bucket.__class__ is dict:
            del bucket[item]
            if not bucket:
                del self.buckets[key]
            return
        if bucket == item:
            del self.buckets[key]
            return
        self.buckets[key] = self.made([other for other in self.items(bucket) if other != item])

    def restore(
        self, has: Callable[[Row], bool], added: list[Row], dropped: list[Row], tangled: list[tuple[Index, Any]]
    ) -> None:
        """Go back to before ``added`` and ``dropped``; ``has`` tells what was there then."""
        buckets, key_of = self.buckets, self.key
        for row in self._admitted(added):
            key, item = key_of(row), self.item(row)
            if buckets[key] == item:
                del buckets[key]
            else:
                self._discard(key, item)
        if not dropped and not self.saved:
            return
        self.add(dropped)
        back: dict[Any, dict[Any, None]] = {key: {} for key, bucket in self.saved.items() if bucket is None}
        for row in self._admitted(dropped):
            back.setdefault(self.key(row), {})[self.item(row)] = None
        for key, items in back.items():
            if key in self.buckets and not self._reordered(key, items, has):
                tangled.append((self, key))

    def _reordered(self, key: Any, back: dict[Any, None], has: Callable[[Row], bool]) -> bool:
        """Put a bucket in its old order, if it is known: rows that came after it was saved follow it."""
        saved = self.saved.get(key)
        if saved is None:
            return False
        before = dict.fromkeys(self.items(saved))
        later = [one for one in self.items(self.buckets[key]) if one not in before]
        if any(one in back for one in later):  # lost before this index was made
            return False
        self.buckets[key] = self.made([one for one in before if has(self.row(key, one))] + later)
        return True

    def rewind(self, added: list[Row], dropped: list[Row], undo: list[Undo]) -> None:
        """Unindex ``added``, index ``dropped``, and note each step in ``undo``."""
        for row in self._admitted(added):
            key = self.key(row)
            bucket = self.buckets[key]
            if bucket.__class__ is dict:
                undo.append((bucket, self.item(row), True))
                undo.append((self.buckets, key, bucket))
            else:
                undo.append((self.buckets, key, bucket))
            self._discard(key, self.item(row))
        for row in self._admitted(dropped):
            key = self.key(row)
            bucket = self.buckets.get(key)
            undo.append((bucket, self.item(row), None) if bucket.__class__ is dict else (self.buckets, key, bucket))
            self.add((row,))
