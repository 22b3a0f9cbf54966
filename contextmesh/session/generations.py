"""What a session directory keeps to go back to: its generations, how two of them differ, and an old one made new."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from contextmesh.base.errors import Problem, Refusal, SessionError, Where
from contextmesh.datalog.ast import Row
from contextmesh.policy import Policy
from contextmesh.session.commit import Saved, prune, save
from contextmesh.session.files import generations, identity
from contextmesh.session.journal import Line, beginning, decode
from contextmesh.session.load import load, read_generation
from contextmesh.session.lock import writer_lock
from contextmesh.session.manifest import VERSION
from contextmesh.session.state import SessionState
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.records_past import Commit
from contextmesh.store.store import Store

CONCLUDED = ("fell", "invalid", "edge_dead", "status", "superseded")
"""Relations whose rows two generations are compared by: what became of nodes, edges and assumptions."""


LATEST = 1_000
"""How many transactions of a generation are told."""


# ---- log ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Logged:
    """One kept generation.

    Attributes:
        version: of its format; None when its manifest cannot be read.
        size: bytes of its files.
        counts: records by kind, build and the number of the last transaction; empty when it cannot be trusted.
        lines: what its journal holds, oldest first, as far as it verifies.
        transactions: the last of those that its records tell apart, oldest first.
        problems: why it cannot be trusted, or what a reader should know.
        whole: whether it loads.
    """

    generation: int
    version: int | None
    size: int
    counts: dict[str, int]
    lines: tuple[dict[str, Any], ...]
    problems: tuple[Problem, ...]
    whole: bool
    transactions: tuple[Commit, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "generation": self.generation,
            "version": self.version,
            "size": self.size,
            "whole": self.whole,
            "counts": self.counts,
            "journal": list(self.lines),
            "transactions": [{f.name: getattr(one, f.name) for f in fields(one)} for one in self.transactions],
            "problems": [problem.as_json() for problem in self.problems],
        }


def log(directory: Path, policy: Policy) -> tuple[Logged, ...]:
    """Every generation that is still there, newest first, each read as strictly as if it were opened.

    Raises:
        SessionError: no-session, not-a-folder, or the directory cannot be listed.
    """
    identity(directory)
    numbers = generations(directory)
    if numbers:
        return tuple(_logged(directory, policy, number) for number in numbers)
    state = load(directory, policy=policy)
    assert state.manifest is not None, "loaded"
    size = sum(_size(directory / name) for name in state.manifest.files)
    return (Logged(state.generation, state.manifest.version, size, counts_of(state), (), state.notices, True),)


def counts_of(state: SessionState) -> dict[str, int]:
    """How much a session holds."""
    store = state.graph.store
    return {
        "nodes": len(store.nodes),
        "live": store.engine.count("live"),
        "edges": len(store.edges),
        "assumptions": len(store.assumptions),
        "names": len(state.resolver.labels),
        "tasks": len(tasks_of(state)),
        "build": store.build,
        "transaction": store.seq,
        "rounds": state.rounds,
    }


def _logged(directory: Path, policy: Policy, number: int) -> Logged:
    version, size = None, 0
    lines: tuple[dict[str, Any], ...] = ()
    try:
        read = read_generation(directory, policy, number)
        version = read.manifest.version
        size = len(read.stated) + sum(map(len, read.files.values()))
        name = read.manifest.journal
        if name is not None:
            held = decode(read.files[name], beginning(read.stated), str(directory / name))
            lines = tuple(map(_told, held.lines))
        state = load(directory, policy=policy, generation=number)
    except Refusal as refusal:
        return Logged(number, version, size, {}, lines, refusal.problems, False)
    commits = tuple(state.history.commits)[-LATEST:] if state.history is not None else ()
    return Logged(number, version, size, counts_of(state), lines, state.notices, True, commits)


def _told(line: Line) -> dict[str, Any]:
    """A line of a journal in short: of a transaction its number, word and day, and how many records it put."""
    body = line.body
    if line.kind != "transaction":
        return {"at": line.at, "kind": line.kind}
    put = {name: len(body[name]) for name in ("nodes", "edges", "assumptions", "verdicts") if body.get(name)}
    told = {"transaction": body.get("seq"), "of": body.get("kind"), "day": body.get("day")}
    return {"at": line.at, "kind": line.kind, **told, "put": put}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


# ---- diff -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Changed:
    """A record of both, and the fields in which it differs, each as (before, after)."""

    id: str
    fields: dict[str, tuple[object, object]]


@dataclass(frozen=True, slots=True)
class Different:
    """The records of one kind.

    Attributes:
        added, gone: ids that only the later, only the earlier has.
    """

    added: tuple[str, ...]
    changed: tuple[Changed, ...]
    gone: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone)

    def as_json(self) -> dict[str, Any]:
        changed = [{"id": c.id, "fields": {name: list(pair) for name, pair in c.fields.items()}} for c in self.changed]
        return {"added": list(self.added), "changed": changed, "gone": list(self.gone)}


@dataclass(frozen=True, slots=True)
class Difference:
    """How two generations differ.

    Attributes:
        records: by kind: nodes, edges, assumptions, names, aliases, tasks.
        conclusions: for each relation of ``CONCLUDED`` the rows that came and went.
    """

    old: int
    new: int
    records: dict[str, Different]
    conclusions: dict[str, tuple[tuple[Row, ...], tuple[Row, ...]]]

    def __bool__(self) -> bool:
        return any(self.records.values()) or any(came or went for came, went in self.conclusions.values())

    def as_json(self) -> dict[str, Any]:
        return {
            "old": self.old,
            "new": self.new,
            "records": {kind: found.as_json() for kind, found in self.records.items()},
            "conclusions": {
                name: {"came": [list(row) for row in came], "went": [list(row) for row in went]}
                for name, (came, went) in self.conclusions.items()
            },
        }


def diff(old: SessionState, new: SessionState) -> Difference:
    """What changed from one state of a session to another, in records and in what the rules conclude."""
    one, other = old.graph.store, new.graph.store
    tables: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
        "nodes": (one.nodes, other.nodes),
        "edges": (one.edges, other.edges),
        "assumptions": (one.assumptions, other.assumptions),
        "names": (old.resolver.labels, new.resolver.labels),
        "aliases": (old.resolver.aliases, new.resolver.aliases),
        "tasks": (tasks_of(old), tasks_of(new)),
    }
    records = {kind: _compared(*pair) for kind, pair in tables.items()}
    conclusions = {name: _rows(one, other, name) for name in CONCLUDED if name in one.policy.program.declarations}
    return Difference(old.generation, new.generation, records, conclusions)


def tasks_of(state: SessionState) -> dict[str, dict[str, Any]]:
    """The rows of the plan by name; of a session without one, none."""
    if state.carried is None:
        return {}
    return {str(task["name"]): task for task in json.loads(state.carried.execution)["tasks"]}


def _compared(old: Mapping[str, Any], new: Mapping[str, Any]) -> Different:
    changed = []
    for id, record in new.items():
        if id in old and old[id] != record:
            changed.append(Changed(id, dict(_fields(old[id], record))))
    added = tuple(id for id in new if id not in old)
    return Different(added, tuple(changed), tuple(id for id in old if id not in new))


def _fields(old: Any, new: Any) -> Iterable[tuple[str, tuple[object, object]]]:
    before, after = _plain(old), _plain(new)
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield name, (before.get(name), after.get(name))


def _plain(record: Any) -> dict[str, Any]:
    """A record as plain values by field, the attributes of a node one by one, its vector as a word."""
    if isinstance(record, dict):
        return record
    if not isinstance(record, Node | Edge | Assumption):
        return {"value": record}
    plain = {field.name: getattr(record, field.name) for field in fields(record)}
    if isinstance(record, Node):
        read = record.provenance
        plain["provenance"] = None if read is None else {f.name: getattr(read, f.name) for f in fields(read)}
        plain["embedding"] = None if record.embedding is None else f"{len(record.embedding)} numbers"
        plain.update({f"attrs.{name}": value for name, value in plain.pop("attrs").items()})
    return plain


def _rows(old: Store, new: Store, relation: str) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    before, after = (dict.fromkeys(store.engine.rows(relation)) for store in (old, new))
    came, went = (row for row in after if row not in before), (row for row in before if row not in after)
    return tuple(sorted(came, key=repr)), tuple(sorted(went, key=repr))


# ---- fold, restore and migrate --------------------------------------------------------------


def fold(
    directory: Path, policy: Policy, *, wait: float = 0.0, adopt_policy: bool = False, pruning: bool = False
) -> Saved:
    """The newest generation with its journal folded in, as the next one; one with nothing to fold stays as it is.

    Args:
        adopt_policy: put a session that was written under other rules under those in force.
        pruning: remove the generations that are not kept though there is nothing to fold.

    Raises:
        SessionError: why it cannot be trusted. SessionLockedError: locked.
    """
    identity(directory)
    with writer_lock(directory, wait=wait) as held:
        state = load(directory, policy=policy, adopt_policy=adopt_policy)
        assert state.home is not None and state.manifest is not None, "loaded"
        if not (state.home.changes or state.notices):
            return Saved(state, (), prune(directory, policy) if pruning else ())
        version = max(VERSION, state.manifest.version)
        return save(directory, replace(state, manifest=None), version=version, held=held)


def restore(directory: Path, generation: int, policy: Policy, *, wait: float = 0.0, pruning: bool = False) -> Saved:
    """The content of an earlier generation, committed as the next one; nothing is undone, and nothing lost by it.

    The newest is restored by leaving it as it is.

    Args:
        pruning: remove the generations that are not kept though the newest is the one to restore.

    Raises:
        SessionError: no-generation; why the earlier one cannot be trusted. SessionLockedError: locked.
    """
    identity(directory)
    with writer_lock(directory, wait=wait) as held:
        state = load(directory, policy=policy, generation=generation)
        assert state.home is not None and state.manifest is not None, "loaded"
        newest = next(iter(generations(directory)), generation)
        if newest == generation:
            return Saved(state, (), prune(directory, policy) if pruning else ())
        home = replace(state.home, generation=newest, position=None, changes=0)
        version = max(VERSION, state.manifest.version)
        fresh = replace(state, home=home, manifest=None, pending=None)
        return save(directory, fresh, version=version, held=held)


def migrate(directory: Path, policy: Policy, version: int, *, wait: float = 0.0) -> Saved:
    """A session in a newer version of its format, as a new generation; one that has it already stays as it is.

    Raises:
        SessionError: no-way-back: it is of a newer version than asked for. SessionLockedError: locked.
    """
    identity(directory)
    with writer_lock(directory, wait=wait) as held:
        state = load(directory, policy=policy)
        assert state.manifest is not None, "loaded"
        if state.manifest.version > version:
            message = f"{directory} is of version {state.manifest.version}, and a migration never goes back"
            hint = (
                f"`contextmesh session export --version {VERSION} --out DIR` writes a copy that an older reader takes"
            )
            raise SessionError(Problem("no-way-back", message, str(directory), where=Where(str(directory)), hint=hint))
        if state.manifest.version == version:
            return Saved(state, ())
        return save(directory, state, version=version, held=held)
