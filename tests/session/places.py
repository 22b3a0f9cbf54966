"""Session directories to try things on, and what they hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from interop.make_ferry import FERRY

from contextmesh import session
from contextmesh.api import Mesh
from contextmesh.graph.graph import ContextGraph
from contextmesh.resolve.resolver import Resolver
from contextmesh.session import SessionState


def ferry_session(directory: Path) -> Path:
    """The ferry's first generation, as another writer left it."""
    directory.mkdir()
    for path in FERRY.iterdir():
        (directory / path.name).write_bytes(path.read_bytes())
    return directory


def small(labels: tuple[str, ...] = ("Harbour",)) -> SessionState:
    """A session that was built, not loaded."""
    graph, resolver = ContextGraph(), Resolver()
    graph.begin_build()
    for label in labels:
        node = graph.add_node("entity", label, attrs={"canonical": label, "aliases": []})
        resolver.register(node.id, label)
    return SessionState(graph, resolver)


def grown(state: SessionState, label: str) -> SessionState:
    """The same session with one more entity."""
    node = state.graph.add_node("entity", label, attrs={"canonical": label, "aliases": []})
    state.resolver.register(node.id, label)
    return state


def generations_of(directory: Path, count: int) -> SessionState:
    """A directory of ours with this many commits."""
    state = session.save(directory, small()).state
    for number in range(2, count + 1):
        state = session.save(directory, grown(state, f"Pier {number}")).state
    return state


def listing(directory: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with its content and its time of change."""
    return {
        path.name: (path.read_bytes() if path.is_file() else b"", path.lstat().st_mtime_ns)
        for path in sorted(directory.iterdir())
    }


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """A JSON file bent in place."""
    value = json.loads(path.read_text("utf-8"))
    change(value)
    path.write_text(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")


def log_mesh(directory: Path) -> tuple[Mesh, str]:
    """A mesh at home with one source, and its id."""
    mesh = Mesh.create(directory)
    source = mesh.graph.add_node("source", "Log", attrs={"origin": "log.txt", "retrieved_at": "2024-01-01"})
    return mesh, source.id


def same(one: Mesh, other: Mesh) -> None:
    """The same records in the same order, rows in every relation, names, counters and walks."""
    ours, theirs = one.graph.store, other.graph.store
    for part in ("nodes", "edges", "assumptions"):
        mine, yours = getattr(ours, part), getattr(theirs, part)
        assert list(mine) == list(yours)
        assert dict(mine) == dict(yours)
    assert (ours.seq, ours.build) == (theirs.seq, theirs.build)
    for name in ours.policy.program.declarations:
        assert sorted(map(repr, ours.engine.rows(name))) == sorted(map(repr, theirs.engine.rows(name))), name
    assert one.resolver.to_json() == other.resolver.to_json()
    assert dict(ours.walks) == dict(theirs.walks)
    assert dict(ours.traversals) == dict(theirs.traversals)
    assert one.walks == other.walks
