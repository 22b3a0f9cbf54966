"""Coverage counts what the engine's rows say: on a policy small enough to count by hand."""

from __future__ import annotations

from pathlib import Path

from contextmesh.base.source import Source
from contextmesh.datalog.coverage import Tallies, Tally
from contextmesh.lang.cases import parse_cases
from contextmesh.lang.render import render_literal
from contextmesh.policy import Policy
from contextmesh.policy.suite import by_file, file_of, rules_of, run_suite

RULES = """relation near(x, y).
relation far(x, y).
relation lone(x).
relation hardly(x).
relation unseen(x).
near(X, Y) :- edge(_, X, cites, Y), X != Y.
far(X, Z)  :- near(X, Y), near(Y, Z), not near(X, Z).
lone(X)    :- node(X, claim), not near(X, _), not near(_, X).
hardly(X)   :- near(X, Y), node(Y, wish), not lone(X).
unseen(X)  :- node(X, claim).
"""
CASES = """
case "Two steps are far".
given node(a, claim), node(b, claim), node(c, claim), edge(l, a, cites, b), edge(m, b, cites, c).
only far(a, c).
case "What cites and is cited by nothing is alone".
given node(a, claim), node(d, claim), node(b, claim), edge(l, a, cites, b), node(s, source).
only lone(d).
case "Nobody is hardly so".
given node(a, claim), node(b, claim), edge(l, a, cites, b).
expect not hardly(_).
"""


def counted(tmp_path: Path) -> list[Tally]:
    (tmp_path / "steps.dl").write_text(RULES, encoding="utf-8")
    policy = Policy.load(tmp_path)
    tallies = Tallies(rules_of(policy, own=True))
    outcomes = run_suite([parse_cases(Source("c.cases", CASES))], policy, tallies=tallies)
    assert all(outcome.holds for outcome in outcomes)
    return list(tallies.of.values())


def test_rows_and_literals_are_those_counted_by_hand(tmp_path: Path) -> None:
    told = {
        tally.rule.head.relation: (
            tally.rows,
            [(render_literal(part), t, h) for part, t, h in zip(tally.body, tally.tried, tally.held, strict=True)],
        )
        for tally in counted(tmp_path)
    }

    # near stands behind each of the three questions: two rows, then one, then one.
    assert told["near"] == (4, [("edge(_, X, cites, Y)", 3, 4), ("X != Y", 4, 4)])
    # Only the first case asks for far: a-b joins b-c, and b-c joins nothing.
    assert told["far"] == (1, [("near(X, Y)", 1, 2), ("near(Y, Z)", 2, 1), ("not near(X, Z)", 1, 1)])
    # The second and the third look at lone: a cites, b is cited, d neither; then a and b.
    assert told["lone"] == (
        1,
        [("node(X, claim)", 2, 5), ("not near(X, _)", 5, 3), ("not near(_, X)", 3, 1)],
    )
    # A plan without a driver begins with the literal that holds a constant.
    assert told["hardly"] == (0, [("node(Y, wish)", 1, 0), ("near(X, Y)", 0, 0), ("not lone(X)", 0, 0)])
    assert told["unseen"] == (0, [("node(X, claim)", 0, 0)])


def test_a_rule_that_concludes_nothing_is_told_with_the_literal_at_which_it_always_ends(tmp_path: Path) -> None:
    stuck = {tally.rule.head.relation: tally.stuck for tally in counted(tmp_path) if not tally.rows}

    assert {name: render_literal(part) for name, part in stuck.items() if part is not None} == {
        "hardly": "node(Y, wish)",
        "unseen": "node(X, claim)",
    }


def test_the_rules_of_a_file_that_is_laid_over_are_counted_alone(tmp_path: Path) -> None:
    (found,) = by_file(counted(tmp_path))

    assert (found.file, found.covered, found.rules, found.percent) == (str(tmp_path / "steps.dl"), 3, 5, 60.0)


def test_without_a_policy_of_its_own_every_shipped_rule_is_counted_and_no_fact() -> None:
    policy = Policy.load()
    rules = rules_of(policy)

    assert len(rules) == len(policy.program.rules) + len(policy.integrity.rules)
    assert all(rule.body for rule in rules)
    assert [file_of(rule) for rule in rules] == sorted(file_of(rule) for rule in rules)
