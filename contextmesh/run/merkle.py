"""A Merkle tree as RFC 6962 section 2 defines it: roots, inclusion proofs and consistency proofs.

Full subtrees are kept as they fill, so that a root, a proof and the root of any earlier size cost steps that grow
with the logarithm of the size.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

EMPTY = hashlib.sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """Leaf hashes, and above them every full subtree, by level."""

    def __init__(self) -> None:
        self._levels: list[list[bytes]] = [[]]

    def __len__(self) -> int:
        return len(self._levels[0])

    def append(self, leaf: bytes) -> None:
        """Add a leaf hash."""
        self._levels[0].append(leaf)
        level = 0
        while len(self._levels[level]) % 2 == 0:
            if level + 1 == len(self._levels):
                self._levels.append([])
            self._levels[level + 1].append(node_hash(*self._levels[level][-2:]))
            level += 1

    def root(self, size: int | None = None) -> bytes:
        """The root over the first ``size`` leaves (all of them when left out)."""
        count = len(self) if size is None else size
        assert 0 <= count <= len(self)
        return self._span(0, count) if count else EMPTY

    def inclusion(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        """PATH(m, D[n]): the hashes that lead from a leaf to the root, from the leaf upwards."""
        low, high = 0, len(self) if size is None else size
        assert 0 <= index < high <= len(self)
        path: list[bytes] = []
        while high - low > 1:
            middle = low + _split(high - low)
            if index < middle:
                path.append(self._span(middle, high))
                high = middle
            else:
                path.append(self._span(low, middle))
                low = middle
        return tuple(reversed(path))

    def consistency(self, old: int, size: int | None = None) -> tuple[bytes, ...]:
        """PROOF(m, D[n]): the hashes that show the first ``old`` leaves to be a beginning of the first ``size``."""
        low, high = 0, len(self) if size is None else size
        assert 0 < old <= high <= len(self)
        proof: list[bytes] = []
        whole = True  # whether the old tree is the very span looked at, from its start
        while old != high:
            middle = low + _split(high - low)
            if old <= middle:
                proof.append(self._span(middle, high))
                high = middle
            else:
                proof.append(self._span(low, middle))
                low, whole = middle, False
        if not whole:
            proof.append(self._span(low, high))
        return tuple(reversed(proof))

    def _span(self, low: int, high: int) -> bytes:
        """The hash over leaves ``low`` up to ``high``; a full subtree is looked up."""
        size = high - low
        if size & (size - 1) == 0 and low % size == 0:
            return self._levels[size.bit_length() - 1][low // size]
        middle = low + _split(size)
        return node_hash(self._span(low, middle), self._span(middle, high))


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether a leaf hash stands at an index of the tree of that size and root (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at % 2 or at == last:
            found = node_hash(sibling, found)
            while at % 2 == 0 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def verify_consistency(old: int, size: int, proof: Sequence[bytes], old_root: bytes, root: bytes) -> bool:
    """Whether the tree of the old size is a beginning of the other (RFC 9162 section 2.1.4.2)."""
    if not 0 <= old <= size:
        return False
    if old == size:
        return not proof and old_root == root
    if old == 0:
        return not proof and old_root == EMPTY
    path = list(proof) if old & (old - 1) else [old_root, *proof]
    if not path:
        return False
    at, last = old - 1, size - 1
    while at % 2:
        at, last = at >> 1, last >> 1
    before = after = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if at % 2 or at == last:
            before, after = node_hash(sibling, before), node_hash(sibling, after)
            while at % 2 == 0 and at:
                at, last = at >> 1, last >> 1
        else:
            after = node_hash(after, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and before == old_root and after == root


def _split(size: int) -> int:
    """The largest power of two below a size of at least two."""
    return 1 << ((size - 1).bit_length() - 1)
