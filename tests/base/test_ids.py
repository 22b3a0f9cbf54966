"""An id is readable, made from its text alone, and grows when another thing owns it."""

from __future__ import annotations

import hashlib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.canon import digest
from contextmesh.base.ids import DIGITS, EDGE, EdgeIds, edge_key, free_id, slug

from .json_values import texts


def test_a_slug_is_the_plain_words_and_the_start_of_the_digest() -> None:
    sha = hashlib.sha1(b"The Deck Oven!").hexdigest()
    assert slug("The Deck Oven!", "entity") == f"entity:the-deck-oven-{sha[:6]}"
    assert slug("The Deck Oven!") == f"the-deck-oven-{sha[:6]}"
    assert slug("???", "x") == f"x:{hashlib.sha1(b'???').hexdigest()[:6]}"


def test_the_body_is_cut_after_its_ends_are_trimmed() -> None:
    body = slug("x" * 39 + " yz").rsplit("-", 1)[0]
    assert body == "x" * 39 + "-"


def test_a_text_of_another_script_keeps_its_letters_when_asked_to() -> None:
    assert slug("北海支店", "entity", scripts=True).startswith("entity:北海支店-")
    assert slug("北海支店", "entity").count("-") == 0


@settings(deadline=None)
@given(texts)
def test_a_taken_id_grows_by_digits_of_the_same_digest(text: str) -> None:
    taken: set[str] = set()
    for digits in DIGITS:
        id = free_id(text, "claim", lambda candidate: candidate in taken)
        assert id == slug(text, "claim", digits=digits, scripts=True)
        assert id not in taken
        taken.add(id)


names = st.lists(texts | st.sampled_from(["", "-", "a|b", "Σ|Σ", "İx", "\u212a", "a\nb", "x" * 39 + "-y"]), min_size=1)
numbers = st.lists(st.tuples(*[st.integers(min_value=0, max_value=99)] * 3))


@settings(deadline=None)
@given(names, names, numbers)
def test_the_ids_of_many_edges_are_those_of_each(ends: list[str], types: list[str], picked: list[Any]) -> None:
    rows = [("", src % len(ends), type_ % len(types), dst % len(ends)) for src, type_, dst in picked]
    keys = [edge_key(ends[src], types[type_], ends[dst]) for _, src, type_, dst in rows]
    ids = EdgeIds(ends, types)

    assert ids.longest(rows) == [slug(key, EDGE, digits=DIGITS[-1]) for key in keys]
    for digits in DIGITS:
        assert ids.first_wrong([slug(key, EDGE, digits=digits) for key in keys], rows) is None
    for short in (DIGITS[0] - 1, 0):
        assert ids.first_wrong([slug(key, EDGE, digits=short) for key in keys], rows) == (0 if rows else None)


def test_a_fingerprint_is_spaced_and_escaped_and_every_other_digest_is_not() -> None:
    value = {"b": ["é"], "a": None}
    assert digest(value) == hashlib.sha256('{"a":null,"b":["é"]}'.encode()).hexdigest()
    assert digest(value, spaced=True) == hashlib.sha256(b'{"a": null, "b": ["\\u00e9"]}').hexdigest()
