"""The graph as it had learned it by a transaction or a commit's date."""

from __future__ import annotations

from typing import Any

import pytest
from histories import Writer, picture, steps, trace
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.api import Mesh
from contextmesh.base.errors import InputError, OntologyError

law = settings(max_examples=60, deadline=None)


@law
@given(steps, st.sets(st.integers(0, 7), max_size=2))
def test_what_was_learned_by_a_transaction_is_the_graph_as_it_was_then(
    plan: list[tuple[str, int, int]], looked_after: set[int]
) -> None:
    writer = Writer()
    writer.start()
    then = {}
    for at, step in enumerate(plan):
        writer.write(*step)
        if at in looked_after or at == len(plan) - 1:  # a picture costs as much as the history
            then[writer.graph.store.seq] = picture(writer.graph)

    for seq, was in then.items():
        assert picture(writer.mesh.as_of(seq).graph) == was


@law
@given(steps, st.integers(0, 6))  # a decision stands from the start
def test_reading_the_past_changes_nothing(plan: list[tuple[str, int, int]], back: int) -> None:
    writer = Writer()
    writer.start()
    for step in plan:
        writer.write(*step)
    mesh = writer.mesh
    before = trace(mesh)
    past = mesh.as_of(max(0, mesh.graph.store.seq - back))
    first = [reads(past), reads(past)]

    assert trace(mesh) == before
    assert first[0] == first[1]


def reads(past: Mesh) -> list[Any]:
    question = "Why does Pump 1 leak, and the pomp of 3?"
    decision = next(node.id for node in past.graph.store.nodes.values() if node.type == "decision")
    return [
        past.ask(question).as_json(),
        past.ask("What replaced Exchange pump 1?").as_json(),
        past.health().as_json(),
        past.lineage(decision).as_json(),
        past.query("live(X), known(X, D)").rows,
        past.reconstruct(decision).as_json(),
    ]


@law
@given(steps, steps)
def test_later_writes_never_change_a_past_answer(
    early: list[tuple[str, int, int]], late: list[tuple[str, int, int]]
) -> None:
    writer = Writer()
    writer.start()
    for step in early:
        writer.write(*step)
    seq = writer.graph.store.seq
    before = reads(writer.mesh.as_of(seq))
    for step in late:
        writer.write(*step)

    writer.mesh._pasts.clear()
    writer.mesh._timeline._views.clear()
    assert reads(writer.mesh.as_of(seq)) == before


def test_an_assumption_is_active_in_the_past_whatever_became_of_it() -> None:
    mesh = Mesh()
    memo = mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "2024-01-05"})
    mesh.commits_on("2024-01-10")
    old = mesh.assume("The pump lasts a year")
    mesh.commits_on("2024-02-10")
    new = mesh.graph.supersede(old.id, "The pump lasts half a year")
    mesh.commits_on("2024-03-10")
    mesh.reject(new.id, evidence_id=mesh.submit_evidence("It broke in May", source_id=memo.id).id)

    def told(day: str) -> list[str]:
        graph = mesh.as_of(day).graph
        return [graph.status(name) for name in graph.store.assumptions]

    assert told("2024-01-31") == ["active"]
    assert mesh.as_of("2024-01-31").graph.assumption(old.id).superseded_by is None
    assert told("2024-02-10") == ["superseded", "active"]
    assert told("2024-03") == ["superseded", "rejected"]


def test_a_date_of_learning_is_a_commit_date_where_one_was_supplied() -> None:
    mesh = Mesh()
    mesh.commits_on("2024-05-01T09:00:00+02:00")
    mesh.graph.add_node("source", "Old memo", attrs={"origin": "memo", "retrieved_at": "2020-01-01"})
    mesh.commits_on("2024-05-01T12:00Z")
    mesh.graph.add_node("source", "Older memo", attrs={"origin": "memo", "retrieved_at": "2019-01-01"})

    morning = mesh.as_of("2024-05-01T08:00Z")
    assert [node.label for node in morning.graph.store.nodes.values()] == ["Old memo"]
    assert morning.past.bounds.learned_by == "commit date"
    assert len(mesh.as_of("2024-05-01").graph.store.nodes) == 2
    with pytest.raises(InputError) as refused:
        mesh.as_of("2024-04-30")
    assert refused.value.code == "before-history"


