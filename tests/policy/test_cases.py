"""What a case does: which transaction a step is, what a refused write leaves, and over which facts it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.base.errors import InputError, RuleError
from contextmesh.base.source import Source
from contextmesh.lang.cases import MAX_CASES, parse_cases
from contextmesh.policy import Policy
from contextmesh.policy.case_files import cases_at, shipped_cases
from contextmesh.policy.cases import run_case
from contextmesh.policy.expected import SHOWN, Miss
from contextmesh.policy.suite import chosen, run_suite

A = "given node(a, assumption), node(e, evidence), edge(x, e, contradicts, a). "


Rows = dict[str, list[tuple[str | int, ...]]]


def run(text: str, policy: Policy | None = None, base: Rows | None = None) -> list[str]:
    """The codes of what a case misses."""
    (case,) = parse_cases(Source("c.cases", f'case "c". {text}')).cases
    return [miss.problem.code for miss in run_case(case, policy or Policy.load(), base)]


def only_miss(text: str) -> Miss:
    (case,) = parse_cases(Source("c.cases", f'case "c". {text}')).cases
    (miss,) = run_case(case, Policy.load())
    return miss


def test_each_change_is_the_next_transaction_and_what_it_adds_is_born_then() -> None:
    text = f"{A} given node(b, claim). drop node(b, claim). given node(c, claim), node(d, claim), born(d, 9). "
    born = "born(a, 1), born(e, 1), born(x, 1), born(b, 2), born(c, 4), born(d, 9)"

    assert run(f"{text} reject(a, e). only {born}. only verdict(a, e, 5).") == []


def test_a_write_that_is_refused_leaves_nothing_and_takes_no_number() -> None:
    text = "write node(b, wish). refused no_such_node_type(b). expect not node(b, _), not born(b, _). "
    assert run(f"{text} write node(c, evidence), carries(c, kind). only born(c, 1).") == []


def test_a_refused_write_must_be_expected_and_an_expected_refusal_must_come() -> None:
    assert run("write node(b, wish).") == ["refused-write"]
    assert run("write node(b, wish). expect not node(b, _).") == ["refused-write"]
    assert run("write node(b, evidence), carries(b, kind). refused missing_field(b).") == ["not-refused"]
    assert run("write node(b, evidence), node(c, wish). refused no_such_node_type(c).") == ["refused-write"]


def test_the_reasons_of_an_expected_refusal_are_those_while_the_write_stood() -> None:
    miss = only_miss("write node(b, evidence), carries(b, kind). refused missing_field(b).")
    fitting = [failure for failure in miss.why_not if failure.literal is not None]

    assert [failure.rule.label.name for failure in fitting if failure.rule.label] == ["must_carry"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("expect live(a).", []),
        ("expect live(1 + 1).", ["missing-row"]),
        ("expect live(X), X != e.", []),
        ("expect live(X), X != e, X != a.", ["missing-row"]),
        ("expect 2 = count { X : live(X) }.", []),
        ("expect 3 = count { X : live(X) }.", ["missing-row"]),
        ("expect not live(_).", ["unexpected-row"]),
        ("expect not fell(_, _), fell(a, a), live(b), live(a).", ["missing-row", "missing-row"]),
        ("only live(e), live(a).", []),
        ("only live(a).", ["unexpected-row"]),
        ("only live(a), live(e), live(b).", ["missing-row"]),
        ("only live(a), live(b).", ["missing-row", "unexpected-row"]),
        ("drop edge(x, e, contradicts, a). expect not edge(_, _, _, _), live(e).", []),
    ],
)
def test_an_expectation_holds_exactly_when_the_rows_say_so(text: str, codes: list[str]) -> None:
    assert run(A + text) == codes


def test_a_case_runs_over_the_facts_it_is_given_and_counts_on_from_their_last_transaction() -> None:
    base: Rows = {
        "node": [("a", "assumption"), ("e", "evidence")],
        "edge": [("x", "e", "contradicts", "a")],
        "born": [("a", 3), ("e", 7), ("x", 7)],
    }

    assert run("reject(a, e). only rejected(a, 8).", base=base) == []


def test_a_door_that_rules_fill_can_be_given_to_as_well(tmp_path: Path) -> None:
    (tmp_path / "approved.dl").write_text("shielded(X) :- carries(X, approved).\n", encoding="utf-8")
    policy = Policy.load(tmp_path)
    text = A + "given node(c, decision), node(d, decision), edge(l, c, depends_on, a), edge(m, d, depends_on, a). "

    assert run(f"{text} given shielded(c), carries(d, approved). reject(a, e). only fell(a, a).", policy) == []


def test_rows_beyond_the_first_twenty_are_counted() -> None:
    nodes = ", ".join(f"node(n{i}, claim)" for i in range(SHOWN + 5))
    miss = only_miss(f"given {nodes}. only live(n0).")

    assert len(miss.got) == SHOWN + 1
    assert miss.got[-1] == "and 5 more"


def test_steps_before_the_first_case_are_steps_of_every_case() -> None:
    text = 'given node(a, assumption). case "1". given node(b, claim). only live(a), live(b). case "2". only live(a).'
    outcomes = run_suite([parse_cases(Source("c.cases", text))], Policy.load())

    assert [outcome.holds for outcome in outcomes] == [True, True]


def test_a_case_that_counts_without_end_is_stopped_and_the_others_run(tmp_path: Path) -> None:
    rule = "relation up(n).\nup(N) :- near_miss(N).\nup(N + 1) :- up(N), N < 2000000.\n"
    (tmp_path / "up.dl").write_text(rule, encoding="utf-8")
    text = parse_cases(Source("c.cases", 'case "1". given near_miss(0). expect up(9). case "2". expect not up(_).'))
    outcomes = run_suite([text], Policy.load(tmp_path))

    assert [[problem.code for problem in outcome.problems] for outcome in outcomes] == [["limit-reached"], []]
    assert [outcome.holds for outcome in outcomes] == [False, True]


def test_cases_that_do_not_fit_are_refused_unless_they_were_written_for_another_policy() -> None:
    text = parse_cases(Source("c.cases", 'case "1". expect fallen(a). case "2". expect not live(_).'))
    with pytest.raises(RuleError) as refusal:
        run_suite([text], Policy.load())
    outcomes = run_suite([text], Policy.load(), foreign=True)

    assert refusal.value.code == "unknown-relation"
    assert [outcome.holds for outcome in outcomes] == [False, True]


def test_cases_are_chosen_by_file_and_saying_whatever_their_case() -> None:
    texts = shipped_cases().texts

    assert [text.source.name for text in chosen(texts, "LINEAGE.cases")] == ["rules/cases/lineage.cases"]
    assert [case.says for text in chosen(texts, "a shielded") for case in text.cases] == [
        "Failure stops before a shielded node"
    ]
    with pytest.raises(InputError) as refusal:
        chosen(texts, "no such words")
    assert refusal.value.code == "no-cases"


def test_a_file_has_a_limit_of_cases() -> None:
    text = "".join(f'case "{i}". expect live(a).\n' for i in range(MAX_CASES + 1))
    with pytest.raises(RuleError) as refusal:
        parse_cases(Source("many.cases", text))

    assert refusal.value.code == "too-long"


def test_rules_that_stand_beside_cases_are_the_ones_they_are_about(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "one.cases").write_text('case "1". expect not live(_).', encoding="utf-8")
    alone = cases_at(tmp_path)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "two.dl").write_text("relation two(x).\n", encoding="utf-8")
    (tmp_path / "rules" / "two.cases").write_text('case "2". expect not two(_).', encoding="utf-8")
    both = cases_at(tmp_path)

    assert (len(alone.texts), alone.policy) == (1, None)
    assert (len(both.texts), both.policy) == (2, tmp_path)
    assert cases_at(tmp_path / "rules" / "two.dl").policy == tmp_path / "rules" / "two.dl"


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("one.cases", None, "missing-file"),
        ("one.dl", b"", "no-cases"),
        ("folder", None, "no-cases"),
        ("one.cases", b'case "\xff".', "not-utf-8"),
        ("one.cases", b"x" * (4 * 1024 * 1024 + 1), "too-large"),
    ],
)
def test_a_path_without_readable_cases_is_refused(tmp_path: Path, name: str, data: bytes | None, code: str) -> None:
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
    elif data is not None:
        path.write_bytes(data)
    with pytest.raises(InputError) as refusal:
        cases_at(path)

    assert refusal.value.code == code
