"""A bulk load runs without collections and is passed by afterwards; nothing else touches the collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from contextmesh.store import heap


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    """As it was before, whatever other tests have left."""
    gc.unfreeze()
    yield
    gc.unfreeze()


def test_a_bulk_load_pauses_the_collector_and_is_passed_by_afterwards() -> None:
    with heap.bulk(heap.BULK):
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0


def test_few_records_and_a_refused_load_leave_the_collector_on() -> None:
    with heap.bulk(heap.BULK - 1):
        assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    with pytest.raises(ValueError, match="refused"), heap.bulk(heap.BULK):
        raise ValueError("refused")
    assert gc.isenabled()


def test_a_process_without_a_collector_is_left_alone() -> None:
    gc.disable()
    try:
        with heap.bulk(heap.BULK):
            assert not gc.isenabled()
        assert (gc.isenabled(), gc.get_freeze_count()) == (False, 0)
    finally:
        gc.enable()


def test_the_next_bulk_load_finds_the_cycles_that_were_frozen() -> None:
    class Knot:
        pass

    knot = Knot()
    knot.__dict__["self"] = knot
    heap.settle()
    del knot
    gc.collect()
    assert any(type(thing) is Knot for thing in gc.get_objects()) or gc.get_freeze_count() > 0
    heap.settle()
    gc.unfreeze()
    assert not any(type(thing) is Knot for thing in gc.get_objects())
