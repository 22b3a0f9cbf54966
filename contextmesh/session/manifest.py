"""``contextmesh.session``: what one generation consists of.

Version 1 is read. Version 2 is written for what its files can carry. Version 3 holds the records in a form that opens
fast and keeps transactions apart, and names a journal, so that a small change costs what changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from contextmesh.base import fields
from contextmesh.base.chain import is_digest
from contextmesh.base.fields import Fault, Row
from contextmesh.base.strict import Document

SCHEMA = "contextmesh.session"
VERSION = 2
JOURNALLED = 3
VERSIONS = (1, 2, 3)
POINTER = "session.json"
_NUMBERED = re.compile(r"session-([0-9]{6,})\.json\Z")
_V1 = ("schema", "version", "generation", "rounds", "walker", "graph", "resolver")
_PLAN = ("execution", "ledger", "ledger_head")
_V2 = (*_V1, *_PLAN)
_V3 = (*(key for key in _V2 if key != "graph"), "records", "vectors", "journal", "policy", "digests")
_KEYS = {1: _V1, 3: _V3}
_SUFFIXES = {"records": "jsonl", "journal": "jsonl", "vectors": "f32"}
_WALKER = ("hop_budget", "policy", "flat_k", "max_expand")
_POLICY = (
    *("mentions", "derived_from", "supports", "cites", "contradicts"),
    *("depends_on", "produces", "supersedes", "justified_by"),
)


@dataclass(frozen=True, slots=True)
class WalkerSettings:
    """What a session keeps about its walker.

    Attributes:
        hop_budget: edges from a seed at most.
        policy: edge types in order of preference, each once.
        flat_k: chunks a flat search would read, for comparing costs.
        max_expand: nodes a walk expands at most.
    """

    hop_budget: int = 6
    policy: tuple[str, ...] = _POLICY
    flat_k: int = 40
    max_expand: int = 260


@dataclass(frozen=True, slots=True)
class Manifest:
    """One generation.

    Attributes:
        generation: its number, from 1.
        rounds: execution rounds so far.
        graph: a file name; None from version 3 on, which has ``records`` and perhaps ``vectors`` in its place.
        execution, ledger: file names, both or neither.
        ledger_head: digest of the ledger's last entry, 64 hex digits.
        version: of the format it was read from, and is written in.
        journal: the file that further changes are appended to, from version 3 on.
        policy: digest of the policy in force when it was written, from version 3 on.
        digests: from version 3 on, the SHA-256 of each companion but the journal, by file name, in order of name.
    """

    generation: int
    rounds: int
    walker: WalkerSettings
    graph: str | None
    resolver: str
    execution: str | None = None
    ledger: str | None = None
    ledger_head: str | None = None
    version: int = VERSION
    records: str | None = None
    vectors: str | None = None
    journal: str | None = None
    policy: str | None = None
    digests: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        return numbered("session", self.generation)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of its companions."""
        names = (self.graph, self.records, self.vectors, self.resolver, self.execution, self.ledger, self.journal)
        return tuple(name for name in names if name is not None)

    def to_json(self) -> dict[str, Any]:
        """The manifest as the version it is of; what was read as version 1 is written as version 2."""
        own: dict[str, Any] = {"graph": self.graph}
        if self.version == JOURNALLED:
            own = {
                "records": self.records,
                "vectors": self.vectors,
                "journal": self.journal,
                "policy": self.policy,
                "digests": dict(self.digests),
            }
        return {
            "schema": SCHEMA,
            "version": max(self.version, VERSION),
            "generation": self.generation,
            "rounds": self.rounds,
            "walker": {
                "hop_budget": self.walker.hop_budget,
                "policy": list(self.walker.policy),
                "flat_k": self.walker.flat_k,
                "max_expand": self.walker.max_expand,
            },
            "resolver": self.resolver,
            "execution": self.execution,
            "ledger": self.ledger,
            "ledger_head": self.ledger_head,
            **own,
        }


def numbered(kind: str, generation: int) -> str:
    """The name of a file of a generation: ``graph-000012.json``; the number grows past six digits."""
    return f"{kind}-{generation:06d}.{_SUFFIXES.get(kind, 'json')}"


def generation_of(name: str) -> int | None:
    """The generation a manifest's file name says, or None for any other name."""
    match = _NUMBERED.match(name)
    if match is None or name != numbered("session", int(match[1])) or int(match[1]) < 1:
        return None
    return int(match[1])


