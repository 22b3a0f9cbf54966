"""What a record of the past says names nothing that is not in that past."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.api import Mesh
from contextmesh.base.dates import day_text
from contextmesh.base.errors import Refusal
from contextmesh.store.model import Provenance

law = settings(max_examples=25, deadline=None)

WORDS = ("decide", "supersede", "claim", "again", "justify", "stamp", "reject")
DAYS = 4

steps = st.lists(
    st.tuples(st.sampled_from(WORDS), st.integers(0, DAYS), st.integers(0, 5), st.integers(0, 5)),
    min_size=3,
    max_size=10,
)


def sources_of(mesh: Mesh) -> list[str]:
    """A source for each day, and one that bears none."""
    days = [day_text(20_000 + day) for day in range(DAYS)] + ["some day"]
    return [
        mesh.graph.add_node("source", f"Memo {at}", attrs={"origin": "memo", "retrieved_at": day}).id
        for at, day in enumerate(days)
    ]


def write(mesh: Mesh, at: int, step: tuple[str, int, int, int], sources: list[str]) -> None:
    word, day, i, j = step
    graph, source = mesh.graph, sources[day]
    of = {kind: [n.id for n in graph.store.nodes.values() if n.type == kind] for kind in ("decision", "claim")}
    one, two = (of["decision"][n % len(of["decision"])] for n in (i, j))
    claim = of["claim"][i % len(of["claim"])]
    if word in ("decide", "supersede"):
        more: dict[str, Any] = {"supersedes": one} if word == "supersede" else {}
        mesh.decide(f"Decided {at}", rationale="r", source=source, derived_from=[claim], **more)
    elif word == "claim":
        made = graph.add_node("claim", f"It leaks {at}.", provenance=Provenance(source)).id
        graph.add_edge(made, "derived_from", source)
    elif word == "again":
        with graph.batch("again") as batch:
            batch.set_attrs(claim, elsewhere=[[sources[j % len(sources)], 0, 4], [source, 4, 8]])
    elif word == "justify":
        graph.justify(claim, [source])
    elif word == "stamp":
        with graph.batch("stamp") as batch:
            batch.set_attrs(one, reviewed={"by": two, "with": [two, claim], "on": "a day"})
    else:
        assumed = mesh.assume(f"Valve {i} holds")
        graph.add_edge(claim, "depends_on", assumed.id)
        seen = mesh.submit_evidence(f"Seen {at}", source_id=source)
        mesh.reject(assumed.id, evidence_id=seen.id, replacement=f"Valve {at} is new" if j == 0 else None)


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)


def told(past: Mesh) -> Iterator[tuple[str, Any]]:
    """What a view says, whoever reads it."""
    yield "edges", [[e.id, e.src, e.dst, e.assumption_id, e.evidence_ids] for e in past.graph.store.edges.values()]
    records = past.graph.store.assumptions.values()
    yield "assumptions", [[r.id, r.supersedes, r.superseded_by, r.evidence_ids] for r in records]
    yield "health", past.health().as_json()
    yield "ask", past.ask("What replaced Decided 1?").as_json()
    for id, node in past.graph.store.nodes.items():
        yield f"node {id}", [dict(node.attrs), node.provenance.source_id if node.provenance else None]
        yield f"portrait {id}", past.portrait(id).as_json()
        yield f"lineage {id}", past.lineage(id).as_json()
        if node.type == "decision":
            found = past.reconstruct(id)
            yield f"reconstruct {id}", [found.as_json(), dict(found.decision.attrs)]


@law
@given(steps, st.integers(0, DAYS - 1), st.integers(0, 6), st.booleans())
def test_a_view_names_nothing_that_is_not_in_it(
    plan: list[tuple[str, int, int, int]], day: int, back: int, of_both: bool
) -> None:
    mesh = Mesh()
    sources = sources_of(mesh)
    for at, step in enumerate((("claim", 0, 0, 0), ("decide", 0, 0, 0), ("decide", 1, 0, 0), *plan)):
        if at < 3:
            made = mesh.graph.add_node("claim", f"It stands {at}.", provenance=Provenance(sources[0])).id
            mesh.graph.add_edge(made, "derived_from", sources[0])
            mesh.decide(f"Decided {at}", rationale="r", source=sources[at])
            continue
        try:
            write(mesh, at, step, sources)
        except Refusal:
            continue  # what the rules refuse is left out
    seq = sources_of_last(mesh, back)
    on = day_text(20_000 + day)
    store = mesh.graph.store
    for past in (mesh.as_of(seq), mesh.as_of(seq, valid_at=on) if of_both else mesh.as_of(on)):
        there = past.graph.store
        gone = {*store.nodes, *store.edges} - {*there.nodes, *there.edges}
        for where, value in told(past):
            assert not gone.intersection(texts(value)), where


def sources_of_last(mesh: Mesh, back: int) -> int:
    """A transaction so many before the last, with all the sources there."""
    return max(DAYS + 1, mesh.graph.store.seq - back)


def replaced_twice() -> tuple[Mesh, str, list[str]]:
    mesh = Mesh()
    first, second, third = sources_of(mesh)[:3]
    old = mesh.decide("Use two shards", rationale="r", source=first).id
    new = mesh.decide("Use four shards", rationale="r", source=second, supersedes=old).id
    newest = mesh.decide("Use six shards", rationale="r", source=third, supersedes=old).id
    return mesh, old, [new, newest]


def test_who_replaced_a_decision_is_told_from_the_day_it_is_dated() -> None:
    mesh, old, (new, newest) = replaced_twice()

    for day, by in ((0, None), (1, new), (2, newest)):
        past = mesh.as_of(day_text(20_000 + day))
        assert past.node(old).attrs.get("superseded_by") == by
        assert past.portrait(old).node.attrs.get("superseded_by") == by
        assert past.reconstruct(old).decision.attrs.get("superseded_by") == by
        assert past.lineage(old).steps[0][0].attrs.get("superseded_by") == by
        assert bool(past.query(f"carries('{old}', superseded_by)").rows) == (by is not None)
    assert mesh.node(old).attrs["superseded_by"] == newest


def test_a_text_that_the_policy_asks_for_stays_whatever_it_spells() -> None:
    mesh = Mesh()
    first = sources_of(mesh)[0]
    mesh.graph.add_node("source", "Later", id="memo", attrs={"origin": "memo", "retrieved_at": day_text(20_009)})

    assert mesh.as_of(day_text(20_000)).node(first).attrs["origin"] == "memo"


@pytest.mark.parametrize(("day", "named"), [("2003-06-06", False), ("2003-06-07", True)])
def test_a_header_names_no_record_of_a_later_day_in_any_of_its_attributes(day: str, named: bool) -> None:
    mesh = Mesh()
    for number, dated, refers in (
        (1, "2001-05-01", {"superseded_by": ["rfc-2"], "requires": ["rfc-2", "rfc-9"]}),
        (2, "2003-06-07", {}),
    ):
        memo = mesh.graph.add_node("source", f"Memo {number}", attrs={"origin": "memo", "retrieved_at": dated}).id
        attrs: dict[str, Any] = {"rationale": "so it was", "record_key": f"rfc-{number}", "refers": refers}
        if refers:
            attrs |= {"refers_named": {"rfc-2": "RFC 2", "rfc-9": "RFC 9"}, "refers_path": {"rfc-2": "rfc-2.md"}}
        mesh.graph.add_node(
            "decision", f"RFC {number}", id=f"decision:rfc-{number}", attrs=attrs, provenance=Provenance(memo)
        )

    then = mesh.as_of(day).node("decision:rfc-1").attrs
    assert ("rfc-2" in {*texts(dict(then))}) == named
    assert then["refers"]["requires"] == (["rfc-2", "rfc-9"] if named else ["rfc-9"])
    assert ("RFC 2" in then["refers_named"].values()) == named
    assert ("refers_path" in then) == named
