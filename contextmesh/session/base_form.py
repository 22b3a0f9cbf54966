"""The graph of a generation of version 3: its records as one file, and its vectors as another."""

from __future__ import annotations

import json
from typing import Any

from contextmesh.policy import Policy
from contextmesh.store.snapshot import graph_from_json, graph_to_json
from contextmesh.store.store import Store


def records_to_files(store: Store) -> dict[str, bytes]:
    """The files by kind."""
    value: dict[str, Any] = {"seq": store.seq, "graph": graph_to_json(store)}
    return {"records": json.dumps(value, ensure_ascii=False).encode("utf-8")}


def records_from_files(records: bytes, vectors: bytes | None, name: str, policy: Policy) -> Store:
    """The graph of these files, read as untrusted."""
    value = json.loads(records)
    store = graph_from_json(value["graph"], policy, name)
    store.seq = max(store.seq, value["seq"])
    return store
