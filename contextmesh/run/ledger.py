"""What a plan did, in order, each entry chained to the one before. No clock: a round is the only time there is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contextmesh.base.canon import canonical
from contextmesh.base.chain import GENESIS, Checkpoint, Verdict, link, verify
from contextmesh.base.errors import LedgerIntegrityError, Problem
from contextmesh.base.wording import counted
from contextmesh.run.merkle import Tree, leaf_hash
from contextmesh.run.redact import Disclosure, Texts

EVENTS = ("executed", "audited", "disproved", "invalidated", "repaired", "cached", "blocked", "failed")
HOLDS, FAILS = "holds: ", "fails: "
"""What the detail of an audit begins with."""
FIELDS = ("seq", "round", "event", "task", "detail", "node_id", "assumption_id", "data", "digest")
Salts = Callable[[int], bytes]
"""Gives that many random bytes, as ``secrets.token_bytes`` does."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened.

    Attributes:
        seq: from 1, without gaps.
        round: the round of the plan in which it happened.
        event: one of ``EVENTS``.
        data: canonical JSON; of a disproof, the receipt.
        digest: of the entry and the digest before it.
    """

    seq: int
    round: int
    event: str
    task: str
    detail: str
    node_id: str | None
    assumption_id: str | None
    data: Mapping[str, Any]
    digest: str

    def payload(self) -> dict[str, Any]:
        """All but the digest: what the digest is of, with the digest before it."""
        return {name: getattr(self, name) for name in FIELDS if name != "digest"}

    def as_json(self) -> dict[str, Any]:
        return {**self.payload(), "digest": self.digest}

    def leaf(self) -> bytes:
        """The hash of this entry as a leaf of the tree: RFC 6962 over its canonical JSON."""
        return leaf_hash(canonical(self.as_json()).encode("utf-8"))


class RunLedger:
    """An append-only log. Reading it never runs anything.

    With ``salts`` the free text of an entry (a reason, the message of an exception) is committed by a salted digest
    and kept beside the log, so that it can be dropped later without breaking the chain.
    """

    def __init__(self, *, salts: Salts | None = None) -> None:
        self._entries: list[Entry] = []
        self._tree = Tree()
        self.texts = Texts(salts)

    # -- writing ----------------------------------------------------------------------------------

    def append(
        self,
        event: str,
        task: str,
        *,
        round: int,
        detail: str = "",
        free: str = "",
        node_id: str | None = None,
        assumption_id: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> Entry:
        """One more entry; ``free`` is the part of ``detail`` after its fixed words that somebody else wrote.

        A ``reason`` in the data that is the same text is committed with it.

        Raises:
            InputError: ``not-canonical``.
        """
        assert event in EVENTS, event
        shown, carried = self.texts.commit(free), dict(data or {})
        if shown != free and carried.get("reason") == free:
            carried["reason"] = shown
        payload: dict[str, Any] = {
            "seq": len(self._entries) + 1,
            "round": round,
            "event": event,
            "task": task,
            "detail": detail + shown,
            "node_id": node_id,
            "assumption_id": assumption_id,
            "data": carried,
        }
        entry = Entry(**payload, digest=link(payload, self.head))
        self._entries.append(entry)
        return entry

    def redact(self, seq: int) -> int:
        """Forget the text and the salt behind an entry; how many texts went. The chain stays as it is.

        Raises:
            LedgerIntegrityError: ``unknown-entry``.
        """
        return self.texts.drop(canonical(self.entry(seq).payload()))

    # -- reading ----------------------------------------------------------------------------------

    @property
    def head(self) -> str:
        """The digest of the last entry; 64 zeros when there is none."""
        return self._entries[-1].digest if self._entries else GENESIS

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries)

    def entry(self, seq: int) -> Entry:
        """Raises LedgerIntegrityError, ``unknown-entry``."""
        if not 1 <= seq <= len(self._entries):
            message = f"the ledger has {counted(len(self._entries), 'entry')}, and none of number {seq}"
            raise LedgerIntegrityError(Problem("unknown-entry", message, subject=str(seq)))
        return self._entries[seq - 1]

    def receipts(self) -> tuple[Mapping[str, Any], ...]:
        """The receipt of each disproof, oldest first: what fell and why, and what still stood."""
        return tuple(entry.data for entry in self._entries if entry.event == "disproved")

    def text(self, detail: str) -> str:
        """A detail with every committed text that is still known put back."""
        return self.texts.reveal(detail)

    def verify(self, *, expect_head: str | None = None, checkpoint: Checkpoint | None = None) -> Verdict:
        """The chain, from its first entry, and what was trusted elsewhere.

        A consistent ledger is not ``complete`` without a trusted head, or a checkpoint of its size: its end may have
        been cut off.
        """
        pairs = [(entry.payload(), entry.digest) for entry in self._entries]
        return verify(pairs, expect_head=expect_head, checkpoint=checkpoint)

    @property
    def tree(self) -> Tree:
        """The Merkle tree over the entries, brought up to date when asked for."""
        for entry in self._entries[len(self._tree) :]:
            self._tree.append(entry.leaf())
        return self._tree

    # -- files ------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """The ledger as ``contextmesh.runledger`` version 1."""
        from contextmesh.run.ledger_file import ledger_to_json

        return ledger_to_json(self)

    @classmethod
    def from_snapshot(
        cls,
        data: object,
        *,
        expect_head: str | None = None,
        disclosures: Sequence[Disclosure] = (),
        salts: Salts | None = None,
    ) -> RunLedger:
        """Take entries exactly as written, once the chain holds; nothing is run again.

        Args:
            expect_head: the head that was trusted; without it a completely forged chain is accepted.
            disclosures: texts behind commitments, each checked against its digest.

        Raises:
            LedgerIntegrityError: damaged, broken, or not the trusted one.
        """
        from contextmesh.run.ledger_file import ledger_from_value

        return ledger_from_value(data, expect_head=expect_head, disclosures=disclosures, salts=salts)

    @classmethod
    def from_entries(
        cls, entries: Sequence[Entry], disclosures: Sequence[Disclosure] = (), salts: Salts | None = None
    ) -> RunLedger:
        """A ledger of entries whose chain was verified."""
        made = cls(salts=salts)
        made._entries = list(entries)
        made.texts.restore(disclosures)
        return made


def words_of(verdict: Verdict) -> str:
    """A verdict as one line, which never says more than was shown."""
    if verdict.reason is not None:
        return f"refused: {verdict.reason}"
    known = "complete" if verdict.complete else "completeness not proven"
    if verdict.complete_to is not None and verdict.beyond:
        are = "entry beyond it is" if verdict.beyond == 1 else "entries beyond it are"
        known = f"complete up to {verdict.complete_to}; {verdict.beyond} {are} not covered"
    return f"chain consistent, {counted(verdict.size, 'entry')}, {known}"


def names_digest(names: Sequence[str]) -> str:
    """SHA-256 over the canonical JSON of a list of ids: what a receipt says of a set it does not spell out."""
    text = json.dumps(list(names), separators=(",", ":"), ensure_ascii=False)  # ids were checked when written
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
