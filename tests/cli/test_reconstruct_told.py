"""What ``reconstruct`` prints for people: the decision by both clocks, three parts, a reason a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.api import Mesh
from contextmesh.cli.words import LISTED
from contextmesh.store.model import Provenance

from .conftest import Run


def source(mesh: Mesh, label: str, day: str) -> str:
    return mesh.graph.add_node("source", label, attrs={"origin": "memo", "retrieved_at": day}).id


def claim(mesh: Mesh, label: str, origin: str) -> str:
    return mesh.graph.add_node("claim", label, provenance=Provenance(origin)).id


@pytest.fixture
def pump(tmp_path: Path) -> Path:
    """A decision of March on a claim of January and a note without a date; a contradiction and a successor of May."""
    home = tmp_path / "pump.mesh"
    mesh = Mesh.create(home)
    mesh.commits_on("2024-06-01")
    report, minutes = source(mesh, "Report", "2024-01-10"), source(mesh, "Minutes", "2024-03-05")
    leak, note = claim(mesh, "The pump leaks.", report), claim(mesh, "The pump is old.", source(mesh, "Note", "once"))
    mesh.graph.add_edge(leak, "derived_from", report)
    dry = mesh.assume("The cellar stays dry").id
    chosen = {"derived_from": [leak, note], "depends_on": [dry]}
    mesh.decide("Exchange the pump", id="decision:exchange", rationale="It leaks.", source=minutes, **chosen)
    mesh.checkpoint()
    mesh.commits_on("2024-07-01")
    test = source(mesh, "Test", "2024-05-20")
    mesh.graph.add_edge(claim(mesh, "The pump is tight.", test), "contradicts", leak)
    mesh.decide(
        "Keep the pump", id="decision:keep", rationale="It is tight.", source=test, supersedes="decision:exchange"
    )
    mesh.reject(dry, evidence_id=mesh.submit_evidence("Water stood in it.", source_id=test).id)
    mesh.checkpoint()
    return home


TOLD = """\
Exchange the pump
decision:exchange, dated 2024-03-05, transaction 8 of 2024-06-01

stood on (4)
  -derived_from-> (claim) The pump leaks.  [dated 2024-01-10, transaction 8 of 2024-06-01]
  -cites-> (source) Minutes  [dated 2024-03-05, transaction 8 of 2024-06-01]
  -depends_on-> (assumption) The cellar stays dry  [dated 2024-03-05, transaction 8 of 2024-06-01, no longer live]
  -derived_from-> (source) Report  [dated 2024-01-10, transaction 6 of 2024-06-01, 2 hops away]

later, so no reason then (3)
  <-supersedes- (decision) Keep the pump  [dated 2024-05-20, transaction 12 of 2024-07-01]
  <-contradicts- (claim) The pump is tight.  [dated 2024-05-20, transaction 11 of 2024-07-01, 2 hops away]
  <-contradicts- (evidence) Water stood in it.  [dated 2024-05-20, transaction 14 of 2024-07-01, 2 hops away]

undated (1)
  -derived_from-> (claim) The pump is old.  [undated, transaction 8 of 2024-06-01]

(--json has the proof of each reason)
"""


def test_each_reason_is_told_on_a_line_with_its_edge_both_clocks_how_far_it_is_and_whether_it_fell(
    run: Run, pump: Path
) -> None:
    assert run("reconstruct", "decision:exchange", "--session", pump).out == TOLD


def test_of_a_past_nothing_later_is_told_and_the_last_line_says_what_bounds_it(run: Run, pump: Path) -> None:
    lines = run("reconstruct", "Exchange the pump", "--session", pump, "--as-of", "2024-06-15").out.splitlines()
    whole = [line.replace(", no longer live", "") for line in TOLD.splitlines()]

    assert lines[: lines.index("later, so no reason then (0)")] == whole[: whole.index("later, so no reason then (3)")]
    assert lines[-1] == "(as learned by transaction 8)"


def test_of_many_reasons_the_first_are_listed_and_the_rest_is_counted(run: Run, tmp_path: Path) -> None:
    mesh = Mesh.create(tmp_path / "many.mesh")
    memo = source(mesh, "Memo", "2024-01-10")
    claims = [claim(mesh, f"Note {n} of the pump.", memo) for n in range(LISTED + 3)]
    mesh.decide("Exchange the pump", rationale="It leaks.", source=memo, derived_from=claims)
    mesh.checkpoint()
    lines = run("reconstruct", "Exchange the pump", "--session", tmp_path / "many.mesh").out.splitlines()

    assert f"stood on ({LISTED + 4})" in lines
    assert "  and 4 more (all of them with --json)" in lines
    assert lines[1].endswith(f", dated 2024-01-10, transaction {LISTED + 5}")
    assert sum(line.startswith("  -") for line in lines) == LISTED
