"""A plan and its ledger, which this layer carries but does not run: strict containers, a whole chain, known ids."""

from __future__ import annotations

from typing import Any

from contextmesh.base import fields
from contextmesh.base.chain import is_digest, verify
from contextmesh.base.errors import SessionError
from contextmesh.base.fields import Fault
from contextmesh.base.strict import parse
from contextmesh.session.state import Carried
from contextmesh.store.store import Store

EXECUTION = "contextmesh.execution"
LEDGER = "contextmesh.runledger"
_EXECUTION = ("schema", "version", "plan", "round", "tasks")
_TASK = (
    *("name", "title", "rationale", "assumes", "state", "attempt", "needs", "produces", "artefacts"),
    *("worker_key", "auditor_key", "node_id", "assumption_id", "output"),
)
_STATES = ("pending", "done", "stale", "failed")
_LEDGER = ("schema", "version", "head", "entries")
_ENTRY = ("seq", "round", "event", "task", "detail", "node_id", "assumption_id", "data", "digest")
_EVENTS = ("executed", "audited", "disproved", "invalidated", "repaired", "cached", "blocked", "failed")


def carried(execution: bytes, ledger: bytes, head: str, names: tuple[str, str], store: Store) -> Carried:
    """The pair, once each is what its format says and both fit the graph and each other.

    Raises:
        SessionError: what is wrong, with file and place.
    """
    plan, log = (parse(data, name, refusal=SessionError) for data, name in zip((execution, ledger), names, strict=True))
    try:
        tasks, round = _plan(plan.value, store)
    except Fault as fault:
        raise SessionError(plan.problem(fault)) from None
    try:
        _ledger(log.value, head, tasks, round, store)
    except Fault as fault:
        raise SessionError(log.problem(fault)) from None
    return Carried(execution, ledger, head)


def _plan(value: object, store: Store) -> tuple[dict[str, None], int]:
    row = fields.record(value, _EXECUTION)
    fields.header(row, EXECUTION, (1,))
    fields.text(row, "plan", empty=False)
    round = fields.whole(row, "round")
    names: dict[str, None] = {}
    for index, task in enumerate(fields.array(row, "tasks")):
        try:
            name = _task(task, store)
            if name in names:
                raise Fault("two-identities", f"is {fields.shown(name)}, which another task has", ("name",))
        except Fault as fault:
            raise fault.under("tasks", index) from None
        names[name] = None
    return names, round


def _task(value: object, store: Store) -> str:
    row = fields.record(value, _TASK)
    for key in ("title", "rationale", "assumes"):
        fields.text(row, key)
    fields.word(row, "state", _STATES)
    fields.whole(row, "attempt")
    for key in ("needs", "produces", "artefacts"):
        fields.texts(row, key)
    for key in ("worker_key", "auditor_key"):
        name = (
            fields.text_or_none(row, key, empty=False) if key == "auditor_key" else fields.text(row, key, empty=False)
        )
        if name is not None and (not name.isprintable() or any(char.isspace() for char in name)):
            raise Fault("out-of-range", "must be printable and without spaces", (key,))
    fields.mapping(row, "output")
    node = fields.text_or_none(row, "node_id", empty=False)
    if node is not None and (node not in store.nodes or store.nodes[node].type != "decision"):
        raise Fault("unknown-id", f"names {fields.shown(node)}, which is no decision of the graph", ("node_id",))
    assumption = fields.text(row, "assumption_id", empty=False)
    record = store.assumptions.get(assumption)
    if record is None:
        raise Fault("unknown-id", f"names {fields.shown(assumption)}, which the graph lacks", ("assumption_id",))
    if record.statement != row["assumes"]:
        raise Fault("statement-differs", "is not what the graph's assumption says", ("assumes",), subject=assumption)
    return fields.text(row, "name", empty=False)


def _ledger(value: object, head: str, tasks: dict[str, None], round: int, store: Store) -> None:
    row = fields.record(value, _LEDGER)
    fields.header(row, LEDGER, (1,))
    if not is_digest(row["head"]):
        raise Fault("malformed-digest", "must be 64 lowercase hex digits", ("head",))
    pairs = []
    for index, entry in enumerate(fields.array(row, "entries")):
        try:
            pairs.append(_entry(entry, index, tasks, round, store))
        except Fault as fault:
            raise fault.under("entries", index) from None
    verdict = verify(pairs)
    if verdict.broken_at is not None:
        path = ("entries", verdict.broken_at, "digest")
        raise Fault("ledger-broken", "is not the digest of this entry after the one before", path)
    if row["head"] != verdict.head:
        raise Fault("ledger-broken", "is not the digest of the last entry", ("head",))
    if head != verdict.head:
        note = f"the manifest says {head}"
        raise Fault("head-differs", "is not the head that was committed", ("head",), note=note)


def _entry(value: object, index: int, tasks: dict[str, None], round: int, store: Store) -> tuple[dict[str, Any], str]:
    row = fields.record(value, _ENTRY)
    if fields.whole(row, "seq", least=1) != index + 1:
        raise Fault("out-of-range", f"must be {index + 1}, and is {row['seq']}", ("seq",))
    if fields.whole(row, "round") > round:
        raise Fault("out-of-range", f"is {row['round']}, and the plan is in round {round}", ("round",))
    fields.word(row, "event", _EVENTS)
    fields.text(row, "detail")
    if fields.text(row, "task") not in tasks:
        raise Fault("unknown-id", f"names {fields.shown(row['task'])}, which the plan lacks", ("task",))
    for key, known in (("node_id", store.nodes), ("assumption_id", store.assumptions)):
        id = fields.text_or_none(row, key)
        if id is not None and id not in known:
            raise Fault("unknown-id", f"names {fields.shown(id)}, which the graph lacks", (key,))
    fields.mapping(row, "data")
    if not is_digest(row["digest"]):
        raise Fault("malformed-digest", "must be 64 lowercase hex digits", ("digest",))
    return {key: row[key] for key in _ENTRY if key != "digest"}, row["digest"]
