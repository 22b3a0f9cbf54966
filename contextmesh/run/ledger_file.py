"""``contextmesh.runledger`` version 1: entries written exactly, and read as untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextmesh.base import fields
from contextmesh.base.canon import canonical, pretty_bytes
from contextmesh.base.chain import Verdict, is_digest, verify
from contextmesh.base.errors import InputError, LedgerIntegrityError
from contextmesh.base.fields import Fault
from contextmesh.base.strict import Document, from_value, parse
from contextmesh.run.ledger import EVENTS, FIELDS, Entry, RunLedger, Salts
from contextmesh.run.redact import Disclosure

SCHEMA = "contextmesh.runledger"
VERSION = 1
CONTAINER = ("schema", "version", "head", "entries")
NAME = "<ledger>"


def ledger_to_json(ledger: RunLedger) -> dict[str, Any]:
    """The container, entries in order."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "head": ledger.head,
        "entries": [entry.as_json() for entry in ledger],
    }


def ledger_to_bytes(ledger: RunLedger) -> bytes:
    """The whole file."""
    return pretty_bytes(ledger_to_json(ledger))


def ledger_from_bytes(
    data: bytes,
    file: str = NAME,
    *,
    expect_head: str | None = None,
    disclosures: Sequence[Disclosure] = (),
    salts: Salts | None = None,
) -> RunLedger:
    """Raises LedgerIntegrityError for whatever is wrong with a file, with its place."""
    document = parse(data, file, refusal=LedgerIntegrityError)
    return ledger_from_document(document, expect_head=expect_head, disclosures=disclosures, salts=salts)


def ledger_from_value(
    data: object,
    *,
    expect_head: str | None = None,
    disclosures: Sequence[Disclosure] = (),
    salts: Salts | None = None,
) -> RunLedger:
    """Raises LedgerIntegrityError for whatever is wrong with a value that was read elsewhere."""
    document = from_value(data, NAME, refusal=LedgerIntegrityError)
    return ledger_from_document(document, expect_head=expect_head, disclosures=disclosures, salts=salts)


def ledger_from_document(
    document: Document,
    *,
    expect_head: str | None = None,
    disclosures: Sequence[Disclosure] = (),
    salts: Salts | None = None,
) -> RunLedger:
    """A ledger whose chain holds from the first entry to the stated head.

    Raises:
        LedgerIntegrityError: ``ledger-broken``, ``head-differs``, ``malformed-digest`` … with file and place.
    """
    entries, head = entries_of(document)
    require_chain(document, entries, head, expect_head)
    return RunLedger.from_entries(entries, disclosures, salts)


def entries_of(document: Document) -> tuple[list[Entry], str]:
    """Entries of the right shape and the stated head; the chain is not looked at.

    Raises:
        LedgerIntegrityError: the first flaw, with file and place.
    """
    try:
        return read_entries(document.value)
    except Fault as fault:
        raise LedgerIntegrityError(document.problem(fault)) from None


def require_chain(document: Document, entries: Sequence[Entry], head: str, expect_head: str | None) -> None:
    """Raises LedgerIntegrityError unless each entry follows the one before, up to the stated and the trusted head."""
    try:
        if expect_head is not None and not is_digest(expect_head):
            raise Fault("malformed-digest", "cannot be compared: the expected head is not 64 lowercase hex digits")
        verdict = _verified(entries)
        if verdict.broken_at is not None:
            path = ("entries", verdict.broken_at, "digest")
            raise Fault("ledger-broken", "is not the digest of this entry after the one before", path)
        if head != verdict.head:
            raise Fault("ledger-broken", "is not the digest of the last entry", ("head",))
        if expect_head is not None and head != expect_head:
            note = f"trusted was {expect_head}"
            hint = "this is another ledger, or its end was cut off: restore the file from a copy"
            raise Fault("head-differs", "is not the head that was trusted", ("head",), note=note, hint=hint)
    except Fault as fault:
        raise LedgerIntegrityError(document.problem(fault)) from None


def _verified(entries: Sequence[Entry]) -> Verdict:
    """A look at the chain; raises Fault for an entry over which no digest can be taken."""
    try:
        return verify([(entry.payload(), entry.digest) for entry in entries])
    except InputError:
        for index, entry in enumerate(entries):
            try:
                canonical(entry.payload())
            except InputError as error:
                message = f"has no digest: {error.problem.message}"
                raise Fault(error.code, message, ("entries", index, "data")) from None
        raise AssertionError("what cannot be verified is one of the entries") from None


def read_entries(value: object) -> tuple[list[Entry], str]:
    """Entries of the right shape and the stated head; the chain is not looked at.

    Raises:
        Fault: the first flaw.
    """
    row = fields.record(value, CONTAINER)
    fields.header(row, SCHEMA, (VERSION,))
    if not is_digest(row["head"]):
        raise Fault("malformed-digest", "must be 64 lowercase hex digits", ("head",))
    entries: list[Entry] = []
    for index, given in enumerate(fields.array(row, "entries")):
        try:
            entries.append(_entry(given, index + 1))
        except Fault as fault:
            raise fault.under("entries", index) from None
    return entries, row["head"]


def _entry(value: object, seq: int) -> Entry:
    row = fields.record(value, FIELDS)
    if fields.whole(row, "seq", least=1) != seq:
        raise Fault("out-of-range", f"must be {seq}, and is {fields.shown(row['seq'])}", ("seq",))
    if not is_digest(row["digest"]):
        raise Fault("malformed-digest", "must be 64 lowercase hex digits", ("digest",))
    return Entry(
        seq,
        fields.whole(row, "round"),
        fields.word(row, "event", EVENTS),
        fields.text(row, "task"),
        fields.text(row, "detail"),
        fields.text_or_none(row, "node_id"),
        fields.text_or_none(row, "assumption_id"),
        fields.mapping(row, "data"),
        row["digest"],
    )
