"""A hash chain: every entry's digest covers the digest before it, so no entry can change, vanish or move unseen.

What a chain alone cannot show is that its end was cut off; for that, keep its head or a checkpoint elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contextmesh.base.canon import digest

GENESIS = "0" * 64
HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What was trusted earlier: how many entries there were, and the digest of the last."""

    size: int
    head: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a look at a chain found.

    Attributes:
        size: how many entries were consistent from the start.
        head: the digest of the last consistent one.
        broken_at: the 0-based entry whose digest is not the right one, or None.
        complete_to: up to which entry a trusted head or checkpoint showed that nothing is missing; None when nothing
            from elsewhere was compared. What comes after that entry is consistent, and may have lost its end.
        reason: why the chain is refused, or None.
    """

    size: int
    head: str
    broken_at: int | None = None
    complete_to: int | None = None
    reason: str | None = None

    @property
    def complete(self) -> bool:
        """Whether what was trusted elsewhere covers every entry."""
        return self.reason is None and self.complete_to == self.size

    @property
    def beyond(self) -> int:
        """How many entries nothing from elsewhere covers."""
        return self.size - (self.complete_to or 0)

    def __bool__(self) -> bool:
        """Whether nothing was found wrong; that nothing is missing is what ``complete`` says."""
        return self.reason is None


def link(payload: Mapping[str, Any], previous: str) -> str:
    """The digest of an entry: SHA-256 of its canonical JSON with the digest before it as ``previous``.

    Raises:
        InputError: not-canonical.
    """
    return digest({**payload, "previous": previous})


def verify(
    entries: Sequence[tuple[Mapping[str, Any], str]],
    *,
    expect_head: str | None = None,
    checkpoint: Checkpoint | None = None,
) -> Verdict:
    """Checks (payload, digest) pairs in order, then against what was trusted elsewhere.

    A consistent chain without ``expect_head`` or ``checkpoint`` is not ``complete``: its end may be missing. By a
    checkpoint it is complete up to that, and no further; by a trusted head, up to its end.
    """
    head = GENESIS
    at_checkpoint = GENESIS if checkpoint is not None and checkpoint.size == 0 else None
    for index, (payload, stated) in enumerate(entries):
        if link(payload, head) != stated:
            return Verdict(index, head, broken_at=index, reason=f"entry {index + 1} does not have its own digest")
        head = stated
        if checkpoint is not None and index + 1 == checkpoint.size:
            at_checkpoint = head
    size = len(entries)
    if checkpoint is not None and size < checkpoint.size:
        return Verdict(size, head, reason=f"shorter than checkpoint: {size} < {checkpoint.size}")
    if checkpoint is not None and at_checkpoint != checkpoint.head:
        return Verdict(size, head, reason=f"entry {checkpoint.size} is not the one of the checkpoint")
    if expect_head is not None and head != expect_head:
        return Verdict(size, head, reason="its head is not the trusted one")
    if expect_head is not None:
        return Verdict(size, head, complete_to=size)
    return Verdict(size, head, complete_to=None if checkpoint is None else checkpoint.size)


def is_digest(text: object) -> bool:
    """Whether this is 64 lowercase hex digits."""
    return isinstance(text, str) and len(text) == len(GENESIS) and all(char in HEX for char in text)
