"""Limits on every evaluation: rows, rounds, seconds, and the range of a whole number."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from contextmesh.base.errors import LimitReached, Problem

__all__ = ["WHOLE_MAX", "WHOLE_MIN", "LimitReached", "Limits", "Meter", "whole"]

WHOLE_MIN = -(2**63)
WHOLE_MAX = 2**63 - 1
STEPS_BETWEEN_LOOKS = 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one evaluation may go.

    Attributes:
        rows: rows derived, all relations together; given facts are not counted.
        rounds: passes over the rules of a stratum, all strata together.
        seconds: by ``clock``, from the making of the meter.
        clock: a monotonic clock in seconds. It decides when to stop, never what is derived;
            this is the one place of the package that names a clock, and tests put their own here.
    """

    rows: int = 10_000_000
    rounds: int = 1_000_000
    seconds: float = 60.0
    clock: Callable[[], float] = field(default=time.monotonic, compare=False, repr=False)

    def meter(self) -> Meter:
        """A meter for one evaluation, started now."""
        return Meter(self)


class Meter:
    """Counts one evaluation against its limits; every method raises LimitReached beyond them."""

    __slots__ = ("_deadline", "_steps", "limits", "rounds", "rows")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.rows = 0
        self.rounds = 0
        self._steps = 0
        self._deadline = limits.clock() + limits.seconds

    def row(self, count: int = 1) -> None:
        """``count`` new rows were derived."""
        self.rows += count
        if self.rows > self.limits.rows:
            raise _reached("rows", self.limits.rows, f"{self.limits.rows} derived rows")
        self.step(count)

    def round(self) -> None:
        """One more pass over the rules of a stratum begins."""
        self.rounds += 1
        if self.rounds > self.limits.rounds:
            raise _reached("rounds", self.limits.rounds, f"{self.limits.rounds} rounds")
        self.look()

    def step(self, count: int = 1) -> None:
        """``count`` small pieces of work were done; the clock is read once in about a thousand."""
        self._steps += count
        if self._steps >= STEPS_BETWEEN_LOOKS:
            self._steps = 0
            self.look()

    def look(self) -> None:
        """Read the clock now."""
        if self.limits.clock() > self._deadline:
            raise _reached("seconds", None, f"{self.limits.seconds:g} seconds")


def whole(number: int) -> int:
    """The number itself, when it has a place among 64-bit signed whole numbers.

    Every evaluator passes the result of each ``+``, ``-`` and ``sum`` through here.

    Raises:
        LimitReached: code ``integer-range``.
    """
    if WHOLE_MIN <= number <= WHOLE_MAX:
        return number
    raise LimitReached(
        Problem(
            "integer-range",
            "arithmetic left the range of whole numbers, -2^63 to 2^63 - 1",
            hint="bound the variable that grows with a comparison before the sum",
        )
    )


def _reached(what: str, limit: int | None, words: str) -> LimitReached:
    return LimitReached(
        Problem(
            "limit-reached",
            f"the evaluation was stopped at its limit of {words}",
            subject=what,
            fields=(("limit", limit),) if limit is not None else (),
            hint=f"look for a rule that counts upward without an end or joins without a shared variable; "
            f"or allow more {what}",
        )
    )
