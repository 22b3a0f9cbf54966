"""Each case, under each evaluator that can run it."""

from __future__ import annotations

import pytest
from case_files import Case, load_cases
from evaluators import EVALUATORS

from contextmesh.base.errors import RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.order import row_key
from contextmesh.lang.standalone import evaluate_text

CASES = load_cases()
ANSWERED = [case for case in CASES if case.rows is not None]
REFUSED = [case for case in CASES if case.refused is not None]
RUNS = [(name, case) for case in ANSWERED for name in EVALUATORS if name not in case.without]


@pytest.mark.parametrize(("evaluator", "case"), RUNS, ids=lambda part: part.name if isinstance(part, Case) else part)
def test_the_evaluator_gives_the_rows_of_the_case(evaluator: str, case: Case) -> None:
    assert case.rows is not None
    found = evaluate_text(
        Source(case.name, case.rules), Source("<query>", case.query), case.facts, EVALUATORS[evaluator]
    )

    assert found.rows == sorted(case.rows, key=row_key), case.says


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_the_program_is_refused_before_evaluation_with_the_codes_of_the_case(case: Case) -> None:
    def never(*_: object) -> list[tuple[str | int, ...]]:
        raise AssertionError("a refused program was evaluated")

    with pytest.raises(RuleError) as refusal:
        evaluate_text(Source(case.name, case.rules), Source("<query>", case.query), case.facts, never)

    assert [problem.code for problem in refusal.value.problems] == case.refused, case.says
