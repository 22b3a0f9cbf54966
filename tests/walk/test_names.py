"""Names by look-up, in any script."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contextmesh.walk.names import NameTable


def table(*names: str) -> NameTable:
    made = NameTable()
    for at, name in enumerate(names):
        made.put(f"n{at}", name)
    return made


def test_the_longest_name_wins_and_nothing_inside_it_is_found() -> None:
    found = table("Index", "Index Builder", "Builder").find("Why did the index builder stop?")
    assert [(f.text, f.ids) for f in found] == [("index builder", ("n1",))]


def test_one_name_may_stand_for_several_nodes() -> None:
    assert table("Shard Map", "shard map").find("the Shard Map")[0].ids == ("n0", "n1")


def test_a_name_made_of_function_words_is_not_found() -> None:
    assert table("The Who", "It").find("Who was it?") == ()


def test_names_without_spaces_between_words_are_told_apart() -> None:
    names = table("北海支店", "北海道支店", "部品管理_登録", "部品管理_削除")
    assert [f.ids for f in names.find("北海支店の売上はいくらですか")] == [("n0",)]
    assert [f.ids for f in names.find("北海道支店の売上はいくらですか")] == [("n1",)]
    assert [f.ids for f in names.find("部品管理_削除とは")] == [("n3",)]


def test_a_dropped_name_is_found_no_more() -> None:
    names = table("Shard Map")
    names.drop("n0", "Shard Map")
    assert names.find("Shard Map") == ()


@given(st.lists(st.text("abc 東京_", min_size=1, max_size=6), max_size=6), st.text("abc 東京_", max_size=40))
def test_found_names_stand_where_they_say_and_never_overlap(names: list[str], question: str) -> None:
    taken: set[int] = set()
    for found in table(*names).find(question):
        assert question[found.start : found.end] == found.text
        places = set(range(found.start, found.end))
        assert not places & taken
        taken |= places
