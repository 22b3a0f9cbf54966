"""What asserts is a claim; for what does not there is one word."""

from __future__ import annotations

import pytest

from contextmesh.ingest.documents import Document
from contextmesh.ingest.extract import sentences_of, why_not
from contextmesh.ingest.layouts import layout_of

CASES = [
    ("The ferry leaves at eight.", None),
    ("Nobody swims in the harbour.", None),
    ("These sailors pursue a myriad of trades.", None),
    ("The clock chimes three times a day.", None),
    ("Use a rope to tie the boat.", None),
    ("He left.", "too-short"),
    ("Fresh fish, every day.", "no-verb"),
    ("Does the ferry leave at eight?", "question"),
    ("What is it (if anything)?", "question"),
    ("The rules are the following:", "lead-in"),
    ("See the timetable for more.", "cross-reference"),
    ("For more information, refer to the office.", "cross-reference"),
    ("This document has been placed in the public domain.", "boilerplate"),
    ("Copyright (c) 2024 by the harbour office and its heirs.", "boilerplate"),
    ("https://ferries.example/a/very/long/path is the page.", "links"),
    ("x = f(a) + g(b); y = {1: 2}", "code"),
    ("東京は日本の首都です。", None),
    ("本当ですか。", "question"),
    ("هذه جملة قصيرة جدا.", None),
    ("هل هذا سؤال؟", "question"),
    ("Это первое предложение.", None),
    ("Der Hafen liegt im Norden der Stadt.", None),
]


@pytest.mark.parametrize(("text", "reason"), CASES)
def test_a_sentence_is_a_claim_or_has_one_reason_why_not(text: str, reason: str | None) -> None:
    (sentence,) = sentences_of(layout_of(Document("source:t", "T", text)))
    english = text.isascii() and "Hafen" not in text

    assert why_not(sentence, english=english) == reason


def test_a_sentence_longer_than_any_statement_is_dropped() -> None:
    (sentence,) = sentences_of(layout_of(Document("source:t", "T", "The cat sat and " * 200 + "slept.")))

    assert why_not(sentence, english=True) == "too-long"
