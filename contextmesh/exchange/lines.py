"""``contextmesh.lines`` version 1: every record of a graph and its names, one a line, none of them left out.

The records are those of a graph file, and beside them stands what that form has no place for: the number of the
transaction that wrote each node and edge, and of each verdict, and facts that no record stands for. The first line
says what follows; the last one counts the lines, so that a file whose end was cut off is told from a whole one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contextmesh.exchange.jsonl import to_line
from contextmesh.resolve.resolver import Resolver
from contextmesh.resolve.snapshot import resolver_to_json
from contextmesh.store.relations import DATED, OF_RECORDS, Fact, node_facts
from contextmesh.store.snapshot import graph_to_json
from contextmesh.store.store import Store

SCHEMA = "contextmesh.lines"
VERSION = 1
HEADER = ("schema", "version", "build", "seq", "threshold")
KINDS = ("node", "assumption", "edge", "verdict", "fact", "name", "alias", "block", "mention", "end")


def lines(store: Store, resolver: Resolver) -> Iterator[str]:
    """Every line, without its newline.

    Raises:
        SnapshotError: a record that a reader would refuse.
    """
    count = 0
    for value in values(store, resolver):
        count += 1
        yield to_line(value)
    yield to_line({"record": "end", "lines": count})


def lines_to_bytes(store: Store, resolver: Resolver) -> bytes:
    """The whole file."""
    return "".join(f"{line}\n" for line in lines(store, resolver)).encode("utf-8")


def values(store: Store, resolver: Resolver) -> Iterator[dict[str, Any]]:
    """The header and every record, in order, but the line that counts them."""
    graph, names = graph_to_json(store), resolver_to_json(resolver)
    born = {str(row[0]): row[1] for row in store.engine.rows("born")}
    yield {
        "schema": SCHEMA,
        "version": VERSION,
        "build": store.build,
        "seq": store.seq,
        "threshold": names["threshold"],
    }
    for node in graph["nodes"]:
        yield {"record": "node", **node, "born": born[node["id"]]}
    for record in graph["assumptions"]:
        yield {"record": "assumption", **record}
    for edge in graph["edges"]:
        yield {"record": "edge", **edge, "born": born[edge["id"]]}
    for assumption, evidence, seq in store.engine.rows("verdict"):
        yield {"record": "verdict", "assumption": assumption, "evidence": evidence, "seq": seq}
    for relation, row in stated_facts(store):
        yield {"record": "fact", "relation": relation, "row": list(row)}
    for id, label in names["canonical"].items():
        yield {"record": "name", "id": id, "label": label}
    for form, id in names["aliases"].items():
        yield {"record": "alias", "form": form, "id": id}
    for key, ids in names["blocks"].items():
        yield {"record": "block", "key": key, "ids": ids}
    for attempt in names["log"]:
        yield {"record": "mention", **attempt}


def stated_facts(store: Store) -> Iterator[Fact]:
    """Facts from outside that follow from no record."""
    for name, declaration in store.policy.program.declarations.items():
        if declaration.kind == "input" and may_be_stated(store, name):
            yield from ((name, row) for row in store.engine.rows(name))
    for row in store.engine.rows(DATED):
        node = store.nodes.get(str(row[0]))
        if node is None or (DATED, row) not in node_facts(node, 0):
            yield DATED, row


def may_be_stated(store: Store, relation: str) -> bool:
    """Whether no record and no table of GRAPH.md says the rows of this relation."""
    return relation not in OF_RECORDS and relation not in store.policy.facts
