"""What comes into a session from elsewhere: another session, a graph file, JSON lines, a memory server's file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from contextmesh.base.errors import InputError, Problem, Where
from contextmesh.base.files import read_bytes, read_start
from contextmesh.exchange.lines_read import read_lines
from contextmesh.exchange.memory import import_memory
from contextmesh.exchange.merge import merge
from contextmesh.exchange.report import Report
from contextmesh.resolve.resolver import Resolver
from contextmesh.session.load import load
from contextmesh.session.state import SessionState
from contextmesh.store.snapshot import graph_document, graph_from_document, recompute_document
from contextmesh.store.snapshot_load import Difference
from contextmesh.store.store import Store

FORMS = ("session", "graph", "lines", "memory")
_HEAD = 1 << 16
_LINES = re.compile(rb'\s*\{[^\n{\[]*"schema"\s*:\s*"contextmesh\.lines"')
_MEMORY = re.compile(rb'\s*\{\s*"(?:type|name|entityType|observations|from|to|relationType)"\s*:')
"""What the first line begins with: a header without inner values, or a key that only a memory file has."""


def take_in(
    state: SessionState, path: Path, *, form: str | None = None, recompute: bool = False
) -> tuple[SessionState, Report]:
    """The session with what the path holds in it, not yet saved; all of it, or a refusal.

    Args:
        form: one of ``FORMS``; guessed when left out.
        recompute: take a graph file or JSON lines whose stated conclusions differ from what the rules derive, and
            tell each difference.

    Raises:
        InputError, SnapshotError, ResolverSnapshotError, SessionError: it is not of its form, with the place.
        OntologyError: ``import-conflict``, and what the rules refuse.
    """
    form = _form(path) if form is None else form
    if form not in FORMS:
        message = f"there is no form {form!r} to import"
        raise InputError(Problem("unknown-form", message, form, hint=", ".join(FORMS)))
    if form == "session":
        return _session(state, path)
    data = read_bytes(path)
    if form == "memory":
        return state, import_memory(state.graph, state.resolver, data, str(path))
    if form == "lines":
        foreign = read_lines(data, str(path), state.graph.policy, recompute=recompute)
        return _merged(state, path, form, foreign.store, foreign.resolver, foreign.differences)
    document = graph_document(data, str(path))
    if not recompute:
        store = graph_from_document(document, state.graph.policy)
        return _merged(state, path, form, store, Resolver(), ())
    found = recompute_document(document, state.graph.policy)
    return _merged(state, path, form, found.store, Resolver(), found.differences)


def _session(state: SessionState, path: Path) -> tuple[SessionState, Report]:
    other = load(path, policy=state.graph.policy)
    report = Report(str(path), "session")
    state = _with(state, other.graph.store, other.resolver, report)
    if other.carried is None or other.carried == state.carried:
        return state, report
    if state.carried is None:
        return replace(state, carried=other.carried, rounds=other.rounds), report
    report.note("plan-left", "this session has a plan of its own, so the plan that would come in stays where it is")
    return state, report


def _merged(
    state: SessionState,
    path: Path,
    form: str,
    store: Store,
    names: Resolver,
    differences: Sequence[Difference],
) -> tuple[SessionState, Report]:
    report = Report(str(path), form)
    for one in differences:
        text = f"its {one.field} says {one.stated}, and the rules derive {one.derived}"
        report.note("conclusion-differs", text, subject=one.id)
    if form == "graph":
        for node in store.nodes.values():
            if node.type == "entity":
                names.register(node.id, node.label, _aliases(node.attrs.get("aliases")))
    return _with(state, store, names, report), report


def _with(state: SessionState, store: Store, names: Resolver, report: Report) -> SessionState:
    """What comes in keeps the order in which it happened, which no line of a journal can say: a generation does."""
    if state.pending is None:
        return replace(state, resolver=merge(state.graph, state.resolver, store, names, report))
    with state.pending.paused():
        resolver = merge(state.graph, state.resolver, store, names, report)
    if resolver is state.resolver and not (report.written or report.changed):
        return state
    state.pending.stop()
    return replace(state, resolver=resolver, pending=None)


def _aliases(value: object) -> tuple[str, ...]:
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, list) else ()


def _form(path: Path) -> str:
    """What the path holds, by its first bytes; raises InputError when it cannot be read."""
    if path.is_dir():
        return "session"
    head = read_start(path, _HEAD)
    if _LINES.match(head):
        return "lines"
    if _MEMORY.match(head):
        return "memory"
    if not head.lstrip().startswith(b"{"):
        message = f"{path} is none of the forms that can be imported"
        hint = f"name its form: --as {' | '.join(FORMS)}"
        raise InputError(Problem("unknown-form", message, str(path), where=Where(str(path)), hint=hint))
    return "graph"
