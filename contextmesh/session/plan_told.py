"""A plan that is carried and not at work, told what fell under it, so that its file says what the rules conclude."""

from __future__ import annotations

import json
from dataclasses import replace

from contextmesh.base.canon import pretty_bytes
from contextmesh.session.state import Carried, SessionState

DONE, STALE = "done", "stale"


def plan_told(state: SessionState) -> SessionState:
    """The session, each task of its plan that the file calls done and whose result or ground fell called stale.

    Whoever rejects an assumption may have no registry of the plan's workers, and so no runner that would say it.
    """
    held, pending = state.carried, state.pending
    if held is None or (pending is not None and not pending.transactions):
        return state
    engine, execution = state.graph.store.engine, json.loads(held.execution)
    fallen = [
        task
        for task in execution["tasks"]
        if task["state"] == DONE
        and (engine.holds("invalid", (task["node_id"],)) or engine.holds("status", (task["assumption_id"], "rejected")))
    ]
    if not fallen:
        return state
    for task in fallen:
        task["state"] = STALE
    return replace(state, carried=Carried(pretty_bytes(execution), held.ledger, held.ledger_head))
