"""Two readings of one document compared: which sentences stayed, which were reworded, which came and went."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

NEAR = 0.34
"""The likeness at which a sentence in the place of another is its new wording."""
FAR = 0.6
"""The same for sentences that stand apart."""
_MOST_COMPARED = 40_000
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Revision:
    """Labels by what became of them; ``reworded`` pairs old with new."""

    kept: tuple[str, ...]
    reworded: tuple[tuple[str, str], ...]
    gone: tuple[str, ...]
    new: tuple[str, ...]


def compare(before: Sequence[str], after: Sequence[str]) -> Revision:
    """Compare two texts sentence by sentence (each sequence without repeats)."""
    old, new = dict.fromkeys(before), dict.fromkeys(after)
    kept = tuple(label for label in after if label in old)
    gone = [label for label in before if label not in new]
    came = [label for label in after if label not in old]
    pairs = _pair(gone, came, _after_which(before, new), _after_which(after, old))
    paired_new = dict.fromkeys(pairs.values())
    return Revision(
        kept,
        tuple((label, pairs[label]) for label in gone if label in pairs),
        tuple(label for label in gone if label not in pairs),
        tuple(label for label in came if label not in paired_new),
    )


def likeness(one: str, other: str) -> float:
    """Shared words over all words, in [0, 1]; pairs of signs where words are not parted."""
    left, right = _parts(one), _parts(other)
    union = len(left | right)
    return len(left & right) / union if union else 0.0


def _pair(gone: list[str], came: list[str], old_gap: dict[str, str], new_gap: dict[str, str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    free = dict.fromkeys(came)
    by_gap: dict[str, list[str]] = {}
    for label in came:
        by_gap.setdefault(new_gap[label], []).append(label)
    for label in gone:
        _take(label, [c for c in by_gap.get(old_gap[label], ()) if c in free], NEAR, pairs, free)
    if len(gone) * len(came) <= _MOST_COMPARED:
        for label in gone:
            if label not in pairs:
                _take(label, list(free), FAR, pairs, free)
    return pairs


def _take(label: str, candidates: list[str], least: float, pairs: dict[str, str], free: dict[str, None]) -> None:
    best, score = None, least
    for candidate in candidates[:200]:
        alike = likeness(label, candidate)
        if alike > score or (best is None and alike >= score):
            best, score = candidate, alike
    if best is not None:
        pairs[label] = best
        del free[best]


def _after_which(labels: Sequence[str], common: dict[str, None]) -> dict[str, str]:
    """For each label the last common one before it."""
    last, gaps = "", {}
    for label in labels:
        gaps[label] = last
        if label in common:
            last = label
    return gaps


def _parts(text: str) -> set[str]:
    words = _WORD.findall(text.lower())
    parts = set(words)
    for word in words:
        if not word.isascii() and len(word) > 4:
            parts.update(word[at : at + 2] for at in range(len(word) - 1))
    return parts
