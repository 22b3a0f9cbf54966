"""Writers queue: one waits for the other as long as it was told to, and no longer."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import pytest

from contextmesh.base.errors import InputError, SessionError, SessionLockedError
from contextmesh.session.lock import HOLDER, LOCK, held_or_locked, writer_lock
from contextmesh.session.turn import LONG, PATIENCE, Turn


class Clock:
    def __init__(self) -> None:
        self.now, self.pauses = 0.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def test_a_writer_waits_with_growing_pauses_until_its_time_is_over(tmp_path: Path) -> None:
    clock = Clock()
    second = writer_lock(tmp_path, wait=0.5, clock=clock, pause=clock.pause)
    with writer_lock(tmp_path), pytest.raises(SessionLockedError) as caught, second:
        pass
    assert caught.value.code == "locked"
    assert clock.now == pytest.approx(0.5)
    assert clock.pauses[:5] == [0.001, 0.002, 0.004, 0.005, 0.005]
    assert max(clock.pauses) <= 0.005


def test_a_writer_gets_the_lock_as_soon_as_the_other_lets_go(tmp_path: Path) -> None:
    clock = Clock()
    first = writer_lock(tmp_path)
    first.__enter__()

    def pause(seconds: float) -> None:
        clock.pause(seconds)
        if len(clock.pauses) == 3:
            first.__exit__(None, None, None)

    with writer_lock(tmp_path, wait=60.0, clock=clock, pause=pause) as held:
        assert held.directory == tmp_path
    assert len(clock.pauses) == 3


def test_who_has_waited_for_long_is_the_next_whoever_else_tries(tmp_path: Path) -> None:
    """Without turns the one that lets go could take the lock again and again before the other looks for it."""
    order: list[str] = []
    first = writer_lock(tmp_path)
    first.__enter__()
    clock = Clock()

    def pause(seconds: float) -> None:
        clock.pause(seconds)
        if clock.now - seconds < LONG + 0.1 <= clock.now:
            first.__exit__(None, None, None)
            again = Clock()
            with suppress(SessionLockedError), writer_lock(tmp_path, wait=0.5, clock=again, pause=again.pause):
                order.append("first")

    with writer_lock(tmp_path, wait=60.0, clock=clock, pause=pause):
        order.append("second")
    assert order == (["first", "second"] if sys.platform == "win32" else ["second"])


def test_a_writer_that_stopped_in_its_turn_delays_another_no_more_than_its_patience(tmp_path: Path) -> None:
    stopped, clock = Turn(tmp_path), Clock()
    assert stopped.has_come(LONG)

    with writer_lock(tmp_path, wait=60.0, clock=clock, pause=clock.pause):
        assert clock.now <= PATIENCE + 0.01
    stopped.close()


@pytest.mark.parametrize("wait", [-1.0, float("nan"), float("inf"), 1e9])
def test_a_wait_that_is_no_number_of_seconds_is_refused(tmp_path: Path, wait: float) -> None:
    with pytest.raises(InputError) as caught, writer_lock(tmp_path, wait=wait):
        pass
    assert caught.value.code == "out-of-range"
    assert list(tmp_path.iterdir()) == []


def test_a_held_lock_serves_its_own_directory_alone(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with writer_lock(tmp_path / "a") as held:
        with held_or_locked(tmp_path / "a", held, 0.0) as same:
            assert same is held
        with pytest.raises(SessionLockedError), held_or_locked(tmp_path / "a", None, 0.0):
            pass
        with pytest.raises(SessionError) as caught, held_or_locked(tmp_path / "b", held, 0.0):
            pass
    assert caught.value.code == "home-changed"


def test_the_writer_that_was_the_last_one_too_says_nothing_again(tmp_path: Path) -> None:
    with writer_lock(tmp_path):
        pass
    before = [(tmp_path / name).stat().st_mtime_ns for name in (LOCK, HOLDER)]
    inode = (tmp_path / HOLDER).stat().st_ino
    with writer_lock(tmp_path):
        pass
    assert [(tmp_path / name).stat().st_mtime_ns for name in (LOCK, HOLDER)] == before
    assert (tmp_path / HOLDER).stat().st_ino == inode
