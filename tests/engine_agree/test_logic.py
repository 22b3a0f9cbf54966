"""pyDatalog's terms ask what a query in text asks, of one store, from any thread."""

from __future__ import annotations

import threading
from random import Random

import pytest
from pyDatalog import Logic as RawState
from pyDatalog import pyDatalog, pyEngine

from contextmesh.base.errors import LimitReached, Refusal
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Atom, Compared, Const, Literal, Not, Query, Sum, Var, Wildcard
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.limits import Limits
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.logic import Logic, Rows


@pytest.fixture(scope="module")
def graph() -> ContextGraph:
    made = ContextGraph()
    source = made.add_node("source", "The report", id="source:report", attrs={"origin": "r", "retrieved_at": "2024"})
    grown = made.assume("shard count grows linearly", id="assumption:linear")
    made.assume("True", id="assumption:true")
    for name in ("a", "b", "c"):
        above = [] if name == "a" else ["decision:a"]
        made.decide(
            f"decide {name}",
            rationale="so",
            source=source.id,
            id=f"decision:{name}",
            depends_on=[grown.id, *above],
        )
    evidence = made.submit_evidence("the shard count doubled", source_id=source.id)
    made.add_edge(evidence.id, "contradicts", grown.id)
    made.reject(grown.id, evidence_id=evidence.id)
    return made


def test_a_conjunction_joins_as_in_text(graph: ContextGraph) -> None:
    logic = Logic(graph.store)
    X, A = logic.terms("X A")  # noqa: N806
    rows = logic.fell(X, A) & logic.node(X, "decision")

    answer = graph.query("fell(X, A), node(X, decision)")
    assert (rows.columns, list(rows)) == (answer.columns, answer.rows)
    assert [row[0] for row in rows] == ["decision:a", "decision:b", "decision:c"]


def test_every_spelling_means_what_its_text_does(graph: ContextGraph) -> None:
    logic = Logic(graph.store)
    X, Y, A, K, P, Q, _ = logic.terms("X, Y, A, K, P, Q, _")  # noqa: N806
    spelled = {
        "node(X, K), not fell(X, _)": logic.node(X, K) & ~logic.fell(X, _),
        "not fell(X, _), node(X, K)": ~logic.fell(X, _) & logic.node(X, K),
        "node(X, K), K != decision": logic.node(X, K) & (K != "decision"),
        "K != decision, node(X, K)": (K != "decision") & logic.node(X, K),
        "edge(_, X, depends_on, Y), X > Y": logic.edge(_, X, "depends_on", Y) & (X > Y),
        "born(X, P), born(Y, Q), Q = P + 1": logic.born(X, P) & logic.born(Y, Q) & (Q == P + 1),
        "born(X, P), Q = P - 1, Q <= 3, Q >= 1": logic.born(X, P) & (Q == P - 1) & (Q <= 3) & (Q >= 1),
        "born(X, P), Q = 10 - P, Q < 8": logic.born(X, P) & (Q == 10 - P) & (Q < 8),
        'named(X, "True")': logic.named(X, "True"),
        'named(X, A), A = "True"': logic.named(X, A) & (A == "True"),
        "edge(_, X, _, X)": logic.edge(_, X, _, X),
        'fell("decision:a", "assumption:linear")': logic.fell("decision:a", "assumption:linear"),
    }
    for text, rows in spelled.items():
        answer = graph.query(text)

        assert (rows.columns, rows.rows) == (answer.columns, answer.rows), text


def test_random_questions_have_the_answers_of_the_engine(graph: ContextGraph) -> None:
    """Bodies made from a seed, through Rows as the operators make them, against the engine's own query."""
    store = graph.store
    relations = ["node", "edge", "fell", "born", "live", "bound", "replaced"]
    constants = ["decision", "decision:a", "depends_on", "assumption:linear", 2, 3]
    asker = Logic(store, limits=Limits(seconds=20))._asker
    answered = 0
    for seed in range(400):
        random = Random(seed)

        def term(random: Random = random) -> Var | Const | Wildcard:
            kinds = [Var(random.choice("XYZ")), Var(random.choice("XYZ")), Const(random.choice(constants)), Wildcard()]
            return random.choice(kinds)

        def atom(random: Random = random) -> Atom:
            name = random.choice(relations)
            return Atom(name, tuple(term() for _ in store.engine.program.declarations[name].columns))

        body: list[Literal] = [atom() for _ in range(random.randint(1, 2))]
        if random.random() < 0.4:
            body.append(Not(atom()))
        if random.random() < 0.4:
            body.append(Compared(random.choice(["=", "!=", "<", ">="]), Var(random.choice("XYZ")), term()))
        if random.random() < 0.2:
            body.append(Compared("=", Var("Z"), Sum("+", Var("Y"), Const(1))))
        random.shuffle(body)
        rows = Rows(tuple(body), asker)
        query = Query(Source("<random>", ""), tuple(body), rows.columns)
        try:
            right = store.engine.query(query).rows
        except Refusal as refusal:
            with pytest.raises(type(refusal)) as again:
                rows.rows  # noqa: B018
            assert [p.code for p in again.value.problems] == [p.code for p in refusal.problems]
            continue
        answered += 1

        assert rows.rows == right, f"seed {seed}: {body}"
    assert answered > 150


