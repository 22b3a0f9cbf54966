"""A question in Datalog over facts and conclusions: rows with named columns, within limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contextmesh.base.source import Source
from contextmesh.datalog.adhoc import Answer
from contextmesh.datalog.limits import Limits
from contextmesh.lang.rules import parse_query

if TYPE_CHECKING:
    from contextmesh.store.store import Store

QUERY_LIMITS = Limits(rows=1_000_000, rounds=100_000, seconds=10.0)
"""What a question may cost unless its asker says otherwise."""


def run_query(store: Store, text: str | Source, limits: Limits | None = None) -> Answer:
    """Rows that satisfy a body such as ``fell(X, A), node(X, decision)``, sorted and distinct.

    The body may be preceded by rules of its own: ``near(X, Y) :- …. ?- near(X, Y).``

    Raises:
        RuleError: not Datalog, not safe, or naming what no rules file declares.
        LimitReached: it would cost more rows, rounds or seconds than allowed.
    """
    source = text if isinstance(text, Source) else Source("<query>", text)
    return store.engine.query(parse_query(source), limits or QUERY_LIMITS)
