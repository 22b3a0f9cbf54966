"""The rules decide what is refused; a rule of one's own is told in its own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.base.errors import OntologyError
from contextmesh.datalog.ast import Const
from contextmesh.policy import Policy
from contextmesh.store.model import Edge, Node
from contextmesh.store.refusal import _WORDS
from contextmesh.store.store import Store

OWN = """
@house "{L} mentions {Y}, whose name is forbidden"
violation(forbidden_name, L) :- new_edge(L, _, mentions, Y), named(Y, "Voldemort").
violation(too_short, N) :- new_node(N, entity), named(N, "X").
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store under the shipped rules and two more."""
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "house.dl").write_text(OWN, encoding="utf-8")
    store = Store(Policy.load(tmp_path))
    stage = store.stage("load")
    stage.put_node(Node("s", "source", "Memo", {"origin": "x", "retrieved_at": "x"}))
    stage.put_node(Node("v", "entity", "Voldemort", {"canonical": "V", "aliases": []}))
    stage.commit()
    return store


def test_a_rule_of_ones_own_refuses_in_the_words_of_its_label(store: Store) -> None:
    stage = store.stage("test")
    stage.put_edge(Edge("m", "s", "mentions", "v"))
    with pytest.raises(OntologyError) as caught:
        stage.commit()

    problem = caught.value.problem
    assert (problem.code, problem.message) == ("forbidden-name", "m mentions v, whose name is forbidden")
    assert problem.note is not None
    assert problem.note.startswith("rule @house (")
    assert "house.dl:3" in problem.note


def test_a_rule_without_words_refuses_with_its_code(store: Store) -> None:
    stage = store.stage("test")
    stage.put_node(Node("x", "entity", "X", {"canonical": "X", "aliases": []}))
    with pytest.raises(OntologyError) as caught:
        stage.commit()

    assert (caught.value.code, str(caught.value)) == ("too-short", "the rules refuse x: too short")


def test_problems_come_in_the_order_in_which_the_records_were_put(store: Store) -> None:
    stage = store.stage("test")
    for name in ("z", "a", "m"):
        stage.put_node(Node(name, "evidence", name))
    stage.put_edge(Edge("b", "s", "mentions", "v"))
    stage.put_edge(Edge("c", "s", "mentions", "s"))
    with pytest.raises(OntologyError) as caught:
        stage.commit()

    assert [(p.code, p.subject) for p in caught.value.problems] == [
        ("missing-field", "z"),
        ("missing-field", "a"),
        ("missing-field", "m"),
        ("forbidden-name", "b"),
        ("self-edge", "c"),
    ]


def test_every_code_of_the_shipped_rules_has_words_of_its_own() -> None:
    """A code of legality.dl that the table does not know would be told by its label alone."""
    program = Policy.load().program
    codes = [
        rule.head.terms[0].value
        for rule in program.rules
        if rule.head.relation == "violation" and isinstance(rule.head.terms[0], Const)
    ]

    assert sorted(dict.fromkeys(map(str, codes))) == sorted(_WORDS)
