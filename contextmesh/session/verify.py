"""The bytes of one generation to a session, or a refusal: each file strictly, then what the files say of each other."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from contextmesh.base.errors import Problem, ResolverSnapshotError, SessionError, SnapshotError, Where
from contextmesh.base.fields import Fault
from contextmesh.base.strict import parse
from contextmesh.graph.graph import ContextGraph
from contextmesh.graph.history import History
from contextmesh.policy import Policy
from contextmesh.resolve.snapshot import resolver_from_bytes
from contextmesh.session.agree import require_resolver_fits
from contextmesh.session.base_form import records_from_files
from contextmesh.session.companions import carried
from contextmesh.session.digests import changed_file, require_committed
from contextmesh.session.fold import Parts, torn_tail
from contextmesh.session.journal import Lines, beginning, decode
from contextmesh.session.manifest import JOURNALLED, Manifest
from contextmesh.session.plan_lines import Plan
from contextmesh.session.state import Carried, Home, SessionState
from contextmesh.session.telemetry import Walks
from contextmesh.store.snapshot import graph_from_bytes


@dataclass(frozen=True, slots=True)
class Read:
    """A generation as bytes: its manifest and every file that names.

    Attributes:
        stated: the manifest's own bytes.
    """

    manifest: Manifest
    stated: bytes
    files: dict[str, bytes]


def verified(directory: Path, read: Read, policy: Policy, *, adopt_policy: bool = False) -> SessionState:
    """The session of a generation. Its home says what was read; which directory that is, the caller knows.

    Raises:
        SessionError: what cannot be trusted, with file and place.
    """
    if read.manifest.version == JOURNALLED:
        return _journalled(directory, read, policy, adopt_policy)
    manifest, files = read.manifest, read.files
    place = {name: str(directory / name) for name in manifest.files}
    assert manifest.graph is not None, "every version before has one"
    try:
        store = graph_from_bytes(files[manifest.graph], policy, place[manifest.graph])
        resolver = resolver_from_bytes(files[manifest.resolver], place[manifest.resolver])
    except (SnapshotError, ResolverSnapshotError) as error:
        raise SessionError(*error.problems) from None
    require_resolver_fits(resolver, store, place[manifest.resolver], files[manifest.resolver])
    pair = None
    if manifest.execution is not None and manifest.ledger is not None and manifest.ledger_head is not None:
        names = (place[manifest.execution], place[manifest.ledger])
        execution, ledger = files[manifest.execution], files[manifest.ledger]
        pair = carried(execution, ledger, manifest.ledger_head, names, store)
    require_committed(directory, manifest, files)
    home = Home(directory, 0, 0, manifest.generation)
    return SessionState(
        ContextGraph(store=store),
        resolver,
        manifest.walker,
        manifest.rounds,
        pair,
        home,
        manifest,
        history=History(store),
    )


def _journalled(directory: Path, read: Read, policy: Policy, adopt_policy: bool) -> SessionState:
    manifest, files = read.manifest, read.files
    assert manifest.records is not None, "version 3 names them"
    assert manifest.journal is not None, "version 3 names it"
    notices = _policy_in_force(directory / manifest.name, manifest, policy, adopt_policy)
    place = {name: str(directory / name) for name in manifest.files}
    vectors = files[manifest.vectors] if manifest.vectors is not None else None
    try:
        store, history = records_from_files(files[manifest.records], vectors, place[manifest.records], policy)
        resolver = resolver_from_bytes(files[manifest.resolver], place[manifest.resolver])
    except (SnapshotError, ResolverSnapshotError) as error:
        raise SessionError(*error.problems) from None
    plan = _plan(manifest, files, place)
    _require_digests(directory, manifest, files)
    lines = decode(files[manifest.journal], beginning(read.stated), place[manifest.journal])
    parts = Parts(store, history, resolver, Walks(), plan)
    parts.fold(lines.lines, place[manifest.journal])
    history.day = None  # nobody but the deployment knows what day it is now
    if lines.torn:
        path = directory / manifest.journal
        notices = (*notices, torn_tail(path, lines.position.lines + 1, lines.torn))
    require_resolver_fits(resolver, store, place[manifest.resolver])
    pair, rounds = _pair(manifest, files, place, parts)
    home = Home(directory, 0, 0, manifest.generation, lines.position, changes(lines))
    graph = ContextGraph(store=store)
    return SessionState(
        graph,
        resolver,
        manifest.walker,
        rounds,
        pair,
        home,
        manifest,
        walks=parts.walks,
        history=history,
        notices=notices,
    )


def changes(lines: Lines) -> int:
    """How many lines change what the other files of the generation hold; walks that are merely kept do not."""
    return sum(1 for line in lines.lines if line.kind != "walk" or line.body["nodes"] or line.body["edges"])


def _policy_in_force(path: Path, manifest: Manifest, policy: Policy, adopt: bool) -> tuple[Problem, ...]:
    if manifest.policy == policy.digest:
        return ()
    fields = (("stated", manifest.policy), ("in_force", policy.digest))
    message = f"{path} was written under other rules than those in force"
    where, note = Where(str(path)), "what the rules conclude of it may be something else now"
    if adopt:
        hint = "the next write puts the session under these rules"
        message = f"{message}, which were adopted"
        return (Problem("policy-adopted", message, str(path), fields, where, note=note, hint=hint),)
    hint = (
        "`contextmesh rules diff` shows what would fall and what would stand up, and "
        f"`contextmesh session save --adopt-policy --session {path.parent}` puts it under the rules in force"
    )
    raise SessionError(Problem("policy-differs", message, str(path), fields, where, note=note, hint=hint))


def _require_digests(directory: Path, manifest: Manifest, files: dict[str, bytes]) -> None:
    for name, digest in manifest.digests:
        if hashlib.sha256(files[name]).hexdigest() != digest:
            raise SessionError(changed_file(directory / name, files[name]))


def _plan(manifest: Manifest, files: dict[str, bytes], place: dict[str, str]) -> Plan | None:
    if manifest.execution is None or manifest.ledger is None:
        return None
    execution = parse(files[manifest.execution], place[manifest.execution], refusal=SessionError)
    ledger = parse(files[manifest.ledger], place[manifest.ledger], refusal=SessionError)
    head = ledger.value.get("head") if isinstance(ledger.value, dict) else None
    if head != manifest.ledger_head:
        note = f"the manifest says {manifest.ledger_head}"
        fault = Fault("head-differs", "is not the head that was committed", ("head",), note=note)
        raise SessionError(ledger.problem(fault))
    return Plan(execution.value, ledger.value)


def _pair(
    manifest: Manifest, files: dict[str, bytes], place: dict[str, str], parts: Parts
) -> tuple[Carried | None, int]:
    if parts.plan is None or manifest.execution is None or manifest.ledger is None or manifest.ledger_head is None:
        return None, manifest.rounds
    names = (place[manifest.execution], place[manifest.ledger])
    if not parts.plan.changed:
        execution, ledger = files[manifest.execution], files[manifest.ledger]
        return carried(execution, ledger, manifest.ledger_head, names, parts.store), manifest.rounds
    now = parts.plan.carried()
    return carried(now.execution, now.ledger, now.ledger_head, names, parts.store), parts.plan.execution["round"]
