"""One thing is told in the singular, every other number in the plural, whatever number a table's nouns stand in."""

from __future__ import annotations

import pytest

from contextmesh.base.wording import counted, counts, plural, singular

NOUNS = {
    "entry": "entries",
    "day": "days",
    "node": "nodes",
    "alias": "aliases",
    "class": "classes",
    "box": "boxes",
    "status": "statuses",
    "evidence": "evidence",
    "live": "live",
}


@pytest.mark.parametrize("noun", NOUNS)
def test_a_noun_and_its_plural_lead_to_each_other(noun: str) -> None:
    assert plural(noun) == NOUNS[noun]
    assert singular(NOUNS[noun]) == noun
    assert singular(noun) == noun


def test_one_is_singular_and_every_other_number_is_not() -> None:
    assert [counted(number, "entry") for number in (0, 1, 2)] == ["0 entries", "1 entry", "2 entries"]
    assert counts({"transaction": 42, "nodes": 1, "aliases": 1, "evidence": 2}) == (
        "42 transactions, 1 node, 1 alias, 2 evidence"
    )
