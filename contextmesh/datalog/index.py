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
            self._discard(key, row)

    def put_back(self, rows: Iterable[Row], tangled: list[tuple[Index, Any]]) -> None:
        """Rows that were just added and had been discarded a little before stand where they stood.

        Where this index was made in between, and does not know, the key goes into ``tangled``.
        """
        for row in self._admitted(rows):
            key = self.key(row)
            bucket = self.saved.get(key, ())
            if bucket is not None:
                before = dict.fromkeys(rows_of(bucket)) if bucket else {}
                if row not in before:
                    tangled.append((self, key))
                    continue
                standing = dict.fromkeys(rows_of(self.buckets[key]))
                order = [r for r in before if r in standing] + [r for r in standing if r not in before]
                self.buckets[key] = bucket_of(order)

    def _discard(self, key: Any, row: Row) -> None:
        bucket = self.buckets[key]
        if bucket.__class__ is dict:
            del bucket[row]
            if not bucket:
                del self.buckets[key]
        elif bucket[0].__class__ is not tuple:
            del self.buckets[key]
        else:
            self.buckets[key] = bucket_of([other for other in bucket if other != row])

    def restore(
        self, present: dict[Row, bool], added: list[Row], dropped: list[Row], tangled: list[tuple[Index, Any]]
    ) -> None:
        """Go back to before ``added`` and ``dropped``; ``present`` is already as it was then."""
        buckets, key_of = self.buckets, self.key
        for row in self._admitted(added):
            key = key_of(row)
            if buckets[key] == row:
                del buckets[key]
            else:
                self._discard(key, row)
        if not dropped and not self.saved:
            return
        self.add(dropped)
        back: dict[Any, dict[Row, None]] = {key: {} for key, bucket in self.saved.items() if bucket is None}
        for row in self._admitted(dropped):
            back.setdefault(self.key(row), {})[row] = None
        for key, rows in back.items():
            if key in self.buckets and not self._reordered(key, rows, present):
                tangled.append((self, key))

    def _reordered(self, key: Any, back: dict[Row, None], present: dict[Row, bool]) -> bool:
        """Put a bucket in its old order, if it is known: rows that came after it was saved follow it."""
        saved = self.saved.get(key)
        if saved is None:
            return False
        before = dict.fromkeys(rows_of(saved))
        later = [row for row in rows_of(self.buckets[key]) if row not in before]
        if any(row in back for row in later):  # lost before this index was made
            return False
        self.buckets[key] = bucket_of([row for row in before if present.get(row)] + later)
        return True

    def rewind(self, added: list[Row], dropped: list[Row], undo: list[Undo]) -> None:
        """Unindex ``added``, index ``dropped``, and note each step in ``undo``."""
        for row in self._admitted(added):
            key = self.key(row)
            bucket = self.buckets[key]
            if bucket.__class__ is dict:
                undo.append((bucket, row, True))
                undo.append((self.buckets, key, bucket))
            else:
                undo.append((self.buckets, key, bucket))
            self._discard(key, row)
        for row in self._admitted(dropped):
            key = self.key(row)
            bucket = self.buckets.get(key)
            undo.append((bucket, row, None) if bucket.__class__ is dict else (self.buckets, key, bucket))
            self.add((row,))
