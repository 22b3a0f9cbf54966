"""Many calls at once: outcomes come in the order of asking, whatever the order of ending, and what hangs is left."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.run.calls import Outcome, Phase, Raised, Returned, TimedOut, call_all, call_here


@settings(deadline=None, max_examples=25)
@given(st.permutations(range(5)))
def test_outcomes_come_in_the_order_of_asking_whatever_the_order_of_ending(ending: list[int]) -> None:
    turns = [threading.Event() for _ in range(6)]
    turns[0].set()

    def job(number: int):  # type: ignore[no-untyped-def]
        def work(phase: Phase) -> int:
            place = ending.index(number)
            turns[place].wait(10)
            turns[place + 1].set()
            return number

        return work

    outcomes = list(call_all([job(number) for number in range(5)], workers=5))

    assert outcomes == [Returned(number) for number in range(5)]


def test_no_more_than_so_many_calls_go_on_at_a_time() -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def work(phase: Phase) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        threading.Event().wait(0.01)
        with lock:
            now[0] -= 1

    list(call_all([work] * 12, workers=3))

    assert most[0] == 3


def test_independent_calls_really_go_on_at_once() -> None:
    meeting = threading.Barrier(3, timeout=10)

    outcomes = list(call_all([lambda phase: meeting.wait()] * 3, workers=3))

    assert sorted(outcome.value for outcome in outcomes if isinstance(outcome, Returned)) == [0, 1, 2]


def test_what_hangs_gives_its_place_to_the_next() -> None:
    forever = threading.Event()

    def hang(phase: Phase) -> None:
        phase("worker", 0.05)
        forever.wait(30)

    outcomes = list(call_all([hang, lambda phase: 1, hang, lambda phase: 2], workers=1))
    forever.set()

    assert outcomes == [TimedOut("worker", 0.05), Returned(1), TimedOut("worker", 0.05), Returned(2)]


def test_a_deadline_is_measured_by_the_clock_that_is_handed_in() -> None:
    hours, begun, end = [0.0], threading.Event(), threading.Event()

    def work(phase: Phase) -> str:
        phase("worker", 3600.0)
        begun.set()
        hours[0] += 7200.0
        phase("auditor", 10_000.0)
        end.wait(0.01)
        return "in time"

    (outcome,) = call_all([work], workers=1, clock=lambda: hours[0])

    assert begun.is_set()
    assert outcome in (Returned("in time"), TimedOut("worker", 3600.0))


@pytest.mark.parametrize("how", ["here", "elsewhere"])
def test_what_is_raised_is_an_outcome(how: str) -> None:
    error = ValueError("no thread")

    def work(phase: Phase) -> None:
        raise error

    outcomes: list[Outcome] = list(call_here([work]) if how == "here" else call_all([work], workers=2))

    assert outcomes == [Raised(error)]


def test_closing_starts_nothing_more() -> None:
    begun: list[int] = []
    gate = threading.Event()

    def job(number: int):  # type: ignore[no-untyped-def]
        def work(phase: Phase) -> int:
            begun.append(number)
            if number:
                gate.wait(10)
            return number

        return work

    outcomes = call_all([job(number) for number in range(9)], workers=2)
    assert next(outcomes) == Returned(0)
    outcomes.close()
    gate.set()

    assert len(begun) <= 3
