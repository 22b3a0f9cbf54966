"""The bounds of a walk."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """What a walk may spend, and what counts as an answer.

    Attributes:
        hop_budget: edges from a seed at most.
        max_expand: nodes whose edges are followed, at most.
        fan: a node with more edges one way than this gives only those to relevant nodes, and its first few.
        word_seeds, source_seeds: statements and sources that the words of a question may start from.
        answer_floor: the fit to the words of the question below which nothing answers.
        vector_floor: the cosine below which a vector seeds nothing.
        evidence, sources: how many an answer lists at most.
    """

    hop_budget: int = 6
    max_expand: int = 260
    fan: int = 32
    word_seeds: int = 24
    source_seeds: int = 12
    answer_floor: float = 0.18
    vector_floor: float = 0.45
    evidence: int = 8
    sources: int = 10
