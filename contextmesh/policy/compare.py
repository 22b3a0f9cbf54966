"""What an edit of the policy would change: the delta of what two policies derive from the same facts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.limits import Limits
from contextmesh.policy.contract import OUTPUTS
from contextmesh.policy.policy import Policy


def compare(
    old: Policy,
    new: Policy,
    facts: Mapping[str, Iterable[Row]],
    *,
    relations: Collection[str] = tuple(OUTPUTS),
    limits: Limits | None = None,
) -> Delta:
    """Rows that ``new`` would add and rows it would drop, by relation, in the order of derivation.

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
    return Delta.of(added=added, dropped=dropped)


def _engine(policy: Policy, facts: Mapping[str, Iterable[Row]], limits: Limits | None) -> Engine:
    declared = policy.program.declarations
    shown = {name: rows for name, rows in facts.items() if name in declared and name not in policy.facts}
    return Engine(policy.program, {**shown, **policy.facts}, limits=limits)
