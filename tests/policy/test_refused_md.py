"""Each GRAPH.md of tests/refused_md is refused with the whole message that stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.base.errors import PolicyError
from contextmesh.base.source import Source, render_refusal
from contextmesh.lang.graphmd import parse_graph_md
from contextmesh.policy import Policy
from contextmesh.policy.contract import check_contract
from contextmesh.policy.read import read_ontology

REFUSED = Path(__file__).resolve().parent.parent / "refused_md"


def refusal_of(path: Path) -> PolicyError:
    source = Source(path.name, path.read_bytes().decode("utf-8"))
    with pytest.raises(PolicyError) as refusal:
        check_contract(Policy.load().program, read_ontology(parse_graph_md(source)), (), source.name)
    return refusal.value


@pytest.mark.parametrize("path", sorted(REFUSED.glob("*.md")), ids=lambda path: path.stem)
def test_the_file_is_refused_with_the_message_beside_it(path: Path) -> None:
    assert render_refusal(refusal_of(path)) + "\n" == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_each_message_stands_beside_its_file() -> None:
    assert {path.stem for path in REFUSED.glob("*.txt")} == {path.stem for path in REFUSED.glob("*.md")}
