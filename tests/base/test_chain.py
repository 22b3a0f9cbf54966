"""In a hash chain no entry changes, vanishes or moves unseen; that its end is missing, only a trusted head shows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.chain import GENESIS, Checkpoint, is_digest, link, verify

from .json_values import texts

PAYLOADS = st.lists(st.dictionaries(texts, st.integers(), max_size=3), min_size=1, max_size=6)


def chained(payloads: list[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    entries, head = [], GENESIS
    for payload in payloads:
        head = link(payload, head)
        entries.append((payload, head))
    return entries


@settings(deadline=None)
@given(PAYLOADS, st.data())
def test_any_change_of_an_entry_breaks_the_chain_at_that_entry(
    payloads: list[dict[str, Any]], data: st.DataObject
) -> None:
    entries = chained(payloads)
    assert verify(entries).broken_at is None
    at = data.draw(st.integers(0, len(entries) - 1))
    payload, digest = entries[at]
    entries[at] = ({**payload, "more": 1.5}, digest)
    assert verify(entries).broken_at == at


@settings(deadline=None)
@given(PAYLOADS)
def test_a_removed_first_entry_breaks_the_chain(payloads: list[dict[str, Any]]) -> None:
    entries = chained([{"first": True}, *payloads])
    assert verify(entries[1:]).broken_at == 0


def test_a_cut_end_is_consistent_and_not_complete() -> None:
    entries = chained([{"n": n} for n in range(9)])
    head = entries[-1][1]
    cut = verify(entries[:7])
    assert (cut.reason, cut.size, cut.complete) == (None, 7, False)
    assert verify(entries, expect_head=head).complete
    assert verify(entries[:7], expect_head=head).reason == "its head is not the trusted one"
    assert verify(entries[:7], checkpoint=Checkpoint(9, head)).reason == "shorter than checkpoint: 7 < 9"


def test_a_checkpoint_holds_for_a_longer_chain_and_not_for_another() -> None:
    entries = chained([{"n": n} for n in range(5)])
    trusted = Checkpoint(3, entries[2][1])
    assert verify(entries, checkpoint=trusted)
    assert verify(entries, checkpoint=Checkpoint(0, GENESIS))
    other = chained([{"n": n + 1} for n in range(5)])
    assert verify(other, checkpoint=trusted).reason == "entry 3 is not the one of the checkpoint"


@settings(deadline=None)
@given(PAYLOADS, st.data())
def test_a_chain_is_complete_exactly_as_far_as_its_checkpoint(
    payloads: list[dict[str, Any]], data: st.DataObject
) -> None:
    entries = chained(payloads)
    size = data.draw(st.integers(0, len(entries)))
    found = verify(entries, checkpoint=Checkpoint(size, entries[size - 1][1] if size else GENESIS))

    assert (found.reason, found.complete_to, found.beyond) == (None, size, len(entries) - size)
    assert found.complete == (size == len(entries))


def test_a_trusted_head_covers_what_a_checkpoint_before_it_does_not() -> None:
    entries = chained([{"n": n} for n in range(5)])
    trusted = Checkpoint(3, entries[2][1])
    assert verify(entries, checkpoint=trusted, expect_head=entries[-1][1]).complete
    assert (verify(entries).complete_to, verify(entries).beyond) == (None, 5)


@pytest.mark.parametrize("text", [GENESIS[:-1], GENESIS + "0", "A" * 64, "g" * 64, 0, None])
def test_only_64_lowercase_hex_digits_are_a_digest(text: object) -> None:
    assert is_digest(GENESIS)
    assert not is_digest(text)
