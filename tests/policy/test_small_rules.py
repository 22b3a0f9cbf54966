"""The small rules files: walk, prune, time, schedule. What each concludes, in graphs that show it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.policy import Policy
from tests.laws.worlds import SPREAD, Evaluate, World, evaluators, patient

both = pytest.mark.parametrize("evaluate", evaluators())
LINEAGE = (*SPREAD, "lineage.dl")
PRUNE = (*SPREAD, "prune.dl")
SCHEDULE = (*LINEAGE, "schedule.dl")


# ---- walk ---------------------------------------------------------------------------------------


@both
def test_the_prices_of_a_walk_are_those_of_the_format_in_hundredths(evaluate: Evaluate) -> None:
    rows = World().rows("walk.dl", evaluate=evaluate)
    assert dict(rows["walks"]) == {
        "mentions": 100, "derived_from": 60, "supports": 70, "cites": 80, "contradicts": 90, "depends_on": 100,
        "produces": 110, "supersedes": 120, "justified_by": 80,
    }  # fmt: skip
    assert dict(rows["reads_back"]) == {"mentions": 100, "supports": 70, "derived_from": 60, "produces": 110}
    assert {row[0] for row in rows["asserts"]} == {"claim", "decision", "evidence"}
    assert {row[0] for row in rows["answers"]} == {"claim", "decision", "evidence"}


def test_walks_are_listed_in_the_order_of_preference() -> None:
    from contextmesh.datalog.engine import Engine

    policy = Policy.load()
    order = [row[0] for row in Engine(policy.program, policy.facts).rows("walks")]
    assert order == ["mentions", "derived_from", "supports", "cites", "contradicts", "depends_on", "produces",
                     "supersedes", "justified_by"]  # fmt: skip


# ---- prune --------------------------------------------------------------------------------------


def garden() -> World:
    world = World()
    world.nodes("source", "book")
    world.nodes("claim", "leaf", "stone")
    world.nodes("entity", "rose")
    world.nodes("decision", "plant")
    world.edge("leaf", "derived_from", "book")
    world.edge("leaf", "mentions", "rose")
    world.say("now", 60)
    for name in ("leaf", "rose", "stone", "plant"):
        world.say("born_at_build", name, 1)
    return world


@both
def test_a_claim_that_nothing_links_may_be_pruned_and_a_decision_never(evaluate: Evaluate) -> None:
    rows = garden().rows(*PRUNE, evaluate=evaluate)["prunable"]
    assert {row for row in rows if row[1] == "unlinked"} == {("stone", "unlinked")}


@both
def test_what_no_walk_met_in_fifty_builds_may_be_pruned(evaluate: Evaluate) -> None:
    rows = garden().rows(*PRUNE, evaluate=evaluate)["prunable"]
    assert {row[0] for row in rows if row[1] == "unwalked"} == {"leaf", "rose"}


@both
def test_what_a_walk_met_is_kept_and_so_is_what_it_mentions(evaluate: Evaluate) -> None:
    world = garden()
    world.say("walked", "leaf")
    assert {row[0] for row in world.rows(*PRUNE, evaluate=evaluate)["prunable"]} == {"stone"}


@both
@pytest.mark.parametrize(
    ("link", "left"),
    [
        (("plant", "derived_from", "leaf"), {"stone", "rose"}),
        (("plant", "produces", "rose"), {"stone", "leaf"}),
        (("plant", "supersedes", "plant"), {"stone", "leaf", "rose"}),
    ],
)
def test_what_stands_on_something_keeps_it_and_what_made_something_too(
    evaluate: Evaluate, link: tuple[str, str, str], left: set[str]
) -> None:
    world = garden()
    world.edge(*link)
    assert column(world.rows(*PRUNE, evaluate=evaluate)["prunable"]) == left


@both
def test_a_stated_ground_is_kept(evaluate: Evaluate) -> None:
    world = garden()
    world.justify("plant", ["rose"])
    assert column(world.rows(*PRUNE, evaluate=evaluate)["prunable"]) == {"stone", "leaf"}


@both
def test_a_young_node_is_kept_and_a_pruned_one_is_not_named_again(evaluate: Evaluate) -> None:
    world = garden()
    world.facts["now"] = [(51,)]
    world.say("pruned", "stone")
    assert world.rows(*PRUNE, evaluate=evaluate)["prunable"] == set()


# ---- time ---------------------------------------------------------------------------------------


@both
def test_a_node_is_known_by_the_first_road_that_has_a_date(evaluate: Evaluate) -> None:
    world = World()
    world.nodes("source", "monday", "friday", "undated")
    world.nodes("claim", "read", "derived", "free")
    world.nodes("decision", "choice")
    world.nodes("entity", "named", "made", "spoken")
    world.edge("friday", "mentions", "spoken")
    world.nodes("assumption", "ground")
    world.say("dated", "monday", 1)
    world.say("dated", "friday", 5)
    world.say("provenance", "read", "monday")
    world.edge("read", "derived_from", "friday")
    world.say("provenance", "derived", "undated")
    world.edge("derived", "derived_from", "monday")
    world.edge("derived", "derived_from", "friday")
    world.edge("choice", "cites", "monday")
    world.edge("choice", "depends_on", "ground")
    world.edge("choice", "produces", "made")
    world.edge("read", "mentions", "named")
    world.edge("derived", "mentions", "named")
    rows = world.rows("time.dl", evaluate=evaluate)
    assert rows["known"] == {
        ("monday", 1), ("friday", 5), ("read", 1), ("derived", 5), ("choice", 1), ("named", 1), ("ground", 1),
        ("made", 1), ("spoken", 5),
    }  # fmt: skip
    assert rows["undated"] == {("free",), ("undated",)}


dates = st.dictionaries(st.sampled_from("stu"), st.integers(0, 9))
links = st.lists(st.tuples(st.sampled_from("cd"), st.sampled_from(("derived_from", "cites")), st.sampled_from("stu")))


@both
@patient
@given(dates, links, st.dictionaries(st.sampled_from("cd"), st.sampled_from("stu")))
def test_every_node_has_at_most_one_day(
    evaluate: Evaluate, dated: dict[str, int], edges: list[tuple[str, str, str]], provenance: dict[str, str]
) -> None:
    world = World()
    world.nodes("source", *"stu")
    world.nodes("claim", "c")
    world.nodes("decision", "d")
    world.nodes("entity", "e")
    for name, day in dated.items():
        world.say("dated", name, day)
    for name, source in provenance.items():
        world.say("provenance", name, source)
    for row in edges:
        world.edge(*row)
    world.edge("c", "mentions", "e")
    world.edge("s", "mentions", "e")
    rows = world.rows("time.dl", evaluate=evaluate)
    known = {row[0] for row in rows["known"]}
    assert len(known) == len(rows["known"])
    assert {row[0] for row in rows["undated"]} == {row[0] for row in world.facts["node"]} - known


# ---- schedule -----------------------------------------------------------------------------------


def plan() -> World:
    """dough stands on flour and is done; board needs dough and prices and is not made yet."""
    world = World()
    world.nodes("assumption", "flour", "chalk", "coins", "silver")
    world.nodes("decision", "knead", "price")
    world.edge("knead", "depends_on", "flour")
    for task, ground in (("dough", "flour"), ("board", "chalk"), ("prices", "coins")):
        world.say("planned", task, ground, 1)
    world.say("needs", "board", "dough")
    world.say("needs", "board", "prices")
    world.say("ran", "dough", "knead", 2)
    return world


def column(rows: set[tuple[str | int, ...]]) -> set[str | int]:
    return {row[0] for row in rows}


@both
def test_a_task_waits_for_what_it_needs(evaluate: Evaluate) -> None:
    rows = plan().rows(*SCHEDULE, evaluate=evaluate)
    assert column(rows["done"]) == {"dough"}
    assert column(rows["pending"]) == {"board", "prices"}
    assert column(rows["ready"]) == {"prices"}
    assert rows["blocked"] == {("board", "waiting")}


@both
def test_a_task_is_ready_when_all_it_needs_is_done(evaluate: Evaluate) -> None:
    world = plan()
    world.edge("price", "depends_on", "coins")
    world.say("ran", "prices", "price", 2)
    assert column(world.rows(*SCHEDULE, evaluate=evaluate)["ready"]) == {"board"}


@both
def test_a_task_is_stale_when_its_ground_was_rejected_and_blocked_until_it_moves(evaluate: Evaluate) -> None:
    world = plan()
    world.reject("flour")
    rows = world.rows(*SCHEDULE, evaluate=evaluate)
    assert column(rows["stale"]) == {"dough"}
    assert ("dough", "ground_rejected") in rows["blocked"]
    assert column(rows["done"]) == set()


@both
def test_a_task_is_stale_when_its_decision_fell_by_another_road(evaluate: Evaluate) -> None:
    world = plan()
    world.edge("knead", "depends_on", "silver")
    world.reject("silver")
    rows = world.rows(*SCHEDULE, evaluate=evaluate)
    assert column(rows["stale"]) == {"dough"}
    assert column(rows["ready"]) == {"dough", "prices"}


@both
def test_a_task_is_stale_when_its_ground_was_rejected_though_its_decision_stands(evaluate: Evaluate) -> None:
    world = plan()
    world.say("accepted", "price", "coins")
    world.say("ran", "prices", "price", 2)
    world.reject("coins")
    rows = world.rows(*SCHEDULE, evaluate=evaluate)
    assert column(rows["stale"]) == {"prices"}
    assert ("prices", "ground_rejected") in rows["blocked"]


@both
def test_a_pending_task_on_a_superseded_ground_is_blocked(evaluate: Evaluate) -> None:
    world = plan()
    world.edge("silver", "supersedes", "coins")
    rows = world.rows(*SCHEDULE, evaluate=evaluate)
    assert ("prices", "ground_superseded") in rows["blocked"]
    assert column(rows["ready"]) == set()


@both
def test_a_failed_task_is_neither_done_nor_pending(evaluate: Evaluate) -> None:
    world = plan()
    world.say("missed", "dough", 3)
    world.say("missed", "prices", 2)
    rows = world.rows(*SCHEDULE, evaluate=evaluate)
    assert column(rows["done"]) == set()
    assert column(rows["pending"]) == {"board"}
