"""What in a question may be a name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.walk.mentions import mentions


def texts(question: str, kind: str) -> list[str]:
    return [m.text for m in mentions(question) if m.kind == kind]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Why did the Index Builder run out of memory?", ["Index Builder"]),
        ("What Index Builder is that?", ["Index Builder"]),
        ("Which PEP replaced PEP 245?", ["PEP", "PEP 245"]),
        ("Did Ada Lovelace write C++ or F.77 code?", ["Ada Lovelace", "C++", "F.77"]),
        ("Is Émile Zola older than Öland?", ["Émile Zola", "Öland"]),
        ("Ferrule-768 was adopted when?", ["Ferrule-768"]),
        ("why?", []),
    ],
)
def test_a_run_of_capitalised_words_is_one_mention(question: str, named: list[str]) -> None:
    assert texts(question, "capitalised") == named


def test_a_question_word_that_opens_the_question_is_no_name() -> None:
    assert texts("When did Who Framed Roger Rabbit come out?", "capitalised") == ["Who Framed Roger Rabbit"]


@pytest.mark.parametrize("question", ['What does "merge of shards" mean?', "What does «merge of shards» mean?"])
def test_quoted_words_are_a_mention_whatever_their_case(question: str) -> None:
    assert texts(question, "quoted") == ["merge of shards"]


def test_an_apostrophe_opens_no_quotation() -> None:
    assert texts("Who took Dana's and Ife's notes?", "quoted") == []


def test_joined_lower_case_words_are_a_mention() -> None:
    assert texts("what is index-builder in infra.shard_map?", "joined") == ["index-builder", "infra.shard_map"]


def test_single_words_of_four_letters_are_mentions_but_function_words_are_not() -> None:
    assert texts("what would the builder do about cats", "word") == ["builder", "cats"]


def test_scripts_without_capitals_give_mentions() -> None:
    assert texts("北海支店 の 場所", "letters")[0] == "北海支店"
    assert texts("部品管理_登録とは何か", "letters") == ["部品管理_登録とは何か"]
    assert texts("أين مكتبة الإسكندرية", "letters") == ["أين", "مكتبة", "الإسكندرية"]


def test_surer_kinds_come_first_and_nothing_comes_twice() -> None:
    found = mentions('Where is "Shard Map" in the Shard Map for index-builder nodes?')
    assert [m.kind for m in found[:2]] == ["quoted", "joined"]
    assert len({m.text for m in found}) == len(found)


@given(st.one_of(st.text(max_size=200), st.text("ab AB9-_.+'\"東京", max_size=60)))
def test_every_mention_stands_where_it_says(question: str) -> None:
    for mention in mentions(question):
        assert 0 <= mention.start < mention.end <= len(question) or mention.text == ""
        if mention.kind in ("capitalised", "joined", "letters"):
            assert question[mention.start : mention.end] == mention.text


def test_a_very_long_word_costs_no_more_than_its_length() -> None:
    joined = "ab-" * 3000 + "x" * 40_000
    assert texts(f"is {joined} here", "joined") == [joined]
