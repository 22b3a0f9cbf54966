"""Tables by the first column, which is the key of a row: the rows and the index on that column in one dict.

Nothing relies on it that a key stands in one row. Where it stands in several, or in one that is hidden, its entry is an
``Odd``. Rows of a key that were put one right after the other have the place of the key, and keys that have the same
of them share an ``Odd``; each other row has an entry of its own, under the row, which keeps its place in the order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from contextmesh.datalog.ast import Row, Value
from contextmesh.datalog.index import LARGE, Bucket, Index, bucket_of
from contextmesh.datalog.table import KEYED, PAIRS, ByKey, Groups, Shape

GROUPS = 1024
"""Odd entries that are kept for keys to share."""

LONG = 64
"""So many rows at once are looked at together, before each by itself."""


class Odd:
    """What stands under a key that has not just one row.

    Rows are known by what their table keeps of them (``Keyed.kept``): the value of a pair, or the row.

    Attributes:
        own: the rows whose place in the order is that of the key, oldest first, and whether each is not hidden.
        more: the same of its other rows.
        shared: several keys may have it; it never changes.
    """

    __slots__ = ("more", "own", "shared")

    def __init__(self, own: dict[Any, bool]) -> None:
        self.own = own
        self.more: dict[Any, bool] = {}
        self.shared = False

    def __eq__(self, other: object) -> bool:
        """Whether that row is there, so that a test for the one row of a key is a test of this too."""
        return self.own.get(other) or self.more.get(other, False)

    __hash__ = None  # type: ignore[assignment]

    def all(self) -> tuple[Any, ...]:
        """What is there, oldest first."""
        return tuple(kept for side in (self.own, self.more) for kept, present in side.items() if present)


class Keyed:
    """key → row, for more than two columns."""

    __slots__ = ("_same", "groups", "odds", "rows", "spare")
    shape: Shape = KEYED

    def __init__(self, rows: dict[Any, Any]) -> None:
        self.rows = rows
        self.spare = 0
        self.odds = 0
        """Entries that are odd and not shared."""
        self.groups = 0
        """Entries that are shared."""
        self._same: dict[tuple[Any, ...], Odd] = {}

    # ---- what a table keeps of a row ---------------------------------------------------------

    def kept(self, row: Row) -> Any:
        return row

    def row(self, key: Value, kept: Any) -> Row:
        return kept  # type: ignore[no-any-return]

    def _plain(self) -> Iterable[Row]:
        return self.rows.values()

    # ---- reading -----------------------------------------------------------------------------

    def has(self, row: Row) -> bool:
        return bool(self.rows.get(row[0]) == self.kept(row))

    def state(self, row: Row) -> bool | None:
        found, kept = self.rows.get(row[0]), self.kept(row)
        if found.__class__ is not Odd:
            return True if found == kept else None
        return found.own.get(kept, found.more.get(kept))

    def scan(self, *, hidden: bool) -> Iterable[Row]:
        return self._all_of_them() if self.odds or self.groups else self._plain()

    def _all_of_them(self) -> list[Row]:
        kept, row = self.kept, self.row
        found: list[Row] = []
        for key, entry in self.rows.items():
            if entry.__class__ is not Odd:
                found.append(row(key, entry))
            elif key.__class__ is not tuple:
                found += [row(key, one) for one, present in entry.own.items() if present]
            elif entry.more[kept(key)]:
                found.append(key)
        return found

    def bucket(self, key: Any) -> Bucket | None:
        """The rows of a key, as an index has them."""
        found = self.rows.get(key)
        if found.__class__ is not Odd:
            return None if found is None else self.row(key, found)
        rows = [self.row(key, kept) for kept in found.all()]
        return bucket_of(rows) if rows else None

    # ---- changing ----------------------------------------------------------------------------

    def put(self, row: Row) -> None:
        rows, key, kept = self.rows, row[0], self.kept(row)
        found = rows.get(key)
        if found is None:
            rows[key] = kept
            return
        odd = self._odd(key, found)
        if kept in odd.own:
            odd.own[kept] = True
        elif kept in odd.more:
            odd.more[kept] = True
        elif next(reversed(rows)) == key:
            odd.own[kept] = True
            self.spare -= 1
        else:
            odd.more[kept] = True
            rows[row] = odd
            self.odds += 1
        self._settled(key, odd)

    def hide(self, row: Row) -> None:
        odd, kept = self._odd(row[0], self.rows[row[0]]), self.kept(row)
        (odd.own if kept in odd.own else odd.more)[kept] = False

    def erase(self, row: Row) -> None:
        found, kept = self.rows[row[0]], self.kept(row)
        if found.__class__ is not Odd:
            del self.rows[row[0]]
            return
        odd = self._odd(row[0], found)
        if kept in odd.own:
            del odd.own[kept]
            self.spare += 1
        else:
            del odd.more[kept]
            del self.rows[row]
            self.odds -= 1
        self._settled(row[0], odd)

    def clear(self) -> None:
        self.rows.clear()
        self.spare = self.odds = self.groups = 0

    def put_new(self, rows: Iterable[Row]) -> Collection[Row]:
        if isinstance(rows, ByKey) and rows.shape == self.shape and not self.rows:
            self.rows.update(rows.entries)
            return rows
        wanted = list(rows)
        if len(wanted) >= LONG:
            made = self._together(wanted)
            if len(made) == len(wanted) and self.rows.keys().isdisjoint(made):
                self.rows.update(made)
                return wanted
        fresh = []
        get, kept_of = self.rows.get, self.kept
        for row in wanted:
            found = get(row[0])
            if found is None:
                self.rows[row[0]] = kept_of(row)
            elif found == kept_of(row):
                continue
            else:
                self.put(row)
            fresh.append(row)
        return fresh

    def take(self, other: Keyed, gone: Iterable[Value]) -> None:
        """Have, in an empty table, what another one without odd entries of its own has, less some keys."""
        self.rows.update(other.rows)  # into an empty dict: nothing is hashed again
        self.spare, self.groups, self._same = other.spare, other.groups, dict(other._same)
        for key in gone:
            entry = self.rows.pop(key, None)
            if entry.__class__ is Odd:
                self.groups -= 1
                self.spare += len(entry.own) - 1

    def _together(self, rows: list[Row]) -> dict[Any, Any]:
        return {row[0]: row for row in rows}

    def _odd(self, key: Value, found: Any) -> Odd:
        """The entry of a key as an odd one that may change."""
        if found.__class__ is not Odd:
            own = {found: True}
        elif found.shared:
            own = dict(found.own)
            self.groups -= 1
        else:
            return found
        odd = self.rows[key] = Odd(own)
        self.odds += 1
        return odd

    def _settled(self, key: Value, odd: Odd) -> None:
        """A key of one row, in its place, is plain again, several there are shared; one of none has no entry."""
        if odd.more or not all(odd.own.values()):
            return
        if not odd.own:
            del self.rows[key]
            self.spare -= 1
        elif len(odd.own) == 1:
            (self.rows[key],) = odd.own
        else:
            together = tuple(odd.own)
            same = self._same.get(together)
            if same is None:
                if len(together) > LARGE or len(self._same) >= GROUPS:
                    return
                same = self._same[together] = odd
                odd.shared = True
            self.rows[key] = same
            self.groups += 1
        self.odds -= 1

    def tidy(self) -> None:
        """Nothing is hidden any more: rows at the end that took the place of another one of their key are plain again.

        They stay in order, since nothing stands behind them.
        """
        if not self.odds:
            return
        last: list[tuple[Row, Odd]] = []
        for key in reversed(self.rows):
            odd = self.rows[key]
            if odd.__class__ is not Odd or key.__class__ is not tuple or odd.own or len(odd.more) > 1:
                break
            last.append((key, odd))
        for row, _ in reversed(last):
            self.erase(row)
        for row, _ in reversed(last):
            self.put(row)


class Pairs(Keyed):
    """key → value, for two columns."""

    __slots__ = ()
    shape: Shape = PAIRS

    def kept(self, row: Row) -> Any:
        return row[1]

    def row(self, key: Value, kept: Any) -> Row:
        return (key, kept)

    def _plain(self) -> Iterable[Row]:
        return self.rows.items()

    def has(self, row: Row) -> bool:
        return bool(self.rows.get(row[0]) == row[1])

    def put_new(self, rows: Iterable[Row]) -> Collection[Row]:
        if isinstance(rows, Groups) and not self.rows and self._put_groups(rows.values):
            return rows
        return super().put_new(rows)

    def _put_groups(self, values: dict[Any, tuple[Any, ...]]) -> bool:
        """Put the values of each key, which share what stands for several; not where those would be too many."""
        kinds = dict.fromkeys(values.values())
        entries: dict[tuple[Any, ...], Any] = {}
        for kind in kinds:
            entries[kind] = kind[0]
            if len(kind) > 1:
                entries[kind] = self._same[kind] = odd = Odd(dict.fromkeys(kind, True))
                odd.shared = True
        if len(self._same) > GROUPS or any(len(kind) > LARGE for kind in kinds):
            self._same = {}
            return False
        self.rows.update({key: entries[kind] for key, kind in values.items()})
        self.groups += sum(1 for kind in values.values() if len(kind) > 1)
        return True

    def _together(self, rows: list[Row]) -> dict[Any, Any]:
        return dict(rows)  # type: ignore[arg-type]


class KeyIndex:
    """The index on the first column that such a table is."""

    __slots__ = ("_table",)
    columns = (0,)
    where: tuple[tuple[int, Value], ...] = ()

    def __init__(self, table: Keyed) -> None:
        self._table = table

    @property
    def buckets(self) -> KeyIndex:
        return self

    @property
    def one_each(self) -> bool:
        """Whether each key has just one row, which is there."""
        return not (self._table.odds or self._table.groups)

    def entries(self, keys: Iterable[Value]) -> list[Any]:
        """What stands under each key, None for nothing; equal only where the rows are alike but for the key."""
        found = list(map(self._table.rows.get, keys))
        return found if self.one_each else [(id(one),) if one.__class__ is Odd else one for one in found]

    def admits(self, row: Row) -> bool:
        return True

    def get(self, key: Value | None) -> Bucket | None:
        return self._table.bucket(key)

    def __getitem__(self, key: Value) -> Bucket:
        found = self._table.bucket(key)
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[Value]:
        table = self._table
        return (key for key in table.rows if key.__class__ is not tuple and table.bucket(key) is not None)

    def __len__(self) -> int:
        return len(self._table.rows) if not self._table.odds + self._table.groups else sum(1 for _ in self)

    def values(self) -> Iterator[Bucket]:
        return map(self.__getitem__, self)


class KeysIndex(Index):
    """An index of pairs on their second column: the keys that stand with a value, for the rows are not to be had.

    A bucket is a key, a tuple of keys or a dict of them.
    """

    __slots__ = ()

    def item(self, row: Row) -> Any:
        return row[0]

    def items(self, bucket: Bucket) -> tuple[Any, ...]:
        if bucket.__class__ is dict:
            return tuple(bucket)
        return bucket if bucket.__class__ is tuple else (bucket,)

    def made(self, items: Sequence[Any]) -> Bucket:
        if len(items) == 1:
            return items[0]
        return tuple(items) if len(items) <= LARGE else dict.fromkeys(items, True)

    def row(self, key: Any, item: Any) -> Row:
        return (item, key if self.columns else self.where[0][1])

    def add(self, rows: Iterable[Row]) -> None:
        buckets, key_of = self.buckets, self.key
        get = buckets.get
        for row in self._admitted(rows):
            key = key_of(row)
            bucket = get(key)
            if bucket is None:
                buckets[key] = row[0]
            elif bucket.__class__ is dict:
                bucket[row[0]] = True
            elif bucket.__class__ is not tuple:
                buckets[key] = (bucket, row[0])
            elif len(bucket) < LARGE:
                buckets[key] = (*bucket, row[0])
            else:
                buckets[key] = large = dict.fromkeys(bucket, True)
                large[row[0]] = True


def by_second(columns: tuple[int, ...], where: tuple[tuple[int, Value], ...]) -> bool:
    """Whether an index of pairs is one on their second column alone."""
    return (columns == (1,) and not where) or (not columns and [column for column, _ in where] == [1])


def table_of(arity: int, rows: dict[Any, Any]) -> Keyed:
    """The table for this many columns, two at least."""
    return Pairs(rows) if arity == 2 else Keyed(rows)
