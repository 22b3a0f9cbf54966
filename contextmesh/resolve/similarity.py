"""How alike two normalised names are, from 0 to 1; the scores are part of the resolver format."""

from __future__ import annotations

from contextmesh.resolve.normalise import acronym, tokens

SPACING = 0.95  # the same letters, spaced otherwise
ACRONYM = 0.9  # one is the initials of the other
CONTAINED = 0.85  # every word of one is a word of the other
_DISTINCTIVE = 7
_GENERIC = frozenset(
    (
        *("index", "service", "model", "system", "builder", "engine", "layer", "server", "client", "rebuild"),
        *("target", "policy", "data", "record", "request", "response", "cluster", "storage", "database"),
        *("pipeline", "account", "project", "version", "release", "feature", "summary", "context", "decision"),
        *("claim", "source", "entity", "evidence", "assumption", "encoder"),
    )
)


def similarity(one: str, other: str) -> float:
    """The score of two normalised forms, in [0, 1]; symmetric, and 0 when either is empty."""
    left, right = tokens(one), tokens(other)
    if not left or not right:
        return 0.0
    if one.replace(" ", "") == other.replace(" ", ""):
        return SPACING
    shared = len(left & right)
    score = shared / (len(left) + len(right) - shared)
    if shared == min(len(left), len(right)) and _telling(left if len(left) <= len(right) else right):
        score = max(score, CONTAINED)
    if one == acronym(other) or other == acronym(one):
        score = max(score, ACRONYM)
    return score


def _telling(words: frozenset[str]) -> bool:
    """Whether a smaller set of words is enough to stand for a larger one."""
    if len(words) >= 2:
        return True
    (word,) = words
    return len(word) >= _DISTINCTIVE and word not in _GENERIC
