"""Standing on what others committed: the lines they appended are folded in, or the newer generation is read."""

from __future__ import annotations

import json
from dataclasses import replace

from contextmesh.base.errors import InputError, Problem, Refusal, SessionError
from contextmesh.session import append, files
from contextmesh.session.commit import is_ours, stands, unwritable
from contextmesh.session.fold import Parts
from contextmesh.session.journal import Lines, Position
from contextmesh.session.load import load
from contextmesh.session.plan_lines import Plan
from contextmesh.session.rebase import dated, rebase, stale
from contextmesh.session.state import Home, SessionState
from contextmesh.session.verify import changes


def refresh(state: SessionState) -> SessionState:
    """The session as it is in its directory now; costs what others committed meanwhile. Takes no lock.

    What is new here is written again on top, as by ``checkpoint``, and is still new.

    Raises:
        SessionError: ``stale-session``, and why what others committed cannot be trusted.
        InputError: ``missing-session``: it has no directory.
    """
    if state.home is None or state.pending is None:
        message = "this session has no directory to be read again"
        raise InputError(Problem("missing-session", message, hint="save it to one first"))
    return caught_up(state, writing=False)


def caught_up(state: SessionState, *, writing: bool = True, rebases: bool = True) -> SessionState:
    """This session, or the newer one that somebody else committed with what is new here on top.

    Args:
        writing: whether the caller holds the writer lock, and goes on to write.
        rebases: False to refuse what is new here when somebody else came first.
    """
    home, pending, manifest = state.home, state.pending, state.manifest
    assert home is not None, "checked"
    assert pending is not None, "checked"
    newest = files.newest(home.path) or 0
    attempt = pending.attempt
    if newest != home.generation:
        if is_ours(home.path, state, newest):
            return state
        if attempt is not None and stands(home.path, attempt):
            pending.settle(attempt.mark)  # the disk had it after all, and others have built on it
    else:
        tail = _tail(state, home, writing)
        is_there = attempt is not None and attempt.end is not None and _holds(tail, attempt.end)
        if not tail.lines or (is_there and attempt is not None and tail.position == attempt.end):
            return state  # what stands there was refused half way, and is written again over itself
        if is_there and attempt is not None:
            pending.settle(attempt.mark)
        elif not pending and (state.carried, state.rounds) == (pending.carried, pending.rounds):
            folded = _folded(state, home, tail)
            if folded is not None:
                return folded
    adopted = manifest is not None and manifest.policy not in (None, state.graph.policy.digest)
    theirs = load(home.path, policy=state.graph.policy, adopt_policy=adopted)
    if not pending.follows(state.graph.store, state.resolver, state.walks):
        raise stale(state, theirs, note="its parts were exchanged, so what is new in them is not known")
    if not rebases:
        raise stale(state, theirs, note="what a plan did is not done again on another graph")
    return rebase(state, theirs)


def _folded(state: SessionState, home: Home, tail: Lines) -> SessionState | None:
    """The session with the lines of others in it; None when reading it anew must say what is wrong with them."""
    pending, manifest, history = state.pending, state.manifest, state.history
    assert pending is not None, "checked"
    if manifest is None or manifest.journal is None or history is None:
        return None
    if not pending.follows(state.graph.store, state.resolver, state.walks):
        return None
    if any(line.kind == "plan" for line in tail.lines):  # its files are checked whole
        return None
    held = state.carried
    plan = Plan(json.loads(held.execution), json.loads(held.ledger)) if held is not None else None
    day = history.day
    try:
        with pending.paused():
            Parts(state.graph.store, history, state.resolver, state.walks, plan).fold(
                tail.lines, str(home.path / manifest.journal)
            )
    except Refusal:
        return None
    finally:
        history.day = day
    notices = tuple(dict.fromkeys((*state.notices, *dated(history, day))))
    pending.settle(pending.mark())
    return replace(
        state, notices=notices, home=replace(home, position=tail.position, changes=home.changes + changes(tail))
    )


def _holds(tail: Lines, end: Position) -> bool:
    return any(line.at == end.lines and line.digest == end.head for line in tail.lines)


def _tail(state: SessionState, home: Home, writing: bool) -> Lines:
    """What stands in the journal after what this session has seen."""
    manifest = state.manifest
    if home.position is None or manifest is None or manifest.journal is None:
        return Lines((), Position(0, 0, ""))
    try:
        with append.opened(home.path, home.identity, manifest.journal, writing=writing) as journal:
            return journal.after(home.position)
    except OSError as error:
        raise SessionError(unwritable(home.path, error)) from None
