"""The cases that ship with the rules hold, and no rule, nor a condition of one, can go without one of them failing."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.base.data import data_root
from contextmesh.datalog.coverage import Tallies
from contextmesh.policy import Policy
from contextmesh.policy.case_files import cases_at, shipped_cases
from contextmesh.policy.suite import file_of, rules_of, run_suite
from tests.policy.weakened import cases_of, exchanged, of_file, some_fails, unnoticed, users

RULES = data_root() / "rules"
WITH_RULES = sorted({file_of(rule) for rule in rules_of(Policy.load())})
SPARE = {
    "rules/health.dl": {
        ("deep(Y)", "not grounded(X)"): "what is grounded requires only what is grounded: told before Y is looked at",
        ("around(X, Y)", "pivot(X)"): "what is below begins at a pivot, and the rule starts from those few",
    },
    "rules/propagation.dl": {
        ("doubted(X, A)", "rejected(A, _)"): "keeps out root 0, which doubts what is stated by a rule of its own",
        ("obstacle(J, A, G, A)", "rests(X, P)"): "a pair of nodes, where `way` has a row for each justification",
        ("obstacle(J, A, G, B)", "rests(X, P)"): "a pair of nodes, where `way` has a row for each justification",
        ("fell(X, A)", "edge(L, X, T, Y)"): "a link is made of an edge; here it gives its type to what `why` says",
        ("fell(X, A)", "edge(L, Y, T, X)"): "a link is made of an edge; here it gives its type to what `why` says",
    },
}
"""Conditions that decide no row, by file, as head and condition, and why they stand there."""
ALTERNATIVES = sorted((RULES / "alternatives").glob("*.dl"))


@pytest.mark.parametrize("file", WITH_RULES)
def test_each_rule_that_is_dropped_makes_a_case_of_its_file_fail(file: str) -> None:
    policy = Policy.load()
    used = users(policy, cases_of(file).cases)
    rules = [rule for rule in rules_of(policy) if file_of(rule) == file]

    kept = [rule for rule in rules if not some_fails(used.get(id(rule), ()), exchanged(policy, rule))]

    assert rules
    assert kept == []


def test_a_condition_that_is_left_out_of_a_rule_makes_a_case_of_its_file_fail_one_of_a_hundred() -> None:
    every = [less for file in WITH_RULES for less in of_file(file) if less.name not in SPARE.get(file, {})]

    assert unnoticed(every[::100], ranked=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("file", WITH_RULES)
def test_each_condition_that_is_left_out_of_a_rule_makes_a_case_of_its_file_fail(file: str) -> None:
    assert [less.name for less in unnoticed(of_file(file))] == list(SPARE.get(file, {}))


@pytest.mark.parametrize("path", ALTERNATIVES, ids=lambda path: path.stem)
def test_an_alternative_keeps_its_own_cases_uses_all_its_rules_and_fails_one_of_the_shipped(path: Path) -> None:
    suite = cases_at(path)
    policy = Policy.load(suite.policy)
    tallies = Tallies(rules_of(policy, own=True))
    own = run_suite(suite.texts, policy, tallies=tallies)
    far = [text for text in shipped_cases().texts if "propagation" in text.source.name]
    shipped = run_suite(far, policy, foreign=True)

    assert own
    assert all(outcome.holds for outcome in own)
    assert tallies.of
    assert all(tally.rows for tally in tallies.of.values())
    assert [outcome.holds for outcome in shipped].count(False) == 1


def test_there_are_cases_for_every_rules_file_and_every_alternative() -> None:
    shipped = {Path(text.source.name).stem for text in shipped_cases().texts}

    assert {Path(file).stem for file in WITH_RULES} == shipped
    assert ALTERNATIVES
    assert all(path.with_suffix(".cases").exists() for path in ALTERNATIVES)
