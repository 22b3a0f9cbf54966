"""What was set aside because of later evidence stands in a past from before that evidence."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.api import Mesh
from contextmesh.base.dates import day_text
from contextmesh.graph.prune import PRUNED_BECAUSE
from contextmesh.store.model import Provenance

UNLINKED = "unlinked"


def pruned() -> Mesh:
    """A name that only one claim of January mentions, on an assumption that evidence of March rejects."""
    mesh = Mesh()
    graph = mesh.graph
    early, late = (
        graph.add_node("source", f"Memo of {day}", attrs={"origin": "memo", "retrieved_at": day}).id
        for day in ("2024-01-05", "2024-03-05")
    )
    leak = graph.add_node("claim", "The Harbour Pump leaks.", provenance=Provenance(early)).id
    graph.add_edge(leak, "derived_from", early)
    pump = graph.add_node("entity", "Harbour Pump", attrs={"canonical": "Harbour Pump", "aliases": []}).id
    meant = mesh.assume("The pump that leaks is the Harbour Pump").id
    mesh.decide("Mend the Harbour Pump", rationale="It leaks.", source=early, depends_on=[meant])
    graph.add_edge(leak, "mentions", pump, assumption=meant)
    graph.add_node("entity", "Old Crane", attrs={"canonical": "Old Crane", "aliases": []})
    mesh.reject(meant, evidence_id=mesh.submit_evidence("It was the Quay Pump.", source_id=late).id)
    graph.prune()
    return mesh


def test_what_is_set_aside_bears_the_reason() -> None:
    mesh = pruned()
    node = mesh.graph.node(mesh.node("Harbour Pump", kind="entity").id)
    assert node.pruned
    assert node.attrs[PRUNED_BECAUSE] == UNLINKED


def test_what_nothing_links_only_since_later_evidence_is_live_before_it() -> None:
    mesh = pruned()
    pump = mesh.node("Harbour Pump", kind="entity").id
    for day, is_live in (("2024-01-05", True), ("2024-03-04", True), ("2024-03-05", False)):
        past = mesh.as_of(valid_at=day)
        node = past.graph.node(pump)
        assert past.graph.is_live(pump) is is_live, day
        assert (node.pruned, node.attrs.get(PRUNED_BECAUSE)) == ((False, None) if is_live else (True, UNLINKED))
    assert not mesh.graph.is_live(pump)


def test_of_processing_time_it_is_set_aside_from_the_transaction_that_did_so() -> None:
    mesh = pruned()
    pump, seq = mesh.node("Harbour Pump", kind="entity").id, mesh.graph.store.seq
    assert mesh.as_of(seq - 1).graph.is_live(pump)
    assert not mesh.as_of(seq).graph.is_live(pump)


days = st.integers(0, 5)
mentions = st.lists(st.tuples(st.integers(0, 2), days, st.integers(0, 2)), min_size=1, max_size=5)
verdicts = st.dictionaries(st.integers(0, 2), days, min_size=1)


@settings(max_examples=60, deadline=None)
@given(mentions, st.lists(days, min_size=3, max_size=3), verdicts, days)
def test_what_is_set_aside_by_a_day_is_what_no_edge_that_holds_by_then_links(
    mentioned: list[tuple[int, int, int]], decided: list[int], rejected: dict[int, int], day: int
) -> None:
    mesh = Mesh()
    graph = mesh.graph
    sources = [
        graph.add_node("source", f"Memo {n}", attrs={"origin": "memo", "retrieved_at": day_text(20_000 + n)}).id
        for n in range(6)
    ]
    names = [
        graph.add_node("entity", f"Pump {n}", attrs={"canonical": f"Pump {n}", "aliases": []}).id for n in range(3)
    ]
    assumed = [mesh.assume(f"Pump {n} is meant").id for n in range(3)]
    for n, on in enumerate(decided):
        mesh.decide(f"Mend pump {n}", rationale="It leaks.", source=sources[on], depends_on=[assumed[n]])
    for at, (name, on, meant) in enumerate(mentioned):
        claim = graph.add_node("claim", f"Pump {name} leaks, by note {at}.", provenance=Provenance(sources[on])).id
        graph.add_edge(claim, "mentions", names[name], assumption=assumed[meant])
    for n, on in rejected.items():
        mesh.reject(assumed[n], evidence_id=mesh.submit_evidence(f"Not pump {n}.", source_id=sources[on]).id)
    cut = graph.prune().by(UNLINKED)
    past = mesh.as_of(valid_at=day_text(20_000 + day)).graph

    def holds(on: int, meant: int) -> bool:
        is_bound = decided[meant] <= day
        return on <= day and not (is_bound and rejected.get(meant, 9) <= day)

    for n, id in enumerate(names):
        seen = [(on, meant) for name, on, meant in mentioned if name == n and on <= day]
        assert (id in past.store.nodes) == bool(seen)
        if seen:
            assert past.node(id).pruned == (id in cut and not any(holds(on, meant) for on, meant in seen))
