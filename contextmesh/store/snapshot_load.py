"""Checked rows to a store: facts in, rules run, and every conclusion the file states held against what they derive."""

from __future__ import annotations

from dataclasses import dataclass

from contextmesh.base.errors import OntologyError, Problem
from contextmesh.base.fields import Fault, Path
from contextmesh.base.strict import Document
from contextmesh.datalog.limits import Limits
from contextmesh.policy import Policy
from contextmesh.store.bulk import Records, require_legal, store_over
from contextmesh.store.edges import EdgeRecords
from contextmesh.store.snapshot_history import History, Place, late_places, stated_history
from contextmesh.store.snapshot_rows import Rows, path_of
from contextmesh.store.store import Store


@dataclass(frozen=True, slots=True)
class Difference:
    """A conclusion that a file states and the rules do not derive.

    Attributes:
        id: the node, edge or assumption.
        field: ``invalidated`` or ``status``.
        stated, derived: the two words.
        path: where the file states it.
    """

    id: str
    field: str
    stated: str
    derived: str
    path: Path

    def fault(self) -> Fault:
        message = f"says {self.stated}, and the rules derive {self.derived}"
        note = "a stored conclusion must be what the rules derive from the facts beside it"
        hint = f"ask `why` about {self.id} in a graph that loads, or import the file with its conclusions recomputed"
        return Fault("conclusion-differs", message, self.path, subject=self.id, note=note, hint=hint)


def load_rows(rows: Rows, policy: Policy, limits: Limits | None) -> tuple[Store, list[Difference]]:
    """A store of these rows, and what the file concludes otherwise.

    Rejections stand where the file puts them; if the conclusions then differ, later places are tried.

    Raises:
        Fault: a stated place that cannot be.
        OntologyError: the rules refuse a record.
        LimitReached: the rules take too much.
    """
    history = stated_history(rows)
    store = _store(rows, history, policy, limits)
    differences = find_differences(rows, store)
    if not differences:
        return store, []
    for places in _other_places(rows, history):
        other = _store(rows, History(history.witnesses, places), policy, limits)
        left = find_differences(rows, other)
        if not left:
            return other, []
    return store, differences


def find_differences(rows: Rows, store: Store) -> list[Difference]:
    """Every stated conclusion that is not derived, in the order of the file."""
    engine = store.engine
    invalid = {row[0]: None for row in engine.rows("invalid")}
    dead = {row[0]: None for row in engine.rows("edge_dead")}
    status = {row[0]: str(row[1]) for row in engine.rows("status")}
    found: list[Difference] = []
    for name, said, derived, words in (
        ("nodes", rows.said_invalid, invalid, ("stands", "invalid")),
        ("edges", rows.said_dead, dead, ("live", "dead")),
    ):
        for index, (id, stated) in enumerate(said.items()):
            if stated != (id in derived):
                path = (name, index, "invalidated")
                found.append(Difference(id, "invalidated", words[stated], words[not stated], path))
    for index, (id, word) in enumerate(rows.said_status.items()):
        right = status.get(id, "no status")
        if word != right:
            found.append(Difference(id, "status", word, right, ("assumptions", index, "status")))
    return found


def located(document: Document, rows: Rows, refusal: OntologyError) -> list[Problem]:
    """What the rules refused, with the place of each record."""
    problems = []
    for problem in refusal.problems:
        path = path_of(rows, problem.subject) if problem.subject is not None else ()
        fault = Fault(
            problem.code,
            f"is refused: {problem.message}",
            path,
            subject=problem.subject,
            note=problem.note,
            hint=problem.hint,
            fields=problem.fields,
        )
        problems.append(document.problem(fault))
    return problems


def _store(rows: Rows, history: History, policy: Policy, limits: Limits | None) -> Store:
    born, rejected = history.numbers(rows)
    verdicts = [(w.assumption, w.evidence, rejected[w.assumption]) for w in history.witnesses]
    records = Records(
        {node.id: node for node in rows.nodes},
        EdgeRecords(rows.edges),
        {record.id: record for record in rows.assumptions},
        [0] * len(rows.nodes),
        [born[edge.id] for edge in rows.edges],
        verdicts,
    )
    set_aside = any(records.nodes[witness.evidence].pruned for witness in history.witnesses)
    last = max((1, *born.values(), *rejected.values()))  # what was evidence was pruned after that
    store = store_over(records, policy, limits, build=rows.build, seq=last + set_aside)
    require_legal(store, records)
    store.walks.update(rows.walks)
    store.traversals.update(rows.traversals)
    return store


def _other_places(rows: Rows, history: History) -> list[dict[str, Place]]:
    """All rejections at the end of their builds, then each alone, then all but each."""
    late = late_places(rows, history)
    if not late:
        return []
    stated = dict(history.places)
    tried = [{**stated, **late}]
    if 1 < len(late) <= _FEW:
        tried.extend({**stated, id: place} for id, place in late.items())
        tried.extend({**stated, **late, id: stated[id]} for id in late)
    return [places for places in tried if places != stated]


_FEW = 8
"""Beyond this many rejections, only all together are tried."""
