"""A second opinion: the same query, over the same stated facts, under pyDatalog in a child process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contextmesh.base.source import Source
from contextmesh.datalog.engine import Answer
from contextmesh.lang.rules import parse_query
from contextmesh.store.stated import stated

if TYPE_CHECKING:
    from contextmesh.datalog.limits import Limits
    from contextmesh.store.store import Store


def second_opinion(store: Store, text: str, limits: Limits) -> Answer:
    """The rows of a query, derived anew by pyDatalog from what was stated.

    Raises:
        RuleError: not a safe query; LimitReached: the child met its deadline.
    """
    from contextmesh.datalog.goal import answer

    query = parse_query(Source("<query>", text))
    return Answer(query.columns, answer(store.policy.program, query, stated(store), limits))
