"""Questions in Datalog over a store, and why a row holds or does not."""

from __future__ import annotations

import pytest

from contextmesh.base.errors import LimitReached, Refusal, RuleError, UnknownError
from contextmesh.datalog.limits import Limits
from contextmesh.policy import Policy
from contextmesh.store.explain import failure_text, one_line, tree_json, tree_text, why, why_not
from contextmesh.store.model import Assumption, Edge, Node, Provenance
from contextmesh.store.query import run_query
from contextmesh.store.store import Store


@pytest.fixture
def store() -> Store:
    """A rejected assumption, a decision on it, and what the decision produced."""
    store = Store(Policy.load())
    stage = store.stage("load")
    stage.put_node(Node("s", "source", "Memo", {"origin": "x", "retrieved_at": "2025-01-01"}))
    stage.put_node(Node("a", "assumption", "It rains."))
    stage.put_assumption(Assumption("a", "It rains."))
    stage.put_node(Node("d", "decision", "Coat", {"rationale": "wet"}, Provenance("s")))
    stage.put_node(Node("h", "entity", "Hook", {"canonical": "Hook", "aliases": []}))
    stage.put_node(Node("w", "evidence", "No.", {"kind": "x"}))
    stage.put_edge(Edge("1", "d", "depends_on", "a"))
    stage.put_edge(Edge("2", "d", "produces", "h"))
    stage.put_edge(Edge("3", "w", "contradicts", "a"))
    stage.put_verdict("a", "w")
    stage.commit()
    return store


def test_a_query_answers_with_named_columns_sorted_and_distinct(store: Store) -> None:
    answer = run_query(store, "fell(X, A), node(X, decision)")

    assert (answer.columns, answer.rows) == (("X", "A"), [("d", "a")])
    assert run_query(store, "edge(_, X, _, _)").rows == [("d",), ("w",)]


def test_a_query_may_bring_rules_of_its_own(store: Store) -> None:
    text = "near(X, Y) :- edge(_, X, _, Y). near(X, Z) :- near(X, Y), near(Y, Z). ?- near(w, X)."

    assert run_query(store, text).rows == [("a",)]
    with pytest.raises(Refusal):
        run_query(store, "near(X, Y)")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fel(X, A)", "unknown-relation"),
        ("fell(X)", "arity"),
        ("not fell(X, A)", "unsafe-variable"),
        ("fell(X, A", "syntax"),
        ("fell(x, y) :- live(x). ?- fell(X, Y).", "standing-relation"),
    ],
)
def test_a_bad_query_is_refused_with_a_code_and_a_place(store: Store, text: str, code: str) -> None:
    with pytest.raises(RuleError) as caught:
        run_query(store, text)

    assert caught.value.code == code
    assert caught.value.problem.where is not None
    assert caught.value.problem.where.file == "<query>"


def test_a_query_beyond_its_limits_is_stopped(store: Store) -> None:
    with pytest.raises(LimitReached):
        run_query(store, "n(0). n(X + 1) :- n(X). ?- n(X).", Limits(rows=1000))

    assert run_query(store, "live(s)").rows == [()]


def test_why_takes_a_fact_or_the_first_row_that_matches(store: Store) -> None:
    ground = why(store, "fell(h, a)")
    first = why(store, "fell(h, A).")

    assert (ground.relation, ground.row) == (first.relation, first.row) == ("fell", ("h", "a"))
    assert why(store, "fell(X, X)").row == ("a", "a")


def test_a_derivation_leads_down_to_stated_facts(store: Store) -> None:
    text = tree_text(why(store, "invalid(h)"))
    lines = text.splitlines()

    assert lines[0].startswith("invalid(h)  [@rule_2 ")
    assert "rules/propagation.dl:" in lines[0]
    assert any(line.strip() == 'edge("2", d, produces, h)' for line in lines)
    assert any(line.strip().startswith("not ") for line in lines)
    assert "(shown above)" in text


def test_a_derivation_as_json_is_a_flat_list_with_shared_steps(store: Store) -> None:
    told = tree_json(why(store, "invalid(h)"))
    steps = told["steps"]
    assert isinstance(steps, list)

    assert steps[0]["fact"] == "invalid(h)"
    assert told["cut"] is False
    assert len({step["fact"] for step in steps}) == len(steps)
    assert all(0 < number < len(steps) for step in steps for number in step["from"])
    assert tree_json(why(store, "invalid(h)"), steps=3)["cut"] is True
    assert tree_text(why(store, "invalid(h)"), steps=3).splitlines()[-1] == "…"


def test_a_chain_of_three_thousand_steps_is_told_without_recursion(store: Store) -> None:
    stage = store.stage("load")
    for n in range(3_000):
        name = f"d{n:05}"
        stage.put_node(Node(name, "decision", name, {"rationale": "r"}, Provenance("s")))
        stage.put_edge(Edge(f"e{n:05}", name, "depends_on", f"d{n - 1:05}" if n else "d"))
    receipt = stage.commit()

    assert receipt.because("d00001") == (
        "assumption(It rains.)",
        "<-depends_on-",
        "Coat",
        "<-depends_on-",
        "d00000",
        "<-depends_on-",
        "d00001",
    )
    assert receipt.because("d02999")[:3] == ("assumption(It rains.)", "… 2985 steps …", "<-depends_on-")
    assert receipt.because("d02999")[-1] == "d02999"
    assert len(receipt.because("d02999")) == 2 + 2 * 16


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fell(X, A), live(X)", "not-one-fact"),
        ("not live(s)", "not-one-fact"),
        ("now(N + 1)", "not-one-fact"),
        ("fel(x, y)", "unknown-relation"),
        ("live(x, y)", "arity"),
        ("live(h)", "does-not-hold"),
        ("fell(s, A)", "does-not-hold"),
    ],
)
def test_what_cannot_be_explained_is_refused_with_a_code(store: Store, text: str, code: str) -> None:
    with pytest.raises(Refusal) as caught:
        why(store, text)

    assert caught.value.code == code


def test_why_not_names_for_each_rule_the_first_literal_that_fails(store: Store) -> None:
    (failure,) = why_not(store, "live(h)")

    assert failure_text(failure).startswith("@live (")
    assert failure_text(failure).endswith("live(X): no row for not invalid(X) with X = h")
    assert len(why_not(store, "status(a, active)")) == 3
    with pytest.raises(UnknownError) as caught:
        why_not(store, "live(s)")
    assert caught.value.code == "does-hold"


def test_one_line_of_a_derivation_names_rule_place_and_facts(store: Store) -> None:
    assert one_line(why(store, "node(s, source)")) == "stated: node(s, source)"
    line = one_line(why(store, "live(s)"))

    assert line.startswith("rule @live (")
    assert line.endswith("from node(s, source), not invalid(s), not pruned(s)")
