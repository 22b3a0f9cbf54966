"""Assume a statement, replace it by a better one, bind an edge to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contextmesh.base.canon import require_canonical
from contextmesh.base.errors import OntologyError, Problem
from contextmesh.base.ids import free_id
from contextmesh.graph.batch import Batch, already_bound, id_taken, require_text
from contextmesh.store.model import Assumption, Edge, Node
from contextmesh.store.relations import ASSUMPTION, SUPERSEDES

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph


def assume(graph: ContextGraph, statement: str, *, created_by: str = "agent", id: str | None = None) -> Assumption:
    """Record a statement as assumed; the same statement is the same assumption, whatever its status has become.

    Raises:
        OntologyError: ``blank-text``, ``id-taken``.
        InputError: ``not-canonical``.
    """
    require_text(statement, "an assumption's statement")
    require_canonical([statement, created_by, id])
    if id is None:
        there = _of_statement(graph, statement)
        if there is not None:
            return there
    with graph.batch("assume") as batch:
        return put_assumption(batch, statement, text=statement, created_by=created_by, id=id)


def supersede(graph: ContextGraph, old_id: str, statement: str, *, created_by: str = "agent") -> Assumption:
    """Replace an assumption by a new statement, or by the assumption that ``statement`` is the id of.

    Nothing falls: what stood on the old one stands, and health shows it. Asking again for the same replacement
    returns it.

    Raises:
        UnknownError: ``unknown-assumption``.
        OntologyError: ``already-superseded``, ``already-supersedes``, ``supersedes-itself``, ``blank-text``.
    """
    old = graph.assumption(old_id)
    if old.superseded_by is not None:
        successor = graph.assumption(old.superseded_by)
        if statement in (successor.id, successor.statement):
            return successor
    with graph.batch("supersede") as batch:
        return put_replacement(batch, old, statement, created_by=created_by, versioned=True)


def bind(graph: ContextGraph, edge_id: str, assumption_id: str) -> Edge:
    """Let an edge hold only as long as an assumption is not rejected.

    Raises:
        UnknownError: ``unknown-edge``, ``unknown-assumption``.
        OntologyError: ``already-bound``, ``not-active``.
    """
    edge = graph.edge(edge_id)
    status = graph.status(assumption_id)
    if edge.assumption_id == assumption_id:
        return edge
    if edge.assumption_id is not None:
        raise already_bound(edge)
    if status != "active":
        message = f"{assumption_id} is {status}; only an active assumption can hold an edge"
        raise OntologyError(Problem("not-active", message, subject=assumption_id, fields=(("status", status),)))
    bound = replace(edge, assumption_id=assumption_id)
    with graph.batch("bind") as batch:
        batch.stage.put_edge(bound)
    return bound


def put_assumption(
    batch: Batch, statement: str, *, text: str, created_by: str, id: str | None = None, version: int = 1
) -> Assumption:
    """Stage the node and the record; ``text`` is what an id is made from."""

    def another(candidate: str) -> bool:
        there = batch.stage.node(candidate)
        return there is not None and (there.type, there.label) != (ASSUMPTION, statement)

    if id is not None and another(id):
        raise id_taken(batch.node(id), ASSUMPTION, statement)
    new_id = id if id is not None else free_id(text, ASSUMPTION, another)
    there = batch.stage.assumption(new_id)
    if there is not None:
        return there
    batch.stage.put_node(Node(new_id, ASSUMPTION, statement, build=batch.build))
    record = Assumption(new_id, statement, version, created_by, batch.build)
    batch.stage.put_assumption(record)
    return record


def put_replacement(batch: Batch, old: Assumption, statement: str, *, created_by: str, versioned: bool) -> Assumption:
    """Stage the successor of ``old``: the edge, and who replaced whom in both records.

    A superseding id is made from statement and version; a rejection's replacement from the statement alone.
    """
    if old.superseded_by is not None:
        message = f"{old.id} is already superseded by {old.superseded_by}"
        hint = f"supersede {old.superseded_by} instead"
        raise OntologyError(Problem("already-superseded", message, subject=old.id, hint=hint))
    version = old.version + 1
    there = batch.stage.assumption(statement)
    if there is None:
        require_text(statement, "an assumption's statement")
        require_canonical(statement)
        text = f"{statement}|v{version}" if versioned else statement
        there = put_assumption(batch, statement, text=text, created_by=created_by, version=version)
    if there.supersedes is not None:
        message = f"{there.id} already supersedes {there.supersedes}"
        raise OntologyError(Problem("already-supersedes", message, subject=there.id, hint="state another assumption"))
    if there.id == old.id:
        raise OntologyError(Problem("supersedes-itself", f"{old.id} cannot supersede itself", subject=old.id))
    new = replace(there, supersedes=old.id, version=max(there.version, version))
    batch.stage.put_assumption(new)
    batch.stage.put_assumption(replace(batch.stage.assumption(old.id) or old, superseded_by=new.id))
    batch.link(new.id, SUPERSEDES, old.id)
    return new


def _of_statement(graph: ContextGraph, statement: str) -> Assumption | None:
    """The assumption that says this: the current one, or else the first."""
    same = [
        graph.store.assumptions[str(row[0])]
        for row in graph.store.engine.match("named", (None, statement))
        if str(row[0]) in graph.store.assumptions
    ]
    return next((a for a in same if a.superseded_by is None), same[0] if same else None)
