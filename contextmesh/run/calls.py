"""Call many functions at once, give results back in the order of asking, and leave behind what hangs."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import isawaitable, iscoroutinefunction
from typing import Any

Clock = Callable[[], float]
"""Monotonic seconds. It decides when to stop waiting, never what a result is."""
CLOCK: Clock = time.monotonic


@dataclass(frozen=True, slots=True)
class Returned:
    """What a job gave."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """What a job raised instead."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class TimedOut:
    """A phase of the job gave nothing within its time; its thread is left behind."""

    phase: str
    seconds: float


Outcome = Returned | Raised | TimedOut
Phase = Callable[[str, float | None], None]
"""Called by a job when a phase of it begins: its name, and the seconds it may take (None: any)."""
Job = Callable[[Phase], Any]


def call_here(jobs: Sequence[Job]) -> Generator[Outcome, None, None]:
    """Every outcome in order, each job done in this thread when its outcome is asked for; no deadline is kept."""
    for job in jobs:
        yield perform(job, lambda name, seconds: None)


def call_all(jobs: Sequence[Job], *, workers: int, clock: Clock = CLOCK) -> Generator[Outcome, None, None]:
    """Every outcome, in the order of the jobs, each as soon as it and all before it are there.

    At most ``workers`` jobs run at a time; one that has hung gives its place to the next. Closing the iterator
    starts nothing more.
    """
    hall = _Hall(jobs, clock)
    try:
        for _ in range(min(workers, len(jobs))):
            hall.hire()
        for number in range(len(jobs)):
            yield hall.wait_for(number)
    finally:
        hall.close()


def perform(job: Job, phase: Phase) -> Outcome:
    """Do a job; an interruption of the whole program passes through."""
    try:
        return Returned(job(phase))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Raised(error)


def awaited(value: Any) -> Any:
    """The value, or what awaiting it gives, in an event loop of its own."""
    if not isawaitable(value):
        return value
    import asyncio

    return asyncio.run(_wait(value))


def is_async(function: object) -> bool:
    """Whether a call gives something to be awaited, as far as can be told without calling."""
    return iscoroutinefunction(function) or iscoroutinefunction(getattr(type(function), "__call__", None))  # noqa: B004


def in_event_loop() -> bool:
    """Whether this thread is running an event loop, so that another cannot be run in it."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _wait(value: Awaitable[Any]) -> Any:
    return await value


class _Hall:
    """The jobs, the threads that do them, and what came out so far; one lock over all of it."""

    def __init__(self, jobs: Sequence[Job], clock: Clock) -> None:
        self._jobs = jobs
        self._clock = clock
        self._change = threading.Condition()
        self._todo = deque(range(len(jobs)))
        self._running: dict[int, _Deadline | None] = {}
        self._outcomes: dict[int, Outcome] = {}

    def hire(self) -> None:
        threading.Thread(target=self._work, name="contextmesh-task", daemon=True).start()

    def close(self) -> None:
        with self._change:
            self._todo.clear()

    def wait_for(self, number: int) -> Outcome:
        with self._change:
            while number not in self._outcomes:
                self._give_up()
                if number not in self._outcomes:
                    self._change.wait(self._patience())
            return self._outcomes.pop(number)

    def _work(self) -> None:
        while True:
            with self._change:
                if not self._todo:
                    return
                number = self._todo.popleft()
                self._running[number] = None
            try:
                outcome = perform(self._jobs[number], partial(self._begin, number))
            except KeyboardInterrupt as error:
                outcome = Raised(error)
            with self._change:
                if number not in self._running:
                    return  # given up on: another thread has this one's place
                del self._running[number]
                self._outcomes[number] = outcome
                self._change.notify_all()

    def _begin(self, number: int, phase: str, seconds: float | None) -> None:
        with self._change:
            if number in self._running:
                end = None if seconds is None else _Deadline(phase, seconds, self._clock() + seconds)
                self._running[number] = end
                self._change.notify_all()

    def _give_up(self) -> None:
        """Record what has hung, and hire a thread for each that is lost to it."""
        now = self._clock()
        for number, deadline in list(self._running.items()):
            if deadline is not None and now >= deadline.at:
                del self._running[number]
                self._outcomes[number] = TimedOut(deadline.phase, deadline.seconds)
                if self._todo:
                    self.hire()

    def _patience(self) -> float | None:
        """Seconds until the next deadline; None when nothing that runs has one."""
        ends = [deadline.at for deadline in self._running.values() if deadline is not None]
        return min(max(0.0, min(ends) - self._clock()), threading.TIMEOUT_MAX) if ends else None


@dataclass(frozen=True, slots=True)
class _Deadline:
    phase: str
    seconds: float
    at: float
