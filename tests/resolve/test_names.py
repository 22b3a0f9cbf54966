"""Names are compared by what is left when case, articles and legal forms are gone; other scripts stay whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.resolve.normalise import acronym, block_keys, normalise, own_form
from contextmesh.resolve.similarity import similarity

NORMAL = {
    "The Harbour Office, Ltd.": "harbour office",
    "ACME Corp. & Co": "acme",
    "Pier-1/B": "pier 1 b",
    "co-op": "op",
    "Fährhaus Süd": "f hrhaus s d",
    "  two   spaces ": "two spaces",
    "the": "",
    "Inc.": "",
    "!?": "",
    "": "",
    # a name of Latin letters that the rule would empty keeps them
    "É": "é",
    "Ž Ó": "ž ó",
    # other scripts keep their letters, marks and digits
    "部品管理_登録": "部品管理 登録",
    "部品管理_削除": "部品管理 削除",
    "北海支店": "北海支店",
    "हिन्दी भाषा": "हिन्दी भाषा",
    "Москва Co": "москва",
    "α-helix": "α helix",
    "मूल्य ४२": "मूल्य ४२",
    # the same letters, written wide or composed otherwise
    "ＱＲＳＢ": "qrsb",
    "ガ": "ガ",
}

BLOCKS = {
    "harbour office": ("harb", "offi", "ho"),
    "abc": ("abc",),
    "abcd": ("abcd",),
    "a b": ("a", "b", "ab"),
    "one two three": ("one", "thre", "ott", "onet"),
    "ab cd": ("ab", "cd", "ac", "abcd"),
    "": (),
}

SCORES = {
    ("harbour office", "harbour office"): 0.95,
    ("harbouroffice", "harbour office"): 0.95,
    ("harbour office", "harbour"): 0.85,  # seven letters tell enough
    ("service", "harbour service"): 0.5,  # a generic word does not
    ("pier", "north pier"): 0.5,
    ("north pier", "north pier closed"): 0.85,
    ("ho", "harbour office"): 0.9,
    ("north pier", "south pier"): 1 / 3,
    ("north pier", "fare card"): 0.0,
    ("", "north pier"): 0.0,
    ("部品管理 登録", "部品管理 削除"): 1 / 3,
    ("北海支店", "北海道支店"): 0.0,
}


@pytest.mark.parametrize("name", NORMAL)
def test_a_name_has_this_form(name: str) -> None:
    assert normalise(name) == NORMAL[name]


@pytest.mark.parametrize("normal", BLOCKS)
def test_a_form_is_filed_under_these_blocks(normal: str) -> None:
    assert block_keys(normal) == BLOCKS[normal]


@pytest.mark.parametrize(("one", "other"), SCORES)
def test_two_forms_score_this(one: str, other: str) -> None:
    assert similarity(one, other) == SCORES[one, other]


def test_initials_are_of_two_words_or_more() -> None:
    assert acronym("north pier of old") == "npoo"
    assert acronym("pier") == ""


@settings(deadline=None)
@given(st.text("aThe9 _-,部品ガйЙहि４", max_size=12))
def test_a_form_is_its_own_form(name: str) -> None:
    assert normalise(normalise(name)) == normalise(name)
    assert own_form(own_form(name)) == own_form(name)


@settings(deadline=None)
@given(st.text(st.characters(categories=["Lo"], exclude_characters="ªº"), min_size=1, max_size=8))
def test_a_name_of_letters_without_case_never_vanishes(name: str) -> None:
    assert normalise(name)
    assert block_keys(normalise(name))


WORDS = st.lists(st.sampled_from(["north", "pier", "harbour", "office", "a", "ho", "np"]), max_size=4).map(" ".join)


@settings(deadline=None)
@given(WORDS, WORDS)
def test_similarity_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0.0 <= similarity(one, other) <= 1.0
