"""``rules explain``: what it says of a relation is what the engine does."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.base.errors import UnknownError
from contextmesh.datalog.engine import Engine
from contextmesh.policy import Policy
from contextmesh.policy.explained import Explained, explained

RULES = """relation near(x, y).
relation apart(x, n).
@step "{X} to {Y}"
near(X, Y) :- edge(_, X, cites, Y), not pruned(Y).
@step "{X} over {Z}"
near(X, Y) :- near(X, Z),
              near(Z, Y).
apart(X, N) :- node(X, claim), N = count { Y : near(X, Y) }.
"""


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    (tmp_path / "near.dl").write_text(RULES, encoding="utf-8")
    return Policy.load(tmp_path)


def one(policy: Policy, target: str) -> Explained:
    (found,) = explained(policy, target)
    return found


def test_a_relation_is_told_with_its_stratum_and_both_directions_of_reading(policy: Policy) -> None:
    near, apart, edge = (one(policy, name) for name in ("near", "apart", "edge"))

    assert near.reads == (("edge", ""), ("pruned", "not"), ("near", ""))
    assert (near.read_by, near.recursive, near.together) == (("near", "apart"), True, ())
    assert (apart.reads, apart.read_by) == ((("node", ""), ("near", "count over")), ())
    assert not apart.recursive
    assert near.stratum is not None
    assert apart.stratum is not None
    assert near.stratum < apart.stratum <= apart.strata == len(policy.program.strata)
    assert (edge.stratum, edge.rules) == (None, ())
    assert "near" in edge.read_by


def test_each_thing_that_can_start_a_rule_has_a_plan_with_the_index_of_each_lookup(policy: Policy) -> None:
    told = [
        {v.when: v.steps for v in variants} for _, variants in (*one(policy, "near").rules, *one(policy, "apart").rules)
    ]

    assert told == [
        {
            "for each new row of edge(_, X, cites, Y)": ("its type = cites", "no row pruned(Y)"),
            "for each row that went from pruned(Y)": ("each row of edge by to = Y, type = cites -> X = from",),
            "to see whether a row still follows": (
                "no row pruned(Y)",
                "some row of edge by from = X, to = Y, type = cites",
            ),
        },
        {
            "for each new row of near(X, Z)": ("each row of near by x = Z -> Y = y",),
            "for each new row of near(Z, Y)": ("each row of near by y = Z -> X = x",),
            "to see whether a row still follows": ("each row of near by x = X -> Z = y", "the row near(Z, Y)"),
        },
        {
            "for each new row of node(X, claim)": (
                "its kind = claim",
                "N is the count of Y over: each row of near by x = X -> Y = y",
            ),
            "for each group with a row of near that came or went": (
                "the row node(X, claim)",
                "N is the count of Y over: each row of near by x = X -> Y = y",
            ),
            "to see whether a row still follows": (
                "the row node(X, claim)",
                "N is the count of Y over: each row of near by x = X -> Y = y",
            ),
        },
    ]


@pytest.mark.parametrize(
    ("target", "lines"),
    [
        ("near", [4, 6]),
        ("near/2", [6]),
        ("@step", [4, 6]),
        ("near.dl:4", [4]),
        ("near.dl:7", [6]),
        ("near.dl:7:3", [6]),
        ("apart/1", [8]),
    ],
)
def test_a_rule_is_named_by_number_label_or_any_of_its_lines(policy: Policy, target: str, lines: list[int]) -> None:
    rules = [rule for rule, _ in one(policy, target).rules]

    assert [rule.at.source.where(rule.at.span).line for rule in rules if rule.at is not None] == lines


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("nearr", "unknown-relation"),
        ("near/3", "unknown-rule"),
        ("near/0", "unknown-rule"),
        ("@nobody", "unknown-rule"),
        ("near.dl:1", "unknown-rule"),
        ("ear.dl:4", "unknown-rule"),
        ("near/99999999999999999999", "unknown-rule"),
        ("", "unknown-relation"),
    ],
)
def test_what_names_nothing_is_refused(policy: Policy, target: str, code: str) -> None:
    with pytest.raises(UnknownError) as refusal:
        explained(policy, target)

    assert refusal.value.code == code


def test_the_functions_are_those_that_the_engine_compiles(policy: Policy) -> None:
    facts = {**policy.facts, "node": (("a", "claim"),), "edge": (("l", "a", "cites", "b"), ("m", "b", "cites", "c"))}
    (found,) = explained(policy, "apart", facts)
    engine = Engine(policy.program, facts)
    engine.rows("apart")
    made = [code.text for code in engine.codes("apart")]

    assert made
    assert set(made) <= {function.text for function in found.functions}
    assert [function.when for function in found.functions] == [
        "what is concluded by rows of node that came",
        "what is doubted by rows of node that went",
        "what is concluded by rows of near that came or went",
        "what is doubted by rows of near that came or went",
        "whether a row of apart still follows",
    ]


def test_every_relation_of_the_shipped_policy_can_be_explained() -> None:
    policy = Policy.load()
    names = [*policy.program.declarations, *policy.integrity.declarations]
    found = [relation for name in names for relation in explained(policy, name)]

    assert [relation.declaration.name for relation in found] == names
    assert sum(len(relation.rules) for relation in found) == len(policy.program.rules) + len(policy.integrity.rules)
    assert all(variants for relation in found for _, variants in relation.rules)
