"""Sessions for the server to serve: a harbour of a few nodes, and a hub that every node has an edge to."""

from __future__ import annotations

from pathlib import Path

from contextmesh.api import Mesh
from contextmesh.store.model import Provenance

SOURCE, GROUND = "source:log", "assumption:tide"
TIDE = "The tide allows a crossing at any hour"
FERRY = "The ferry Marigold"
_ORIGIN = {"origin": "log", "retrieved_at": "2025-02-01"}


def harbour(directory: Path) -> Path:
    hub(2).save(directory)
    return directory


def hub(size: int) -> Mesh:
    """About ``size`` nodes: claims and decisions, each with an edge to one source and one to one assumption."""
    mesh = Mesh()
    with mesh.graph.batch("hub") as batch:
        batch.add_node("source", "Harbour log", id=SOURCE, attrs=_ORIGIN)
        batch.add_node("entity", FERRY, id="entity:ferry", attrs={"canonical": FERRY, "aliases": []})
        batch.add_edge(SOURCE, "mentions", "entity:ferry")
    mesh.resolver.register("entity:ferry", FERRY)
    mesh.assume(TIDE, id=GROUND)
    with mesh.graph.batch("hub") as batch:
        for number in range(size // 2):
            claim, decision = f"claim:{number}", f"decision:{number}"
            said = f"Captain {number} writes that the channel by buoy {number} is deep enough for the ferry"
            batch.add_node("claim", said, id=claim, attrs={}, provenance=Provenance(SOURCE))
            batch.add_edge(claim, "derived_from", SOURCE)
            batch.add_edge(claim, "depends_on", GROUND)
            attrs = {"rationale": f"The captain of boat {number} asked for it"}
            batch.add_node(
                "decision", f"Cross by buoy {number}", id=decision, attrs=attrs, provenance=Provenance(SOURCE)
            )
            batch.add_edge(decision, "cites", SOURCE)
            batch.add_edge(decision, "depends_on", GROUND)
            if number % 10 == 1:
                batch.add_edge(decision, "supersedes", f"decision:{number - 1}")
    return mesh
