"""Which index a lookup uses: the exact one, or, when they are nearly as good, those on single columns.

An index on several columns holds a key of its own for every row. Where the relation already has an index on one
of the columns that leaves only a few rows, that one is used and the rest is tested; of two such, whichever has
fewer rows for the values at hand, so that one busy key does no harm. Where only one column is that good, another
stands by for its busy keys: a plan outlives the numbers it was made from, and a bulk of rows of one key that each
looked through all of that key's rows would cost their square. Where no two rows have both values alike, the smaller of
the two buckets has no more rows, in the mean over all rows, than twice the square root of their number (as Chiba and
Nishizeki 1985 say of the ends of edges).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from contextmesh.datalog.ast import Value
from contextmesh.datalog.facts import MANY, Relation, Where
from contextmesh.datalog.index import Index
from contextmesh.datalog.keyed import KeyIndex
from contextmesh.datalog.steps import Columns

FEW = 6.0
"""Rows of one value, on average, that a standing rule tests rather than have an index of its own."""

FEW_ONCE = 64.0
"""The same for a question that is asked once: making an index for it costs every row of the relation."""

SAMPLE = 512

COMMON = 8
"""A constant that more than one in so many rows has is tested for, where a value of the key leaves few rows."""


@dataclass(frozen=True, slots=True)
class Way:
    """One index or two to choose from; ``rest`` and ``where`` are what their rows must be tested for.

    Attributes:
        spare: the second is looked at only for a large bucket of the first.
        late: an index that is made once there is a large bucket, and looked at for those.
    """

    indexes: tuple[Index | KeyIndex, ...]
    rest: Columns = ()
    where: Where = ()
    spare: bool = False
    late: tuple[Columns, Where] | None = None


def choose(relation: Relation, columns: Columns, where: Where, few: float = FEW) -> Way:
    """The way to the rows that have given values in ``columns`` and the constants of ``where``."""
    if relation.key is not None and 0 in columns:
        return Way((relation.key,), tuple(column for column in columns if column), where)
    if len(columns) == len(where) == 1 and _is_common(relation, columns[0], *where[0], few):
        return Way((relation.index(columns),), (), where, late=(columns, where))
    if len(columns) < 2 or len(relation) < MANY or relation.is_matched(columns, where):
        return Way((relation.index(columns, where),))
    good = [index for column in columns if (index := _single(relation, column, few)) is not None]
    good.sort(key=lambda index: len(relation) / max(1, len(index.buckets)))
    if not good:
        return Way((relation.index(columns, where),))
    if len(good) > 1 and len(good[0].buckets) < len(relation):
        return Way(tuple(good[:2]), columns, where)
    found = good[0]
    spare = _spare(relation, columns, found)
    if spare is None:
        return Way((found,), tuple(column for column in columns if column not in found.columns), where)
    return Way((found, spare), columns, where, spare=True)


def _spare(relation: Relation, columns: Columns, found: Index) -> Index | None:
    """An index on another column, one that is there rather than a new one; an id in front needs none made for it."""
    others = [column for column in columns if column not in found.columns]
    there = [relation.index((column,)) for column in others if relation.has_index((column,), ())]
    if there:
        return max(there, key=lambda index: len(index.buckets))
    if found.columns == (0,) and len(found.buckets) == len(relation):
        return None
    distinct = {column: len(dict.fromkeys(_sample(relation, column))) for column in others}
    return relation.index((max(others, key=lambda column: distinct[column]),))


def _single(relation: Relation, column: int, few: float) -> Index | None:
    """The index on one column, if few rows share a value there."""
    if not relation.has_index((column,), ()):
        sample = _sample(relation, column)
        if len(dict.fromkeys(sample)) < len(sample) / few:
            return None
    index = relation.index((column,))
    return index if len(relation) <= few * len(index.buckets) else None


def _is_common(relation: Relation, column: int, at: int, value: Value, few: float) -> bool:
    """Whether few rows share a value of the column, and many of all rows have that other value: rather test for it."""
    if len(relation) < MANY or relation.is_matched((column,), ((at, value),)) or _single(relation, column, few) is None:
        return False
    sample = [row[at] for row in islice(relation.scan(), 0, None, 1 + len(relation) // SAMPLE)]
    return sample.count(value) * COMMON > len(sample)


def outgrown(relation: Relation, index: Index) -> bool:
    """Whether nobody would choose this index now, so large has the relation become."""
    return len(index.columns) == len(index.where) == 1 and _is_common(relation, index.columns[0], *index.where[0], FEW)


def _sample(relation: Relation, column: int) -> list[Value]:
    return [row[column] for row in islice(relation.scan(), SAMPLE)]
