"""The graph of what its sources say by a day."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.api import Mesh
from contextmesh.base.dates import day_text
from contextmesh.store.model import Provenance

law = settings(max_examples=60, deadline=None)

Paper = tuple[int, int, int, str]
papers = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 7), st.sampled_from(["plain", "decide", "reject"])),
    min_size=2,
    max_size=6,
)


def read(mesh: Mesh, number: int, paper: Paper) -> None:
    """One dated document: it says something of a thing, and perhaps decides on, or speaks against, an assumption."""
    day, thing, other, what = paper
    graph = mesh.graph
    attrs = {"origin": "memo", "retrieved_at": day_text(20_000 + day)}
    memo = graph.add_node("source", f"Memo {number}", attrs=attrs).id
    pump = graph.add_node("entity", f"Pump {thing}", attrs={"canonical": f"Pump {thing}", "aliases": []}).id
    claim = graph.add_node("claim", f"Pump {thing} leaks, by memo {number}.", provenance=Provenance(memo)).id
    graph.add_edge(claim, "derived_from", memo)
    graph.add_edge(claim, "mentions", pump)
    valve = mesh.assume(f"Valve {thing} holds")
    graph.add_edge(claim, "depends_on", valve.id)
    if what == "reject" and graph.status(valve.id) == "active":
        mesh.reject(valve.id, evidence_id=mesh.submit_evidence(f"It broke, by memo {number}", source_id=memo).id)
    elif what == "decide":
        made = graph.add_node(
            "decision",
            f"RFC {number}: pump {thing}",
            id=f"decision:rfc-{number}",
            attrs={"rationale": "it leaks", "record_key": f"rfc-{number}"},
            provenance=Provenance(memo),
        ).id
        graph.add_edge(made, "derived_from", claim)
        old = f"decision:rfc-{other}"
        if other < number and old in graph.store.nodes:
            graph.add_edge(made, "supersedes", old)


def said(mesh: Mesh) -> dict[str, Any]:
    file = mesh.graph.to_json()
    nodes = {node["id"]: (node["label"], node["attrs"], node["invalidated"]) for node in file["nodes"]}
    edges = {edge["id"]: edge["invalidated"] for edge in file["edges"]}
    records = {record["id"]: record["status"] for record in file["assumptions"]}
    current = mesh.query("current(X)").rows
    return {"nodes": nodes, "edges": edges, "assumptions": records, "current": current}


@law
@given(papers, st.integers(0, 4))
def test_what_was_so_by_a_day_is_the_graph_of_the_documents_of_then(plan: list[Paper], day: int) -> None:
    plan = sorted(plan, key=lambda paper: paper[0])
    whole, part = Mesh(), Mesh()
    for number, paper in enumerate(plan):
        read(whole, number, paper)
        if paper[0] <= day:
            read(part, number, paper)
    if plan[0][0] > day or plan[-1][0] < day - 1:
        return

    assert said(whole.as_of(day_text(20_000 + day))) == said(part)


def record(mesh: Mesh, key: int, day: str, *, replaces: tuple[int, ...] = (), by: int | None = None) -> str:
    """A decision record as a reader of headers writes it."""
    graph = mesh.graph
    memo = graph.add_node("source", f"File of RFC {key}", attrs={"origin": "rfc", "retrieved_at": day}).id
    attrs: dict[str, Any] = {"rationale": "so it was", "record_key": f"rfc-{key}", "record_status": "accepted"}
    if by is not None:
        attrs |= {"record_status": "superseded", "refers": {"superseded_by": [f"rfc-{by}"]}}
    read_in = Provenance(memo, extractor="header")
    made = graph.add_node("decision", f"RFC {key}", id=f"decision:rfc-{key}", attrs=attrs, provenance=read_in).id
    lines = [f"The status of RFC {key} is {attrs['record_status']}."]
    lines += [] if by is None else [f"RFC {key} was superseded by RFC {by}."]
    for line in lines:
        claim = graph.add_node("claim", line, provenance=read_in).id
        graph.add_edge(claim, "derived_from", memo)
        graph.add_edge(made, "derived_from", claim)
        for number in (key, by):
            if number is not None and f"RFC {number}" in line:
                thing = graph.add_node(
                    "entity", f"RFC {number}", attrs={"canonical": f"RFC {number}", "aliases": []}
                ).id
                graph.add_edge(claim, "mentions", thing)
    for old in replaces:
        graph.add_edge(made, "supersedes", f"decision:rfc-{old}")
    return made


def current(mesh: Mesh, day: str) -> list[Any]:
    return [row[0] for row in mesh.as_of(day).query("current(X)").rows]


def test_the_day_before_its_successor_a_record_is_current_and_the_day_after_the_successor_is() -> None:
    mesh = Mesh()
    record(mesh, 1, "2001-05-01", by=2)
    record(mesh, 2, "2003-06-07", replaces=(1,))

    assert current(mesh, "2003-06-06") == ["decision:rfc-1"]
    assert current(mesh, "2003-06-07") == current(mesh, "2003-06-08") == ["decision:rfc-2"]
    assert [node.id for node, _, _ in mesh.as_of("2003-06-06").lineage("RFC 1").steps] == ["decision:rfc-1"]


def test_a_record_older_in_lineage_and_younger_in_date_is_superseded_from_its_first_day() -> None:
    mesh = Mesh()
    record(mesh, 1, "2003-06-07", by=2)
    record(mesh, 2, "2001-05-01", replaces=(1,))
    record(mesh, 3, "2004-01-01")

    assert current(mesh, "2003-06-06") == ["decision:rfc-2"]
    assert current(mesh, "2003-06-07") == ["decision:rfc-2"]
    assert mesh.health().signal("successor_dated_before") is not None


def test_a_record_that_replaces_several_replaces_each_from_its_own_date_on() -> None:
    mesh = Mesh()
    record(mesh, 1, "2001-01-01", by=3)
    record(mesh, 2, "2002-01-01", by=3)
    record(mesh, 3, "2003-01-01", replaces=(1, 2))

    assert current(mesh, "2002-12-31") == ["decision:rfc-1", "decision:rfc-2"]
    assert current(mesh, "2003-01-01") == ["decision:rfc-3"]


def test_a_record_that_was_split_is_superseded_from_the_first_of_its_parts_on() -> None:
    mesh = Mesh()
    record(mesh, 1, "2001-01-01", by=2)
    record(mesh, 2, "2002-01-01", replaces=(1,))
    record(mesh, 3, "2003-01-01", replaces=(1,))

    assert current(mesh, "2001-12-31") == ["decision:rfc-1"]
    assert current(mesh, "2002-01-01") == ["decision:rfc-2"]
    assert current(mesh, "2003-01-01") == ["decision:rfc-2", "decision:rfc-3"]


def test_a_header_does_not_tell_of_its_successor_before_that_is_dated() -> None:
    mesh = Mesh()
    record(mesh, 1, "2001-05-01", by=2)
    record(mesh, 2, "2003-06-07", replaces=(1,))

    before, after = mesh.as_of("2003-06-06").graph, mesh.as_of("2003-06-07").graph
    assert [node.label for node in before.store.nodes.values() if "2" in node.label] == []
    assert "superseded" not in repr(list(before.store.nodes.values()))
    assert dict(before.node("decision:rfc-1").attrs) == {
        "rationale": "so it was", "record_key": "rfc-1"
    }  # fmt: skip
    assert after.store.nodes == mesh.graph.store.nodes


def test_what_a_header_says_of_a_successor_that_is_no_record_here_is_undated() -> None:
    mesh = Mesh()
    record(mesh, 1, "2001-05-01", by=9)
    record(mesh, 2, "2003-06-07")

    past = mesh.as_of("2003-06-07").past
    assert [mesh.graph.node(id).label for id in past.undated] == [
        "The status of RFC 1 is superseded.",
        "RFC 1 was superseded by RFC 9.",
    ]


@pytest.mark.parametrize(
    ("written", "last_before", "first_after"),
    [
        ("2001", "2001-12-30", "2001-12-31"),
        ("2001-02", "2001-02-27", "2001-02-28"),
        ("2001-02-03T23:30:00-02:00", "2001-02-03", "2001-02-04"),
        ("2001-02-03T23:30", "2001-02-02", "2001-02-03"),
    ],
)
def test_a_source_counts_once_the_stretch_that_dates_it_is_over(
    written: str, last_before: str, first_after: str
) -> None:
    mesh = Mesh()
    mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": written})

    assert len(mesh.as_of(last_before).graph.store.nodes) == 0
    assert len(mesh.as_of(first_after).graph.store.nodes) == 1


@pytest.mark.parametrize("early", [1, 30])
def test_an_edge_counts_from_the_later_of_its_ends_whichever_that_is_and_however_few_nodes_are_later(
    early: int,
) -> None:
    mesh = Mesh()
    for number in range(early):
        read(mesh, number, (0, 0, 0, "plain"))
    old = next(node.id for node in mesh.graph.store.nodes.values() if node.type == "claim")
    standing = set(mesh.graph.store.edges)
    attrs = {"origin": "memo", "retrieved_at": day_text(20_004)}
    memo = mesh.graph.add_node("source", "Late memo", attrs=attrs).id
    late = mesh.graph.add_node("claim", "Pump 9 leaks.", provenance=Provenance(memo)).id
    pump = mesh.graph.add_node("entity", "Pump 9", attrs={"canonical": "Pump 9", "aliases": []}).id
    for src, kind, dst in ((old, "derived_from", memo), (late, "contradicts", old), (late, "mentions", pump)):
        mesh.graph.add_edge(src, kind, dst)

    assert set(mesh.as_of(valid_at=day_text(20_003)).graph.store.edges) == standing
    assert set(mesh.as_of(valid_at=day_text(20_004)).graph.store.edges) == set(mesh.graph.store.edges) > standing


def test_an_undated_source_is_reported_and_never_given_a_date() -> None:
    mesh = Mesh()
    memo = mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "03/04/2024"})
    mesh.graph.add_node("source", "Other", attrs={"origin": "memo", "retrieved_at": "2024-05-01"})

    past = mesh.as_of("2024-05-01").past
    assert past.undated == (memo.id,)
    assert memo.id not in past.graph.store.nodes


def test_writes_of_one_commit_and_one_date_keep_their_order_after_every_reload(tmp_path: Any) -> None:
    mesh = Mesh()
    with mesh.graph.batch("two") as batch:
        for name in ("Zebra", "Ant"):
            batch.add_node("source", name, attrs={"origin": "memo", "retrieved_at": "2024-05-01"})
    order = list(mesh.as_of("2024-05-01").graph.store.nodes)
    for home in ("one", "two"):
        mesh.save(tmp_path / home)
        mesh = Mesh.open(tmp_path / home)
        assert list(mesh.as_of("2024-05-01").graph.store.nodes) == order
