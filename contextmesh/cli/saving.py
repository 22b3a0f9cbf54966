"""A round that is saved while it goes on, so that a process that is killed loses its last moments, not its work."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextmesh.run import Runner
    from contextmesh.session.lock import Held
    from contextmesh.session.session import Session

LEAST = 0.25
"""Seconds between the end of one save and the next."""
SHARE = 20
"""A save comes after so many times what the one before took: the whole costs a round one part in twenty at most."""


class Saving:
    """Saves a session from a thread of its own, as often as something was recorded, and in any case at the end.

    Each save holds the plan as it is between two recordings. Whatever ends the block, its last save is made before it
    is left, and raises what speaks against it.
    """

    def __init__(self, session: Session, runner: Runner, held: Held) -> None:
        self._session, self._runner, self._held = session, runner, held
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._save_often, name="contextmesh-save", daemon=True)

    def __enter__(self) -> None:
        try:
            self._thread.start()
        except BaseException:  # an interruption, too: who does not get into the block saves nothing
            self._over.set()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        from contextmesh.run.interrupt import uninterrupted

        with uninterrupted():
            self._over.set()
            self._thread.join()
            self._session.checkpoint(held=self._held)

    def _save_often(self) -> None:
        saved, pause = len(self._runner.ledger), LEAST
        while not self._over.wait(pause):
            if len(self._runner.ledger) == saved:
                continue
            began = time.monotonic()
            try:
                with self._runner.a_look():
                    self._session.checkpoint(held=self._held)
                    saved = len(self._runner.ledger)
            except Exception:
                return  # what speaks against it now the last save will tell, to whom it concerns
            pause = max(LEAST, SHARE * (time.monotonic() - began))
