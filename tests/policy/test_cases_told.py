"""Each file of cases in tests/cases_told is refused, or fails, with the whole text that stands beside it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from contextmesh.base.errors import RuleError
from contextmesh.base.source import Source, render_refusal
from contextmesh.cli.rules_words import outcomes_text
from contextmesh.lang.cases import CaseText, parse_cases
from contextmesh.policy import Policy
from contextmesh.policy.suite import run_suite

TOLD = Path(__file__).resolve().parent.parent / "cases_told"


RULE_LINE = re.compile(r"(rules/\w+\.dl):\d+")


def told(text: str) -> str:
    """Without the lines of the shipped rules, which move."""
    return RULE_LINE.sub(r"\1", text) + "\n"


def parsed(path: Path) -> CaseText:
    return parse_cases(Source(path.name, path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", sorted((TOLD / "refused").glob("*.cases")), ids=lambda path: path.stem)
def test_the_cases_are_refused_with_the_message_beside_them(path: Path) -> None:
    with pytest.raises(RuleError) as refusal:
        run_suite([parsed(path)], Policy.load())

    assert told(render_refusal(refusal.value)) == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((TOLD / "failed").glob("*.cases")), ids=lambda path: path.stem)
def test_the_cases_fail_with_the_report_beside_them(path: Path) -> None:
    outcomes = run_suite([parsed(path)], Policy.load())

    assert told(outcomes_text(outcomes)) == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_each_text_stands_beside_its_cases() -> None:
    cases = sorted(p.relative_to(TOLD).with_suffix("") for p in TOLD.rglob("*.cases"))

    assert cases
    assert sorted(p.relative_to(TOLD).with_suffix("") for p in TOLD.rglob("*.txt")) == cases


def test_the_cases_that_the_manual_of_the_rules_shows_hold() -> None:
    manual = (TOLD.parent.parent / "rules" / "README.md").read_text(encoding="utf-8")
    (block,) = [block for block in re.findall(r"```\n(.*?)```", manual, re.DOTALL) if "\ncase " in block]
    outcomes = run_suite([parse_cases(Source("README.md", block))], Policy.load())

    assert len(outcomes) == 2
    assert all(outcome.holds for outcome in outcomes)


def test_what_a_file_says_moves_no_cursor() -> None:
    text = r'case "One\u001b[2J". write node("a\u001b[2J", wish). expect live("b\u001b[2J").'
    told = outcomes_text(run_suite([parse_cases(Source("c.cases", text))], Policy.load()))

    assert "\x1b" not in told
    assert told.count("u001b") >= 3
