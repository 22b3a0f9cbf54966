"""Checked rows to a store: facts in, rules run, and every conclusion the file states held against what they derive."""

from __future__ import annotations

from dataclasses import dataclass, replace

from contextmesh.base.errors import OntologyError, Problem
from contextmesh.base.fields import Fault, Path
from contextmesh.base.strict import Document
from contextmesh.datalog.limits import Limits
from contextmesh.policy import Policy
from contextmesh.store.model import Node
from contextmesh.store.snapshot_history import History, Place, late_places, stated_history
from contextmesh.store.snapshot_rows import Rows, path_of
from contextmesh.store.store import Store

_LOADED = "load"


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
    store = Store(policy, limits=limits)
    born, rejected = history.numbers(rows)
    stage = store.stage(_LOADED)
    stage.set_build(rows.build)
    witnesses = {witness.evidence: None for witness in history.witnesses}
    set_aside: list[Node] = []
    for node in rows.nodes:
        if node.pruned and node.id in witnesses:  # it was evidence before it was pruned
            set_aside.append(node)
            node = replace(node, pruned=False)
        stage.put_node(node, born=0)
    for assumption in rows.assumptions:
        stage.put_assumption(assumption)
    for edge in rows.edges:
        stage.put_edge(edge, born=born[edge.id])
    for witness in history.witnesses:
        stage.put_verdict(witness.assumption, witness.evidence, at=rejected[witness.assumption])
    stage.commit(reasons=False)
    if set_aside:
        later = store.stage(_LOADED)
        for node in set_aside:
            later.put_node(node)
        later.commit(reasons=False)
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
