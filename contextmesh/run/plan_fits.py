"""What only a plan together with its graph, or its ledger, can contradict; rules/integrity.dl says what that is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from contextmesh.base.errors import Problem, Refusal
from contextmesh.base.strict import Document
from contextmesh.run.capped import capped
from contextmesh.run.record import SOURCE, source_label
from contextmesh.store.integrity import LEDGER, Comparison, Violation

if TYPE_CHECKING:
    from contextmesh.run.ledger import Entry
    from contextmesh.run.plan_file import Rows
    from contextmesh.store.store import Store

LOCATED = 5
"""How many contradictions of a file are told, each with its place."""


def compare(store: Store, rows: Rows, entries: Iterable[Entry] = ()) -> list[Violation]:
    """Where a plan contradicts the graph, and where a ledger contradicts either; a plan's own come first."""
    found = Comparison(store)
    _say_plan(found, rows)
    _say_ledger(found, entries)
    return found.violations()


def require_plan_fits(violations: Sequence[Violation], document: Document, refusal: type[Refusal]) -> None:
    """Raises ``refusal`` for what a plan's file says that its graph contradicts: code, place, rule and facts."""
    _require_none([one for one in violations if one.file != LEDGER], document, refusal)


def require_ledger_fits(violations: Sequence[Violation], document: Document, refusal: type[Refusal]) -> None:
    """The same of a ledger's file, by its plan and the graph."""
    _require_none([one for one in violations if one.file == LEDGER], document, refusal)


def problems_of(violations: Sequence[Violation], document: Document) -> tuple[Problem, ...]:
    """The first violations as problems of their file, and how many there are beside."""
    told = [document.problem(one.fault()) for one in violations[:LOCATED]]
    return capped(told, len(violations) - len(told))


def source_of(plan: str, store: Store) -> str | None:
    """The source node that decisions of a plan cite."""
    for record in store.engine.match("named", (None, source_label(plan))):
        node = store.nodes[str(record[0])]
        if node.type == SOURCE:
            return node.id
    return None


def _require_none(violations: Sequence[Violation], document: Document, refusal: type[Refusal]) -> None:
    if violations:
        raise refusal(*problems_of(violations, document))


def _say_plan(found: Comparison, rows: Rows) -> None:
    label = source_label(rows.plan)
    found.say("plan_row", rows.plan, label, rows.round)
    found.name_labelled(label)
    for number, row in enumerate(rows.tasks):
        found.say("task_row", number, row.name)
        found.say("task_state", number, row.state)
        found.say("task_attempt", number, row.attempt)
        found.say("task_ground", number, row.assumption_id, row.assumes)
        found.name_ground(row.assumption_id)
        if row.node_id is not None:
            found.say("task_result", number, row.node_id)
            found.name_result(row.node_id)
        for item, artefact in enumerate(row.artefacts):
            found.say("task_artefact", number, item, artefact)
            found.name(artefact)


def _say_ledger(found: Comparison, entries: Iterable[Entry]) -> None:
    """Each name and each round once, at the first entry that has it."""
    seen: dict[tuple[str, object], None] = {}
    for number, entry in enumerate(entries):
        about = (
            ("entry_task", entry.task),
            ("entry_round", entry.round),
            ("entry_node", entry.node_id),
            ("entry_ground", entry.assumption_id),
        )
        for relation, value in about:
            if value is None or (relation, value) in seen:
                continue
            seen[relation, value] = None
            found.say(relation, number, value)
            if relation == "entry_node":
                found.name(str(value))
            elif relation == "entry_ground":
                found.name_ground(str(value))
