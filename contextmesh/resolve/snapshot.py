"""``contextmesh.resolver`` version 1: written exactly, and read as untrusted input."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from contextmesh.base import fields
from contextmesh.base.errors import ResolverSnapshotError
from contextmesh.base.fields import Fault, Row
from contextmesh.base.strict import Document, from_value, parse
from contextmesh.resolve.resolver import Attempt, Resolution, Resolver, Step

SCHEMA = "contextmesh.resolver"
VERSION = 1
_CONTAINER = ("schema", "version", "threshold", "canonical", "aliases", "blocks", "log")
STEPS = ("label", "alias", "claim", "block")
_LOG_ROW = ("mention", "canonical_id", "canonical_label", "score", "reason")


def resolver_to_json(resolver: Resolver) -> dict[str, Any]:
    """The container; blocks ascending, the log in the order of the attempts."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "threshold": resolver.threshold,
        "canonical": dict(resolver.labels),
        "aliases": dict(resolver.aliases),
        "blocks": {key: sorted(ids) for key, ids in resolver.blocks.items()},
        "log": [attempt_to_json(attempt) for attempt in resolver.log],
    }


def attempt_to_json(attempt: Attempt) -> dict[str, Any]:
    """One row of the log."""
    return {
        "mention": attempt.mention,
        "canonical_id": attempt.resolution.id,
        "canonical_label": attempt.resolution.label,
        "score": attempt.resolution.score,
        "reason": attempt.resolution.reason,
    }


def learned_from_json(body: object, resolver: Resolver) -> tuple[tuple[Step, ...], tuple[Attempt, ...]]:
    """What a table learned after it stood as ``resolver``, read as untrusted: ``Resolver.take`` takes it up.

    Raises:
        Fault: what is wrong, with its path.
    """
    row = fields.record(body, ("steps", "log"))
    labels = dict[str, str]()
    steps: list[Step] = []
    for index, value in enumerate(fields.array(row, "steps")):
        if not isinstance(value, list) or len(value) != 3 or not all(isinstance(part, str) for part in value):
            raise Fault("wrong-type", "must be a kind of step and its two texts", ("steps", index))
        kind, key, named = value
        if kind not in STEPS:
            raise Fault("unknown-word", f"is {fields.shown(kind)}, which is no kind of step", ("steps", index, 0))
        if kind == "label":
            there = labels.get(key, resolver.labels.get(key, named))
            if there != named:
                raise Fault("two-identities", f"gives {fields.shown(key)} another label", ("steps", index), subject=key)
            labels[key] = named
        elif named not in labels:
            _require_known(named, resolver.labels, "steps", index, 2)
        steps.append((kind, key, named))
    known = ChainMap(labels, resolver.labels)  # type: ignore[arg-type]
    log: list[Attempt] = []
    for index, value in enumerate(fields.array(row, "log")):
        try:
            log.append(Attempt(*_log_row(value, known)))
        except Fault as fault:
            raise fault.under("log", index) from None
    return tuple(steps), tuple(log)


def resolver_from_json(data: object, file: str = "<resolver>") -> Resolver:
    """A resolver from a value that was read elsewhere.

    Raises:
        ResolverSnapshotError: what is wrong, with its JSON path.
    """
    return resolver_from_document(from_value(data, file, refusal=ResolverSnapshotError))


def resolver_from_bytes(data: bytes, file: str) -> Resolver:
    """A resolver from the bytes of its file.

    Raises:
        ResolverSnapshotError: what is wrong, with line, column and JSON path.
    """
    return resolver_from_document(parse(data, file, refusal=ResolverSnapshotError))


def resolver_from_document(document: Document) -> Resolver:
    """A resolver from strict JSON; nothing is visible until all of it is verified."""
    try:
        return _resolver(fields.record(document.value, _CONTAINER))
    except Fault as fault:
        raise ResolverSnapshotError(document.problem(fault)) from None


def _resolver(row: Row) -> Resolver:
    fields.header(row, SCHEMA, (VERSION,))
    threshold = fields.number(row, "threshold")
    if not 0.0 <= threshold <= 1.0:
        raise Fault("out-of-range", f"must be from 0 to 1, and is {threshold}", ("threshold",))
    labels = _texts_by_key(row, "canonical")
    aliases = _texts_by_key(row, "aliases")
    for form, id in aliases.items():
        _require_known(id, labels, "aliases", form)
    blocks = fields.mapping(row, "blocks")
    for key in blocks:
        try:
            ids = fields.texts(blocks, key)
        except Fault as fault:
            raise fault.under("blocks") from None
        for index, id in enumerate(ids):
            _require_known(id, labels, "blocks", key, index)
    log: list[Attempt] = []
    shared: dict[Resolution, Resolution] = {}  # a long log repeats itself
    for index, value in enumerate(fields.array(row, "log")):
        try:
            mention, resolution = _log_row(value, labels)
        except Fault as fault:
            raise fault.under("log", index) from None
        log.append(Attempt(mention, shared.setdefault(resolution, resolution)))
    return Resolver.restored(threshold, labels, aliases, blocks, log)


def _log_row(value: object, labels: Mapping[str, str]) -> tuple[str, Resolution]:
    row = fields.record(value, _LOG_ROW)
    mention = fields.text(row, "mention")
    id = fields.text_or_none(row, "canonical_id")
    label = fields.text_or_none(row, "canonical_label")
    score = fields.number(row, "score")
    reason = fields.text(row, "reason")
    if (id is None) != (label is None):
        raise Fault("half-resolved", "has an id without a label, or a label without an id")
    if id is not None:
        _require_known(id, labels, "canonical_id")
        if labels[id] != label:
            note = f"canonical says {fields.shown(labels[id])}"
            raise Fault("label-differs", f"is {fields.shown(label)}", ("canonical_label",), subject=id, note=note)
    return mention, Resolution(id, label, score, reason)


def _texts_by_key(row: Row, key: str) -> dict[str, str]:
    values = fields.mapping(row, key)
    for name in values:
        try:
            fields.text(values, name)
        except Fault as fault:
            raise fault.under(key) from None
    return values


def _require_known(id: str, labels: Mapping[str, str], *path: str | int) -> None:
    if id not in labels:
        message = f"names {fields.shown(id)}, which is not in canonical"
        raise Fault("unknown-id", message, path, subject=id)
