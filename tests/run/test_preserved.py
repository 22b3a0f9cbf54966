"""What a disproof left standing is listed when it is asked for, in the process that saw it and after any file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh import Resolver, Session
from contextmesh import session as sessions
from contextmesh.base.errors import LedgerIntegrityError
from contextmesh.run import RunLedger, Runner
from contextmesh.run import disproof as disproofs
from contextmesh.run.ledger_file import ledger_to_bytes
from contextmesh.run.plan_file import plan_to_bytes
from contextmesh.session.state import Carried, SessionState
from tests.run.worlds import Shape, World, restored, shapes, steps, take


@pytest.fixture(autouse=True)
def nothing_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every receipt keeps a number and a digest only."""
    monkeypatch.setattr(disproofs, "SPELT_OUT", -1)


def fallen(world: World, *, more: int = 3) -> tuple[Runner, tuple[str, ...], int]:
    """A plan whose first ground was disproved: the runner, what stood, and the number of the entry."""
    runner = Shape(((0, (), True), (1, (0,), False), (2, (), True))).plan(world.registry())
    runner.run()
    for number in range(more):
        runner.graph.assume(f"bale {number} is dry")
    world.finds["dye"] = "disproved"
    runner.recheck()
    world.finds["dye"] = "ok"
    live = tuple(sorted(node.id for node in runner.graph.live_nodes()))
    (entry,) = [entry.seq for entry in runner.ledger if entry.event == "disproved"]
    return runner, live, entry


def go_on(runner: Runner) -> None:
    """What may happen after a disproof, so that other things stand than then."""
    runner.repair("dye", assumes="the well is deep", worker_key="cloth.work.v2")
    runner.run()
    for number in range(5):
        runner.graph.assume(f"sack {number} is full")


AFTERWARDS: dict[str, Callable[[Runner, World], Runner]] = {
    "at once": lambda runner, world: runner,
    "when much has happened": lambda runner, world: (go_on(runner), runner)[1],
    "after a file": lambda runner, world: restored(runner, world.registry()),
    "after much and a file": lambda runner, world: (go_on(runner), restored(runner, world.registry()))[1],
    "after a file and much": lambda runner, world: (
        (again := restored(runner, world.registry())),
        go_on(again),
        restored(again, world.registry()),
    )[2],
}


@pytest.mark.parametrize("case", AFTERWARDS)
def test_what_was_preserved_can_be_listed(case: str) -> None:
    world = World()
    runner, live, entry = fallen(world)
    assert "preserved" not in runner.ledger.receipts()[0]

    later = AFTERWARDS[case](runner, world)

    assert later.preserved(entry) == live


def test_a_node_that_was_pruned_since_is_in_the_list() -> None:
    world = World()
    runner, live, entry = fallen(world)
    before = {node.id for node in runner.graph.live_nodes()}
    with runner.graph.batch("prune") as batch:
        for node in list(batch.store.nodes.values()):
            if node.label == "bale 1 is dry":
                batch.stage.put_node(replace(node, pruned=True))
    assert {node.id for node in runner.graph.live_nodes()} < before

    assert restored(runner, world.registry()).preserved(entry) == live


@settings(deadline=None, max_examples=40)
@given(shapes(), steps(), st.data())
def test_every_receipt_of_any_history_can_be_listed_after_a_file(
    shape: Shape, happen: Any, data: st.DataObject
) -> None:
    world = World()
    runner = shape.plan(world.registry())
    seen: dict[int, tuple[str, ...]] = {}
    told = 0
    for step in [("run", "", ""), *happen]:
        runner.graph.assume(f"bale {runner.graph.store.seq} is dry")
        take(runner, world, step)
        new = [entry.seq for entry in runner.ledger.entries[told:] if entry.event == "disproved"]
        told = len(runner.ledger)
        seen |= {seq: runner.preserved(seq) for seq in new}
        if data.draw(st.booleans()):
            runner = restored(runner, world.registry())

    again = restored(runner, world.registry())
    assert {seq: again.preserved(seq) for seq in seen} == seen
    assert {seq: runner.preserved(seq) for seq in seen} == seen


# ---- when it cannot be told -----------------------------------------------------------------------


def refused(runner: Runner, entry: int) -> LedgerIntegrityError:
    with pytest.raises(LedgerIntegrityError) as caught:
        runner.preserved(entry)
    return caught.value


def with_receipt(runner: Runner, change: Callable[[dict[str, Any]], None]) -> Runner:
    """The same plan with another receipt in its ledger, chained anew."""
    ledger = RunLedger()
    for entry in runner.ledger:
        data = json.loads(json.dumps(entry.data))
        if entry.event == "disproved":
            change(data)
        about = {name: getattr(entry, name) for name in ("round", "detail", "node_id", "assumption_id")}
        ledger.append(entry.event, entry.task, data=data, **about)
    runner.ledger = ledger
    return runner


OTHERWISE: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "another digest": (lambda data: data.update(preserved_digest="0" * 64), "and others stood by this graph"),
    "another number": (lambda data: data.update(preserved_count=400), "it counts 400 nodes, and "),
    "no digest": (lambda data: data.pop("preserved_digest"), "neither the list nor its number and digest"),
    "no rejection": (lambda data: data.update(assumption_id="x"), "does not hold the rejection"),
    "a list of others": (lambda data: data.update(preserved=["x"]), "it lists 1 nodes"),
}


@pytest.mark.parametrize("case", OTHERWISE)
def test_a_list_that_the_ledger_does_not_hold_is_not_told(case: str) -> None:
    change, words = OTHERWISE[case]
    runner, _, entry = fallen(World())

    error = refused(with_receipt(runner, change), entry)

    assert error.code == "preserved-differs"
    assert words in str(error)


def test_a_full_list_of_another_writer_is_what_it_says() -> None:
    def full(data: dict[str, Any]) -> None:
        data["preserved"] = ["entity:a", "entity:b"]
        del data["preserved_digest"], data["preserved_count"]

    runner, _, entry = fallen(World())
    assert with_receipt(runner, full).preserved(entry) == ("entity:a", "entity:b")


def test_only_a_disproof_has_a_receipt() -> None:
    runner, _, entry = fallen(World())
    assert refused(runner, entry - 1).code == "no-receipt"
    assert refused(runner, 99).code == "unknown-entry"


@pytest.mark.parametrize("version", [2, 3])
def test_what_was_preserved_can_be_listed_from_a_session(version: int, tmp_path: Path) -> None:
    world = World()
    runner, live, entry = fallen(world, more=80)
    carried = Carried(plan_to_bytes(runner), ledger_to_bytes(runner.ledger), runner.ledger.head)
    state = SessionState(runner.graph, Resolver(), rounds=runner.round, carried=carried)
    sessions.save(tmp_path / "s", state, version=version)

    session = Session.load(tmp_path / "s", registry=world.registry())
    assert session.runner is not None
    go_on(session.runner)
    session.save()

    again = Session.load(tmp_path / "s", registry=world.registry()).runner
    assert again is not None and again.preserved(entry) == live
