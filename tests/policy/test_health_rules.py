"""Each signal of rules/health.dl, in a small graph that has it and one that has not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contextmesh.policy import Policy
from tests.laws.worlds import WHOLE, Evaluate, World, evaluators

both = pytest.mark.parametrize("evaluate", evaluators())
Build = Callable[[World], object]


def small() -> World:
    """One of everything, linked, sourced and settled, so that no signal is raised."""
    world = World()
    world.nodes("source", "book")
    world.nodes("claim", "said")
    world.nodes("entity", "thing")
    world.nodes("assumption", "ground")
    world.nodes("decision", "old", "new")
    for name in ("said", "old", "new"):
        world.say("provenance", name, "book")
    world.edge("said", "mentions", "thing")
    world.edge("said", "derived_from", "book")
    world.edge("old", "derived_from", "said")
    world.edge("new", "depends_on", "ground")
    world.edge("new", "supersedes", "old")
    world.say("now", 30)
    world.say("born_at_build", "ground", 5)
    world.say("dated", "book", 100)
    world.say("record_key", "old", "1")
    world.say("record_key", "new", "2")
    world.say("refers", "new", "replaces", "1")
    world.say("refers", "old", "superseded_by", "2")
    world.say("record_status", "new", "final")
    return world


def two_claims(world: World) -> None:
    world.nodes("claim", "other")
    world.say("provenance", "other", "book")
    world.edge("other", "mentions", "thing")
    world.edge("said", "contradicts", "other")


def settled_by_a_decision(world: World) -> None:
    two_claims(world)
    world.edge("new", "derived_from", "said")
    world.edge("new", "derived_from", "other")


def settled_by_a_decision_that_was_replaced(world: World) -> None:
    two_claims(world)
    world.edge("old", "derived_from", "said")
    world.edge("old", "derived_from", "other")


def settled_by_superseding(loser: str) -> Build:
    def build(world: World) -> None:
        two_claims(world)
        world.nodes("claim", "newer")
        world.say("provenance", "newer", "book")
        world.edge("newer", "supersedes", loser)

    return build


def doubted(world: World) -> None:
    world.nodes("evidence", "photo")
    world.edge("photo", "contradicts", "ground")


def judged(world: World) -> None:
    doubted(world)
    world.say("verdict", "ground", "photo", world.seq)


def successor_dated(day: int) -> Build:
    def build(world: World) -> None:
        world.nodes("source", "early", "late")
        for name, when in (("early", day), ("late", 100)):
            world.say("dated", name, when)
            world.edge("said", "derived_from", name)
        world.facts["provenance"] = [("said", "book"), ("old", "late"), ("new", "early")]

    return build


def requiring(*pairs: str) -> Build:
    def build(world: World) -> None:
        for name in dict.fromkeys("".join(pairs)):
            world.node(name, "decision")
            world.say("provenance", name, "book")
        for src, dst in pairs:
            world.edge(src, "depends_on", dst)

    return build


def both_of(*builds: Build) -> Build:
    def build(world: World) -> None:
        for one in builds:
            one(world)

    return build


def said(relation: str, *row: str | int) -> Build:
    return lambda world: world.say(relation, *row)


def unreadable(world: World) -> None:
    world.nodes("source", "leaflet")
    world.say("imprecise_date", "leaflet", "2025-02-30")


def node(name: str, kind: str) -> Build:
    return lambda world: world.node(name, kind)


def edge(*ends: str) -> Build:
    return lambda world: world.edge(*ends)


SIGNALS: dict[str, tuple[Build, str, set[str]]] = {
    "an edge of no type": (edge("said", "likes", "thing"), "untyped_edges", {"said likes thing"}),
    "a node without an edge": (node("alone", "evidence"), "orphans", {"alone"}),
    "a pruned node is no orphan": (both_of(node("alone", "evidence"), said("pruned", "alone")), "orphans", set()),
    "a claim without a source": (
        both_of(node("rumour", "claim"), edge("rumour", "mentions", "thing")),
        "provenance_gap",
        {"rumour"},
    ),
    "a name nobody knows": (said("near_miss", "Thang"), "unresolved_entities", {"Thang"}),
    "an entity nobody speaks of": (
        both_of(node("silent", "entity"), edge("book", "mentions", "silent")),
        "missing_relationships",
        {"silent"},
    ),
    "an assumption nobody looked at": (said("now", 31), "stale_assumptions", {"ground"}),
    "a rejected assumption is not stale": (both_of(judged, said("now", 31)), "stale_assumptions", set()),
    "two claims that cannot both be true": (two_claims, "open_contradictions", {"said"}),
    "a contradiction a decision settled": (settled_by_a_decision, "open_contradictions", set()),
    "one that a replaced decision settled": (settled_by_a_decision_that_was_replaced, "open_contradictions", {"said"}),
    "one whose first claim was superseded": (settled_by_superseding("said"), "open_contradictions", set()),
    "one whose second claim was superseded": (settled_by_superseding("other"), "open_contradictions", set()),
    "one of whose claims was pruned": (both_of(two_claims, said("pruned", "other")), "open_contradictions", set()),
    "evidence nobody judged": (doubted, "unjudged_evidence", {"photo"}),
    "evidence that rejected": (judged, "unjudged_evidence", set()),
    "a claim with no ground but itself": (
        lambda world: world.justify("said", ["said"]),
        "circular_support",
        {"said"},
    ),
    "a node that fell": (judged, "invalidated_nodes", {"ground", "new"}),
    "a question without an answer": (said("asked", "who"), "dead_ends", {"who"}),
    "a successor that alone says so": (said("refers", "old", "supersedes", "2"), "lineage_stated_once", {"old"}),
    "a predecessor that alone says so": (said("refers", "new", "replaced_by", "1"), "lineage_stated_once", {"new"}),
    "a reference to no record": (said("refers", "new", "requires", "9"), "dangling_reference", {"new"}),
    "two successors": (
        both_of(node("newest", "decision"), edge("newest", "supersedes", "old")),
        "replaced_by_several",
        {"old"},
    ),
    "a successor older than what it replaces": (successor_dated(99), "successor_dated_before", {"new"}),
    "a successor of the same day": (successor_dated(100), "successor_dated_before", set()),
    "a date of a month": (said("imprecise_date", "new", "2001-05"), "imprecise_date", {"new"}),
    "a date of a source that can be read": (said("imprecise_date", "book", "100, or so"), "unreadable_date", set()),
    "a date of a source that cannot be read": (unreadable, "unreadable_date", {"leaflet"}),
    "a status nobody uses": (said("record_status", "new", "fianl"), "unknown_status", {"new"}),
    "two records that require each other": (requiring("pq", "qp", "rp", "qs"), "requirement_cycle", {"p", "q"}),
    "a longer cycle, with a branch": (
        requiring("ab", "bc", "cd", "da", "bd", "ca", "xa", "dz", "yx"),
        "requirement_cycle",
        {"a", "b", "c", "d"},
    ),
    "two cycles, one leading to the other": (
        requiring("ab", "ba", "bc", "ce", "ec", "ef"),
        "requirement_cycle",
        {"a", "b", "c", "e"},
    ),
    "requirements without a cycle": (requiring("ab", "ac", "bd", "cd", "de"), "requirement_cycle", set()),
}


def signals(world: World, evaluate: Evaluate) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for kind, subject in world.rows(*WHOLE, evaluate=evaluate)["signal"]:
        found.setdefault(str(kind), set()).add(str(subject))
    return found


@both
def test_a_graph_in_order_raises_no_signal(evaluate: Evaluate) -> None:
    assert signals(small(), evaluate) == {}


@both
@pytest.mark.parametrize("case", SIGNALS)
def test_a_signal_is_raised_for_exactly_what_it_means(evaluate: Evaluate, case: str) -> None:
    build, kind, wanted = SIGNALS[case]
    world = small()
    build(world)
    assert signals(world, evaluate).get(kind, set()) == wanted


@both
def test_requirements_that_lead_into_no_cycle_are_not_searched_for_one(evaluate: Evaluate) -> None:
    world = small()
    requiring("ab", "ac", "bd", "cd", "de", "xy", "yz", "zx", "zd", "ze")(world)
    rows = world.rows(*WHOLE, evaluate=evaluate)
    assert rows["deep"] == {("x",), ("y",), ("z",)} == rows["deeper"]
    assert {row[0] for row in rows["descends"]} <= {"y", "z"}


def test_every_kind_has_a_case_that_raises_it() -> None:
    rows = small().rows(*WHOLE)
    raised = {kind for _, kind, wanted in SIGNALS.values() if wanted}
    assert raised == {kind for kind, _ in rows["severity"]}


def test_every_kind_has_one_severity_and_one_remedy() -> None:
    rows = small().rows(*WHOLE)
    severity, remedy = dict(rows["severity"]), dict(rows["remedy"])
    assert len(severity) == len(rows["severity"])
    assert len(remedy) == len(rows["remedy"])
    assert set(severity) == set(remedy)
    assert set(severity.values()) <= {"info", "warn", "error"}


def test_a_status_word_may_be_added_by_a_file() -> None:
    world = small()
    world.say("record_status", "new", "blessed")
    files = [source for source in Policy.load().sources if source.name.endswith("health.dl")]
    assert "status_word(final)." in files[0].text
    rows = world.rows(*WHOLE, extra="status_word(blessed).")
    assert not {row for row in rows["signal"] if row[0] == "unknown_status"}
