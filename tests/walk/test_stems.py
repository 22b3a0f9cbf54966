"""The compiled stemmer and its port to Python give the same stems."""

from __future__ import annotations

import Stemmer
from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer.english_stemmer import EnglishStemmer

from contextmesh.walk.words import stem

ENDINGS = ("", "s", "ed", "ing", "ly", "ational", "fulness", "iveness", "ies", "yed", "'", "ization", "eed", "edly")
words = st.builds(str.__add__, st.text("abcdefghilmnoprstuvwyz", min_size=1, max_size=12), st.sampled_from(ENDINGS))


@given(words)
def test_a_word_has_one_stem_whichever_stemmer_is_there(word: str) -> None:
    assert Stemmer.Stemmer("english").stemWord(word) == EnglishStemmer().stemWord(word)


def test_the_stem_of_a_word_is_snowballs() -> None:
    assert [stem(word) for word in ("indices", "sharding", "went", "skies")] == [
        EnglishStemmer().stemWord(word) for word in ("indices", "sharding", "go", "skies")
    ]
