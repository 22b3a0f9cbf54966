"""Why a decision was made: its grounds of then, hindsight, and what nothing dates."""

from __future__ import annotations

import pytest

from contextmesh.api import Mesh
from contextmesh.base.errors import UnknownError
from contextmesh.graph.reconstruct import Reason
from contextmesh.store.model import Provenance


def source(mesh: Mesh, label: str, day: str) -> str:
    return mesh.graph.add_node("source", label, attrs={"origin": "memo", "retrieved_at": day}).id


def claim(mesh: Mesh, label: str, origin: str) -> str:
    made = mesh.graph.add_node("claim", label, provenance=Provenance(origin)).id
    mesh.graph.add_edge(made, "derived_from", origin)
    return made


@pytest.fixture
def mesh() -> Mesh:
    """A decision of March 2024 on a claim of January; a support of February, a contradiction of May."""
    mesh = Mesh()
    mesh.commits_on("2024-06-01")
    report = source(mesh, "Report", "2024-01-10")
    minutes = source(mesh, "Minutes", "2024-03-05")
    leak = claim(mesh, "The pump leaks.", report)
    note = claim(mesh, "The pump is old.", source(mesh, "Note", "some day"))
    decision = mesh.graph.add_node(
        "decision", "Exchange the pump", id="decision:exchange", attrs={"rationale": "it leaks"},
        provenance=Provenance(minutes),
    ).id  # fmt: skip
    mesh.graph.add_edge(decision, "derived_from", leak)
    mesh.graph.add_edge(decision, "derived_from", note)
    letter = source(mesh, "Letter", "2024-02-01")
    mesh.graph.add_edge(claim(mesh, "Two divers saw it leak.", letter), "supports", decision)
    mesh.commits_on("2024-07-01")
    test = source(mesh, "Test", "2024-05-20")
    mesh.graph.add_edge(claim(mesh, "The pump is tight.", test), "contradicts", leak)
    later = mesh.graph.add_node(
        "decision", "Keep the pump", id="decision:keep", attrs={"rationale": "it is tight"}, provenance=Provenance(test)
    ).id
    mesh.graph.add_edge(later, "supersedes", decision)
    return mesh


def labels(reasons: tuple[Reason, ...]) -> list[tuple[str, str, int]]:
    return [(reason.node.label, reason.edge.type, reason.hops) for reason in reasons]


def test_what_a_decision_stood_on_is_told_apart_from_hindsight_and_from_what_nothing_dates(mesh: Mesh) -> None:
    found = mesh.reconstruct("Exchange the pump")

    assert found.day == "2024-03-05"
    assert labels(found.stood_on) == [
        ("The pump leaks.", "derived_from", 1),
        ("Two divers saw it leak.", "supports", 1),
        ("Report", "derived_from", 2),
        ("Letter", "derived_from", 2),
    ]
    assert labels(found.later) == [("Keep the pump", "supersedes", 1), ("The pump is tight.", "contradicts", 2)]
    assert labels(found.undated) == [("The pump is old.", "derived_from", 1), ("Note", "derived_from", 2)]


def test_each_reason_bears_both_clocks_and_a_proof(mesh: Mesh) -> None:
    found = mesh.reconstruct("Exchange the pump")
    leak, against = found.stood_on[0], found.later[1]

    assert (leak.day, leak.committed, against.day, against.committed) == (
        "2024-01-10", "2024-06-01", "2024-05-20", "2024-07-01"
    )  # fmt: skip
    assert leak.seq < against.seq
    assert "it was read in a source of that day" in leak.proof.as_text()
    assert found.undated[0].proof.as_text().startswith("edge(")


def test_hindsight_is_gone_when_the_decision_is_reconstructed_as_of_its_day(mesh: Mesh) -> None:
    then = mesh.reconstruct("Exchange the pump", as_of="2024-06-15")
    assert then.later == ()
    assert labels(then.stood_on) == labels(mesh.reconstruct("Exchange the pump").stood_on)

    said = mesh.as_of(valid_at="2024-03-05").reconstruct("Exchange the pump")
    assert (said.later, said.undated) == ((), ())


def test_nothing_is_earlier_or_later_than_an_undated_decision() -> None:
    mesh = Mesh()
    memo = source(mesh, "Memo", "2024-01-10")
    made = mesh.graph.add_node(
        "decision", "Wait", attrs={"rationale": "no hurry"}, provenance=Provenance(source(mesh, "Note", "some day"))
    )
    mesh.graph.add_edge(made.id, "derived_from", claim(mesh, "There is time.", source(mesh, "Card", "?")))
    mesh.graph.add_edge(claim(mesh, "All is well.", memo), "supports", made.id)

    found = mesh.reconstruct("Wait")
    assert found.day is None
    assert (found.stood_on, found.later) == ((), ())
    assert [reason.day for reason in found.undated] == [None, "2024-01-10", None, "2024-01-10"]


def test_a_circle_of_grounds_is_gone_around_once() -> None:
    mesh = Mesh()
    memo = source(mesh, "Memo", "2024-01-10")
    one, two = (
        mesh.graph.add_node("decision", name, attrs={"rationale": "r"}, provenance=Provenance(memo)).id
        for name in ("One", "Two")
    )
    mesh.graph.add_edge(one, "depends_on", two)
    mesh.graph.add_edge(two, "depends_on", one)

    assert labels(mesh.reconstruct("One").stood_on) == [("Two", "depends_on", 1)]


def test_only_a_decision_is_reconstructed(mesh: Mesh) -> None:
    with pytest.raises(UnknownError):
        mesh.reconstruct("Report")
