"""What one generation of a session holds, file by file and kind by kind."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from contextmesh.policy import Policy
from contextmesh.session.files import generations
from contextmesh.session.generations import counts_of, tasks_of
from contextmesh.session.load import load, read_generation


def inspect(directory: Path, policy: Policy, generation: int | None = None) -> dict[str, Any]:
    """The generation as one JSON value, once all of it is verified.

    Raises:
        SessionError: why it cannot be trusted.
    """
    state = load(directory, policy=policy, generation=generation)
    manifest = state.manifest
    assert manifest is not None and state.home is not None, "loaded"
    number = manifest.generation if generations(directory) else None
    read = read_generation(directory, policy, number)
    store = state.graph.store
    position = state.home.position
    return {
        "session": str(directory),
        "generation": manifest.generation,
        "version": manifest.version,
        "files": [
            {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in read.files.items()
        ],
        "counts": counts_of(state),
        "nodes": _by(node.type for node in store.nodes.values()),
        "edges": _by(edge.type for edge in store.edges.values()),
        "statuses": _by(str(row[1]) for row in store.engine.rows("status")),
        "tasks": _by(str(task["state"]) for task in tasks_of(state).values()),
        "ledger_head": state.carried.ledger_head if state.carried is not None else None,
        "journal": None if position is None else {"lines": position.lines, "bytes": position.size},
        "policy": manifest.policy,
        "walker": {
            "hop_budget": state.walker.hop_budget,
            "policy": list(state.walker.policy),
            "flat_k": state.walker.flat_k,
            "max_expand": state.walker.max_expand,
        },
        "notices": [notice.as_json() for notice in state.notices],
    }


def _by(words: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return dict(sorted(counts.items()))
