"""What a table learned since somebody last looked is enough to teach another table the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.base.errors import InputError
from contextmesh.resolve.resolver import Resolver

NAMES = (
    *("Harbour Office", "harbour office", "The Harbour", "HO", "Hárbour", "Pier 4", "Pier Four", "部品管理_登録"),
    *("部品管理_削除", "Query Relay Service Board", "QRSB", "Relay", "relay-board", ""),
)
names = st.sampled_from(NAMES)
acts = st.one_of(
    st.tuples(st.just("register"), names.filter(bool), st.lists(names, max_size=2)),
    st.tuples(st.just("resolve"), names, st.just([])),
)


def act(table: Resolver, acts: list[tuple[str, str, list[str]]]) -> None:
    for what, name, aliases in acts:
        if what == "resolve":
            table.resolve(name)
        else:
            table.register(f"entity:{name}", name, aliases)


@given(st.lists(acts, max_size=8), st.lists(acts, max_size=8))
def test_a_copy_that_takes_up_what_was_learned_is_the_same_table(
    before: list[tuple[str, str, list[str]]], after: list[tuple[str, str, list[str]]]
) -> None:
    table = Resolver()
    act(table, before)
    copy = Resolver.from_json(table.to_json())
    cursor = table.cursor
    act(table, after)
    copy.take(*table.since(cursor))
    assert copy.to_json() == table.to_json()
    assert all(copy.peek(name) == table.peek(name) for name in NAMES)
    assert table.since(table.cursor) == ((), ())


def test_a_form_that_is_somebodys_stays_theirs_and_a_label_takes_its_own() -> None:
    first = Resolver()
    first.register("entity:1", "Harbour Office", ["Quay"])
    second = Resolver.from_json(first.to_json())
    cursor = second.cursor
    second.register("entity:2", "Quay Office", ["Pier"])
    second.register("entity:3", "Quay")
    first.register("entity:4", "Old Mole", ["Pier"])
    first.take(*second.since(cursor))
    assert first.peek("Pier").id == "entity:4"
    assert first.peek("Quay").id == "entity:3"


def test_an_id_with_two_labels_is_refused() -> None:
    table = Resolver()
    table.register("entity:1", "Harbour")
    for step, code in (
        (("label", "entity:1", "Port"), "two-identities"),
        (("alias", "port", "entity:9"), "unknown-id"),
    ):
        with pytest.raises(InputError) as caught:
            table.take([step], [])
        assert caught.value.code == code


def test_a_table_becomes_another_and_keeps_its_place_in_memory() -> None:
    table, other = Resolver(), Resolver()
    other.register("entity:1", "Harbour")
    table.become(other)
    assert table.peek("Harbour").id == "entity:1"
