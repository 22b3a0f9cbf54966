"""The cycle collector, paused while a file is read: a bulk load makes millions of objects and no garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused(*, keep: bool = False) -> Iterator[None]:
    """While inside, no pass over all objects is made; such passes would cost more than the load itself.

    With ``keep`` what was made stays out of the collector's sight afterwards. What earlier loads left is looked through
    first, so that no more than one graph that nobody holds stays behind. Where the collector is off, nothing is done.
    """
    was = gc.isenabled()
    if was and keep:
        gc.unfreeze()
        gc.collect()
    gc.disable()
    try:
        yield
        if was and keep:
            gc.freeze()
    finally:
        if was:
            gc.enable()
