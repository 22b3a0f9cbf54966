"""Telemetry shown to the rules while something asks, and gone afterwards: a counter is never a fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from contextmesh.datalog.ast import Row
from contextmesh.datalog.facts import Delta

if TYPE_CHECKING:
    from contextmesh.store.store import Store


@contextmanager
def observed(
    store: Store, *, near_misses: Sequence[str] = (), facts: Mapping[str, Sequence[Row]] | None = None
) -> Iterator[None]:
    """While inside, ``walked`` holds every node a walk has visited and ``near_miss`` each given mention.

    ``facts`` adds further input rows, such as those of failed questions.

    Raises:
        OntologyError: ``facts`` names a relation that is no input, or rows that do not fit it.
    """
    added: dict[str, list[Row]] = {
        "walked": [(name,) for name, count in store.walks.items() if count > 0 and name in store.nodes],
        "near_miss": [(mention,) for mention in dict.fromkeys(near_misses)],
    }
    for relation, rows in (facts or {}).items():
        for row in rows:
            store.require_input(relation, row)
        added.setdefault(relation, []).extend(dict.fromkeys(rows))
    with store.engine.trial():
        store.engine.apply(Delta.of(added=added), report=())
        yield
