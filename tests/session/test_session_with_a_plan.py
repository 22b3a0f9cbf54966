"""A session carries its plan, and continues it with the registry of the deployment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contextmesh import Runner, Session, TaskRegistry
from contextmesh.base.errors import ExecutionCheckpointError, InputError, SessionError
from contextmesh.session import SessionState


def registry(*, complete: bool = True) -> TaskRegistry:
    made = TaskRegistry()
    made.register_worker("dock.survey.v1", lambda ctx: {"depth": 4})
    if complete:
        made.register_worker("dock.dredge.v1", lambda ctx: {"removed": 120})
    return made


def planned(home: Path) -> Session:
    keys = registry()
    runner = Runner("dock", registry=keys)
    runner.task("survey", worker_key="dock.survey.v1", assumes="The echo sounder is calibrated")
    runner.task("dredge", worker_key="dock.dredge.v1", assumes="The barge is free in May", needs=["survey"])
    session = Session(SessionState(runner.graph, resolver()), runner)
    session.save(home)
    return session


def resolver() -> Any:
    from contextmesh import Resolver

    return Resolver()


def test_a_plan_goes_on_where_it_was_saved(tmp_path: Path) -> None:
    planned(tmp_path / "s")
    session = Session.load(tmp_path / "s", registry=registry())
    assert session.runner is not None
    first = session.runner.run()
    session.save()
    again = Session.load(tmp_path / "s", registry=registry())
    assert again.runner is not None

    assert first.complete
    assert again.generation == 2
    assert again.runner.run().executed == ()
    assert again.ledger is not None and len(again.ledger) > 0


def test_a_plan_without_a_registry_is_refused(tmp_path: Path) -> None:
    planned(tmp_path / "s")

    with pytest.raises(SessionError) as refused:
        Session.load(tmp_path / "s")

    assert refused.value.code == "missing-registry"


def test_a_registry_that_is_none_is_refused(tmp_path: Path) -> None:
    planned(tmp_path / "s")

    with pytest.raises(InputError) as refused:
        Session.load(tmp_path / "s", registry=3)  # type: ignore[arg-type]

    assert refused.value.code == "wrong-type"


def test_a_key_that_the_registry_lacks_is_named(tmp_path: Path) -> None:
    planned(tmp_path / "s")

    with pytest.raises(ExecutionCheckpointError) as refused:
        Session.load(tmp_path / "s", registry=registry(complete=False))

    assert "dock.dredge.v1" in str(refused.value)


def test_saving_an_unchanged_plan_writes_nothing(tmp_path: Path) -> None:
    planned(tmp_path / "s")
    session = Session.load(tmp_path / "s", registry=registry())

    assert session.save().written == ()
