"""Whatever is refused has changed nothing: no row, no record, no counter."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from graph_builders import claim, decision, entity, evidence, source, state

from contextmesh.base.errors import Refusal
from contextmesh.graph.graph import ContextGraph


def world() -> tuple[ContextGraph, dict[str, str]]:
    """A graph with one thing of each kind, a rejection and a supersession."""
    graph = ContextGraph()
    memo = source(graph).id
    ids = {
        "source": memo,
        "entity": entity(graph, "Oven").id,
        "claim": claim(graph, "The oven is hot.", memo).id,
        "decision": decision(graph, "Bake", memo).id,
        "evidence": evidence(graph, "Seen.").id,
        "assumption": graph.assume("It rains.").id,
        "rejected": graph.assume("It snows.").id,
        "superseded": graph.assume("It hails.").id,
    }
    graph.add_edge(ids["decision"], "depends_on", ids["rejected"])
    ids["bound"] = graph.add_edge(memo, "mentions", ids["entity"], assumption=ids["assumption"]).id
    graph.supersede(ids["superseded"], "It hails twice.")
    graph.reject(ids["rejected"], evidence_id=ids["evidence"])
    graph.begin_build()
    return graph, ids


Act = Callable[[ContextGraph, dict[str, str]], object]

REFUSED: dict[str, tuple[str, Act]] = {
    "an unknown node type": ("no-such-node-type", lambda g, i: g.add_node("entty", "X")),
    "a missing field": ("missing-field", lambda g, i: g.add_node("evidence", "X")),
    "a claim without provenance": ("missing-field", lambda g, i: g.add_node("claim", "X", attrs={"provenance": "x"})),
    "an unknown edge type": ("no-such-edge-type", lambda g, i: g.add_edge(i["claim"], "mention", i["entity"])),
    "an illegal pair": ("illegal-pair", lambda g, i: g.add_edge(i["entity"], "mentions", i["source"])),
    "an unknown source": ("unknown-node", lambda g, i: g.add_edge("claim:none", "mentions", i["entity"])),
    "an unknown target": ("unknown-node", lambda g, i: g.add_edge(i["claim"], "mentions", "entity:none")),
    "a self edge": ("self-edge", lambda g, i: g.add_edge(i["claim"], "cites", i["claim"])),
    "a node under the id of an edge": (
        "id-taken",
        lambda g, i: g.add_node("evidence", "X", id=i["bound"], attrs={"kind": "x"}),
    ),
    "a rejection by no evidence": ("not-evidence", lambda g, i: g.reject(i["assumption"], evidence_id=i["claim"])),
    "a rejection by unknown evidence": ("unknown-node", lambda g, i: g.reject(i["assumption"], evidence_id="x")),
    "a second rejection on other evidence": (
        "already-rejected",
        lambda g, i: g.reject(i["rejected"], evidence_id=i["claim"]),
    ),
    "a rejection with another replacement": (
        "already-rejected",
        lambda g, i: g.reject(i["rejected"], evidence_id=i["evidence"], replacement="It is dry."),
    ),
    "a rejection whose replacement is blank": (
        "blank-text",
        lambda g, i: g.reject(i["assumption"], evidence_id=i["evidence"], replacement=" "),
    ),
    "a replacement of what is superseded": (
        "already-superseded",
        lambda g, i: g.reject(i["superseded"], evidence_id=i["evidence"], replacement="It is dry."),
    ),
    "an assumption that is none": ("unknown-assumption", lambda g, i: g.blast(i["claim"])),
    "a decision on an unknown ground": (
        "unknown-node",
        lambda g, i: g.decide("T", rationale="r", source=i["source"], depends_on=["x"]),
    ),
    "a decision that cites an entity": (
        "illegal-pair",
        lambda g, i: g.decide("T", rationale="r", source=i["source"], cites=[i["entity"]]),
    ),
    "a justification that names its own node": ("bad-justifications", lambda g, i: g.justify(i["claim"], [i["claim"]])),
    "a justification without grounds": ("bad-justifications", lambda g, i: g.justify(i["claim"], [])),
    "a ground no edge can lead to": ("unlinkable-ground", lambda g, i: g.justify(i["claim"], [i["decision"]])),
    "a new ground for a decision": ("decision-fixed", lambda g, i: g.justify(i["decision"], [i["assumption"]])),
    "a query that is not safe": ("unsafe-variable", lambda g, i: g.query("not live(X)")),
    "evidence from nowhere": ("unknown-node", lambda g, i: g.submit_evidence("X", source_id="source:none")),
}


@pytest.mark.parametrize(("code", "act"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_changes_nothing(code: str, act: Act) -> None:
    graph, ids = world()
    before = state(graph)
    with pytest.raises(Refusal) as caught:
        act(graph, ids)

    assert caught.value.code == code
    assert state(graph) == before


def test_the_message_of_an_illegal_pair_says_what_is_legal() -> None:
    graph, ids = world()
    with pytest.raises(Refusal) as caught:
        graph.add_edge(ids["entity"], "mentions", ids["source"])

    assert str(caught.value) == (
        "entity-[mentions]->source is not a legal pair; GRAPH.md allows claim->entity, source->entity"
    )
    assert "legality.dl" in str(caught.value.problem.note)


def test_a_slip_in_a_type_is_answered_with_the_nearest_one() -> None:
    graph, ids = world()
    with pytest.raises(Refusal) as node:
        graph.add_node("entty", "X")
    with pytest.raises(Refusal) as edge:
        graph.add_edge(ids["claim"], "mention", ids["entity"])

    assert str(node.value) == "`entty` is not a node type of GRAPH.md; did you mean `entity`?"
    assert str(edge.value) == "`mention` is not an edge type of GRAPH.md; did you mean `mentions`?"
