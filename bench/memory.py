"""Where the bytes of a graph are: by relation and index of the engine, by records.

    python -m bench.memory [SIZE]     a table: bytes a node, the largest first (default 20000 nodes)

Containers, rows and keys are counted where they are first met; texts under ``texts``, once each.
"""

from __future__ import annotations

import sys
from typing import Any

from bench.graph import build_mesh
from bench.graph_world import world


class Counter:
    """Bytes of things that were not counted yet."""

    def __init__(self) -> None:
        self.seen: dict[int, None] = {}
        self.texts = 0

    def fresh(self, thing: Any) -> int:
        """The bytes of one thing, 0 for one that was counted."""
        if id(thing) in self.seen:
            return 0
        self.seen[id(thing)] = None
        if isinstance(thing, str):
            self.texts += sys.getsizeof(thing)
            return 0
        return sys.getsizeof(thing)

    def row(self, row: tuple[Any, ...]) -> int:
        return self.fresh(row) + sum(self.fresh(value) for value in row)

    def value(self, value: Any) -> int:
        """A JSON value with all in it."""
        total = self.fresh(value)
        if isinstance(value, dict):
            total += sum(self.value(key) + self.value(member) for key, member in value.items())
        elif isinstance(value, list | tuple):
            total += sum(map(self.value, value))
        return total


def parts(graph: Any) -> dict[str, int]:
    """Bytes by part; what several parts share is the first one's."""
    count, found = Counter(), {}
    for name, relation in graph.store.engine.relations.items():
        own = sys.getsizeof(relation.rows)
        if relation.shape in ("rows", "keyed"):
            own += sum(map(count.row, relation.scan()))
        else:
            own += sum(count.fresh(value) for row in relation.scan() for value in row)
        found[f"{name}, {len(relation)} rows"] = own
        found[f"{name}, log of {len(relation.log)}"] = sys.getsizeof(relation.log)
        for index in relation.indexes():
            where = "".join(f", {column}={value}" for column, value in index.where)
            buckets = index.buckets
            size = sys.getsizeof(buckets) + sum(count.fresh(key) for key in buckets if isinstance(key, tuple))
            size += sum(count.fresh(bucket) for bucket in buckets.values())
            size += sum(
                count.row(row) for bucket in buckets.values() for row in index.items(bucket) if isinstance(row, tuple)
            )
            found[f"{name} by {','.join(map(str, index.columns))}{where}, {len(buckets)} keys"] = size
    store = graph.store
    for kind, records in (("nodes", store.nodes), ("edges", store.edges), ("assumptions", store.assumptions)):
        found[f"records: {kind}, table"] = sys.getsizeof(records.copy())
        found[f"records: {kind}"] = sum(
            count.fresh(record)
            + sum(
                count.value(getattr(record, name)) if name != "provenance" else count.fresh(record.provenance)
                for name in record.__slots__
            )
            for record in records.values()
        )
    found["texts"] = count.texts
    return found


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    graph = build_mesh(world(size))
    graph.health()
    found = parts(graph)
    for name, bytes_ in sorted(found.items(), key=lambda item: -item[1]):
        if bytes_ >= size:
            print(f"{bytes_ / size:8.1f}  {name}")
    print(f"{sum(found.values()) / size:8.1f}  in all, a node")


if __name__ == "__main__":
    main()
