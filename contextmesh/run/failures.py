"""Which tasks failed last, why, and how many rounds in a row: what a ledger tells, kept at hand."""

from __future__ import annotations

from contextmesh.run.attempt import Failure
from contextmesh.run.ledger import HOLDS, Entry, RunLedger

UNTOLD = Failure("failed", "it failed in an earlier round, and no ledger says why")


class Failures:
    """By task; a result, a repair, or an auditor who finds the standing result right clears one."""

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
            elif entry.event in ("executed", "repaired") or _found_right(entry):
                made.clear(entry.task)
        return made


def _found_right(entry: Entry) -> bool:
    """Whether an auditor said of a standing result that it is right."""
    return entry.event == "audited" and entry.node_id is not None and entry.detail.startswith(HOLDS)
