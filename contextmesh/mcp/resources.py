"""Resources: what the mesh is, read by address. Ids stand percent-encoded, so that any id can be reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from contextmesh.base.errors import Problem, UnknownError
from contextmesh.mcp.arguments import start_of
from contextmesh.mcp.budget import BYTES, Rows, bounded, page
from contextmesh.mcp.tools import mesh_get_node, mesh_health

if TYPE_CHECKING:
    from contextmesh.api import Mesh
    from contextmesh.mcp.served import Served

SCHEME = "contextmesh://"
FIXED: Mapping[str, str] = {
    "schema": "node types, edge types with their legal pairs, and the relations a query may name",
    "health": "what is wrong with the mesh, the worst first",
    "session": "generation, counts, checkpoint policy and plan",
    "assumptions": "every assumption with its status; ?next= goes on",
}
TEMPLATES: Mapping[str, str] = {
    "node/{id}": "a node by its percent-encoded id",
    "assumption/{id}": "an assumption by its percent-encoded id",
}
ASSUMPTIONS = 100
_NOTHING: Mapping[str, Any] = {"signal": None, "edge_types": None, "limit": None, "next": None}


def read(served: Served, uri: str) -> dict[str, Any]:
    """The document at an address.

    Raises:
        UnknownError: ``unknown-resource``; ``unknown-node`` when nothing has the id.
        InputError: ``loading``, ``bad-cursor``.
    """
    path, _, query = uri.removeprefix(SCHEME).partition("?")
    kind, slash, encoded = path.partition("/")
    if not uri.startswith(SCHEME) or (query and kind != "assumptions") or (slash and not encoded):
        raise _unknown(uri)
    start = start_of(query.removeprefix("next=") or None)
    if kind == "session" and not slash:
        return served.read(lambda mesh: _session(served, mesh))
    whole: dict[str, Callable[[Mesh], dict[str, Any]]] = {
        "schema": _schema,
        "health": lambda mesh: mesh_health(mesh, _NOTHING),
        "assumptions": lambda mesh: _assumptions(mesh, start),
    }
    single: dict[str, Callable[[Mesh, str], dict[str, Any]]] = {"node": _node, "assumption": _assumption}
    if not slash and kind in whole:
        return served.read(whole[kind])
    if slash and kind in single:
        id = _decoded(uri, encoded)
        return served.read(lambda mesh: single[kind](mesh, id))
    raise _unknown(uri)


def _schema(mesh: Mesh) -> dict[str, Any]:
    ontology = mesh.policy.ontology
    declared = mesh.policy.program.declarations.values()
    return {
        "policy": mesh.policy.digest,
        "node_types": [{"type": node.name, "must_carry": list(node.must_carry)} for node in ontology.nodes],
        "edge_types": [
            {"type": e.name, "pairs": [f"{src}->{dst}" for src, dst in e.pairs], "invalidation": e.direction}
            for e in ontology.edges
        ],
        "relations": {
            kind: [f"{d.name}({', '.join(d.columns)})" for d in declared if d.kind == kind]
            for kind in ("input", "output")
        },
    }


def _session(served: Served, mesh: Mesh) -> dict[str, Any]:
    store, engine = mesh.graph.store, mesh.graph.store.engine
    return {
        "session": served.directory.name if served.directory is not None else None,
        "demo": served.directory is None,
        "generation": mesh.generation,
        "build": mesh.graph.build,
        "policy": mesh.policy.digest,
        "nodes": {"live": engine.count("live"), "total": len(store.nodes)},
        "edges": {"live": len(store.edges) - engine.count("edge_dead"), "total": len(store.edges)},
        "assumptions": len(store.assumptions),
        "checkpoint": served.checkpoint,
        "plan": served.has_plan,
        "registry": served.registry.describe() if served.registry is not None else None,
    }


def _assumptions(mesh: Mesh, start: int) -> dict[str, Any]:
    records = list(mesh.graph.store.assumptions.values())

    def row(at: int) -> dict[str, Any]:
        record = records[at]
        return {"id": record.id, "statement": record.statement, "status": mesh.graph.status(record.id)}

    rows = Rows(len(records), row)
    return page({"count": len(records)}, "assumptions", rows, start=start, limit=ASSUMPTIONS, most=4 * BYTES)


def _node(mesh: Mesh, id: str) -> dict[str, Any]:
    return mesh_get_node(mesh, {**_NOTHING, "id": mesh.graph.node(id).id})


def _assumption(mesh: Mesh, id: str) -> dict[str, Any]:
    record = mesh.graph.store.assumptions.get(id)
    if record is None:
        hint = f"{SCHEME}assumptions lists them"
        raise UnknownError(Problem("unknown-node", f"no assumption is called {id[:80]!r}", id[:80], hint=hint))
    against = [edge.src for edge in mesh.graph.edges_to(id, "contradicts")]
    return bounded(
        {
            "id": id,
            "statement": record.statement,
            "status": mesh.graph.status(id),
            "version": record.version,
            "created_by": record.created_by,
            "supersedes": record.supersedes,
            "superseded_by": record.superseded_by,
            "evidence": list(record.evidence_ids),
            "contradicted_by": against,
            "stands_on_it": len(mesh.graph.edges_to(id, "depends_on")),
        }
    )


def _decoded(uri: str, encoded: str) -> str:
    """The id; a slash that was left as it is belongs to it."""
    try:
        return unquote(encoded, errors="strict")
    except UnicodeDecodeError:
        raise _unknown(uri) from None


def _unknown(uri: str) -> UnknownError:
    known = [SCHEME + name for name in (*FIXED, *TEMPLATES)]
    hint = f"one of {', '.join(known)}; the id is percent-encoded"
    return UnknownError(Problem("unknown-resource", f"there is nothing at {uri[:120]}", subject=uri[:120], hint=hint))
