"""The garbage collector and a graph that stays.

Rows, records and indexes are never garbage while a graph is in use, yet each collection of the oldest generation
passes all of them: about 0.3 s for 100,000 nodes, in the middle of some small write. So a bulk load runs with the
collector paused, and what stands after it is taken out of the collector's sight (``gc.freeze``), once and on purpose.

The price: reference cycles that become garbage later among what was frozen are only found by the next bulk load,
which thaws before it freezes again. So a process that opens one large graph after another holds one too many at most.
A process in which the collector is off is left alone.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

BULK = 10_000
"""Records of one transaction from which on it is a bulk load."""


@contextmanager
def bulk(records: int) -> Iterator[None]:
    """Around the writing of so many records; of few it does nothing."""
    if records < BULK or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
    settle()


def settle() -> None:
    """Collect what is garbage now, and let the collector pass by everything else from now on."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
