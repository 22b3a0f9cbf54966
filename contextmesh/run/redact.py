"""Texts committed by salted digests: the digest stays in the chain, text and salt can be forgotten.

A commitment is SHA-256 over salt and text, the salt 32 random bytes that nobody can guess; without them the digest
says nothing about the text, not even to somebody who tries every likely one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contextmesh.base.errors import LedgerIntegrityError, Problem

SALT_BYTES = 32
_COMMITMENT = re.compile(r"\[sha256:([0-9a-f]{64})\]")


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A text, the salt it was committed with (hex), and the digest of both."""

    digest: str
    salt: str
    text: str

    def as_json(self) -> dict[str, str]:
        return {"digest": self.digest, "salt": self.salt, "text": self.text}


class Texts:
    """The texts behind commitments. Without a source of salts nothing is committed and texts stay as they are."""

    def __init__(self, salts: Callable[[int], bytes] | None = None) -> None:
        self._salts = salts
        self._known: dict[str, Disclosure] = {}

    def commit(self, text: str) -> str:
        """The text, or ``[sha256:…]`` in its place."""
        if self._salts is None or not text:
            return text
        salt = self._salts(SALT_BYTES)
        assert len(salt) == SALT_BYTES, "a source of salts gives as many bytes as it is asked for"
        made = Disclosure(commitment(salt, text), salt.hex(), text)
        self._known[made.digest] = made
        return f"[sha256:{made.digest}]"

    def reveal(self, text: str) -> str:
        """Puts back what is known; what was dropped reads ``[redacted]``."""

        def known(match: re.Match[str]) -> str:
            found = self._known.get(match[1])
            return found.text if found is not None else "[redacted]"

        return _COMMITMENT.sub(known, text)

    def drop(self, text: str) -> int:
        """Forget every text committed to in this one."""
        return sum(self._known.pop(found, None) is not None for found in _COMMITMENT.findall(text))

    def disclosures(self) -> tuple[Disclosure, ...]:
        """All that is still known, in the order of commitment: to be kept beside the ledger, never in it."""
        return tuple(self._known.values())

    def restore(self, disclosures: Sequence[Disclosure]) -> None:
        """Raises LedgerIntegrityError, ``disclosure-differs``: a text is not the one committed to."""
        for one in disclosures:
            try:
                right = commitment(bytes.fromhex(one.salt), one.text) == one.digest
            except ValueError:
                right = False
            if not right:
                message = f"the text kept for {one.digest} is not the one that was committed to"
                raise LedgerIntegrityError(Problem("disclosure-differs", message, subject=one.digest))
            self._known[one.digest] = one


def commitment(salt: bytes, text: str) -> str:
    """SHA-256 of salt and UTF-8 text, in hex; the salt has a fixed length, so the two cannot run together."""
    return hashlib.sha256(salt + text.encode("utf-8")).hexdigest()
