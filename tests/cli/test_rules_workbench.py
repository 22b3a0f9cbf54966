"""``rules test`` and ``rules coverage`` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run

RULE = (
    "output kept_well(id).\nkept_well(X) :- node(X, claim), live(X).\nkept_well(X) :- node(X, decision), current(X).\n"
)
CASES = 'case "A live claim is kept well".\ngiven node(c, claim), node(b, claim), pruned(b).\nonly kept_well(c).\n'


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    folder = tmp_path / "my-policy"
    folder.mkdir()
    (folder / "kept.dl").write_text(RULE, encoding="utf-8")
    (folder / "kept.cases").write_text(CASES, encoding="utf-8")
    return folder


def test_cases_that_hold_leave_exit_code_0_and_a_line_a_file(run: Run, policy: Path) -> None:
    found = run("rules", "test", policy)

    assert found.code == 0
    assert found.out.splitlines() == [f"{policy / 'kept.cases'}: 1 case, all hold", "1 case, all hold"]


def test_a_case_that_fails_leaves_exit_code_1_and_says_where_and_why(run: Run, policy: Path) -> None:
    (policy / "kept.dl").write_text(RULE.replace(", live(X)", ""), encoding="utf-8")
    found = run("rules", "test", policy)
    told = run("rules", "test", policy, "--json")

    assert (found.code, told.code) == (1, 1)
    assert f"{policy / 'kept.cases'}:3:1: error[unexpected-row]: kept_well(b) holds" in found.out
    (outcome,) = told.json["outcomes"]
    (miss,) = outcome["misses"]
    assert (told.json["ok"], told.json["cases"], told.json["failed"]) == (False, 1, 1)
    assert (outcome["line"], outcome["ok"], miss["code"]) == (1, False, "unexpected-row")
    assert (miss["expected"], miss["got"]) == (["kept_well(c)"], ["kept_well(c)", "kept_well(b)"])
    assert miss["why"][0] == f"kept_well(b)  [{policy / 'kept.dl'}:2]"


def test_a_case_that_cannot_be_read_leaves_exit_code_2_and_its_place(run: Run, policy: Path) -> None:
    (policy / "kept.cases").write_text(CASES + "expect kept_wel(c).\n", encoding="utf-8")
    found = run("rules", "test", policy, "--json")

    assert found.code == 2
    assert found.json["error"]["code"] == "unknown-relation"
    assert found.json["error"]["where"] == {"file": str(policy / "kept.cases"), "line": 4, "column": 8}


def test_the_shipped_cases_run_under_a_policy_that_is_laid_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lineage.dl").write_text(
        "output replaced(new, old).\noutput superseded(id).\noutput status(assumption, word).\noutput current(id).\n"
        "replaced(N, O) :- edge(_, N, supersedes, O).\nsuperseded(O) :- edge(_, _, supersedes, O).\n"
        "status(A, active) :- node(A, assumption).\ncurrent(D) :- node(D, decision), live(D).\n",
        encoding="utf-8",
    )
    shipped = run("rules", "test", "-k", "lineage.cases", "--json")
    laid = run("rules", "test", "-k", "lineage.cases", "--policy", tmp_path, "--json")

    assert (shipped.code, laid.code) == (0, 1)
    assert (shipped.json["policy"], laid.json["policy"]) == ("the shipped policy", str(tmp_path))
    assert shipped.json["cases"] == laid.json["cases"] == laid.json["failed"] == 4


def test_cases_run_over_the_facts_of_a_session(run: Run, session: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.cases"
    file.write_text('case "Three records are here".\nexpect 3 = count { D : node(D, decision) }.\n', encoding="utf-8")

    assert run("rules", "test", file, "--session", session).code == 0
    assert run("rules", "test", file).code == 1


def test_coverage_names_the_rule_that_no_case_uses_and_the_literal_at_which_it_ends(run: Run, policy: Path) -> None:
    found = run("rules", "coverage", policy)
    told = run("rules", "coverage", policy, "--json").json

    assert found.code == 0
    assert found.out.splitlines() == [
        f"{policy / 'kept.dl'}     1 of 2     50.0 %",
        f"{policy / 'kept.dl'}:3:1: kept_well(X): node(X, decision) never held, tried once",
        "1 of 2 rules concluded a row, 50.0 %",
    ]
    assert (told["covered"], told["total"], told["percent"]) == (1, 2, 50.0)
    assert [(rule["line"], rule["rows"]) for rule in told["rules"]] == [(2, 1), (3, 0)]
    assert told["rules"][0]["literals"][0] == {
        "literal": "node(X, claim)", "line": 2, "column": 17, "tried": 1, "held": 2
    }  # fmt: skip


@pytest.mark.parametrize(("percent", "code"), [("50", 0), ("50.1", 1)])
def test_coverage_below_what_is_asked_leaves_exit_code_1(run: Run, policy: Path, percent: str, code: int) -> None:
    assert run("rules", "coverage", policy, "--fail-under", percent).code == code


def test_coverage_by_cases_that_fail_leaves_exit_code_1(run: Run, policy: Path) -> None:
    (policy / "kept.dl").write_text(RULE.replace(", live(X)", ""), encoding="utf-8")
    found = run("rules", "coverage", policy)

    assert found.code == 1
    assert found.out.splitlines()[-1].endswith("1 case failed, as `rules test` shows")


def test_profile_shows_the_dearest_rules_first_and_the_same_numbers_every_time(run: Run, session: Path) -> None:
    first = run("rules", "profile", "--session", session, "--no-time", "--json").json
    again = run("rules", "profile", "--session", session, "--no-time", "--json").json
    timed = run("rules", "profile", "--session", session, "--json").json
    work = [rule["work"] for rule in first["rules"]]

    assert first == again
    assert work == sorted(work, reverse=True)
    assert [{k: v for k, v in rule.items() if k != "cpu_ms"} for rule in timed["rules"]] == first["rules"]
    assert all(rule["cpu_ms"] >= 0 for rule in timed["rules"])


def test_profile_shows_as_many_rules_as_asked_and_counts_the_rest(run: Run) -> None:
    lines = run("rules", "profile", "--no-time", "--top", "3").out.splitlines()

    assert lines[0].split() == ["work", "rows", "runs", "driven", "lookups", "scanned", "rule"]
    assert len(lines) == 1 + 3 + 2
    every = run("rules", "profile", "--no-time", "--json").json["rules"]
    assert lines[4].startswith(f"and {len(every) - 3} more rules, with ")


def test_profile_takes_rules_that_are_laid_over(run: Run, policy: Path) -> None:
    rules = run("rules", "profile", policy, "--json").json["rules"]

    assert [rule["rows"] > 0 for rule in rules if rule["relation"] == "kept_well"] == [True, True]


def test_explain_shows_the_rules_as_read_with_their_plans(run: Run) -> None:
    found = run("rules", "explain", "superseded")
    told = run("rules", "explain", "superseded", "--json").json["relations"][0]

    assert (found.code, told["kind"], told["recursive"]) == (0, "output", False)
    assert "  superseded(O) :- edge(_, N, supersedes, O)." in found.out
    assert "      1. its type = supersedes" in found.out
    assert told["reads"] == [{"relation": "edge", "how": "joined"}]
    assert told["rules"][0]["text"].splitlines()[0] == '@rule_3 "{N} supersedes {O}"'
    assert told["code"] == []


def test_explain_code_shows_the_functions_with_what_their_numbers_stand_for(run: Run) -> None:
    found = run("rules", "explain", "superseded", "--code")

    assert "# what is concluded by rows of edge that came\n" in found.out
    assert "    def run(drive, found, meter, before):" in found.out
    assert run("rules", "explain", "nobody").code == 2


def test_explain_takes_rules_that_are_laid_over(run: Run, policy: Path) -> None:
    found = run("rules", "explain", "kept_well/2", policy, "--code", "--json")

    assert found.code == 0
    (relation,) = found.json["relations"]
    assert [(rule["file"], rule["line"]) for rule in relation["rules"]] == [(str(policy / "kept.dl"), 3)]
    assert relation["code"]
    assert run("rules", "explain", "kept_well/2").code == 2
