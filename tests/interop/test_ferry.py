"""Files in the formats in use are read, mean what they say, and are written back byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from contextmesh.base.canon import pretty_bytes
from contextmesh.base.errors import Refusal
from contextmesh.base.ids import edge_key, slug
from contextmesh.graph.graph import ContextGraph
from contextmesh.policy import Policy
from contextmesh.resolve.embed import dense, embed, node_text
from contextmesh.resolve.snapshot import resolver_from_bytes
from contextmesh.store.fingerprint import FINGERPRINT, fingerprint
from contextmesh.store.model import Provenance
from contextmesh.store.snapshot import graph_from_bytes, graph_from_json, graph_to_bytes, load_graph, save_graph
from contextmesh.store.store import Store

from .make_ferry import FERRY, files

GRAPH = FERRY / "graph-000001.json"
RESOLVER = FERRY / "resolver-000001.json"

INVALID = [
    "assumption:the-pier-is-open-all-year-479ae9",
    "decision:auto:print-the-table-1-a6c60e",
    "decision:hourly",
    "entity:card",
]
STATUS = {
    "assumption:the-pier-is-open-all-year-479ae9": "rejected",
    "assumption:tides-follow-the-printed-table-8967c9": "superseded",
    "assumption:one-crew-is-enough-d9339e": "active",
    "assumption:tides-follow-the-measured-table-v2-239de8": "active",
    "assumption:the-pier-is-open-from-may-to-october-ca6825": "active",
}
DEAD = [
    ("claim:tide", "mentions", "entity:landing"),
    ("decision:auto:print-the-table-1-a6c60e", "depends_on", "decision:hourly"),
    ("decision:hourly", "produces", "entity:card"),
    ("decision:hourly", "produces", "entity:table"),
]


@pytest.fixture(scope="module")
def store() -> Store:
    return load_graph(GRAPH, Policy.load())


def test_a_graph_file_is_written_back_byte_for_byte(store: Store) -> None:
    assert graph_to_bytes(store) == GRAPH.read_bytes()


def test_a_resolver_file_is_written_back_byte_for_byte() -> None:
    resolver = resolver_from_bytes(RESOLVER.read_bytes(), "resolver.json")
    assert pretty_bytes(resolver.to_json()) == RESOLVER.read_bytes()


def test_the_library_makes_the_same_files_again() -> None:
    assert {name: (FERRY / name).read_bytes() for name in files()} == files()


def test_what_the_rules_derive_is_what_was_worked_out_by_hand(store: Store) -> None:
    assert sorted(str(row[0]) for row in store.engine.rows("invalid")) == INVALID
    assert {str(row[0]): row[1] for row in store.engine.rows("status")} == STATUS
    dead = [store.edges[str(row[0])] for row in store.engine.rows("edge_dead")]
    assert sorted((edge.src, edge.type, edge.dst) for edge in dead) == DEAD


def test_insertion_order_telemetry_and_embeddings_survive(store: Store) -> None:
    stated = json.loads(GRAPH.read_text("utf-8"))
    assert list(store.nodes) == [node["id"] for node in stated["nodes"]]
    assert list(store.edges) == [edge["id"] for edge in stated["edges"]]
    assert list(store.assumptions) == [record["id"] for record in stated["assumptions"]]
    assert store.walks == {"source:log": 3, "claim:pier": 2}
    assert list(store.traversals.values()) == [4]
    pier = store.nodes["entity:pier"]
    assert pier.embedding == dense(embed(node_text(pier)))


def test_layout_and_key_order_mean_nothing(store: Store) -> None:
    value = json.loads(GRAPH.read_text("utf-8"))
    turned = json.dumps({key: value[key] for key in reversed(list(value))}, indent=None, ensure_ascii=True)
    read = graph_from_bytes(turned.encode(), Policy.load(), "turned.json")
    assert graph_to_bytes(read) == GRAPH.read_bytes()


def test_every_fingerprint_is_recomputed_from_record_and_edges(store: Store) -> None:
    def type_of(id: str) -> str | None:
        return store.nodes[id].type

    decisions = [node for node in store.nodes.values() if node.type == "decision"]
    assert len(decisions) == 5
    for node in decisions:
        out = [edge for edge in store.edges.values() if edge.src == node.id]
        assert fingerprint(node, out, type_of) == node.attrs[FINGERPRINT]


def test_a_saved_graph_loads_again(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    save_graph(store, path)
    assert path.read_bytes() == GRAPH.read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["graph.json"]
    assert graph_to_bytes(load_graph(path, Policy.load())) == path.read_bytes()


def test_an_edge_id_whose_digest_has_grown_is_accepted() -> None:
    value = json.loads(GRAPH.read_text("utf-8"))
    edge = value["edges"][0]
    for digits in (6, 10, 16, 40):
        edge["id"] = slug(edge_key(edge["src"], edge["type"], edge["dst"]), "edge", digits=digits)
        assert edge["id"] in graph_from_json(value, Policy.load()).edges


def test_a_provenance_source_that_is_not_there_is_a_gap_and_no_refusal() -> None:
    value = json.loads(GRAPH.read_text("utf-8"))
    value["nodes"][9]["provenance"]["source_id"] = "source:lost"
    assert graph_from_json(value, Policy.load()).nodes["claim:wrong"].provenance is not None


def test_embeddings_of_any_one_size_are_kept_exactly() -> None:
    value = json.loads(GRAPH.read_text("utf-8"))
    for index, numbers in ((2, [0.1, -0.0, 1e-07]), (3, [0.30000000000000004, 0.0, 1.0])):
        value["nodes"][index].update(embedding=numbers, embedded=True)
    written = graph_to_bytes(graph_from_json(value, Policy.load()))
    read = json.loads(written)
    assert [repr(x) for x in read["nodes"][2]["embedding"]] == ["0.1", "-0.0", "1e-07"]
    assert read["nodes"][3]["embedding"] == [0.30000000000000004, 0.0, 1.0]


BAD_RECORDS: dict[str, Callable[[ContextGraph], object]] = {
    "a span that ends before it starts": lambda g: _claim(g, Provenance("source:log", (9, 3))),
    "a record of a later build": lambda g: _claim(g, Provenance("source:log", recorded_at_build=99)),
    "an empty embedding": lambda g: g.add_node("evidence", "e", attrs={"kind": "k"}, embedding=[]),
    "embeddings of two sizes": lambda g: g.add_node("evidence", "e", attrs={"kind": "k"}, embedding=[1.0]),
    "a weight without end": lambda g: [g.add_edge("source:log", "mentions", "entity:pier", weight=1e308) for _ in "12"],
}


def _claim(graph: ContextGraph, provenance: Provenance) -> None:
    graph.add_node("claim", "The pier is long.", provenance=provenance)


@pytest.mark.parametrize("name", BAD_RECORDS)
def test_nothing_is_written_that_could_not_be_read(tmp_path: Path, name: str) -> None:
    graph = ContextGraph(store=load_graph(GRAPH, Policy.load()))
    try:
        BAD_RECORDS[name](graph)
        save_graph(graph.store, tmp_path / "graph.json")
    except Refusal as refusal:
        assert refusal.code
        assert list(tmp_path.iterdir()) == []
    else:
        raise AssertionError("it was written")


def test_attributes_as_deep_as_a_graph_takes_them_are_read_back(tmp_path: Path) -> None:
    graph = ContextGraph(store=load_graph(GRAPH, Policy.load()))
    deep: object = "bottom"
    for depth in range(200):
        try:
            graph.add_node("evidence", f"e{depth}", id=f"evidence:{depth}", attrs={"kind": "k", "deep": deep})
        except Refusal as refusal:
            assert refusal.code == "not-canonical"
            break
        deep = [deep]
    save_graph(graph.store, tmp_path / "graph.json")
    assert load_graph(tmp_path / "graph.json", Policy.load()).nodes == graph.store.nodes
