"""A field has exactly its type: nothing stands in for anything else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contextmesh.base import fields
from contextmesh.base.fields import Fault

ONE_OF_EACH: dict[str, object] = {
    "null": None,
    "true": True,
    "zero": 0,
    "one": 1,
    "a half": 0.5,
    "one point zero": 1.0,
    "text": "a",
    "no text": "",
    "an array": [],
    "texts": ["a", ""],
    "an array of numbers": [1],
    "an object": {},
}

ACCEPTED: dict[str, tuple[Callable[[fields.Row, str], object], set[str]]] = {
    "text": (fields.text, {"text", "no text"}),
    "text that is not empty": (lambda row, key: fields.text(row, key, empty=False), {"text"}),
    "text or null": (fields.text_or_none, {"text", "no text", "null"}),
    "a whole number": (fields.whole, {"zero", "one"}),
    "a whole number from one": (lambda row, key: fields.whole(row, key, least=1), {"one"}),
    "a whole number to zero": (lambda row, key: fields.whole(row, key, most=0), {"zero"}),
    "a whole number or null": (fields.whole_or_none, {"zero", "one", "null"}),
    "a truth value": (fields.flag, {"true"}),
    "a number": (fields.number, {"zero", "one", "a half", "one point zero"}),
    "an array": (fields.array, {"an array", "texts", "an array of numbers"}),
    "an array of texts": (fields.texts, {"an array", "texts"}),
    "an object": (fields.mapping, {"an object"}),
    "one of two words": (lambda row, key: fields.word(row, key, ("a", "b")), {"text"}),
}


@pytest.mark.parametrize("wanted", ACCEPTED)
@pytest.mark.parametrize("given", ONE_OF_EACH)
def test_a_field_takes_its_own_type_alone(wanted: str, given: str) -> None:
    read, accepted = ACCEPTED[wanted]
    row = {"k": ONE_OF_EACH[given]}
    if given in accepted:
        read(row, "k")
        return
    with pytest.raises(Fault) as caught:
        read(row, "k")
    assert caught.value.path[0] == "k"
    assert caught.value.code in ("wrong-type", "out-of-range", "unknown-word")


def test_an_object_has_exactly_its_keys() -> None:
    assert fields.record({"a": 1, "b": 2}, ("a", "b")) == {"a": 1, "b": 2}
    for value, code, path in (
        ({"a": 1}, "missing-key", ()),
        ({"a": 1, "b": 2, "c": 3}, "unknown-key", ("c",)),
        ({"a": 1, "c": 3}, "unknown-key", ("c",)),
        ([], "wrong-type", ()),
    ):
        with pytest.raises(Fault) as caught:
            fields.record(value, ("a", "b"))
        assert (caught.value.code, caught.value.path) == (code, path)


def test_a_path_reads_like_one() -> None:
    assert fields.path_text(("nodes", 3, "attrs", "a b")) == '$.nodes[3].attrs["a b"]'
    assert fields.path_text(()) == "$"
