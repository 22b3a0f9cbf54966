"""A graph file bent in any named way is refused by its code, with file and place; a mutant never slips through."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.canon import INNER_DEPTH, pretty_bytes
from contextmesh.base.errors import SnapshotError
from contextmesh.base.source import render_refusal
from contextmesh.base.strict import parse
from contextmesh.graph.history import History
from contextmesh.policy import Policy
from contextmesh.store.records import records_to_bytes
from contextmesh.store.snapshot import graph_from_bytes, graph_from_json, graph_to_bytes, recompute_document
from corrupt.graph_changes import TEXTS, VALUES
from corrupt.graph_fields import PIER_ID, good, node

GOOD = pretty_bytes(good())


@pytest.mark.parametrize("name", VALUES)
def test_a_bent_value_is_refused_by_its_code(name: str) -> None:
    change, code = VALUES[name]
    value = good()
    change(value)
    assert repr(value) != repr(good()), "the change must change something"
    with pytest.raises(SnapshotError) as caught:
        graph_from_json(value, Policy.load(), "bent.json")
    assert code in [problem.code for problem in caught.value.problems]
    for problem in caught.value.problems:
        assert problem.where is not None
        assert problem.where.file == "bent.json"
        assert dict(problem.fields)["path"]
    with pytest.raises(SnapshotError) as again:
        graph_from_bytes(json.dumps(value, indent=1).encode(), Policy.load(), "bent.json")
    where = again.value.problem.where
    assert where is not None
    assert where.line is not None
    assert where.column is not None
    assert render_refusal(again.value)


@pytest.mark.parametrize("name", TEXTS)
def test_a_bent_text_is_refused_by_its_code(name: str) -> None:
    change, code = TEXTS[name]
    with pytest.raises(SnapshotError) as caught:
        graph_from_bytes(change(GOOD), Policy.load(), "bent.json")
    assert caught.value.code == code
    assert caught.value.problem.where is not None
    assert render_refusal(caught.value).startswith("bent.json:")


@pytest.mark.parametrize(("levels", "is_read"), [(INNER_DEPTH - 1, True), (INNER_DEPTH + 1, False)])
def test_attributes_nest_as_deep_as_every_file_can_hold_them_and_no_deeper(levels: int, is_read: bool) -> None:
    value = good()
    deep: Any = []
    for _ in range(levels - 1):
        deep = [deep]
    node(value, "source:log")["attrs"]["deep"] = deep
    data = json.dumps(value).encode()
    if is_read:
        store = graph_from_bytes(data, Policy.load(), "deep.json")
        assert records_to_bytes(store, History(store).chronicle())
        return
    with pytest.raises(SnapshotError) as caught:
        graph_from_bytes(data, Policy.load(), "deep.json")
    assert caught.value.code == "too-deep"
    assert caught.value.problem.where is not None and caught.value.problem.where.line == 1


def test_there_are_enough_ways_and_the_file_they_bend_is_good() -> None:
    assert len(VALUES) + len(TEXTS) >= 200
    assert graph_to_bytes(graph_from_bytes(GOOD, Policy.load(), "good.json")) == GOOD


def test_a_wrong_conclusion_names_every_id_it_is_about() -> None:
    value = good()
    node(value, "entity:card")["invalidated"] = False
    node(value, "claim:tide")["invalidated"] = True
    with pytest.raises(SnapshotError) as caught:
        graph_from_json(value, Policy.load())
    assert [problem.subject for problem in caught.value.problems] == ["entity:card", "claim:tide"]


def test_a_file_with_wrong_conclusions_can_be_taken_under_the_rules_and_its_differences_read() -> None:
    value = good()
    node(value, "entity:card")["invalidated"] = False
    made = recompute_document(parse(pretty_bytes(value), "other.json"), Policy.load())
    (difference,) = made.differences
    assert (difference.id, difference.stated, difference.derived) == ("entity:card", "stands", "invalid")
    assert graph_to_bytes(made.store) == GOOD


def test_a_field_that_is_nearly_right_is_guessed_in_the_hint() -> None:
    value = good()
    value["edges"][0]["wieght"] = value["edges"][0].pop("weight")
    with pytest.raises(SnapshotError) as caught:
        graph_from_json(value, Policy.load())
    assert caught.value.problem.hint == "did you mean weight?"


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.just(10**400),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(["source:log", "entity:card", PIER_ID, "rejected", "active", "supersedes"]),
    st.builds(list),
    st.builds(dict),
    st.just(["source:log"]),
)


def _places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = [place for step, member in steps if step != "embedding" for place in _places(member, (*path, step))]
    return [path, *inner] if path else inner


PLACES = _places(good())


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(["set", "drop", "copy"]), JUNK), min_size=1, max_size=2)
)
def test_a_mutant_is_refused_with_a_code_or_loads_and_is_written_back_as_it_was(changes: list[Any]) -> None:
    value = good()
    for path, act, junk in changes:
        _mutate(value, path, act, junk)
    try:
        store = graph_from_json(value, Policy.load())
    except SnapshotError as refusal:
        assert all(problem.code and problem.message for problem in refusal.problems)
        assert render_refusal(refusal)
    else:
        assert json.loads(graph_to_bytes(store)) == value


@settings(deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.binary(max_size=2), st.integers(0, 40))
def test_a_changed_text_is_refused_with_a_code_or_loads(at: int, new: bytes, gone: int) -> None:
    data = GOOD[:at] + new + GOOD[at + gone :]
    try:
        store = graph_from_bytes(data, Policy.load(), "bent.json")
    except SnapshotError as refusal:
        assert render_refusal(refusal)
    else:
        assert json.loads(graph_to_bytes(store)) == json.loads(data)


def _mutate(value: Any, path: tuple[str | int, ...], act: str, junk: Any) -> None:
    for step in path[:-1]:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return
    last = path[-1]
    if not isinstance(value, dict if isinstance(last, str) else list):
        return
    if act == "set" and (isinstance(value, dict) or last < len(value)):
        value[last] = junk
    elif act == "drop" and (last in value if isinstance(value, dict) else last < len(value)):
        del value[last]
    elif act == "copy" and isinstance(value, list) and last < len(value):
        value.append(value[last])