def test_both_bounds_hold_at_once() -> None:
    mesh = Mesh()
    mesh.commits_on("2024-03-01")
    for month in ("01", "02", "03"):
        attrs = {"origin": "memo", "retrieved_at": f"2024-{month}-10"}
        mesh.graph.add_node("source", f"Memo of {month}", attrs=attrs)
    mesh.commits_on("2024-04-01")
    mesh.graph.add_node("source", "Late memo of 02", attrs={"origin": "memo", "retrieved_at": "2024-02-11"})

    then = mesh.as_of("2024-03-01", valid_at="2024-02")
    assert [node.label for node in then.graph.store.nodes.values()] == ["Memo of 01", "Memo of 02"]
    now = mesh.as_of(valid_at="2024-02")
    assert [node.label for node in now.graph.store.nodes.values()] == ["Memo of 01", "Memo of 02", "Late memo of 02"]


def test_without_commit_dates_a_date_is_read_as_the_date_of_sources_and_the_view_says_so() -> None:
    mesh = Mesh()
    mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "2024-01-05"})
    mesh.graph.add_node("source", "Undated memo", attrs={"origin": "memo", "retrieved_at": "some day"})

    past = mesh.as_of("2024-01-05").past
    assert past.bounds.learned_by is None
    assert "no commit of this graph is dated" in past.as_text()
    assert "1 undated nodes left out" in past.as_text()
    assert past.as_json()["undated"] == 1


def test_a_time_without_an_offset_is_read_as_utc_and_the_view_says_so() -> None:
    mesh = Mesh()
    mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "2024-01-05"})

    assert "2024-01-06T10:00 names no offset and is read as UTC" in mesh.as_of("2024-01-06T10:00").past.as_text()
    assert "UTC" not in mesh.as_of("2024-01-06T10:00Z").past.as_text()


def test_the_past_cannot_be_written_to() -> None:
    mesh = Mesh()
    memo = mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "2024-01-05"})
    past = mesh.as_of(mesh.graph.store.seq)
    for write in (
        lambda: past.assume("x"),
        lambda: past.submit_evidence("x", source_id=memo.id),
        lambda: past.graph.begin_build(),
        lambda: past.decide("x", rationale="y", source=memo.id),
    ):
        with pytest.raises(OntologyError) as refused:
            write()
        assert refused.value.code == "past-is-read-only"


@pytest.mark.parametrize(
    ("when", "valid_at", "code"),
    [
        ("2024-02-30", None, "impossible-date"),
        ("yesterday", None, "not-a-date"),
        ("@x", None, "not-a-date"),
        ("2031", None, "future-date"),
        (99, None, "future-date"),
        (0, None, "before-history"),
        (None, None, "no-bound"),
        ("2024-01-05", "2024-01-05", "no-commit-dates"),
        (None, "2024-13", "impossible-date"),
    ],
)
def test_a_bound_that_cannot_be_is_refused(when: Any, valid_at: str | None, code: str) -> None:
    graph = Mesh().graph
    graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "2024-01-05"})
    mesh = Mesh(graph=graph)

    with pytest.raises(InputError) as refused:
        mesh.as_of(when, valid_at=valid_at)
    assert refused.value.code == code
    assert all(problem.hint for problem in refused.value.problems)


def test_a_day_before_all_commits_is_told_that_sources_can_be_asked_of_it() -> None:
    mesh = Mesh()
    mesh.commits_on("2024-03-01")
    mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "2024-01-05"})

    with pytest.raises(InputError) as refused:
        mesh.as_of("2024-02")
    (problem,) = refused.value.problems
    assert problem.code == "before-history"
    assert problem.hint == (
        "bound learning by the number of a transaction, from @0 on, "
        "or ask what sources of that day say: `--valid-at 2024-02`"
    )


