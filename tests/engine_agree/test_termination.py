"""Recursion over cycles ends, whatever the order it is written in; counting without an end is stopped."""

from __future__ import annotations

import itertools
import os

import pytest
from datalog.evaluators import EVALUATORS
from engine_agree.second_engine import second_engine

from contextmesh.base.canon import canonical
from contextmesh.base.errors import LimitReached
from contextmesh.base.source import Source
from contextmesh.datalog import goal, spec
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.goal_child import Child
from contextmesh.datalog.limits import Limits
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.rules import parse_query, parse_rules

CYCLE = {"edge": [(0, 1), (1, 2), (2, 0)]}
ALL_PAIRS = sorted(itertools.product(range(3), repeat=2))
STEPS = {
    "right": ["edge(X,Z)", "reach(Z,Y)"],
    "left": ["reach(X,Z)", "edge(Z,Y)"],
    "both": ["reach(X,Z)", "reach(Z,Y)"],
    "mutual": ["edge(X,Z)", "r2(Z,Y)"],
    "three": ["edge(X,Z)", "r3(Z,Y)"],
}
REST = ["r2(X,Y) :- reach(X,Y).", "r3(X,Y) :- r2(X,Y)."]


def program(text: str, facts: dict) -> Program:
    return build_program([parse_rules(Source("<test>", text))], standalone=True, facts=facts)


def closures() -> list[tuple[str, str]]:
    """Every order of the two rules and of the recursive body, for each way to recurse."""
    found = []
    for name, body in STEPS.items():
        for literals in itertools.permutations(body):
            rules = ["reach(X,Y) :- edge(X,Y).", f"reach(X,Y) :- {', '.join(literals)}."]
            for ordered in (rules, rules[::-1]):
                found.append((f"{name}-{len(found)}", "\n".join([*ordered, *REST])))
    return found


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("text", [text for _, text in closures()], ids=[name for name, _ in closures()])
def test_reach_over_a_cycle_of_three_has_nine_rows_in_every_order(evaluator: str, text: str) -> None:
    query = parse_query(Source("<query>", "reach(X, Y)"))

    assert EVALUATORS[evaluator](program(text, CYCLE), CYCLE, query) == ALL_PAIRS


@pytest.mark.parametrize("evaluator", [name for name in EVALUATORS if name != "spec"])
def test_a_chain_of_ten_thousand_is_walked_from_its_root(evaluator: str) -> None:
    facts = {"edge": [(i, i + 1) for i in range(10_000)], "root": [(0,)]}
    text = "reach(Y) :- root(Y). reach(Y) :- edge(X, Y), reach(X)."
    query = parse_query(Source("<query>", "reach(Y)"))

    assert len(EVALUATORS[evaluator](program(text, facts), facts, query)) == 10_001


RUNAWAY = program("n(0). n(X + 1) :- n(X).", {})
STOPPED = {
    "spec": lambda limits: spec.evaluate(RUNAWAY, {}, limits),
    "engine": lambda limits: Engine(RUNAWAY, {}, limits=limits).rows("n"),
    "pydatalog": lambda limits: goal.evaluate(RUNAWAY, {}, limits),
}


@pytest.mark.parametrize("evaluator", STOPPED)
def test_a_rule_that_counts_without_end_is_stopped_by_the_limit_of_rows(evaluator: str) -> None:
    with pytest.raises(LimitReached) as stopped:
        STOPPED[evaluator](Limits(rows=300, seconds=20))

    assert (stopped.value.code, stopped.value.problem.subject) == ("limit-reached", "rows")


@pytest.mark.parametrize("evaluator", STOPPED)
def test_a_rule_that_counts_without_end_is_stopped_by_the_limit_of_seconds(evaluator: str) -> None:
    with pytest.raises(LimitReached) as stopped:
        STOPPED[evaluator](Limits(seconds=0.3))

    assert (stopped.value.code, stopped.value.problem.subject) == ("limit-reached", "seconds")


@pytest.mark.parametrize("evaluator", STOPPED)
def test_a_sum_beyond_64_bits_is_stopped(evaluator: str) -> None:
    text = "n(9223372036854775800). n(X + 1) :- n(X)."
    evaluate = {
        "spec": lambda: spec.evaluate(program(text, {}), {}),
        "engine": lambda: Engine(program(text, {})).rows("n"),
        "pydatalog": lambda: second_engine().evaluate(program(text, {}), {}),
    }[evaluator]

    with pytest.raises(LimitReached) as stopped:
        evaluate()

    assert stopped.value.code == "integer-range"


def hanging_job() -> bytes:
    """Three predicates in a ring over a cycle, as raw pyDatalog would be asked: it never ends and heeds no signal."""
    x, y, z = ["X"], ["Y"], ["Z"]
    steps = [
        ["facts", "e", 2, CYCLE["edge"]],
        ["clause", ["a", [x, y]], [["call", "e", [x, y]]]],
        ["clause", ["a", [x, y]], [["call", "e", [x, z]], ["call", "b", [z, y]]]],
        ["clause", ["b", [x, y]], [["call", "c", [x, y]]]],
        ["clause", ["c", [x, y]], [["call", "a", [x, y]]]],
        ["answer", "a", "a", 2],
    ]
    return canonical({"steps": steps, "rows": 10**6, "seconds": 60}).encode()


def test_a_search_that_never_ends_is_killed_and_leaves_no_process() -> None:
    with Child("contextmesh.datalog.goal") as child:
        assert child.alive
        with pytest.raises(LimitReached) as stopped:
            child.ask(hanging_job(), 0.5)

        assert (stopped.value.code, stopped.value.problem.subject) == ("limit-reached", "seconds")
        assert not child.alive
        with pytest.raises(ProcessLookupError):  # no zombie either: it was waited for
            os.kill(child.process.pid, 0)


def test_after_a_question_was_stopped_the_next_is_answered() -> None:
    with goal.SecondEngine(Limits(seconds=0.5)) as engine:
        with pytest.raises(LimitReached):
            engine.evaluate(RUNAWAY, {})

        found = engine.evaluate(program(closures()[0][1], CYCLE), CYCLE, ["reach"])
        assert list(found["reach"]) == ALL_PAIRS
