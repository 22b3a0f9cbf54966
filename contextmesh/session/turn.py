"""Whose turn it is among writers that wait: one that has waited for long is the next, and others stand back for it.

A writer that has just let go would else take the lock again long before those that wait look for it the next time, and
one of them might wait for as long as it goes on. Who is next holds a lock on the directory itself. That is a courtesy:
the lock of the session alone says who may write, a system without locks on directories has no turns, and a writer that
stopped in its turn delays others by no more than ``PATIENCE``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

LONG = 1.0
"""Seconds after which a writer that waits is to be the next.

Until then another may write several times: each change of writers costs a look at what the other wrote.
"""
PATIENCE = 3.0
"""Seconds that a writer stands back for the one that is next."""

if sys.platform == "win32":

    class Turn:
        """Directories cannot be locked here, so everybody may try."""

        def __init__(self, directory: Path) -> None: ...

        def has_come(self, waited: float) -> bool:
            return True

        def close(self) -> None: ...

else:
    import fcntl

    class Turn:
        """The turn of one writer, from when it begins to wait until it is closed."""

        def __init__(self, directory: Path) -> None:
            try:
                self._descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError:
                self._descriptor = -1
            self._may_try = self._descriptor < 0

        def has_come(self, waited: float) -> bool:
            """Whether this writer may try now; ``waited`` is how many seconds it has waited."""
            if self._may_try:
                return True
            is_long = waited >= LONG
            try:
                fcntl.flock(self._descriptor, (fcntl.LOCK_EX if is_long else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            except BlockingIOError:
                return waited >= PATIENCE
            except OSError:  # no such locks here
                self._may_try = True
                return True
            if is_long:
                self._may_try = True
            else:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            return True

        def close(self) -> None:
            """The next one's turn."""
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1
