"""Ctrl-C and SIGTERM wait while something is written that must be whole; a round ends by either in the same way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_Handler = Callable[[int, FrameType | None], object]


class Terminated(KeyboardInterrupt):
    """SIGTERM came: what goes on is left as after Ctrl-C, by whoever handles that."""


@contextmanager
def terminable() -> Iterator[None]:
    """Within the block SIGTERM raises ``Terminated``, unless this program handles or ignores SIGTERM itself.

    Elsewhere than in the main thread nothing is changed.
    """
    if not _in_main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    try:
        signal.signal(signal.SIGTERM, _terminate)
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """An interruption inside the block is delivered at its end. Elsewhere than in the main thread none arrives."""
    handlers: dict[int, _Handler] = {}
    if _in_main_thread():
        found = {int(number): signal.getsignal(number) for number in SIGNALS}
        handlers = {number: handler for number, handler in found.items() if callable(handler)}
    held: list[tuple[int, FrameType | None]] = []
    for number in handlers:
        signal.signal(number, lambda got, frame: held.append((got, frame)))
    try:
        yield
    finally:
        for again, handler in handlers.items():
            signal.signal(again, handler)
        if held:
            got, frame = held[0]
            handlers[got](got, frame)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
