"""What was stated, as opposed to derived: every row of every input relation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextmesh.datalog.ast import Row
    from contextmesh.store.store import Store


def stated(store: Store) -> dict[str, list[Row]]:
    """Rows by input relation, in the order in which they were written; reads the whole graph."""
    return {
        name: list(store.engine.rows(name))
        for name, declaration in store.policy.program.declarations.items()
        if declaration.kind == "input"
    }
