"""A write may say of which day it is, by the rules of the command line, and no date outlives its write."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from served_places import DEPLOYMENT, SOURCE, TIDE, Workshop, harbour, planned, served, speaking

from contextmesh.api import Mesh
from contextmesh.base.errors import InputError, Refusal
from contextmesh.mcp.calls import call
from contextmesh.mcp.catalogue import TOOLS
from contextmesh.mcp.served import Served


def submit(here: Served, number: int, on: str | None) -> dict[str, Any]:
    seen = {"text": f"Fog number {number}", "source_id": SOURCE}
    return call(here, "mesh_submit_evidence", seen if on is None else {**seen, "on": on})


def days_of(mesh: Mesh) -> list[str | None]:
    assert mesh.state.history is not None
    return [commit.day for commit in mesh.state.history.commits]


def date_in_force(mesh: Mesh) -> str | None:
    assert mesh.state.history is not None
    return mesh.state.history.day


def test_every_tool_that_writes_takes_the_date_of_its_commit_and_no_other_does() -> None:
    dated = [tool.name for tool in TOOLS if tool.argument("on")]

    assert dated == [tool.name for tool in TOOLS if tool.role in ("write", "plan")]


def test_a_client_dates_its_writes_and_is_told_by_its_code_what_is_wrong_with_a_date(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    with speaking(["--session", str(place)]) as line:
        schemas = {tool["name"]: tool["inputSchema"] for tool in line.ask("tools/list")["result"]["tools"]}
        assert "as_of" in schemas["mesh_submit_evidence"]["properties"]["on"]["description"]
        seen = {"text": "Fog at noon", "source_id": SOURCE}
        for on, code in (
            ("2025-02-30", "impossible-date"),
            ("2025-00", "impossible-date"),
            ("9999", "commit-date-ahead"),
            ("next week", "not-a-date"),
            ("", "not-a-date"),
        ):
            refused = line.call("mesh_submit_evidence", **seen, on=on)
            assert (refused["isError"], refused["structuredContent"]["error"]["code"]) == (True, code), on
        made = line.call("mesh_submit_evidence", **seen, on=" 2025-03-01 ")["structuredContent"]
        assert (made["new"], "notes" in made) == (True, False)
        before = line.call("mesh_submit_evidence", text="Fog", source_id=SOURCE, on="2025-02-28")
        assert before["structuredContent"]["error"]["code"] == "earlier-commit"
        undated = line.call("mesh_submit_evidence", text="Rain", source_id=SOURCE)["structuredContent"]
        dated = line.call("mesh_submit_evidence", text="Snow", source_id=SOURCE, on="2025-04")["structuredContent"]
        then = line.call("mesh_explain_as_of", question="Which ferry sails at noon?", as_of="2025-03-01")
        assert then["structuredContent"]["as_of"]["learned_by"] == "commit date"
        line.end()

    mesh = Mesh.open(place)
    assert days_of(mesh)[-3:] == ["2025-03-01", None, "2025-04"]
    past = mesh.as_of("2025-03-01").graph.store.nodes
    assert [one["id"] in past for one in (made, undated, dated)] == [True, False, False]


def test_a_step_of_a_plan_is_dated_as_other_writes_are(tmp_path: Path) -> None:
    shop = Workshop()
    here = served(planned(tmp_path / "s", shop), registry=shop.registry(), has_plan=True)
    shop.rotten.append("hull")
    with pytest.raises(InputError, match="cannot be dated 9000"):
        call(here, "mesh_recheck", {"on": "9000"})

    call(here, "mesh_recheck", {"on": "2025-03-01"})
    steel = {"task": "hull", "assumes": "Steel lasts", "worker_key": "hull.steel.v1"}
    call(here, "mesh_repair", {**steel, "on": "2025-03-02"})
    shop.rotten.clear()
    call(here, "mesh_resume", {"on": "2025-03-03"})
    assert here.read(date_in_force) is None

    mesh = Mesh.open(tmp_path / "s")
    days = [day for day in dict.fromkeys(days_of(mesh)) if day is not None]
    assert days == ["2025-03-01", "2025-03-02", "2025-03-03"]
    rotten = [len(mesh.as_of(day).query("rejected(A, P)").rows) for day in days]
    assert rotten == [1, 1, 1]
    steel_is_known = [bool(mesh.as_of(day).find("Steel lasts")) for day in days]
    assert steel_is_known == [False, True, True]
    assert submit(here, 1, None)["new"]
    assert days_of(Mesh.open(tmp_path / "s"))[-1] is None


def test_a_deployment_of_a_plan_takes_dates_over_the_wire(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())
    with speaking(["--session", str(place)], {"HARBOUR": str(tmp_path)}, DEPLOYMENT) as line:
        code = line.call("mesh_recheck", on="2025-13-01")["structuredContent"]["error"]["code"]
        line.call("mesh_recheck", on="2025-03-01")
        line.end()

    assert code == "impossible-date"


def test_a_date_that_gave_way_to_a_later_one_of_another_writer_is_told(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))
    inside, go_on = threading.Event(), threading.Event()
    found: list[dict[str, Any]] = []

    def slow(state: Any) -> Any:
        inside.set()
        assert go_on.wait(20)
        state.graph.assume("The quay is dry")
        return state, None

    first = threading.Thread(target=lambda: here.commit(slow, on="2025-06-01"))
    first.start()
    assert inside.wait(20)
    second = threading.Thread(target=lambda: found.append(submit(here, 1, "2025-03-01")))
    second.start()
    while not here._queue:  # it was taken, and waits for its turn
        time.sleep(0.01)
    go_on.set()
    first.join()
    second.join()

    note = found[0]["notes"][0]
    assert (note["code"], note["subject"], note["fields"]) == ("later-date", "2025-06-01", {"given": "2025-03-01"})
    assert days_of(Mesh.open(tmp_path / "s"))[-2:] == ["2025-06-01", "2025-06-01"]
    again = call(here, "mesh_submit_evidence", {"text": "Fog number 1", "source_id": SOURCE, "on": "2025-06-01"})
    assert (again["new"], "notes" in again) == (False, False), "nothing was written, so no date gave way"


def test_a_write_that_is_refused_leaves_its_date_to_nobody(tmp_path: Path) -> None:
    here = served(harbour(tmp_path / "s"))

    with pytest.raises(Refusal):
        call(here, "mesh_submit_evidence", {"text": "x", "source_id": TIDE, "on": "2025-03-01"})
    submit(here, 1, None)

    assert set(days_of(Mesh.open(tmp_path / "s"))) == {None}


@settings(max_examples=20, deadline=None)
@given(st.lists(st.none() | st.sampled_from(["2024", "2024-11-30", "2025-01-05", "2025-02-01T08:00Z"]), max_size=6))
def test_what_is_served_has_the_dates_that_are_on_disk(dates: list[str | None]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = served(harbour(Path(folder) / "s"))
        for number, on in enumerate(dates):
            try:
                submit(here, number, on)
            except InputError as refused:
                assert refused.code == "earlier-commit"
        there = Mesh.open(Path(folder) / "s")

        assert here.read(days_of) == days_of(there)
        assert here.read(date_in_force) is None
        bounds = here.read(lambda mesh: [_bounded(mesh, on) for on in ("2024", "2025-01-05", "2025-02-01T08:00Z")])
        assert bounds == [_bounded(there, on) for on in ("2024", "2025-01-05", "2025-02-01T08:00Z")]


def _bounded(mesh: Mesh, on: str) -> object:
    try:
        return mesh.as_of(on).past.as_json()
    except InputError as refused:
        return refused.problem
