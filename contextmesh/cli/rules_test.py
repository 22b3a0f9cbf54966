"""``rules test`` and ``rules coverage``: cases beside the rules, and how much of the rules they use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contextmesh.cli import kit
from contextmesh.cli.rules import rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contextmesh.datalog.ast import Row
    from contextmesh.lang.cases import CaseText
    from contextmesh.policy import Policy


@dataclass(frozen=True, slots=True)
class _Asked:
    """Cases, the policy they run under, what it is called, and whether its rules stand beside the cases."""

    texts: tuple[CaseText, ...]
    policy: Policy
    name: str
    beside: bool


CasesArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[PATH]",
        help="A file of cases, a folder of them, or a rules file with one beside it; else the shipped.",
    ),
]
FilterOption = Annotated[
    str | None, typer.Option("-k", metavar="WORDS", help="Only cases whose file or saying holds these words.")
]
OverOption = Annotated[
    Path | None,
    typer.Option("--session", metavar="DIR", help="Run every case over the facts of this session."),
]


@rules.command("test", epilog="Example:  contextmesh rules test --policy my-policy/")
def test(
    path: CasesArgument = None,
    words: FilterOption = None,
    policy: kit.PolicyOption = None,
    session: OverOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Run cases: facts, changes, and what must follow from them; exit code 1 when one does not hold.

    Rules that stand beside the cases are laid over the shipped ones; so is --policy, where there are none.
    How a case is written: rules/README.md.
    """
    from contextmesh.cli.rules_words import outcomes_json, outcomes_text
    from contextmesh.policy.suite import run_suite

    asked = _asked(path, words, policy)
    outcomes = run_suite(asked.texts, asked.policy, _facts(session, policy), foreign=path is None)
    kit.show(lambda: outcomes_json(outcomes, asked.name), lambda: outcomes_text(outcomes), as_json=json)
    if not all(outcome.holds for outcome in outcomes):
        kit.leave(kit.FOUND)


@rules.command("coverage", epilog="Example:  contextmesh rules coverage my-policy/ --fail-under 90")
def coverage(
    path: CasesArgument = None,
    words: FilterOption = None,
    fail_under: Annotated[
        float | None,
        typer.Option("--fail-under", min=0, max=100, metavar="PERCENT", help="Exit code 1 when less is covered."),
    ] = None,
    policy: kit.PolicyOption = None,
    session: OverOption = None,
    json: kit.JsonOption = False,
) -> None:
    """Which rules concluded a row that some case looked at, and where the bodies of the others always ended.

    With rules beside the cases, those rules are counted; else all. Facts in rules files are no rules.
    """
    from contextmesh.cli.rules_words import coverage_json, coverage_text
    from contextmesh.datalog.coverage import Tallies
    from contextmesh.policy.suite import percent, rules_of, run_suite

    asked = _asked(path, words, policy)
    tallies = Tallies(rules_of(asked.policy, own=asked.beside))
    outcomes = run_suite(asked.texts, asked.policy, _facts(session, policy), tallies=tallies, foreign=path is None)
    counted = list(tallies.of.values())
    failed = sum(1 for outcome in outcomes if not outcome.holds)
    kit.show(
        lambda: coverage_json(counted, asked.name, len(outcomes), failed),
        lambda: coverage_text(counted, failed),
        as_json=json,
    )
    reached = percent(sum(1 for tally in counted if tally.rows), len(counted))
    if failed or (fail_under is not None and reached < fail_under):
        kit.leave(kit.FOUND)


def _asked(path: Path | None, words: str | None, policy: Path | None) -> _Asked:
    from contextmesh.policy import Policy
    from contextmesh.policy.case_files import cases_at
    from contextmesh.policy.suite import chosen

    suite = cases_at(path)
    under = suite.policy if suite.policy is not None else policy
    name = str(under) if under is not None else "the shipped policy"
    return _Asked(chosen(suite.texts, words), Policy.load(under), name, suite.policy is not None)


def _facts(session: Path | None, policy: Path | None) -> Mapping[str, Sequence[Row]] | None:
    if session is None:
        return None
    from contextmesh.store.stated import stated

    return stated(kit.open_mesh(session, policy).graph.store)
