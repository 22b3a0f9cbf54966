"""Which index a lookup uses: the exact one, or, when they are nearly as good, those on single columns.

An index on several columns holds a key of its own for every row. Where the relation already has an index on one
of the columns that leaves only a few rows, that one is used and the rest is tested; of two such, whichever has
fewer rows for the values at hand, so that one busy key does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from contextmesh.datalog.facts import MANY, Relation, Where
from contextmesh.datalog.index import Index
from contextmesh.datalog.steps import Columns

FEW = 6.0
"""Rows of one value, on average, that a standing rule tests rather than have an index of its own."""

FEW_ONCE = 64.0
"""The same for a question that is asked once: making an index for it costs every row of the relation."""

SAMPLE = 512


@dataclass(frozen=True, slots=True)
class Way:
    """One index or two to choose from; ``rest`` and ``where`` are what their rows must be tested for."""

    indexes: tuple[Index, ...]
    rest: Columns = ()
    where: Where = ()


def choose(relation: Relation, columns: Columns, where: Where, few: float = FEW) -> Way:
    """The way to the rows that have given values in ``columns`` and the constants of ``where``."""
    if len(columns) < 2 or len(relation) < MANY or relation.is_matched(columns, where):
        return Way((relation.index(columns, where),))
    good = [index for column in columns if (index := _single(relation, column, few)) is not None]
    good.sort(key=lambda index: len(relation) / max(1, len(index.buckets)))
    if not good:
        return Way((relation.index(columns, where),))
    if len(good[0].buckets) == len(relation):
        good = good[:1]
    used = [index.columns[0] for index in good[:2]]
    rest = tuple(column for column in columns if len(good) > 1 or column not in used)
    return Way(tuple(good[:2]), rest, where)


def _single(relation: Relation, column: int, few: float) -> Index | None:
    """The index on one column, if few rows share a value there."""
    if not relation.has_index((column,), ()):
        sample = [row[column] for row in islice(relation.scan(), SAMPLE)]
        if len(dict.fromkeys(sample)) < len(sample) / few:
            return None
    index = relation.index((column,))
    return index if len(relation) <= few * len(index.buckets) else None
