"""A vector is a pure function of its text, as the format defines it."""

from __future__ import annotations

import hashlib
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.resolve.embed import BUCKETS, STOP_WORDS, cosine, dense, embed, node_text, sparse
from contextmesh.store.model import Node

TEXTS = st.lists(st.sampled_from(["north", "pier", "the", "a", "x1", "Fähre", "渡し場", "index-2"]), max_size=6).map(
    " ".join
)


def by_definition(text: str) -> list[float]:
    """Word by word, as the format says it."""
    sums = [0.0] * BUCKETS
    for token in re.findall("[a-z0-9]+", text.lower()):
        if token in STOP_WORDS:
            continue
        padded = "^" + token + "$"
        features = [("w:" + token, 1.0)] + [("t:" + padded[i : i + 3], 0.25) for i in range(len(padded) - 2)]
        for feature, weight in features:
            sums[int(hashlib.md5(feature.encode()).hexdigest()[:8], 16) % BUCKETS] += weight
    norm = math.sqrt(sum(value * value for value in sums))
    return [value / norm for value in sums] if norm else sums


@settings(deadline=None)
@given(TEXTS)
def test_a_vector_is_what_the_format_says(text: str) -> None:
    assert list(dense(embed(text))) == by_definition(text)
    assert list(embed(text)) == sorted(embed(text))
    assert sparse(dense(embed(text))) == embed(text)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_a_cosine_is_symmetric_and_1_for_a_text_itself(one: str, other: str) -> None:
    assert cosine(embed(one), embed(other)) == pytest.approx(cosine(embed(other), embed(one)))
    assert cosine(embed(one), embed(one)) == pytest.approx(1.0 if embed(one) else 0.0)


def test_there_are_57_stop_words_and_they_count_for_nothing() -> None:
    assert len(STOP_WORDS) == 57
    assert embed("what was the") == {}


def test_a_node_is_embedded_by_its_label_and_rationale() -> None:
    assert node_text(Node("d", "decision", "Sail", {"rationale": "wind"})) == "Sail wind"
    assert node_text(Node("d", "decision", "Sail", {"rationale": 4})) == "Sail "
    assert node_text(Node("e", "entity", "Pier")) == "Pier "


def test_near_texts_are_nearer_than_far_ones() -> None:
    pier = embed("the north pier is closed")
    assert cosine(pier, embed("north piers close")) > 0.4 > cosine(pier, embed("fare card"))
