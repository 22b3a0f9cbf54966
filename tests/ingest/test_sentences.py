"""Sentences end where a reader would say, and every offset is exact."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.ingest.sentences import split_sentences

TABLE = [
    line
    for line in (Path(__file__).parent / "sentences.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
texts = st.text(st.sampled_from("aB. ?!…。「」()[]\"'0\n,é中1:-"), max_size=80) | st.text(max_size=80)


@pytest.mark.parametrize("line", TABLE)
def test_a_paragraph_is_split_where_the_table_says(line: str) -> None:
    paragraph = line.replace("|", "")
    found = [paragraph[start:end] for start, end in split_sentences(paragraph)]

    assert found == [piece.strip() for piece in line.split("|")]


@given(texts)
def test_sentences_lie_in_order_and_leave_out_nothing_but_white_space(text: str) -> None:
    spans = list(split_sentences(text))

    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert text[at:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        at = end
    assert text[at:].strip() == ""


@given(texts)
def test_white_space_around_a_paragraph_moves_its_sentences_and_nothing_else(text: str) -> None:
    moved = [(start - 2, end - 2) for start, end in split_sentences(f"  {text} ")]

    assert moved == list(split_sentences(text))
