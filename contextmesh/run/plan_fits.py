"""What only a plan together with its graph, or its ledger, can contradict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contextmesh.base.errors import LedgerIntegrityError, Problem
from contextmesh.base.fields import Fault, shown
from contextmesh.graph.graph import ContextGraph
from contextmesh.run.ledger import RunLedger
from contextmesh.run.record import DECISION, ENTITY, SOURCE, source_label
from contextmesh.store.model import a

if TYPE_CHECKING:
    from contextmesh.run.plan_file import Row, Rows


def require_plan_fits(rows: Rows, graph: ContextGraph) -> str:
    """The plan's source node, once every id of the plan is what the plan says it is.

    Raises:
        Fault: the first that is not, with its path.
    """
    for index, row in enumerate(rows.tasks):
        try:
            _task(row, graph)
        except Fault as fault:
            raise fault.under("tasks", index) from None
    source = source_of(rows.plan, graph)
    if source is None:
        message = f"is {shown(rows.plan)}, and the graph has no source node {shown(source_label(rows.plan))}"
        raise Fault("unknown-id", message, ("plan",), hint="plan and graph must come from one generation")
    for index, row in enumerate(rows.tasks):
        if row.node_id is not None and not any(edge.dst == source for edge in graph.edges_from(row.node_id, "cites")):
            path = ("tasks", index, "node_id")
            raise Fault("foreign-decision", f"names {shown(row.node_id)}, which does not cite this plan", path)
    return source


def source_of(plan: str, graph: ContextGraph) -> str | None:
    """The source node that decisions of a plan cite."""
    for record in graph.store.engine.match("named", (None, source_label(plan))):
        node = graph.store.nodes[str(record[0])]
        if node.type == SOURCE:
            return node.id
    return None


def require_ledger_fits(ledger: RunLedger, rows: Rows, graph: ContextGraph) -> None:
    """Raises LedgerIntegrityError, ``ledger-differs``: an entry names what plan or graph does not have."""
    names = {row.name for row in rows.tasks}
    store = graph.store
    for entry in ledger:
        wrong = None
        if entry.task not in names:
            wrong = f"is about {shown(entry.task)}, which is no task of the plan"
        elif entry.round > rows.round:
            wrong = f"is of round {entry.round}, and the plan is in round {rows.round}"
        elif entry.node_id is not None and entry.node_id not in store.nodes:
            wrong = f"names {shown(entry.node_id)}, which the graph does not have"
        elif entry.assumption_id is not None and entry.assumption_id not in store.assumptions:
            wrong = f"names {shown(entry.assumption_id)}, which the graph does not have"
        if wrong is not None:
            hint = "ledger, plan and graph must come from one generation"
            message = f"entry {entry.seq} of the ledger {wrong}"
            raise LedgerIntegrityError(Problem("ledger-differs", message, subject=str(entry.seq), hint=hint))


def _task(row: Row, graph: ContextGraph) -> None:
    store = graph.store
    record = store.assumptions.get(row.assumption_id)
    if record is None:
        raise Fault("unknown-id", f"names {shown(row.assumption_id)}, which the graph lacks", ("assumption_id",))
    if record.statement != row.assumes:
        message = f"is not what {row.assumption_id} states in the graph"
        raise Fault("statement-differs", message, ("assumes",), subject=row.assumption_id)
    if row.node_id is not None:
        _require_type(graph, row.node_id, DECISION, ("node_id",))
    for index, artefact in enumerate(row.artefacts):
        _require_type(graph, artefact, ENTITY, ("artefacts", index))
    if row.state == "done":
        _done(row, graph)


def _done(row: Row, graph: ContextGraph) -> None:
    if row.node_id is None:
        raise Fault("not-done", "says done, and no decision was written", ("state",), subject=row.name)
    if row.attempt < 1:
        raise Fault("not-done", "says done, and no attempt was made", ("state",), subject=row.name)
    if graph.status(row.assumption_id) == "rejected":
        message = f"says done, and its ground {row.assumption_id} was rejected"
        raise Fault("not-done", message, ("state",), subject=row.name)
    if graph.store.engine.holds("invalid", (row.node_id,)):
        raise Fault("not-done", f"says done, and {row.node_id} fell", ("state",), subject=row.name)


def _require_type(graph: ContextGraph, node_id: str, kind: str, path: tuple[str | int, ...]) -> None:
    node = graph.store.nodes.get(node_id)
    if node is None:
        raise Fault("unknown-id", f"names {shown(node_id)}, which the graph lacks", path)
    if node.type != kind:
        raise Fault("wrong-kind", f"names {shown(node_id)}, which is {a(node.type)}, not {a(kind)}", path)
