"""A graph of the past is a graph: it is written as any other, and the file of it loads again."""

from __future__ import annotations

from typing import Any

from histories import Writer, steps
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.api import Mesh
from contextmesh.base.dates import day_text
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.model import Provenance


def conclusions(graph: ContextGraph) -> dict[str, Any]:
    engine = graph.store.engine
    names = ("live", "edge_dead", "status", "current", "superseded", "stands_on")
    return {name: sorted(map(repr, engine.rows(name))) for name in names}


decisions = st.tuples(st.integers(0, 1), st.lists(st.integers(0, 9), min_size=1, max_size=3))


def decide(graph: ContextGraph, source: int, grounds: list[int]) -> None:
    """A decision of one source on claims of any."""
    of = {kind: [n.id for n in graph.store.nodes.values() if n.type == kind] for kind in ("source", "claim")}
    stands_on = [of["claim"][at % len(of["claim"])] for at in grounds]
    title = f"Decide on {', '.join(stands_on)}"
    graph.decide(title, rationale="so it is", source=of["source"][source], derived_from=stands_on)


@settings(max_examples=60, deadline=None)
@given(steps, st.lists(decisions, max_size=3), st.integers(0, 11), st.none() | st.integers(0, 8))
def test_a_graph_of_the_past_is_written_and_loads_again(
    plan: list[tuple[str, int, int]], decided: list[tuple[int, list[int]]], day: int, back: int | None
) -> None:
    writer = Writer()
    writer.start()
    for step in plan:
        writer.write(*step)
    for source, grounds in decided:
        decide(writer.graph, source, grounds)
    seq = None if back is None else writer.graph.store.seq - back
    past = writer.mesh.as_of(seq, valid_at=day_text(20_000 + day)).graph
    file = past.to_json()
    again = ContextGraph.from_json(file)

    assert again.to_json() == file
    assert conclusions(again) == conclusions(past)


def test_the_fingerprint_of_a_decision_is_of_the_grounds_it_has_by_then() -> None:
    mesh = Mesh()
    early, late = (
        mesh.graph.add_node("source", f"Memo of {day}", attrs={"origin": "memo", "retrieved_at": day}).id
        for day in ("2024-01-05", "2024-03-05")
    )
    leak = mesh.graph.add_node("claim", "The pump leaks.", provenance=Provenance(early)).id
    note = mesh.graph.add_node("claim", "The pump is old.", provenance=Provenance(late)).id
    whole = mesh.decide("Exchange the pump", id="decision:pump", rationale="r", source=early, derived_from=[leak, note])

    past = mesh.as_of(valid_at="2024-02-01").graph
    only = Mesh()
    only.graph.add_node(
        "source", "Memo of 2024-01-05", id=early, attrs={"origin": "memo", "retrieved_at": "2024-01-05"}
    )
    only.graph.add_node("claim", "The pump leaks.", provenance=Provenance(early))
    then = only.decide("Exchange the pump", id="decision:pump", rationale="r", source=early, derived_from=[leak])

    assert past.node("decision:pump").attrs == then.attrs != whole.attrs
    assert ContextGraph.from_json(past.to_json()).to_json() == past.to_json()
    assert mesh.graph.node("decision:pump") == whole
