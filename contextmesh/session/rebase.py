"""What one writer has pending, written again on what another one committed first.

A record that took the place of a version which is no longer the one there is a conflict: two writers changed the same
thing, and neither wins unasked. What both wrote the same is there already. All else is replayed under all rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from contextmesh.base.errors import InputError, OntologyError, Problem, SessionError, Where
from contextmesh.base.fields import Fault, shown
from contextmesh.graph.history import History
from contextmesh.session.pending import Written
from contextmesh.session.state import SessionState
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.store import Store
from contextmesh.store.transaction import Transaction, replay

Record = Node | Edge | Assumption
_TOLD = 20
LATER = "later-date"
"""Code of the notice that what is written bears a later date than it was given."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A record that both changed.

    Attributes:
        ours: as this session would have it; theirs: as it stands in the directory, None where it is not.
    """

    ours: Record
    theirs: Record | None

    def differences(self) -> list[tuple[str, str, str]]:
        """Field, our value and theirs, of each that differs."""
        ours = _plain(self.ours)
        theirs = _plain(self.theirs) if self.theirs is not None else {}
        return [(key, shown(ours[key]), shown(theirs.get(key))) for key in ours if ours[key] != theirs.get(key)]


def rebase(ours: SessionState, theirs: SessionState) -> SessionState:
    """The newer session with what ours has pending on top; ours is as it was.

    Args:
        theirs: freshly loaded; it is written to.

    Returns:
        Its notices say, as ``later-date``, which dates of ours gave way to a later one.

    Raises:
        SessionError: ``stale-session``, with both versions of what both changed, or what the rules refuse now.
    """
    assert ours.pending is not None, "only what is followed can be told from what is there"
    assert theirs.pending is not None, "as it was loaded"
    if _has_own_plan(ours) and ours.pending.carried != theirs.carried:
        raise stale(ours, theirs, note="both went on with the plan, and a plan is one")
    notices = {notice: None for notice in (*theirs.notices, *ours.notices) if notice.code == LATER}
    try:
        for written in ours.pending.transactions:
            if theirs.history is not None:
                notices |= dict.fromkeys(dated(theirs.history, written.transaction.day))
            _again(written, theirs.graph.store, ours, theirs)
        if ours.history is not None and theirs.history is not None:
            notices |= dict.fromkeys(dated(theirs.history, ours.history.day))
        ours.pending.carry_over(theirs.pending)
    except (OntologyError, InputError) as error:
        refusal = stale(ours, theirs, note="what was to be written is refused on what is there now")
        raise SessionError(*refusal.problems, *error.problems) from None
    except Fault as fault:
        raise stale(ours, theirs, note=f"what was to be written does not fit what is there now: {fault}") from None
    walker = ours.walker if ours.manifest is None or ours.walker != ours.manifest.walker else theirs.walker
    carried, rounds = (ours.carried, ours.rounds) if _has_own_plan(ours) else (theirs.carried, theirs.rounds)
    told = (*(notice for notice in theirs.notices if notice.code != LATER), *notices)
    return replace(theirs, walker=walker, carried=carried, rounds=rounds, notices=told)


def dated(history: History, day: str | None) -> tuple[Problem, ...]:
    """Dates what is written from now on, no earlier than what is there; ``later-date`` when it is another day so."""
    history.day = history.day_from(day)
    if day is None or history.day is None or history.day == day:
        return ()
    message = f"another writer committed on {history.day} first, so what is dated {day} here bears {history.day}"
    note = "no commit is dated before the one before it; --as-of asks by the date that it bears"
    return (Problem("later-date", message, history.day, (("given", day),), note=note),)


def stale(
    ours: SessionState, theirs: SessionState, conflicts: Sequence[Conflict] = (), note: str | None = None
) -> SessionError:
    """The refusal: what is there, what this session has seen, and what differs between the two."""
    assert ours.home is not None, "it was loaded"
    assert theirs.home is not None, "it was loaded"
    name = str(ours.home.path)
    seen, there = ours.home, theirs.home
    fields: list[tuple[str, int | str | None]] = [("current", there.generation), ("seen", seen.generation)]
    where = f"generation {there.generation}"
    if there.position is not None:
        lines = seen.position.lines if seen.position is not None else 0
        fields += [("current_line", there.position.lines), ("seen_line", lines)]
        where += f" line {there.position.lines}"
    message = f"{name} is at {where}, and someone else committed since this session has seen it"
    problems = [
        Problem("stale-session", message, name, tuple(fields), Where(name), note=note, hint="load it again and repeat")
    ]
    for conflict in conflicts[:_TOLD]:
        told = "; ".join(f"{key} is {there} there and {here} here" for key, here, there in conflict.differences())
        id = conflict.ours.id
        words = f"both changed {id}: {told}" if conflict.theirs is not None else f"{id} is no longer there"
        differ = ", ".join(key for key, _, _ in conflict.differences())
        problems.append(Problem("changed-by-both", words, subject=id, fields=(("fields", differ),)))
    return SessionError(*problems)


def _has_own_plan(state: SessionState) -> bool:
    assert state.pending is not None, "followed"
    return state.carried != state.pending.carried


def _again(written: Written, store: Store, ours: SessionState, theirs: SessionState) -> None:
    transaction = written.transaction
    was: dict[tuple[type, str], Record] = {(type(record), record.id): record for record in written.replaced}
    conflicts: list[Conflict] = []

    def new(records: Sequence[Any], here: Mapping[str, Any]) -> tuple[Any, ...]:
        left = []
        for record in records:
            there, before = here.get(record.id), was.get((type(record), record.id))
            if _same(there, record):
                continue
            if not _same(there, before):
                conflicts.append(Conflict(record, there))
            left.append(record)
        return tuple(left)

    left = Transaction(
        store.seq + 1,
        transaction.kind,
        transaction.day,
        max(store.build, transaction.build),
        new(transaction.nodes, store.nodes),
        new(transaction.edges, store.edges),
        new(transaction.assumptions, store.assumptions),
        tuple(pair for pair in transaction.verdicts if not any(store.engine.match("verdict", (*pair, None)))),
        tuple(fact for fact in transaction.facts if not store.engine.holds(*fact)),
    )
    if conflicts:
        raise stale(ours, theirs, conflicts, "two writers changed the same, and neither is taken unasked")
    parts = (left.nodes, left.edges, left.assumptions, left.verdicts, left.facts)
    if any(parts) or left.build != store.build:
        replay(store, left)


def _same(one: Record | None, other: Record | None) -> bool:
    return one == other or (one is not None and other is not None and _plain(one) == _plain(other))


def _plain(record: Record) -> dict[str, Any]:
    """The record as JSON values: a file keeps a tuple as a list."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(record)))
    return plain