def read_manifest(document: Document, edge_types: Collection[str] | None, *, generation: int | None = None) -> Manifest:
    """A manifest read as untrusted.

    Args:
        edge_types: what a walker's policy may name; None when that is not known yet.
        generation: what the file's own name says, or None for the pointer.

    Raises:
        Fault: what is wrong.
    """
    value = document.value
    version = value.get("version") if isinstance(value, dict) else None
    row = fields.record(value, _KEYS.get(version, _V2) if type(version) is int else _V2)
    version = fields.header(row, SCHEMA, VERSIONS)
    number = fields.whole(row, "generation", least=1)
    if generation is not None and number != generation:
        raise Fault("generation-differs", f"is {number}, and the file is named {generation}", ("generation",))
    rounds = fields.whole(row, "rounds")
    walker = _walker(row, edge_types)
    graph = None if version == JOURNALLED else _name(row, "graph", "graph", number)
    resolver = _name(row, "resolver", "resolver", number)
    assert resolver is not None, "checked to be text"
    if version == 1:
        return Manifest(number, rounds, walker, graph, resolver, version=1)
    execution, ledger, head = _plan(row, number)
    if version == VERSION:
        return Manifest(number, rounds, walker, graph, resolver, execution, ledger, head)
    made = Manifest(
        number,
        rounds,
        walker,
        None,
        resolver,
        execution,
        ledger,
        head,
        JOURNALLED,
        _name(row, "records", "records", number),
        _name(row, "vectors", "vectors", number, null=True),
        _name(row, "journal", "journal", number),
        _digest(row, "policy"),
    )
    return replace(made, digests=_digests(row, made))


def _plan(row: Row, number: int) -> tuple[str | None, str | None, str | None]:
    execution = _name(row, "execution", "execution", number, null=True)
    ledger = _name(row, "ledger", "runledger", number, null=True)
    head = None if row["ledger_head"] is None else _digest(row, "ledger_head")
    given = [name for name in _PLAN if row[name] is not None]
    if given and len(given) != len(_PLAN):
        absent = next(name for name in _PLAN if row[name] is None)
        note = "a plan, its ledger and the ledger's head come together or not at all"
        raise Fault("incomplete-plan", f"is null, and {given[0]} is not", (absent,), note=note)
    return execution, ledger, head


def _digest(row: Row, key: str) -> str:
    digest = fields.text(row, key)
    if not is_digest(digest):
        raise Fault("malformed-digest", "must be 64 lowercase hex digits", (key,))
    return digest


def _digests(row: Row, manifest: Manifest) -> tuple[tuple[str, str], ...]:
    """One for each companion that never changes; the journal grows, and its lines are chained to this manifest."""
    stated = fields.mapping(row, "digests")
    try:
        fields.record(stated, [name for name in manifest.files if name != manifest.journal])
        return tuple((name, _digest(stated, name)) for name in sorted(stated))
    except Fault as fault:
        raise fault.under("digests") from None


def _walker(row: Row, edge_types: Collection[str] | None) -> WalkerSettings:
    """Further keys of this one object are let pass: files in use may hold them."""
    walker = fields.mapping(row, "walker")
    try:
        for name in _WALKER:
            if name not in walker:
                raise Fault("missing-key", f"lacks {name}", fields=(("missing", name),))
        policy = fields.texts(walker, "policy")
        for index, name in enumerate(policy):
            if edge_types is not None and name not in edge_types:
                raise Fault("unknown-word", f"is {fields.shown(name)}, which is no edge type", ("policy", index))
            if name in policy[:index]:
                raise Fault("repeated-word", f"names {name} a second time", ("policy", index))
        return WalkerSettings(
            fields.whole(walker, "hop_budget", least=1),
            policy,
            fields.whole(walker, "flat_k", least=1),
            fields.whole(walker, "max_expand", least=1),
        )
    except Fault as fault:
        raise fault.under("walker") from None


def _name(row: Row, key: str, kind: str, generation: int, *, null: bool = False) -> str | None:
    name = fields.text_or_none(row, key) if null else fields.text(row, key)
    right = numbered(kind, generation)
    if name is not None and name != right:
        raise Fault("wrong-name", f"is {fields.shown(name)}, and must be {right}", (key,))
    return name
