"""Text to terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.walk import words
from contextmesh.walk.words import fold, name_key, placed_words, raw_words, stem, terms


def test_forms_of_a_word_share_a_stem() -> None:
    assert stem("merges") == stem("merged") == stem("merging")


def test_function_words_are_no_terms() -> None:
    assert terms("What was it that the Index Builder did?") == ["index", "builder"]


def test_a_possessive_is_dropped_and_an_inner_apostrophe_stays() -> None:
    assert terms("the builder's O'Brien") == ["builder", "o'brien"]


def test_a_number_keeps_its_inner_points() -> None:
    assert terms("0.96 at 02:14 of 31,000.") == ["0.96", "02:14", "31,000"]


def test_accents_and_width_do_not_matter() -> None:
    assert fold("Ｍüller Ångström") == "muller angstrom"


def test_marks_that_make_another_letter_stay() -> None:
    assert fold("ガ") != fold("カ")


@pytest.mark.parametrize("script", ["部品管理", "ログイン", "แผนที่", "검색엔진"])
def test_a_script_that_does_not_part_words_gives_pairs_of_letters(script: str) -> None:
    assert terms(script) == [script[i : i + 2] for i in range(len(script) - 1)]


def test_different_names_in_one_script_differ_in_terms() -> None:
    assert set(terms("北海支店")) != set(terms("北海道支店"))


@pytest.mark.parametrize("name", ["PEP 245", "pep-245", "PEP-0245", "the PEP 245"])
def test_ways_to_write_the_name_of_a_record_share_a_key(name: str) -> None:
    assert name_key(name) == "pep 245"


@given(st.text(max_size=200))
def test_placed_words_stand_where_they_say(text: str) -> None:
    for word in placed_words(text):
        assert 0 <= word.start < word.end <= len(text)


@given(st.text(max_size=200))
def test_terms_of_folded_text_are_the_terms_of_the_text(text: str) -> None:
    assert terms(fold(text)) == terms(text)


@given(st.text("aZ09é'’_.,: s-\n", max_size=30))
def test_the_quick_reading_of_plain_letters_finds_the_same_words(text: str) -> None:
    for form in (text, text.encode("ascii", "ignore").decode()):
        assert raw_words(form) == words._WORD.findall(fold(form))
