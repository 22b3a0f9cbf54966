"""Commands that look back."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run


def test_a_lineage_of_the_past_lacks_the_successor(run: Run, session: Path) -> None:
    before = run("lineage", "RFC-1", "--as-of", "2022-09-08", "--session", session, "--json").json
    after = run("lineage", "RFC-1", "--as-of", "2022-09-09", "--session", session, "--json").json

    assert [step["id"] for step in before["lineage"]] == ["decision:rfc-1"]
    assert [step["id"] for step in after["lineage"]] == ["decision:rfc-1", "decision:rfc-2"]
    assert (before["as_of"], before["bounds"]["source_day"]) == ("2022-09-08", "2022-09-08")


@pytest.mark.parametrize(
    "command",
    [("ask", "What replaced RFC 1?"), ("health",), ("query", "current(X)"), ("show", "RFC-1"), ("lineage", "RFC-1")],
)
def test_a_command_says_what_bounds_its_answer(run: Run, session: Path, command: tuple[str, ...]) -> None:
    said = run(*command, "--valid-at", "2022-03", "--session", session)

    assert said.code in (0, 3)
    assert "as sources of 2022-03-31 or before have it" in said.out
    assert "bounds" not in run(*command, "--session", session, "--json").json


def test_a_decision_is_reconstructed_with_its_hindsight(run: Run, session: Path) -> None:
    said = run("reconstruct", "RFC-1", "--session", session)
    told = run("reconstruct", "RFC-1", "--session", session, "--json").json

    assert said.code == 0
    assert "later, so no reason then" in said.out
    assert told["dated"] == "2021-02-03"
    assert "decision:rfc-2" in [reason["id"] for reason in told["later"]]
    assert all(reason["why"]["steps"] for reason in told["stood_on"])


@pytest.mark.parametrize(
    ("date", "code"), [("2022-02-30", "impossible-date"), ("soon", "not-a-date"), ("2099", "future-date")]
)
def test_a_date_that_cannot_be_is_refused(run: Run, session: Path, date: str, code: str) -> None:
    refused = run("ask", "What replaced RFC 1?", "--as-of", date, "--session", session, "--json")

    assert (refused.code, refused.json["error"]["code"]) == (2, code)
