"""``contextmesh.session``: what one generation consists of. Versions 1 and 2 are read; 2 is written."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from contextmesh.base import fields
from contextmesh.base.chain import is_digest
from contextmesh.base.fields import Fault, Row
from contextmesh.base.strict import Document

SCHEMA = "contextmesh.session"
VERSION = 2
VERSIONS = (1, 2)
POINTER = "session.json"
_NUMBERED = re.compile(r"session-([0-9]{6,})\.json\Z")
_V1 = ("schema", "version", "generation", "rounds", "walker", "graph", "resolver")
_V2 = (*_V1, "execution", "ledger", "ledger_head")
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
        execution, ledger: file names, both or neither.
        ledger_head: digest of the ledger's last entry, 64 hex digits.
        version: of the format it was read from.
    """

    generation: int
    rounds: int
    walker: WalkerSettings
    graph: str
    resolver: str
    execution: str | None = None
    ledger: str | None = None
    ledger_head: str | None = None
    version: int = VERSION

    @property
    def name(self) -> str:
        return numbered("session", self.generation)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of its companions."""
        names = (self.graph, self.resolver, self.execution, self.ledger)
        return tuple(name for name in names if name is not None)

    def to_json(self) -> dict[str, Any]:
        """The manifest as version 2."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "generation": self.generation,
            "rounds": self.rounds,
            "walker": {
                "hop_budget": self.walker.hop_budget,
                "policy": list(self.walker.policy),
                "flat_k": self.walker.flat_k,
                "max_expand": self.walker.max_expand,
            },
            "graph": self.graph,
            "resolver": self.resolver,
            "execution": self.execution,
            "ledger": self.ledger,
            "ledger_head": self.ledger_head,
        }


def numbered(kind: str, generation: int) -> str:
    """The name of a file of a generation: ``graph-000012.json``; the number grows past six digits."""
    return f"{kind}-{generation:06d}.json"


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
    row = fields.record(value, _V1 if version == 1 and type(version) is int else _V2)
    version = fields.header(row, SCHEMA, VERSIONS)
    number = fields.whole(row, "generation", least=1)
    if generation is not None and number != generation:
        raise Fault("generation-differs", f"is {number}, and the file is named {generation}", ("generation",))
    rounds = fields.whole(row, "rounds")
    walker = _walker(row, edge_types)
    graph, resolver = _name(row, "graph", "graph", number), _name(row, "resolver", "resolver", number)
    assert graph is not None, "checked to be text"
    assert resolver is not None, "checked to be text"
    if version == 1:
        return Manifest(number, rounds, walker, graph, resolver, version=1)
    execution = _name(row, "execution", "execution", number, null=True)
    ledger = _name(row, "ledger", "runledger", number, null=True)
    head = fields.text_or_none(row, "ledger_head")
    if head is not None and not is_digest(head):
        raise Fault("malformed-digest", "must be 64 lowercase hex digits", ("ledger_head",))
    given = [name for name in ("execution", "ledger", "ledger_head") if row[name] is not None]
    if given and len(given) != 3:
        absent = next(name for name in ("execution", "ledger", "ledger_head") if row[name] is None)
        note = "a plan, its ledger and the ledger's head come together or not at all"
        raise Fault("incomplete-plan", f"is null, and {given[0]} is not", (absent,), note=note)
    return Manifest(number, rounds, walker, graph, resolver, execution, ledger, head)


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
