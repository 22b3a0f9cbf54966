"""What an edit of the policy would change: the delta of what two policies derive from the same facts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.limits import Limits
from contextmesh.policy.contract import OUTPUTS
from contextmesh.policy.policy import Policy

SHOWN = 20
"""Rows of one relation that the text names."""
_FIRST = ("fell", "invalid", "live", "edge_dead", "status", "signal")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a new policy would add and drop, by relation.

    Attributes:
        old, new: the digests of the two policies.
        delta: exact over the relations compared.
    """

    old: str
    new: str
    delta: Delta

    def __bool__(self) -> bool:
        return bool(self.delta)

    def as_json(self) -> dict[str, object]:
        sides = (("would_add", self.delta.added), ("would_drop", self.delta.dropped))
        return {
            "old": self.old,
            "new": self.new,
            "same": not self,
            **{side: {name: [list(row) for row in rows] for name, rows in found.items()} for side, found in sides},
        }

    def as_text(self) -> str:
        """One line for each relation that changes, and its first rows; those people ask about come first."""
        if not self:
            return "nothing would change"
        changed = dict.fromkeys([*self.delta.added, *self.delta.dropped])
        order = [name for name in _FIRST if name in changed] + [name for name in changed if name not in _FIRST]
        return "\n".join(line for name in order for line in self._lines(name))

    def _lines(self, name: str) -> Iterator[str]:
        added, dropped = self.delta.plus(name), self.delta.minus(name)
        yield f"{name}: +{len(added)} -{len(dropped)}"
        for mark, rows in (("+", added), ("-", dropped)):
            for row in rows[:SHOWN]:
                yield f"  {mark} {name}({', '.join(str(value) for value in row)})"
            if len(rows) > SHOWN:
                yield f"  {mark} and {len(rows) - SHOWN} more"


def compare(
    old: Policy,
    new: Policy,
    facts: Mapping[str, Iterable[Row]],
    *,
    relations: Collection[str] = tuple(OUTPUTS),
    limits: Limits | None = None,
) -> Comparison:
    """What ``new`` would conclude otherwise than ``old``, rows in the order of derivation.

    ``facts`` are those of a graph; what they say of the ontology is replaced by each policy's own, and facts of an
    input that a policy does not declare are not shown to it.

    Raises:
        LimitReached: either evaluation passed a limit.
    """
    given = {name: tuple(rows) for name, rows in facts.items()}
    before, after = (_engine(policy, given, limits) for policy in (old, new))
    added: dict[str, list[Row]] = {}
    dropped: dict[str, list[Row]] = {}
    for name in relations:
        was, now = dict.fromkeys(before.rows(name)), dict.fromkeys(after.rows(name))
        came = [row for row in now if row not in was]
        went = [row for row in was if row not in now]
        if came:
            added[name] = came
        if went:
            dropped[name] = went
    return Comparison(old.digest, new.digest, Delta.of(added=added, dropped=dropped))


def _engine(policy: Policy, facts: Mapping[str, Iterable[Row]], limits: Limits | None) -> Engine:
    declared = policy.program.declarations
    shown = {name: rows for name, rows in facts.items() if name in declared and name not in policy.facts}
    return Engine(policy.program, {**shown, **policy.facts}, limits=limits)
