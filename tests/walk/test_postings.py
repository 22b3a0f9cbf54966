"""The inverted index agrees with its definition, and what a search looks at is bounded."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from contextmesh.walk import postings
from contextmesh.walk.postings import K1, LENGTH, Bags

BAGS = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8), min_size=1, max_size=12)


def bm25(bags: list[list[str]], at: int, query: dict[str, float]) -> float:
    """The formula as published, over plain lists."""
    average = max(1.0, sum(map(len, bags)) / len(bags))
    total = 0.0
    for term, weight in query.items():
        count = bags[at].count(term)
        total += weight * count * (K1 + 1) / (count + K1 * (1 - LENGTH + LENGTH * len(bags[at]) / average))
    return total


def index_of(bags: list[list[str]]) -> Bags:
    index = Bags()
    for at, bag in enumerate(bags):
        index.add(f"n{at}", bag)
    return index


@given(BAGS, st.lists(st.sampled_from("abcdefghz"), min_size=1, max_size=4, unique=True))
def test_a_search_gives_the_scores_of_the_formula_best_first(bags: list[list[str]], query: list[str]) -> None:
    index = index_of(bags)
    weights = {term: index.idf(term) for term in query}
    found = index.search(weights, limit=100)
    wanted = {f"n{at}": bm25(bags, at, weights) for at in range(len(bags)) if set(bags[at]) & set(query)}
    assert dict(found).keys() == wanted.keys()
    assert all(math.isclose(score, wanted[id]) for id, score in found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


WEIGHTS = st.dictionaries(st.sampled_from("abcdefghz"), st.sampled_from((0.01, 0.5, 1.0, 7.0)), min_size=1, max_size=5)


@given(BAGS, WEIGHTS, st.integers(1, 4), st.integers(0, 2))
def test_a_short_search_gives_the_head_of_a_long_one(
    bags: list[list[str]], weights: dict[str, float], limit: int, left_out: int
) -> None:
    index = index_of(bags)
    kept = [found for found in index.search(weights, limit=100) if found[0] != f"n{left_out}"]
    assert index.search(weights, limit, lambda id: id != f"n{left_out}") == kept[:limit]


def test_bags_that_hold_only_what_is_too_weak_are_not_scored() -> None:
    index = index_of([["rare", "common"], ["rare"], *([["common"]] * 40)])
    seen: list[str] = []
    weights = {"rare": 5.0, "common": 0.1}
    found = index.search(weights, 2, lambda id: not seen.append(id))  # type: ignore[func-returns-value]
    assert dict.fromkeys(seen).keys() == {"n0", "n1"} == {id for id, _ in found}


@given(BAGS, BAGS)
def test_taking_out_what_was_put_in_leaves_no_trace(bags: list[list[str]], others: list[list[str]]) -> None:
    index = index_of(bags)
    for at, bag in enumerate(others):
        index.add(f"n{at}", bag)
    for at, bag in enumerate(others):
        index.take(f"n{at}", bag)
    weights = dict.fromkeys("abcdefgh", 1.0)
    for at in range(len(bags)):
        assert math.isclose(index.score(f"n{at}", weights), bm25_padded(bags, others, at, weights))


def bm25_padded(bags: list[list[str]], others: list[list[str]], at: int, weights: dict[str, float]) -> float:
    """Bags that only the other texts had are empty now, and still count in the average length."""
    padded = bags + [[] for _ in others[len(bags) :]]
    return bm25(padded, at, weights)


def test_ties_go_to_the_bag_that_was_put_first() -> None:
    index = index_of([["x"], ["x"], ["x"]])
    assert [id for id, _ in index.search({"x": 1.0}, 3)] == ["n0", "n1", "n2"]


def test_a_common_term_gives_only_its_champions() -> None:
    index = Bags()
    for at in range(3 * postings.POSTINGS):
        index.add(f"n{at}", ["common", *["other"] * (at % 7)])
    champions = list(index.holders("common"))
    assert len(champions) == postings.POSTINGS
    others = index.counts("other")
    assert all(others.get(index.numbers.of[id], 0) <= 2 for id in champions)
    index.add("fresh", ["rare", "common"])
    assert index.search({"rare": 5.0, "common": 0.1}, 1)[0][0] == "fresh"


def test_a_search_looks_at_no_more_bags_than_it_may() -> None:
    index = Bags()
    looked_at: list[str] = []
    for at in range(6 * postings.POSTINGS):
        index.add(f"n{at}", [f"t{at % 6}"])
    index.search(dict.fromkeys([f"t{n}" for n in range(6)], 1.0), 10**6, lambda id: not looked_at.append(id))
    assert len(looked_at) <= postings.CANDIDATES + postings.POSTINGS


def test_words_spelt_nearly_alike_are_found() -> None:
    index = index_of([["quantisation"], ["quantity"], ["shard"]])
    assert [term for term, _ in index.alike("quantization")] == ["quantisation"]
    assert index.alike("zebra") == []
