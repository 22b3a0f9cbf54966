"""What came and what went between two states."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from contextmesh.datalog.ast import Row


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


def odd_times(changes: Sequence[Row]) -> Collection[Row]:
    """The rows that stand in a log an odd number of times, in the order of the change that made it odd."""
    once = dict.fromkeys(changes)
    if len(once) == len(changes):
        return once
    odd: dict[Row, None] = {}
    for row in changes:
        if row in odd:
            del odd[row]
        else:
            odd[row] = None
    return odd
