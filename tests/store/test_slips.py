"""A query without rows says which words nothing is called by, and is silent about words that merely have none."""

from __future__ import annotations

import pytest

from contextmesh.cli.app import main
from contextmesh.graph.graph import ContextGraph
from contextmesh.store.slips import slips


def small() -> ContextGraph:
    graph = ContextGraph()
    source = graph.add_node("source", "S", id="source:s", attrs={"origin": "", "retrieved_at": ""})
    graph.decide("D", rationale="r", source=source.id, depends_on=[graph.assume("A").id])
    return graph


@pytest.mark.parametrize(
    ("query", "word", "meant"),
    [
        ("node(X, desicion)", "desicion", "decision"),
        ("edge(L, X, dependson, Y), node(X, decision)", "dependson", "depends_on"),
        ("node(X, _), not node(X, claym)", "claym", "claim"),
        ("N = count { X : node(X, entitty) }", "entitty", "entity"),
        ("mine(X) :- node(X, sorce). ?- mine(X)", "sorce", "source"),
        ("status(A, rejekted)", "rejekted", "rejected"),
        ("signal(orphan, X)", "orphan", "orphans"),
        ("prunable(X, unlinkd)", "unlinkd", "unlinked"),
        ("legal(T, source, entety)", "entety", "entity"),
        ("propagates(T, backwards)", "backwards", "backward"),
    ],
)
def test_a_word_that_nothing_is_called_by_is_told_with_the_nearest(query: str, word: str, meant: str) -> None:
    (note,) = slips(small().store, query)

    assert note.startswith(f"nothing is called `{word}` under ")
    assert note.endswith(f"did you mean `{meant}`?")


@pytest.mark.parametrize(
    "query",
    [
        "node(X, claim)",
        "edge(L, X, resolves_to, Y)",
        "status(A, superseded)",
        "signal(provenance_gap, X)",
        "node('claim:none', K)",
        "edge(L, 'desicion', T, Y)",
        "named(X, desicion)",
        "born(X, 7)",
        "X = desicion",
    ],
)
def test_a_word_that_merely_has_no_rows_and_one_that_is_an_id_are_not_told(query: str) -> None:
    assert slips(small().store, query) == ()


def test_without_a_near_word_all_of_them_are_told() -> None:
    (note,) = slips(small().store, "edge(L, X, zzz, Y)")

    assert "it is one of" in note and "supersedes" in note


def test_the_command_says_it_only_when_there_are_no_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", "node(X, desicion)"]) == 0
    assert "did you mean `decision`?" in capsys.readouterr().err
    assert main(["query", "node(X, desicion)", "--json"]) == 0
    assert '"notes"' in capsys.readouterr().out
    assert main(["query", "node(X, _), not node(X, desicion)", "--json"]) == 0
    assert '"notes"' not in capsys.readouterr().out
