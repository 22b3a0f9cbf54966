"""The cases that ship with the rules hold, and none of the rules can go without one of them failing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from contextmesh.base.data import data_root
from contextmesh.base.errors import Refusal
from contextmesh.datalog.ast import Rule
from contextmesh.datalog.coverage import Tallies
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.program import Program
from contextmesh.datalog.strata import stratify
from contextmesh.lang.cases import Case, CaseText
from contextmesh.policy import Policy
from contextmesh.policy.case_files import cases_at, shipped_cases
from contextmesh.policy.cases import run_case
from contextmesh.policy.suite import file_of, rules_of, run_suite

RULES = data_root() / "rules"
WITH_RULES = sorted({file_of(rule) for rule in rules_of(Policy.load())})
ALTERNATIVES = sorted((RULES / "alternatives").glob("*.dl"))


def cases_of(rules_file: str) -> CaseText:
    name = f"rules/cases/{Path(rules_file).stem}.cases"
    return next(text for text in shipped_cases().texts if text.source.name == name)


def without(policy: Policy, rule: Rule) -> Policy:
    """The policy with one rule less."""

    def cut(program: Program) -> Program:
        rules = tuple(other for other in program.rules if other is not rule)
        strata = stratify(rules)
        places = {name: i for i, stratum in enumerate(strata) for name in stratum.relations}
        of = {name: places.get(name, -1) for name in program.declarations}
        return replace(program, rules=rules, strata=strata, stratum_of=of)

    return replace(policy, program=cut(policy.program), integrity=cut(policy.integrity))


def fails(case: Case, policy: Policy) -> bool:
    try:
        return bool(run_case(case, policy))
    except Refusal:
        return True


def some_fails(cases: Iterable[Case], policy: Policy) -> bool:
    return any(fails(case, policy) for case in cases)


@pytest.mark.parametrize("file", WITH_RULES)
def test_each_rule_that_is_dropped_makes_a_case_of_its_file_fail(file: str) -> None:
    policy, cases = Policy.load(), cases_of(file).cases
    used: dict[int, list[Case]] = {}
    tallies = Tallies(rules_of(policy))
    for case in cases:

        def watch(engine: Engine, relations: tuple[str, ...], case: Case = case) -> None:
            for rule in tallies.look(engine, relations):
                used.setdefault(id(rule), []).append(case)

        assert run_case(case, policy, watch=watch) == ()
    rules = [rule for rule in rules_of(policy) if file_of(rule) == file]

    kept = [rule for rule in rules if not some_fails(dict.fromkeys(used.get(id(rule), ())), without(policy, rule))]

    assert rules
    assert kept == []


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