def test_a_bound_before_every_day_of_the_calendar_holds_nothing() -> None:
    mesh = Mesh()
    mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "0001-01-01"})

    past = mesh.as_of("@1", valid_at="0001-01-01T00:00Z")
    assert (len(past.graph.store.nodes), past.past.as_json()["source_day"]) == (0, "0000-12-31")
    assert "0000-12-31" in past.past.as_text()
    assert len(mesh.as_of(valid_at="0001-01-01").graph.store.nodes) == 1


def test_a_source_of_month_nought_is_undated() -> None:
    mesh = Mesh()
    mesh.graph.add_node("source", "Old memo", attrs={"origin": "memo", "retrieved_at": "2024-01-01"})
    memo = mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "2024-00-00"})

    assert mesh.as_of(valid_at="2024-01-01").past.undated == (memo.id,)


def test_a_graph_without_dates_has_no_past_in_source_time() -> None:
    mesh = Mesh()
    mesh.assume("The pump lasts a year")
    with pytest.raises(InputError) as refused:
        mesh.as_of("2024")
    assert refused.value.code == "no-dates"


def test_commit_dates_do_not_run_backwards() -> None:
    mesh = Mesh()
    mesh.commits_on("2024-03-02")
    mesh.commits_on("2024-03-02")
    mesh.commits_on("2024-03-01")
    mesh.commits_on("2024-03-02")
    mesh.assume("The pump lasts a year")
    with pytest.raises(InputError) as refused:
        mesh.commits_on("2024-03-01")
    assert refused.value.code == "earlier-commit"
    assert "undated" in str(refused.value.problems[0].hint)


def test_a_date_that_no_commit_bears_takes_no_past_away() -> None:
    mesh = Mesh()
    mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "2025-02-01"})
    wanted = mesh.as_of("2025-02-01").past.as_json()
    mesh.commits_on("2025-03-01")

    assert mesh.as_of("2025-02-01").past.as_json() == wanted
    mesh.assume("The pump lasts a year")
    assert mesh.as_of("2025-03-01").past.bounds.learned_by == "commit date"


def two_commits() -> Mesh:
    mesh = Mesh()
    for day, said in (("2025-03-01", "2025-02-01"), ("2025-03-05", "2025-02-15")):
        mesh.commits_on(day)
        mesh.graph.add_node("source", f"Memo of {said}", attrs={"origin": "memo", "retrieved_at": said})
    return mesh


@pytest.mark.parametrize(
    ("as_of", "valid_at", "memos"),
    [
        ("2025-03-01", "2025-02-20", 1),
        ("2025-03-01", "2025-03-01", 1),
        ("2025-03-03", "2025-03-03", 1),
        ("2025", "2025-03-05", 2),
        ("@1", "2025-02-20", 1),
        ("@2", "2025-02-14", 1),
        (None, "2025-03-05", 2),
    ],
)
def test_all_up_to_the_date_of_learning_is_past_in_source_time(as_of: str | None, valid_at: str, memos: int) -> None:
    assert len(two_commits().as_of(as_of, valid_at=valid_at).graph.store.nodes) == memos


@pytest.mark.parametrize(
    ("as_of", "valid_at", "last"),
    [
        ("2025-03-01", "2025-03-04", "2025-03-01"),
        ("@1", "2025-03-05", "2025-03-01"),
        ("2025-03", "2025-04", "2025-03-05"),
        (None, "2025-03-08", "2025-03-05"),
    ],
)
def test_a_refusal_tells_nothing_that_was_learned_later(as_of: str | None, valid_at: str, last: str) -> None:
    with pytest.raises(InputError) as refused:
        two_commits().as_of(as_of, valid_at=valid_at)
    assert refused.value.code == "future-date"
    assert str(refused.value.problems[0].message).endswith(f"the last date here is {last}")


def test_a_name_met_in_the_past_is_learned_nowhere() -> None:
    mesh = Mesh()
    pump = mesh.graph.add_node("entity", "Harbour Pump", attrs={"canonical": "Harbour Pump", "aliases": []})
    mesh.resolver.register(pump.id, pump.label)
    past = mesh.as_of(mesh.graph.store.seq)
    before = past.resolver.to_json(), mesh.resolver.to_json()

    past.resolver.resolve("Harbour Pumps")
    assert past.resolver.log == []
    assert (past.resolver.to_json(), mesh.resolver.to_json()) == before
