"""Who may touch a plan: one round at a time, and no change of the plan while one goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from contextmesh.base.errors import InputError, Problem
from contextmesh.run.interrupt import uninterrupted


class Turns:
    """A round holds the plan from its beginning to its end, a change only as long as it takes.

    Of two rounds the later is refused, and so is a change during a round: waiting for a round from one of its own
    workers would never end. Two changes, or a change and the beginning of a round, wait for each other.
    """

    def __init__(self, plan: str) -> None:
        self._plan = plan
        self._moment = threading.RLock()
        self._going = False

    @contextmanager
    def a_round(self, what: str) -> Iterator[None]:
        """Room for one round, from whatever thread it is asked for.

        Raises:
            InputError: ``round-running``.
        """
        mine = False
        try:
            with uninterrupted(), self._moment:
                if self._going:
                    raise InputError(self._running(what))
                self._going = mine = True
            yield
        finally:
            if mine:
                self._going = False

    @contextmanager
    def a_change(self, what: str) -> Iterator[None]:
        """Room for a change of the plan; no round begins before it is made.

        Raises:
            InputError: ``round-running``.
        """
        with self._moment:
            if self._going:
                raise InputError(self._running(what))
            yield

    @contextmanager
    def a_look(self) -> Iterator[None]:
        """Room for what may have to write down first what was declared; during a round there is nothing of that."""
        with self._moment:
            yield

    def _running(self, what: str) -> Problem:
        message = f"a round of the plan {self._plan} is running, and {what}() would change what it goes by"
        hint = "call it when the round is over; a worker is given in its context what it needs"
        return Problem("round-running", message, subject=self._plan, hint=hint)
