"""AND inside a justification, OR across: what stands on another ground, and what only holds itself up."""

from __future__ import annotations

import pytest
from graph_builders import claim, decision, evidence, source

from contextmesh.base.errors import OntologyError, UnknownError
from contextmesh.graph.graph import ContextGraph


def h08(graph: ContextGraph) -> dict[str, str]:
    """Two assumptions and a source; a claim that either {a1, s1} or {a2} suffices for; a decision on each."""
    s1 = source(graph, "s1").id
    a1, a2 = graph.assume("a1").id, graph.assume("a2").id
    c1 = claim(graph, "c1", s1, attrs={"justifications": [[a1, s1], [a2]]}).id
    for ground in (a1, a2):
        graph.add_edge(c1, "depends_on", ground)
    graph.add_edge(c1, "derived_from", s1)
    d1, d2 = decision(graph, "d1", s1).id, decision(graph, "d2", s1).id
    graph.add_edge(d1, "derived_from", c1)
    graph.add_edge(d2, "depends_on", a1)
    return {"a1": a1, "a2": a2, "s1": s1, "c1": c1, "d1": d1, "d2": d2}


def test_a_claim_that_lost_one_of_two_justifications_stands_on_the_other(graph: ContextGraph) -> None:
    """The case H08 of the public bug reports."""
    ids = h08(graph)
    done = graph.reject(ids["a1"], evidence_id=evidence(graph, "audit").id)

    assert done.fallen == (ids["d2"],)
    assert [name for name in done.preserved if name.split(":")[0] != "evidence"] == [
        ids[name] for name in ("s1", "a2", "c1", "d1")
    ]
    (standing,) = done.still_standing
    assert standing.id == ids["c1"]
    assert standing.lost == ((ids["a1"], ids["s1"]),)
    assert standing.stands_on == ((ids["a2"],),)
    assert done.as_json()["still_standing"] == [
        {"id": ids["c1"], "lost": [[ids["a1"], ids["s1"]]], "stands_on": [[ids["a2"]]]}
    ]


def test_a_dry_run_reports_the_same_alternative_support(graph: ContextGraph) -> None:
    ids = h08(graph)
    tried = graph.blast(ids["a1"])
    done = graph.reject(ids["a1"], evidence_id=evidence(graph, "audit").id)

    assert tried.still_standing == done.still_standing
    assert tried.fallen == done.fallen
    assert graph.blast(ids["a1"]).still_standing == done.still_standing


def test_when_the_last_justification_goes_the_claim_and_what_stands_on_it_fall(graph: ContextGraph) -> None:
    ids = h08(graph)
    graph.reject(ids["a1"], evidence_id=evidence(graph, "audit").id)
    done = graph.reject(ids["a2"], evidence_id=evidence(graph, "second audit").id)

    assert done.fallen == (ids["c1"], ids["d1"])
    assert done.still_standing == ()
    assert done.because(ids["d1"])[0] == "assumption(a2)"
    assert done.because(ids["d1"])[-1] == "d1"


def test_claims_that_only_justify_each_other_do_not_stand(graph: ContextGraph) -> None:
    s1 = source(graph, "s1").id
    base = claim(graph, "base", s1).id
    x = claim(graph, "x", s1, attrs={"justifications": [[base]]}).id
    y = claim(graph, "y", s1, attrs={"justifications": [[x]]}).id
    assert graph.is_live(x)
    with graph.batch("circle") as batch:
        batch.set_attrs(x, justifications=[[y]])

    assert not graph.is_live(x)
    assert not graph.is_live(y)
    circular = graph.health().signal("circular_support")
    assert circular is not None
    assert sorted(circular.items) == sorted([x, y])


def test_two_claims_that_also_have_a_base_stand_until_it_goes(graph: ContextGraph) -> None:
    s1, ground = source(graph, "s1").id, graph.assume("a").id
    x = claim(graph, "x", s1, attrs={"justifications": [[ground]]}).id
    y = claim(graph, "y", s1, attrs={"justifications": [[x]]}).id
    graph.justify(x, [y])
    assert graph.is_live(x)
    done = graph.reject(ground, evidence_id=evidence(graph, "no").id)

    assert sorted(done.fallen) == sorted([x, y])


def test_new_support_lets_a_fallen_claim_stand_again(graph: ContextGraph) -> None:
    s1, ground, other = source(graph, "s1").id, graph.assume("a").id, graph.assume("b").id
    said = claim(graph, "said", s1, attrs={"justifications": [[ground]]}).id
    graph.reject(ground, evidence_id=evidence(graph, "no").id)
    assert not graph.is_live(said)
    graph.justify(said, [other, s1])

    assert graph.is_live(said)
    assert {(e.type, e.dst) for e in graph.edges_from(said)} == {("depends_on", other), ("derived_from", s1)}
    assert graph.justify(said, [s1, other]) == graph.node(said)


def test_what_a_claim_stood_on_remains_a_justification_when_it_gains_another(graph: ContextGraph) -> None:
    s1, first, second = source(graph, "s1").id, graph.assume("first").id, graph.assume("second").id
    said = claim(graph, "said", s1).id
    graph.add_edge(said, "depends_on", first)
    graph.justify(said, [second])
    lost_the_new = graph.reject(second, evidence_id=evidence(graph, "no").id)
    assert lost_the_new.fallen == ()
    assert lost_the_new.still_standing[0].stands_on == ((first,),)
    lost_both = graph.reject(first, evidence_id=evidence(graph, "no again").id)

    assert lost_both.fallen == (said,)


def test_a_decision_may_state_justifications_when_it_is_written(graph: ContextGraph) -> None:
    s1, one, two = source(graph, "s1").id, graph.assume("one").id, graph.assume("two").id
    made = graph.decide("Go", rationale="either is enough", source=s1, justifications=[[one], [two]])
    first = graph.reject(one, evidence_id=evidence(graph, "no").id)
    assert first.fallen == ()
    assert [s.id for s in first.still_standing] == [made.id]
    second = graph.reject(two, evidence_id=evidence(graph, "no again").id)

    assert second.fallen == (made.id,)


@pytest.mark.parametrize("grounds", ["text", [["a"], "b"], [[1]], [[]]])
def test_justifications_of_another_shape_are_refused(graph: ContextGraph, grounds: object) -> None:
    s1 = source(graph, "s1").id
    with pytest.raises(OntologyError) as caught:
        claim(graph, "said", s1, attrs={"justifications": grounds})

    assert caught.value.code == "bad-justifications"


def test_a_ground_must_be_in_the_graph(graph: ContextGraph) -> None:
    s1 = source(graph, "s1").id
    with pytest.raises(UnknownError):
        claim(graph, "said", s1, attrs={"justifications": [["assumption:none"]]})
