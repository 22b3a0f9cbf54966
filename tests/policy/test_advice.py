"""What is probably a slip in a user's rules is said, with its place, and refused by nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.cli.app import main
from contextmesh.policy import Policy
from contextmesh.policy.advice import advice


def told(tmp_path: Path, text: str) -> list[tuple[str | None, int | None]]:
    path = tmp_path / "mine.dl"
    path.write_text(text, encoding="utf-8")
    found = advice(Policy.load(path))
    assert {one.code for one in found} <= {"lone-variable"}
    return [(one.subject, one.where.line if one.where else None) for one in found]


def test_a_variable_that_stands_once_is_told_with_its_line(tmp_path: Path) -> None:
    text = "relation odd(x).\n\nodd(X) :- node(X, Kind).\n"
    assert told(tmp_path, text) == [("Kind", 3)]


@pytest.mark.parametrize(
    "rule",
    [
        "odd(X) :- node(X, _).",
        "odd(X) :- node(X, _Kind).",
        "odd(X) :- node(X, K), K != decision.",
        "odd(X) :- node(X, _), N = count { E : edge(E, X, _, _) }, N > 1.",
        '@odd "{X} is a {K}"\nodd(X) :- node(X, K).',
    ],
)
def test_what_joins_is_compared_counted_or_told_is_no_slip(tmp_path: Path, rule: str) -> None:
    assert told(tmp_path, f"relation odd(x).\n\n{rule}\n") == []


def test_slips_under_not_and_in_an_aggregate_are_seen(tmp_path: Path) -> None:
    text = "relation odd(x).\n\nodd(X) :- node(X, _), N = count { E : edge(E, X, T, _) }, N > 1.\n"
    assert told(tmp_path, text) == [("T", 3)]


def test_the_shipped_policy_and_copies_of_its_rules_are_let_be(tmp_path: Path) -> None:
    assert advice(Policy.load()) == ()
    assert told(tmp_path, "relation odd(x).\n\nodd(X) :- node(X, _).\n") == []


def test_the_check_of_a_policy_tells_slips_and_succeeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.dl").write_text("relation odd(x).\n\nodd(X) :- node(X, Kind).\n", encoding="utf-8")

    assert main(["rules", "check", str(tmp_path)]) == 0
    shown = capsys.readouterr()

    assert "mine.dl:3:19: warning[lone-variable]: Kind stands once in this rule" in shown.err
    assert "1 to look at" in shown.out