def test_a_bound_argument_asks_the_engine_for_that_value_alone(
    graph: ContextGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, list]] = []
    match = Engine.match

    def watched(self: Engine, relation: str, pattern: list) -> object:
        asked.append((relation, list(pattern)))
        return match(self, relation, pattern)

    monkeypatch.setattr(Engine, "match", watched)
    logic = Logic(graph.store)
    X, K = logic.terms("X K")  # noqa: N806
    list(logic.fell(X, "assumption:linear") & logic.node(X, K))

    assert asked[0] == ("fell", [None, "assumption:linear"])
    assert {tuple(pattern) for name, pattern in asked[1:]} == {(row[0], None) for row in graph.query("fell(X, _)").rows}


def test_another_thread_gets_the_same_rows(graph: ContextGraph) -> None:
    logic = Logic(graph.store)
    X, A = logic.terms("X A")  # noqa: N806
    found: list[list] = []

    def ask() -> None:
        found.append((logic.fell(X, A) & (X != A) & (A + 1 != 3)).rows)
        found.append((logic.fell(X, A) & (X != A)).rows)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    right = graph.query("fell(X, A), X != A").rows
    assert found.count(right) == 4 and found.count([]) == 4 and right


def test_two_stores_do_not_see_each_other(graph: ContextGraph) -> None:
    here, there = Logic(graph.store), Logic(ContextGraph().store)
    X, K = here.terms("X K")  # noqa: N806

    assert len(here.node(X, K)) > 0
    assert len(there.node(X, K)) == 0
    with pytest.raises(Refusal) as refusal:
        here.node(X, K) & there.node(X, K)
    assert refusal.value.code == "two-stores"


def test_a_write_is_seen_by_the_next_question_and_an_answer_once_read_stays() -> None:
    graph = ContextGraph()
    logic = Logic(graph.store)
    X, K = logic.terms("X K")  # noqa: N806
    before = logic.node(X, K)
    assert before.rows == []
    graph.assume("it holds")

    assert before.rows == []
    assert len(logic.node(X, K)) == 1


def test_nothing_of_ours_stays_in_pydatalog_and_nothing_of_the_callers_is_lost(graph: ContextGraph) -> None:
    pyDatalog.assert_fact("mine", 1)
    state, resolvers = RawState.tl.logic, dict(pyEngine.Python_resolvers)
    logic = Logic(graph.store)
    X, A = logic.terms("X A")  # noqa: N806
    list(logic.fell(X, A))

    assert RawState.tl.logic is state
    assert resolvers == pyEngine.Python_resolvers
    assert not [name for name in state.Db if name.startswith("cm")]
    assert pyDatalog.Variable("mine")(pyDatalog.Variable("X")).data == [(1,)]
    pyDatalog.clear()


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda logic, x, y: logic.nod(x, y), "unknown-relation"),
        (lambda logic, x, y: logic.node(x), "arity"),
        (lambda logic, x, y: logic.node(x, True), "not-a-term"),
        (lambda logic, x, y: logic.node(x, 1.5), "not-a-term"),
        (lambda logic, x, y: logic.node(x, None), "not-a-term"),
        (lambda logic, x, y: logic.node(x, y) & (y == 0.5), "not-a-term"),
        (lambda logic, x, y: logic.terms("x"), "not-a-variable"),
        (lambda logic, x, y: logic.terms(""), "not-a-variable"),
        (lambda logic, x, y: list(logic.live(x) & (y > 1)), "unsafe-variable"),
        (lambda logic, x, y: list(~logic.live(x)), "unsafe-variable"),
        (lambda logic, x, y: list(x == y), "no-relation"),
        (lambda logic, x, y: ~(logic.live(x) & logic.live(y)), "not-negatable"),
        (lambda logic, x, y: ~(x == y), "not-negatable"),
    ],
)
def test_a_wrong_question_is_refused_by_code(graph: ContextGraph, ask: object, code: str) -> None:
    logic = Logic(graph.store)
    with pytest.raises(Refusal) as refusal:
        ask(logic, *logic.terms("X Y"))  # type: ignore[operator]

    assert refusal.value.code == code


def test_an_unknown_relation_is_told_with_the_one_that_was_meant(graph: ContextGraph) -> None:
    with pytest.raises(Refusal) as refusal:
        _ = Logic(graph.store).superseeded

    assert "did you mean `superseded`?" in refusal.value.problem.message


def test_a_question_too_wide_is_stopped(graph: ContextGraph) -> None:
    logic = Logic(graph.store, limits=Limits(rows=100, seconds=20))
    X, Y, Z, _ = logic.terms("X Y Z _")  # noqa: N806
    with pytest.raises(LimitReached) as refusal:
        list(logic.node(X, _) & logic.node(Y, _) & logic.node(Z, _))

    assert (refusal.value.code, refusal.value.problem.subject) == ("limit-reached", "rows")
