"""What a refusal tells is bounded, however long the input is that it quotes."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from contextmesh.base.errors import LONGEST, Problem
from contextmesh.base.source import render_problem

texts = st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=5), st.integers(0, 5000))


@given(texts, texts, texts)
def test_a_problem_is_told_in_few_words_whatever_it_quotes(message: str, subject: str, note: str) -> None:
    problem = Problem("some-code", message, subject=subject, fields=(("name", note),), note=note, hint=message)

    assert len(render_problem(problem)) <= 3 * LONGEST + 100
    assert all(len(str(told)) <= LONGEST for told in problem.as_json().values() if not isinstance(told, dict))
    assert problem.subject == subject


@given(texts)
def test_words_that_are_short_enough_are_told_as_they_are_and_of_longer_ones_both_ends(message: str) -> None:
    told = Problem("some-code", message).message

    assert told == message if len(message) <= LONGEST else (told[:99], told[-99:]) == (message[:99], message[-99:])
    assert json.loads(json.dumps(told)) == told
