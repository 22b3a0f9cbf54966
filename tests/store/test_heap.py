"""What stands after a bulk load is passed by; nothing else touches the collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from contextmesh.store import heap


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    """As it was before, whatever other tests have left."""
    gc.unfreeze()
    yield
    gc.unfreeze()


def test_what_stands_after_a_bulk_load_is_passed_by() -> None:
    heap.settle(heap.BULK - 1)
    assert gc.get_freeze_count() == 0
    heap.settle(heap.BULK)
    assert gc.get_freeze_count() > 0
    assert gc.isenabled()


def test_a_loader_runs_without_collections_and_a_refused_one_leaves_the_collector_on() -> None:
    with heap.bulk(heap.BULK - 1):
        assert gc.isenabled()
    with heap.bulk(heap.BULK):
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    with pytest.raises(ValueError, match="refused"), heap.bulk(heap.BULK):
        raise ValueError("refused")
    assert gc.isenabled()


def test_a_process_without_a_collector_is_left_alone() -> None:
    gc.disable()
    try:
        heap.settle(heap.BULK)
        assert gc.get_freeze_count() == 0
    finally:
        gc.enable()


def test_the_next_bulk_load_finds_the_cycles_that_were_frozen() -> None:
    class Knot:
        pass

    knot = Knot()
    knot.__dict__["self"] = knot
    gone = ref(knot)
    heap.settle(heap.BULK)
    del knot
    gc.collect()
    assert gone() is not None
    heap.settle(heap.BULK)
    assert gone() is None
