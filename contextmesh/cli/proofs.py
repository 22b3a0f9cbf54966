"""Proofs that ``ledger prove --json`` gave, checked by whoever holds a checkpoint, without the ledger."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from contextmesh.base import fields
from contextmesh.base.canon import canonical
from contextmesh.base.errors import InputError, LedgerIntegrityError
from contextmesh.base.fields import Fault
from contextmesh.base.strict import parse
from contextmesh.run.merkle import leaf_hash, verify_consistency, verify_inclusion

if TYPE_CHECKING:
    from contextmesh.run.checkpoint import Checkpoint

_HASH = 32
_INCLUSION = ("proof", "index", "size", "root", "leaf", "hashes", "entry")
_CONSISTENCY = ("proof", "since", "size", "root_since", "root", "hashes")


def check(data: bytes, file: str, trusted: Checkpoint) -> tuple[dict[str, Any], str | None]:
    """What a proof says, and why a checkpoint does not bear it out; None when it does.

    Raises:
        LedgerIntegrityError: it is no proof, with file and place.
    """
    document = parse(data, file, refusal=LedgerIntegrityError)
    try:
        value = document.value
        kind = value.get("proof") if isinstance(value, dict) else None
        if kind == "consistency":
            return _consistency(fields.record(value, _CONSISTENCY), trusted)
        return _inclusion(fields.record(value, _INCLUSION), trusted)
    except Fault as fault:
        raise LedgerIntegrityError(document.problem(fault)) from None


def _inclusion(row: Any, trusted: Checkpoint) -> tuple[dict[str, Any], str | None]:
    """An entry is in the log of the checkpoint: the hashes lead from it, as it is written here, to the signed root."""
    fields.word(row, "proof", ("inclusion", "consistency"))
    index, size, entry = fields.whole(row, "index"), fields.whole(row, "size"), fields.mapping(row, "entry")
    leaf, root, steps = _hash(row, "leaf"), _hash(row, "root"), _hashes(row)
    said = {"proof": "inclusion", "entry": index + 1, "size": size}
    if (size, root) != (trusted.size, trusted.root):
        return said, f"it is of a ledger of {size} entries, and not of the {trusted.size} of the checkpoint"
    if leaf != leaf_hash(_canonical(entry)) or entry.get("seq") != index + 1:
        return said, "the entry it shows is not the one it proves"
    holds = verify_inclusion(leaf, index, size, steps, root)
    return said, None if holds else "its hashes do not lead from the entry to the root of the checkpoint"


def _consistency(row: Any, trusted: Checkpoint) -> tuple[dict[str, Any], str | None]:
    """The log of the checkpoint begins another, or is begun by another, whose root stands in the proof."""
    since, size = fields.whole(row, "since"), fields.whole(row, "size")
    before, root, steps = _hash(row, "root_since"), _hash(row, "root"), _hashes(row)
    said = {"proof": "consistency", "since": since, "size": size}
    if (trusted.size, trusted.root) not in ((since, before), (size, root)):
        return said, f"neither of its sizes, {since} and {size}, has the root of the checkpoint of {trusted.size}"
    holds = verify_consistency(since, size, steps, before, root)
    return said, None if holds else f"its hashes do not show that the first {since} of {size} entries are the same"


def _canonical(entry: dict[str, Any]) -> bytes:
    try:
        return canonical(entry).encode("utf-8")
    except InputError as error:
        raise Fault(error.code, f"has no digest: {error.problem.message}", ("entry",)) from None


def _hash(row: Any, key: str) -> bytes:
    return _decoded(fields.text(row, key), (key,))


def _hashes(row: Any) -> tuple[bytes, ...]:
    return tuple(_decoded(text, ("hashes", number)) for number, text in enumerate(fields.texts(row, "hashes")))


def _decoded(text: str, path: tuple[str | int, ...]) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if len(data) != _HASH:
        raise Fault("malformed-digest", f"must be the base64 of {_HASH} bytes", path)
    return data
