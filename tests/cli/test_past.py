"""Commands that look back."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from contextmesh.api import Mesh

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


def test_an_answer_of_the_past_names_the_generation_that_it_was_read_in(run: Run, session: Path) -> None:
    question = ("ask", "What replaced RFC 1?", "--session", session, "--json")

    assert run(*question, "--as-of", "2022-09-09").json["generation"] == run(*question).json["generation"] > 0


def test_a_decision_is_reconstructed_with_its_hindsight(run: Run, session: Path) -> None:
    said = run("reconstruct", "RFC-1", "--session", session)
    told = run("reconstruct", "RFC-1", "--session", session, "--json").json

    assert said.code == 0
    assert "later, so no reason then" in said.out
    assert told["dated"] == "2021-02-03"
    assert "decision:rfc-2" in [reason["id"] for reason in told["later"]]
    assert all(reason["why"]["steps"] for reason in told["stood_on"])


def test_a_reconstruction_without_proofs_looks_for_none(run: Run, session: Path) -> None:
    whole = run("reconstruct", "RFC-1", "--session", session, "--json").json
    short = run("reconstruct", "RFC-1", "--session", session, "--json", "--no-proofs").json

    for part in ("stood_on", "later", "undated"):
        assert short[part] == [{key: told for key, told in one.items() if key != "why"} for one in whole[part]]
    assert short["later"]


@pytest.mark.parametrize(
    ("date", "code"), [("2022-02-30", "impossible-date"), ("soon", "not-a-date"), ("2099", "future-date")]
)
def test_a_date_that_cannot_be_is_refused(run: Run, session: Path, date: str, code: str) -> None:
    refused = run("ask", "What replaced RFC 1?", "--as-of", date, "--session", session, "--json")

    assert (refused.code, refused.json["error"]["code"]) == (2, code)


def report(folder: Path, metal: str) -> Path:
    path = folder / "pump.md"
    path.write_text(f"---\ntitle: Pump\ndate: 2024-01-01\n---\n\nThe pump is made of {metal}.\n", encoding="utf-8")
    return path


def test_commits_of_several_commands_keep_their_dates_in_the_journal_and_in_a_new_generation(
    run: Run, tmp_path: Path
) -> None:
    home = tmp_path / "pumps.mesh"
    for day, metal in (("2024-01-10", "brass"), ("2024-02-10", "steel")):
        assert run("ingest", report(tmp_path, metal), "--on", day, "--session", home).code == 0

    def told(bound: str) -> tuple[str, dict[str, object]]:
        said = run("ask", "What is the pump made of?", "--as-of", bound, "--session", home, "--json").json
        return said["answer"]["text"], said["bounds"]

    wanted = {bound: told(bound) for bound in ("2024-01-10", "2024-02-09", "2024-02-10", "@1", "@2")}
    assert [answer for answer, _ in wanted.values()] == [
        f"The pump is made of {metal}." for metal in ("brass", "brass", "steel", "brass", "steel")
    ]
    assert wanted["2024-02-09"][1]["learned_by"] == "commit date"
    assert wanted["@1"][1] | {"as_of": "2024-01-10", "learned_by": "commit date"} == wanted["2024-01-10"][1]
    assert run("session", "save", "--session", home).code == 0
    assert {bound: told(bound) for bound in wanted} == wanted


@pytest.mark.parametrize(
    ("day", "code"),
    [
        ("2024-02-30", "impossible-date"),
        ("today", "not-a-date"),
        ("9999", "commit-date-ahead"),
        ("2024-01-09", "earlier-commit"),
    ],
)
def test_a_commit_with_a_date_that_cannot_be_writes_nothing(run: Run, tmp_path: Path, day: str, code: str) -> None:
    home = tmp_path / "pumps.mesh"
    run("ingest", report(tmp_path, "brass"), "--on", "2024-01-10", "--session", home)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}

    refused = run("ingest", report(tmp_path, "steel"), "--on", day, "--session", home, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, code)
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    if code != "earlier-commit":
        run("ingest", report(tmp_path, "steel"), "--on", day, "--session", tmp_path / "new.mesh")
        assert not (tmp_path / "new.mesh").exists()


def test_an_import_is_a_commit_of_a_date(run: Run, session: Path, tmp_path: Path) -> None:
    home = tmp_path / "pumps.mesh"
    run("ingest", report(tmp_path, "brass"), "--on", "2024-01-10", "--session", home)
    assert run("session", "import", session, "--on", "2024-03-10", "--session", home).code == 0

    def sources(day: str) -> int:
        rows: list[object] = run("query", "node(X, source)", "--as-of", day, "--session", home, "--json").json["rows"]
        return len(rows)

    assert sources("2024-03-09") == 1
    assert sources("2024-03-10") > 1


@pytest.mark.parametrize(("number", "code"), [("@99", "future-date"), ("@", "not-a-date"), ("@-1", "not-a-date")])
def test_a_transaction_that_is_not_there_is_refused(run: Run, session: Path, number: str, code: str) -> None:
    refused = run("health", "--as-of", number, "--session", session, "--json")

    assert (refused.code, refused.json["error"]["code"]) == (2, code)


@pytest.mark.parametrize("json", [False, True])
def test_an_ingest_says_that_it_bears_the_later_date_of_another_writer(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, json: bool
) -> None:
    home = tmp_path / "s.mesh"
    run("ingest", report(tmp_path, "brass"), "--on", "2024-01-10", "--session", home)

    class Slow(io.BytesIO):
        """A document that arrives after another writer has committed."""

        def read(self, size: int | None = -1) -> bytes:
            if self.tell() == 0:
                other = Mesh.open(home)
                other.commits_on("2024-03-10")
                other.assume("Brass is cheap")
                other.checkpoint()
            return super().read(size)

    text = b"The quay crane is made of copper and stands on the north quay."
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Slow(text)))
    said = run("ingest", "-", "--as", "text", "--on", "2024-02-10", "--session", home, *(["--json"] if json else []))

    assert said.code == 0, said.err
    if json:
        (note,) = said.json["notes"]
        assert (note["code"], note["subject"], note["fields"]) == ("later-date", "2024-03-10", {"given": "2024-02-10"})
    else:
        assert "note[later-date]: another writer committed on 2024-03-10 first" in said.out
    assert run("doctor", "--session", home).code == 0
