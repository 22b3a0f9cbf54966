"""A generation as bytes: the companions by name, and the manifest that names them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from contextmesh.base.canon import pretty_bytes
from contextmesh.base.errors import InputError, Problem
from contextmesh.session.agree import misfits, require_resolver_fits
from contextmesh.session.base_form import records_to_files
from contextmesh.session.journal import Position, beginning, encode
from contextmesh.session.manifest import JOURNALLED, VERSION, Manifest, numbered
from contextmesh.session.state import SessionState
from contextmesh.session.telemetry import walk_body
from contextmesh.store.snapshot import graph_to_bytes

LARGE = 5_000
"""Nodes from which on version 2 would take over half a second to open, and four times what version 3 does."""


def version_of(state: SessionState, asked: int | None = None) -> int:
    """The version to write: what was asked for, or the smallest that can carry the session; one that is 3 stays it.

    A new session of more than ``LARGE`` nodes is written as 3: as one JSON value its graph takes seconds to open.

    Raises:
        InputError: out-of-range: that version is not written.
    """
    if asked is not None and asked not in (VERSION, JOURNALLED):
        message = f"version {asked} of a session is not written"
        raise InputError(Problem("out-of-range", message, subject="version", hint="2 or 3"))
    if asked is not None:
        return asked
    is_journalled = state.manifest is not None and state.manifest.version == JOURNALLED
    is_large = state.manifest is None and len(state.graph.store.nodes) > LARGE
    return JOURNALLED if is_journalled or is_large or len(state.walks) or state.is_dated else VERSION


def parts_of(state: SessionState, version: int) -> dict[str, bytes]:
    """The companions by kind, in the order in which they are written; without the journal.

    Raises:
        SnapshotError: ``unwritable-record``; SessionError: ``resolver-differs``. A reader would refuse what they name.
    """
    if misfits(state.resolver, state.graph.store, state.resolver.labels):
        require_resolver_fits(state.resolver, state.graph.store, "the table of names")
    if version == JOURNALLED:
        assert state.history is not None, "whoever commits sees to it"
        parts = records_to_files(state.graph.store, state.history)
    else:
        parts = {"graph": graph_to_bytes(state.graph.store)}
    parts["resolver"] = pretty_bytes(state.resolver.to_json())
    if state.carried is not None:
        parts["execution"] = state.carried.execution
        parts["runledger"] = state.carried.ledger
    return parts


@dataclass(frozen=True, slots=True)
class Generation:
    """What is to be written.

    Attributes:
        contents: the companions by file name.
        stated: the manifest's bytes.
        position: where the journal ends; None without one.
    """

    manifest: Manifest
    stated: bytes
    contents: dict[str, bytes]
    position: Position | None

    @property
    def records(self) -> dict[str, bytes]:
        """The files of the records by kind; none where the version has no such files."""
        named = {"records": self.manifest.records, "vectors": self.manifest.vectors}
        return {kind: self.contents[name] for kind, name in named.items() if name is not None}

    @classmethod
    def of(cls, state: SessionState, number: int, version: int) -> Generation:
        """The session as the generation of this number."""
        parts = parts_of(state, version)
        names = {kind: numbered(kind, number) for kind in parts}
        contents = {names[kind]: data for kind, data in parts.items()}
        manifest = Manifest(
            number,
            state.rounds,
            state.walker,
            names.get("graph"),
            names["resolver"],
            names.get("execution"),
            names.get("runledger"),
            state.carried.ledger_head if state.carried is not None else None,
        )
        if version != JOURNALLED:
            return cls(manifest, pretty_bytes(manifest.to_json()), contents, None)
        manifest = replace(
            manifest,
            version=JOURNALLED,
            records=names["records"],
            vectors=names.get("vectors"),
            journal=numbered("journal", number),
            policy=state.graph.policy.digest,
            digests=tuple((name, hashlib.sha256(contents[name]).hexdigest()) for name in sorted(contents)),
        )
        stated = pretty_bytes(manifest.to_json())
        # No other file has a place for the last walks: the journal begins with them.
        kept = [("walk", walk_body({}, {}, state.walks))] if len(state.walks) else []
        contents[numbered("journal", number)], position = encode(beginning(stated), kept)
        return cls(manifest, stated, contents, position)
