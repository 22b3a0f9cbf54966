"""Plans become Python: one readable function of nested loops per set of rules and what drives them.

This is the only place of the package that runs text as code, and the text is made here, from checked trees:
relations, indexes, variables and constants appear as numbers (``g3``, ``x1``, ``v0``, ``k2``) and come in as
data, so nothing a user wrote ever stands in it.

    r3, g3   the table of relation 3 (see table) and its ``get``; R3 the relation itself; s3 its rows for a full scan
    q3, m1   put a row into table 3 where its key stands already; what stands under a key, ``odd`` if not one row
    x1       ``get`` of the buckets of an index (index.Bucket gives their three shapes)
    e0       the row that drives, where a rule uses it whole
    w0, v0   a column of the row that drives several rules, a variable; t0 a value worked out
    b0, c0   a bucket, and one that several rules share
    p0, d0   take a row found for the first head; rows found before (when withdrawing)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from contextmesh.datalog.ast import Row, Value
from contextmesh.datalog.choose import FEW
from contextmesh.datalog.emit import Emitter
from contextmesh.datalog.facts import Relation
from contextmesh.datalog.index import Bucket, Index, rows_of
from contextmesh.datalog.keyed import KeyIndex
from contextmesh.datalog.limits import Meter, whole
from contextmesh.datalog.steps import Plan

Mode = Literal["derive", "withdraw", "prove"]

Run = Callable[[Any, tuple[list[Row], ...], Meter, tuple[dict[Row, bool], ...]], None]
"""Driver rows, a list per head for what is found, a meter, and (withdrawing) what was found before, per head."""

Prove = Callable[[Row, Meter], bool]


@dataclass(frozen=True, slots=True)
class Code:
    """A function and its text.

    Attributes:
        names: what the numbers of the text stand for.
        uses: the indexes it reads.
    """

    run: Callable[..., Any]
    text: str
    names: Mapping[str, str]
    uses: tuple[Index | KeyIndex, ...]


class Compiler:
    """Compiles over a fixed set of relations; ``few`` is how many rows a lookup may test (see choose)."""

    def __init__(self, relations: Mapping[str, Relation], few: float = FEW) -> None:
        self.relations = relations
        self.few = few
        self.numbers = {name: i for i, name in enumerate(relations)}

    def runner(self, parts: Sequence[tuple[Plan, str]], heads: Sequence[str], mode: Mode) -> Code:
        """One function for plans that one relation drives (or nothing does), each with its head relation."""
        emitter = Emitter(self.relations, self.numbers, mode, heads, (), self.few)
        text = emitter.runner(parts)
        often = dict.fromkeys(lookup for lookup, times in emitter.lookups.items() if times > 1)
        if often and len(parts) > 1:
            emitter = Emitter(self.relations, self.numbers, mode, heads, often, self.few)
            text = emitter.runner(parts)
        return made(emitter, text)

    def prover(self, plans: Sequence[Plan], relation: str) -> Code:
        """A function that tells whether some rule derives a given row now."""
        emitter = Emitter(self.relations, self.numbers, "prove", (relation,), (), self.few)
        return made(emitter, emitter.prover(plans))


def made(emitter: Emitter, text: str) -> Code:
    make = _factory(text)
    return Code(make(_HELPERS, emitter.data), text, emitter.names, tuple(emitter.uses))


@lru_cache(maxsize=4096)
def _factory(text: str) -> Callable[..., Callable[..., Any]]:
    scope: dict[str, Any] = {}
    exec(compile(text, "<rules>", "exec"), scope)  # noqa: S102 - made by emit.py from a checked tree
    made: Callable[..., Callable[..., Any]] = scope["make"]
    return made


# ---- what the text calls -------------------------------------------------------------------------


def _plus(left: Value, right: Value) -> int | None:
    if left.__class__ is int and right.__class__ is int:
        return whole(left + right)
    return None


def _minus(left: Value, right: Value) -> int | None:
    if left.__class__ is int and right.__class__ is int:
        return whole(left - right)
    return None


def _undo_plus(left: Value, right: Value) -> int | None:
    """As plus, for a value that is only ever compared with those that exist."""
    return left + right if left.__class__ is int and right.__class__ is int else None


def _undo_minus(left: Value, right: Value) -> int | None:
    return left - right if left.__class__ is int and right.__class__ is int else None


def _total(values: Sequence[Value]) -> int | None:
    if all(value.__class__ is int for value in values):
        return whole(sum(values))  # type: ignore[arg-type]
    return None


def _fewest(one: Bucket, other: Bucket) -> Bucket:
    """The bucket with fewer rows; None when either is empty, since a row must be in both."""
    if one is None or other is None:
        return None
    if one.__class__ is dict:
        return one if other.__class__ is dict and len(one) <= len(other) else other
    if other.__class__ is dict or one[0].__class__ is not tuple:
        return one
    return other if other[0].__class__ is not tuple or len(other) < len(one) else one


def _some(bucket: Bucket, tests: Sequence[tuple[int, Value]]) -> bool:
    """Whether a row of the bucket passes."""
    if bucket is None:
        return False
    return any(all(row[column] == value for column, value in tests) for row in rows_of(bucket))


def _tick(steps: int, meter: Meter, found: tuple[list[Row], ...]) -> int:
    """Look at the limits in the middle of a function; ``found`` is not yet counted."""
    count = meter.rows + sum(map(len, found))
    if count > meter.limits.rows:
        meter.row(count - meter.rows)
    meter.step(steps)
    return 0


_HELPERS = {
    "plus": _plus,
    "minus": _minus,
    "undo_plus": _undo_plus,
    "undo_minus": _undo_minus,
    "total": _total,
    "tick": _tick,
    "fewest": _fewest,
    "some": _some,
}
