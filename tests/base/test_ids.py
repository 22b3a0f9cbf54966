"""An id is readable, made from its text alone, and grows when another thing owns it."""

from __future__ import annotations

import hashlib

from hypothesis import given, settings

from contextmesh.base.canon import digest
from contextmesh.base.ids import DIGITS, free_id, slug

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


def test_a_fingerprint_is_spaced_and_escaped_and_every_other_digest_is_not() -> None:
    value = {"b": ["é"], "a": None}
    assert digest(value) == hashlib.sha256('{"a":null,"b":["é"]}'.encode()).hexdigest()
    assert digest(value, spaced=True) == hashlib.sha256(b'{"a": null, "b": ["\\u00e9"]}').hexdigest()
