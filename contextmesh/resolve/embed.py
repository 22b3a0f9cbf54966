"""A text as a point among 512 buckets of hashed words and trigrams; near texts share buckets.

The scheme (feature hashing of words and padded character trigrams) and its constants are fixed by the graph
format, which stores such vectors. They are a pure function of the text, so nothing needs to keep them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from math import sqrt

from contextmesh.store.model import Node

BUCKETS = 512
SparseVector = dict[int, float]
"""Bucket to value, ascending by bucket, of length 1; empty for a text without words."""

_WORDS = re.compile(r"[a-z0-9]+")
_WORD_WEIGHT = 1.0
_TRIGRAM_WEIGHT = 0.25
_STOP_TEXT = """
a an and are as at be been being but by did do does done for from he how if in is it its no not of on or our she than
that the their them then these they this those to was we were what when where which who whom why with without yes
you your
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())


def embed(text: str) -> SparseVector:
    """The vector of a text: its length is 1, or 0 when the text has no word outside the stop words."""
    sums: dict[int, float] = {}
    for word in _WORDS.findall(text.lower()):
        if word not in STOP_WORDS:
            for bucket, weight in _features(word):
                sums[bucket] = sums.get(bucket, 0.0) + weight
    norm = sqrt(sum(value * value for value in sums.values()))
    return {bucket: sums[bucket] / norm for bucket in sorted(sums)}


def dense(vector: SparseVector) -> tuple[float, ...]:
    """The vector as 512 numbers."""
    return tuple(vector.get(bucket, 0.0) for bucket in range(BUCKETS))


def sparse(numbers: Iterable[float]) -> SparseVector:
    """The vector of stored numbers, whatever their count; zeros are left out."""
    return {bucket: value for bucket, value in enumerate(numbers) if value != 0.0}


def cosine(one: SparseVector, other: SparseVector) -> float:
    """The cosine of two vectors of length 1 (or 0), in [-1, 1]; 0 when either is empty."""
    if len(other) < len(one):
        one, other = other, one
    return sum(value * other[bucket] for bucket, value in one.items() if bucket in other)


def node_text(node: Node) -> str:
    """What a node is embedded by: its label, a space and its rationale, if any."""
    rationale = node.attrs.get("rationale", "")
    return f"{node.label} {rationale if isinstance(rationale, str) else ''}"


@lru_cache(maxsize=1 << 16)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    padded = f"^{word}$"
    trigrams = (padded[i : i + 3] for i in range(len(padded) - 2))
    return ((_bucket(f"w:{word}"), _WORD_WEIGHT), *((_bucket(f"t:{t}"), _TRIGRAM_WEIGHT) for t in trigrams))


@lru_cache(maxsize=1 << 16)
def _bucket(feature: str) -> int:
    digest = hashlib.md5(feature.encode("utf-8"), usedforsecurity=False).digest()
    return int.from_bytes(digest[:4], "big") % BUCKETS
