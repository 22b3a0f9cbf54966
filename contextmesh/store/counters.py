"""Telemetry shown to the rules while something asks, and gone afterwards: a counter is never a fact."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from contextmesh.datalog.ast import Row
from contextmesh.datalog.facts import Delta

if TYPE_CHECKING:
    from contextmesh.store.store import Store


@contextmanager
def observed(
    store: Store,
    wanted: Collection[str],
    *,
    near_misses: Sequence[str] = (),
    facts: Mapping[str, Sequence[Row]] | None = None,
) -> Iterator[None]:
    """While inside, ``walked`` holds every node a walk has visited and ``near_miss`` each given mention.

    ``wanted`` names the relations that will be read inside; what none of them depends on is not shown.
    ``facts`` adds further input rows, such as those of failed questions.

    Raises:
        OntologyError: ``facts`` names a relation that is no input, or rows that do not fit it.
    """
    for relation, rows in (facts or {}).items():
        for row in rows:
            store.require_input(relation, row)
    needed = store.needed_for(wanted)
    added: dict[str, list[Row]] = {}
    if "walked" in needed:
        added["walked"] = [(name,) for name, count in store.walks.items() if count > 0 and name in store.nodes]
    if "near_miss" in needed:
        added["near_miss"] = [(mention,) for mention in dict.fromkeys(near_misses)]
    for relation, rows in (facts or {}).items():
        if relation in needed:
            added.setdefault(relation, []).extend(dict.fromkeys(rows))
    if not any(added.values()):
        yield
        return
    with store.engine.trial(wanted=wanted):  # brings what is wanted up to date before it opens, so that this stays
        store.engine.apply(Delta(added), report=())
        yield
