"""Problems of one kind may be as many as there are tasks; a refusal tells the first of them, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence

from contextmesh.base.errors import Problem

TOLD = 20
"""How many problems one refusal tells."""


def capped(problems: Sequence[Problem], untold: int = 0) -> tuple[Problem, ...]:
    """The first problems, and after them the number of those left out, with ``untold`` that were never put in words."""
    left = max(0, len(problems) - TOLD) + untold
    if left == 0:
        return tuple(problems)
    return (*problems[:TOLD], Problem("more-problems", f"and {left} more", fields=(("count", left),)))
