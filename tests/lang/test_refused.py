"""Each text of tests/refused is refused with the whole message that stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextmesh.base.errors import RuleError
from contextmesh.base.source import Source, render_refusal
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_query, parse_rules

REFUSED = Path(__file__).resolve().parent.parent / "refused"
PROGRAM = """
input node(id, kind).
relation live(id).
relation price(type, cents).
live(X) :- node(X, _).
price(cites, 80).
"""


def refusal_of(path: Path) -> RuleError:
    source = Source(path.name, path.read_bytes().decode("utf-8"))
    with pytest.raises(RuleError) as refusal:
        if path.parent.name == "query":
            query = parse_query(source)
            build_program([parse_rules(Source("program.dl", PROGRAM))]).with_query(query)
        else:
            build_program([parse_rules(source)], standalone=path.parent.name == "standalone")
    return refusal.value


@pytest.mark.parametrize("path", sorted(REFUSED.rglob("*.dl")), ids=lambda p: p.relative_to(REFUSED).as_posix())
def test_the_text_is_refused_with_the_message_beside_it(path: Path) -> None:
    assert render_refusal(refusal_of(path)) + "\n" == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_each_message_stands_beside_its_text() -> None:
    texts = sorted(p.relative_to(REFUSED).with_suffix("") for p in REFUSED.rglob("*.dl"))

    assert sorted(p.relative_to(REFUSED).with_suffix("") for p in REFUSED.rglob("*.txt")) == texts
