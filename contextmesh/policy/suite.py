"""All cases of a suite under a policy: what held, what did not, and which rules had a part in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from contextmesh.base.errors import InputError, LimitReached, Problem, RuleError
from contextmesh.datalog.ast import Row, Rule
from contextmesh.datalog.coverage import Tallies, Tally
from contextmesh.lang.cases import Case, CaseText
from contextmesh.policy.cases import run_case
from contextmesh.policy.expected import Miss
from contextmesh.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one case went.

    Attributes:
        misses: what the policy says otherwise.
        problems: why the case could not be run under this policy, or not to its end.
    """

    file: str
    case: Case
    misses: tuple[Miss, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.misses and not self.problems


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """The rules of one file, facts left out, and how many of them concluded a row that some case could see."""

    file: str
    covered: int
    rules: int

    @property
    def percent(self) -> float:
        return percent(self.covered, self.rules)


def percent(part: int, whole: int) -> float:
    """Of 100; all of nothing is all."""
    return 100.0 * part / whole if whole else 100.0


def chosen(texts: Sequence[CaseText], words: str | None) -> tuple[CaseText, ...]:
    """The cases whose file and saying hold some words, whatever their case.

    Raises:
        InputError: ``no-cases`` when none does.
    """
    if words is None:
        return tuple(texts)
    wanted = words.casefold()
    kept = [
        CaseText(text.source, tuple(c for c in text.cases if wanted in f"{text.source.name} {c.says}".casefold()))
        for text in texts
    ]
    found = tuple(text for text in kept if text.cases)
    if not found:
        hint = "the words are looked for in the name of the file and in what a case says"
        raise InputError(Problem("no-cases", f"no case holds {words!r}", subject=words, hint=hint))
    return found


def run_suite(
    texts: Sequence[CaseText],
    policy: Policy,
    base: Mapping[str, Iterable[Row]] | None = None,
    *,
    tallies: Tallies | None = None,
    foreign: bool = False,
) -> list[Outcome]:
    """Every case, in order.

    Args:
        base: facts that stand before the first step of each.
        tallies: counts the rules behind everything that a case looks at.
        foreign: the cases were written for another policy: one that does not fit this one fails. Otherwise it is
            refused.

    Raises:
        RuleError: cases that do not fit their policy; every problem of all of them.
    """
    watch = None if tallies is None else tallies.look
    outcomes: list[Outcome] = []
    unfit: list[Problem] = []
    for text in texts:
        for case in text.cases:
            try:
                found = Outcome(text.source.name, case, run_case(case, policy, base, watch=watch))
            except RuleError as refusal:
                found = Outcome(text.source.name, case, (), refusal.problems)
                unfit += refusal.problems
            except LimitReached as refusal:
                found = Outcome(text.source.name, case, (), refusal.problems)
            outcomes.append(found)
    if unfit and not foreign:
        raise RuleError(*dict.fromkeys(unfit))
    return outcomes


def rules_of(policy: Policy, *, own: bool = False) -> tuple[Rule, ...]:
    """The rules of a policy, by file; ``own``: of the files that are laid over the shipped ones alone."""
    shipped = {source.name for source in Policy.load().sources} if own else set()
    rules = [*policy.program.rules, *policy.integrity.rules]
    return tuple(sorted((r for r in rules if file_of(r) not in shipped), key=file_of))


def file_of(rule: Rule) -> str:
    return rule.at.source.name if rule.at is not None else ""


def by_file(tallies: Iterable[Tally]) -> Iterator[FileCoverage]:
    """Coverage of each file, in the order in which they come."""
    counts: dict[str, list[int]] = {}
    for tally in tallies:
        count = counts.setdefault(file_of(tally.rule), [0, 0])
        count[0] += tally.rows > 0
        count[1] += 1
    for file, (covered, rules) in counts.items():
        yield FileCoverage(file, covered, rules)
