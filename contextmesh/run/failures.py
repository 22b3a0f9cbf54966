"""Which tasks failed last, why, and how many rounds in a row: what a ledger tells, kept at hand."""

from __future__ import annotations

from contextmesh.run.attempt import Failure
from contextmesh.run.ledger import RunLedger

UNTOLD = Failure("failed", "it failed in an earlier round, and no ledger says why")


class Failures:
    """By task; a result or a repair clears one."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[Failure, int]] = {}

    def add(self, name: str, failure: Failure) -> None:
        self._last[name] = (failure, self.count(name) + 1)

    def clear(self, name: str) -> None:
        self._last.pop(name, None)

    def of(self, name: str) -> Failure:
        return self._last.get(name, (UNTOLD, 1))[0]

    def count(self, name: str) -> int:
        """How many rounds in a row it failed."""
        return self._last.get(name, (UNTOLD, 0))[1]

    @classmethod
    def of_ledger(cls, ledger: RunLedger) -> Failures:
        """As they were when its last entry was written."""
        made = cls()
        for entry in ledger:
            if entry.event == "failed":
                code = entry.data.get("code")
                made.add(entry.task, Failure(code if isinstance(code, str) else "failed", ledger.text(entry.detail)))
            elif entry.event in ("executed", "repaired"):
                made.clear(entry.task)
        return made
