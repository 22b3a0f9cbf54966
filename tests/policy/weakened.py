"""Rules with one condition less, and which of them no case tells from the rule as it is.

``python -m tests.policy.weakened [FILE …]`` counts them, file by file, and names each that no case notices.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from contextmesh.base.data import data_root
from contextmesh.base.errors import Refusal
from contextmesh.datalog.ast import Aggregate, Literal, Rule
from contextmesh.datalog.coverage import Tallies
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.limits import Limits
from contextmesh.datalog.program import Program
from contextmesh.datalog.safety import check_safety
from contextmesh.datalog.strata import stratify
from contextmesh.lang.cases import Case, CaseText
from contextmesh.lang.render import render_atom, render_literal
from contextmesh.policy import Policy
from contextmesh.policy.case_files import shipped_cases
from contextmesh.policy.cases import run_case
from contextmesh.policy.suite import file_of, rules_of

LIMITS = Limits(rows=20_000, rounds=5_000)
"""A rule that lost what ended it is told by running into these."""


@dataclass(frozen=True, slots=True)
class Weaker:
    """A rule, the condition that it lost, and what is left of it."""

    rule: Rule
    lost: Literal
    left: Rule

    @property
    def name(self) -> tuple[str, str]:
        """The head of the rule and the condition, as the rule language writes them."""
        return render_atom(self.rule.head), render_literal(self.lost)

    @property
    def text(self) -> str:
        """Which condition of which rule."""
        body = ", ".join(map(render_literal, self.rule.body))
        return f"{render_literal(self.lost)}  of  {render_atom(self.rule.head)} :- {body}."


def weaker(rule: Rule) -> Iterator[Weaker]:
    """Each way to leave out one literal of the body, or of the braces of an aggregate, that leaves a rule."""
    for lost, body in _fewer(rule.body):
        left = replace(rule, body=body, label=None)
        if body and not check_safety(left):
            yield Weaker(rule, lost, left)


def _fewer(body: Sequence[Literal]) -> Iterator[tuple[Literal, tuple[Literal, ...]]]:
    for i, literal in enumerate(body):
        before, after = tuple(body[:i]), tuple(body[i + 1 :])
        yield literal, (*before, *after)
        if isinstance(literal, Aggregate):
            for lost, inner in _fewer(literal.body):
                if inner:
                    yield lost, (*before, replace(literal, body=inner), *after)


def exchanged(policy: Policy, rule: Rule, *by: Rule) -> Policy:
    """The policy with other rules, or none, in place of one."""

    def cut(program: Program) -> Program:
        rules = tuple(new for old in program.rules for new in (by if old is rule else (old,)))
        strata = stratify(rules)
        places = {name: i for i, stratum in enumerate(strata) for name in stratum.relations}
        of = {name: places.get(name, -1) for name in program.declarations}
        return replace(program, rules=rules, strata=strata, stratum_of=of)

    if any(other is rule for other in policy.program.rules):
        return replace(policy, program=cut(policy.program))
    return replace(policy, integrity=cut(policy.integrity))


def fails(case: Case, policy: Policy) -> bool:
    try:
        return bool(run_case(case, policy, limits=LIMITS))
    except Refusal:
        return True


def some_fails(cases: Iterable[Case], policy: Policy) -> bool:
    return any(fails(case, policy) for case in cases)


def cases_of(rules_file: str) -> CaseText:
    name = f"rules/cases/{Path(rules_file).stem}.cases"
    return next(text for text in shipped_cases().texts if text.source.name == name)


def users(policy: Policy, cases: Sequence[Case]) -> dict[int, list[Case]]:
    """For each rule, by its identity, the cases that look at a row of it: each of them holds."""
    used: dict[int, dict[Case, None]] = {}
    tallies = Tallies(rules_of(policy))
    for case in cases:

        def watch(engine: Engine, relations: Sequence[str], case: Case = case) -> None:
            for rule in tallies.look(engine, tuple(relations)):
                used.setdefault(id(rule), {})[case] = None

        assert run_case(case, policy, watch=watch) == ()
    return {rule: list(found) for rule, found in used.items()}


def of_file(file: str) -> list[Weaker]:
    """Every weaker rule of a shipped file, in the order written."""
    return [less for rule in rules_of(Policy.load()) if file_of(rule) == file for less in weaker(rule)]


def unnoticed(chosen: Sequence[Weaker], *, ranked: bool = True) -> list[Weaker]:
    """Those under which each case of their file still holds; ``ranked``: cases that use the rule are asked first."""
    policy = Policy.load()
    found: list[Weaker] = []
    for file in dict.fromkeys(file_of(less.rule) for less in chosen):
        cases = cases_of(file).cases
        used = users(policy, cases) if ranked else {}
        for less in (less for less in chosen if file_of(less.rule) == file):
            other = exchanged(policy, less.rule, less.left)
            if not some_fails(dict.fromkeys([*used.get(id(less.rule), ()), *cases]), other):
                found.append(less)
    return found


def main(names: Sequence[str]) -> None:
    files = sorted({file_of(rule) for rule in rules_of(Policy.load())})
    for file in files:
        if not names or Path(file).stem in names:
            every = of_file(file)
            left = unnoticed(every)
            print(f"{file}: {len(every)} literals can be left out, {len(left)} of them unnoticed", flush=True)
            for less in left:
                where = less.rule.at and less.rule.at.source.where(less.rule.at.span)
                print(f"    {where.line if where else ''}: {less.text}", flush=True)


if __name__ == "__main__":
    assert (data_root() / "rules").is_dir()
    main(sys.argv[1:])
