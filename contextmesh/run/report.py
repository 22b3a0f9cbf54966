"""What one round did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from contextmesh.run.attempt import Failure


@dataclass(frozen=True)
class RunReport:
    """One round, by task.

    Attributes:
        round: its number.
        layers: the plan by the longest way to each task.
        executed: tasks whose worker ran and whose result was recorded, in the order of recording; one that fell again
            to a disproof of this very round is blocked, too.
        unchanged: tasks that had fallen and whose inputs came out as before, so that the old output was kept.
        audited: tasks whose standing result an auditor looked at (of a recheck).
        blocked: why each task that waits does so.
        failed: tasks that are failed now, and why.
        invalidations: the receipt of each disproof.
        complete: whether every task is done.
        cancelled: whether the round was cut short.
    """

    round: int
    layers: tuple[tuple[str, ...], ...]
    executed: tuple[str, ...]
    unchanged: tuple[str, ...]
    audited: tuple[str, ...]
    blocked: Mapping[str, str]
    failures: Mapping[str, Failure]
    invalidations: tuple[Mapping[str, Any], ...]
    complete: bool
    cancelled: bool = False
    _names: Iterable[str] = field(default=(), repr=False)
    _left: Mapping[str, None] = field(default_factory=dict, repr=False)

    @property
    def failed(self) -> dict[str, str]:
        return {name: failure.reason for name, failure in self.failures.items()}

    @cached_property
    def cached(self) -> tuple[str, ...]:
        """Tasks whose earlier result stands, in the order of declaration."""
        others = {**dict.fromkeys(self.executed), **self._left, **self.blocked, **self.failures}
        return tuple(name for name in self._names if name not in others)

    def as_json(self) -> dict[str, Any]:
        """The shape that ``execute --json`` prints."""
        return {
            "round": self.round,
            "layers": [list(layer) for layer in self.layers],
            "executed": list(self.executed),
            "cached": list(self.cached),
            "unchanged": list(self.unchanged),
            "audited": list(self.audited),
            "blocked": dict(self.blocked),
            "failed": self.failed,
            "invalidations": [dict(receipt) for receipt in self.invalidations],
            "complete": self.complete,
            "cancelled": self.cancelled,
        }
