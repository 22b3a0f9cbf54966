"""The reads: plain functions over a mesh, each giving a JSON document that fits its budget. None changes structure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from contextmesh.base.errors import Problem, Refusal, UnknownError
from contextmesh.mcp.arguments import did_you_mean, start_of
from contextmesh.mcp.budget import Rows, bounded, page
from contextmesh.store.reasons import Absence, Proof

if TYPE_CHECKING:
    from contextmesh.api import Mesh
    from contextmesh.datalog.limits import Limits
    from contextmesh.graph.health import Signal
    from contextmesh.store.model import Edge

Arguments = Mapping[str, Any]
Read = Callable[["Mesh", Arguments], dict[str, Any]]

ROWS, SECONDS = 100_000, 5.0
"""What a query or a proof may cost; while it is made, other readers wait."""
LIMIT = 20
SIGNALS, ITEMS = 20, 3
STANDING = 5
"""How many nodes that would stand on other grounds a blast radius names."""


def mesh_ask(mesh: Mesh, given: Arguments) -> dict[str, Any]:
    """Counts the walk it took; nothing else in the mesh changes."""
    return bounded(mesh.ask(given["question"], budget=given["budget"]).as_json(generation=mesh.generation))


def mesh_get_node(mesh: Mesh, given: Arguments) -> dict[str, Any]:
    graph = mesh.graph
    portrait = mesh.portrait(given["id"])
    node, wanted = portrait.node, given["edge_types"]
    _require_edge_types(mesh, wanted)
    edges = [
        (way, edge)
        for way, found in (("out", graph.edges_from(node.id)), ("in", graph.edges_to(node.id)))
        for edge in found
        if wanted is None or edge.type in wanted
    ]
    whole = portrait.as_json()
    head = {key: whole[key] for key in ("id", "type", "label", "attrs", "conclusions", "provenance", "justifications")}
    head |= {"out_count": portrait.out_count, "in_count": portrait.into_count}
    start, limit = start_of(given["next"]), given["limit"] or LIMIT
    rows = Rows(len(edges), lambda at: _edge(mesh, *edges[at]))
    return page(head, "edges", rows, start=start, limit=limit)


def mesh_health(mesh: Mesh, given: Arguments) -> dict[str, Any]:
    health = mesh.health()
    start = start_of(given["next"])
    if given["signal"] is not None:
        return _one_signal(mesh, health.signals, given["signal"], start, given["limit"] or LIMIT)
    rows = [{**signal.as_json(), "items": list(signal.items[:ITEMS])} for signal in health.signals]
    head = {key: value for key, value in health.as_json().items() if key != "signals"}
    return page(head, "signals", Rows.of(rows), start=start, limit=given["limit"] or SIGNALS)


def mesh_lineage(mesh: Mesh, given: Arguments) -> dict[str, Any]:
    whole = mesh.lineage(given["id"]).as_json()
    rows = _list(whole["lineage"])
    return page(
        {"id": whole["id"], "count": len(rows)},
        "lineage",
        Rows.of(rows),
        start=start_of(given["next"]),
        limit=given["limit"] or LIMIT,
    )


def mesh_blast_radius(mesh: Mesh, given: Arguments) -> dict[str, Any]:
    found = mesh.blast(given["assumption"])
    head = {
        "assumption": found.assumption_id,
        "statement": found.statement,
        "committed": found.committed,
        "invalidated_count": len(found.invalidated),
        "invalidated_edge_count": len(found.invalidated_edges),
        "preserved_count": found.preserved_count,
        "still_standing": [one.as_json() for one in found.still_standing[:STANDING]],
        "still_standing_count": len(found.still_standing),
    }
    rows = Rows(len(found.invalidated), lambda at: found.invalidated[at].as_json())
    return page(head, "invalidated", rows, start=start_of(given["next"]), limit=given["limit"] or LIMIT)


def mesh_explain_as_of(mesh: Mesh, given: Arguments) -> dict[str, Any]:
    """The mesh of then counts its own walks; those of now stay as they are."""
    then = mesh.as_of(given["as_of"], valid_at=given["valid_at"])
    whole = then.ask(given["question"]).as_json(generation=mesh.generation)
    return bounded({**whole, "as_of": then.past.as_json()})


def mesh_reconstruct_decision(mesh: Mesh, given: Arguments) -> dict[str, Any]:
    whole = mesh.reconstruct(given["decision"], as_of=given["as_of"]).as_json(why=False)
    parts = ("stood_on", "later", "undated")
    rows = [{"part": part, **_reason(reason)} for part in parts for reason in _list(whole[part])]
    head = {key: value for key, value in whole.items() if key not in parts}
    head |= {f"{part}_count": len(_list(whole[part])) for part in parts}
    return page(head, "reasons", Rows.of(rows), start=start_of(given["next"]), limit=given["limit"] or LIMIT)


def mesh_query(mesh: Mesh, given: Arguments) -> dict[str, Any]:
    found = mesh.query(given["query"], seconds=SECONDS, rows=ROWS)
    head = {"columns": list(found.columns), "row_count": len(found.rows)}
    rows = Rows(len(found.rows), lambda at: list(found.rows[at]))
    return page(head, "rows", rows, start=start_of(given["next"]), limit=given["limit"] or 100)


def mesh_why(mesh: Mesh, given: Arguments) -> dict[str, Any]:
    fact, start, limit = given["fact"], start_of(given["next"]), given["limit"] or LIMIT
    try:
        whole = Proof(mesh.graph.why(fact, limits=_limits())).as_json()
    except UnknownError as error:
        if error.code != "does-not-hold":
            raise
        return page({"fact": fact, "holds": False, "missing": _missing(mesh, fact)}, "steps", Rows.of([]), limit=limit)
    rows = [_step(number, step) for number, step in enumerate(_list(whole["steps"]))]
    return page(
        {"fact": fact, "holds": True, "step_count": len(rows)}, "steps", Rows.of(rows), start=start, limit=limit
    )


READS: Mapping[str, Read] = {
    "mesh_ask": mesh_ask,
    "mesh_get_node": mesh_get_node,
    "mesh_health": mesh_health,
    "mesh_lineage": mesh_lineage,
    "mesh_blast_radius": mesh_blast_radius,
    "mesh_explain_as_of": mesh_explain_as_of,
    "mesh_reconstruct_decision": mesh_reconstruct_decision,
    "mesh_query": mesh_query,
    "mesh_why": mesh_why,
}


# ---- parts --------------------------------------------------------------------------------------


def _edge(mesh: Mesh, way: str, edge: Edge) -> dict[str, Any]:
    other = mesh.graph.node(edge.dst if way == "out" else edge.src)
    shown: dict[str, Any] = {
        "type": edge.type,
        "way": way,
        "other": {"id": other.id, "type": other.type, "label": other.label},
        "live": mesh.graph.is_edge_live(edge.id),
    }
    return shown if edge.assumption_id is None else {**shown, "assumption": edge.assumption_id}


def _require_edge_types(mesh: Mesh, wanted: list[str] | None) -> None:
    known = mesh.policy.ontology.edge_types
    problems = [
        Problem(
            "unknown-edge-type",
            f"no edge type is called {name[:60]}",
            subject=name[:60],
            hint=did_you_mean(name, known) or f"one of {', '.join(known)}",
        )
        for name in wanted or ()
        if name not in known
    ]
    if problems:
        raise UnknownError(*problems)


def _one_signal(mesh: Mesh, signals: tuple[Signal, ...], kind: str, start: int, limit: int) -> dict[str, Any]:
    """Every item of a signal; the rules are asked, since a health names only some."""
    found = next((signal for signal in signals if signal.kind == kind), None)
    if found is None:
        known = [signal.kind for signal in signals]
        near = did_you_mean(kind, known)
        message = f"no signal {kind[:60]} has found anything"
        raise UnknownError(Problem("unknown-signal", message, kind[:60], hint=near or f"those that did: {known}"))
    items = sorted(str(row[1]) for row in mesh.graph.store.engine.match("signal", (kind, None))) or list(found.items)
    head = {"status": found.severity, **found.as_json()}
    del head["items"]
    return {**page(head, "items", Rows.of(items), start=start, limit=limit), "signals": [kind]}


def _step(number: int, step: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: step[key] for key in ("fact", "rule", "where", "from", "absent") if step[key]}
    return {"step": number, **kept}


def _reason(reason: Mapping[str, Any]) -> dict[str, Any]:
    """Without its proof, which mesh_why gives, and with the type of the edge by which it was reached."""
    kept = {key: reason[key] for key in ("id", "type", "label", "hops", "dated", "live")}
    return {**kept, "edge": reason["edge"]["type"]}


def _list(value: object) -> list[Any]:
    assert isinstance(value, list), "a document's list"
    return value


def _limits() -> Limits:
    from contextmesh.datalog.limits import Limits

    return Limits(rows=ROWS, seconds=SECONDS)


def _missing(mesh: Mesh, fact: str) -> list[str]:
    """For each rule the first literal that fails; of a fact with variables nothing more can be said."""
    try:
        absence = Absence(fact, mesh.graph.why_not(fact, limits=_limits())).as_json()
    except Refusal as refusal:
        return [problem.message for problem in refusal.problems]
    return [str(line) for line in _list(absence["failures"])] or ["it is not stated, and no rule derives its relation"]
