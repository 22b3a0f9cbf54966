"""A mesh of the past refuses everything that writes, and says what is only later."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from contextmesh.api import Mesh
from contextmesh.base.errors import OntologyError, UnknownError
from contextmesh.base.read_only import is_writer
from contextmesh.resolve.resolver import Resolver

READS = {
    Mesh: {"create", "open", "of", "ask", "node", "find", "portrait", "lineage", "blast", "health", "query", "why"}
    | {"why_not", "as_of", "reconstruct", "date_to_come"},
    Resolver: {"resolve", "peek", "bearer", "near_misses", "since", "to_json", "from_json", "restored"},
}


def methods(of: type) -> list[str]:
    kinds = {name: inspect.getattr_static(of, name) for name in dir(of) if not name.startswith("_")}
    return [name for name, kind in kinds.items() if inspect.isfunction(kind) or isinstance(kind, classmethod)]


def later() -> tuple[Mesh, Mesh]:
    mesh = Mesh()
    for label, day in (("Memo", "2024-01-05"), ("Later memo", "2024-03-05"), ("Undated memo", "some day")):
        mesh.graph.add_node("source", label, attrs={"origin": "memo", "retrieved_at": day})
    return mesh, mesh.as_of("2024-02-01")


@pytest.mark.parametrize("of", [Mesh, Resolver])
def test_whatever_does_not_read_is_marked_as_a_writer(of: type) -> None:
    names = set(methods(of))
    assert {name for name in names if is_writer(getattr(of, name))} == names - READS[of]


@pytest.mark.parametrize("of", [Mesh, Resolver])
def test_a_mesh_of_the_past_refuses_every_writer_by_the_same_code(of: type) -> None:
    mesh, past = later()
    before = mesh.resolver.to_json(), mesh.graph.to_json()
    owner: Any = past if of is Mesh else past.resolver
    for name in [name for name in methods(of) if is_writer(getattr(of, name))]:
        method = getattr(owner, name)
        given = ["x" for p in inspect.signature(method).parameters.values() if p.default is p.empty]
        with pytest.raises(OntologyError) as refused:
            method(*given)
        assert refused.value.code == "past-is-read-only", name
    assert (mesh.resolver.to_json(), mesh.graph.to_json()) == before


def test_a_name_is_looked_up_in_the_past_as_in_the_present() -> None:
    mesh = Mesh()
    pump = mesh.graph.add_node("entity", "Harbour Pump", attrs={"canonical": "Harbour Pump", "aliases": []})
    mesh.resolver.register(pump.id, pump.label)
    past = mesh.as_of(mesh.graph.store.seq)

    assert past.resolver.bearer("Harbour Pump") == pump.id
    assert past.resolver.since(past.resolver.cursor) == ((), ())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Later memo", "later than 2024-02-01"),
        ("Undated memo", "no source dates it"),
        ("A memo nobody wrote", "no node is called"),
    ],
)
def test_what_is_only_later_is_told_as_later(name: str, said: str) -> None:
    _, past = later()
    for read in (past.lineage, past.node, past.portrait):
        with pytest.raises(UnknownError, match=said) as refused:
            read(name)
        assert refused.value.code == "unknown-node"


def test_an_answer_of_the_past_is_counted_neither_there_nor_now() -> None:
    mesh = Mesh()
    memo = mesh.graph.add_node("source", "Memo", attrs={"origin": "memo", "retrieved_at": "2024-01-05"})
    mesh.decide("Exchange the Harbour Pump", rationale="It leaks.", source=memo.id)
    before = dict(mesh.graph.store.walks), dict(mesh.graph.store.traversals)
    past = mesh.as_of(valid_at="2024-01-05")

    assert past.ask("Why exchange the Harbour Pump?").path
    assert (mesh.graph.store.walks, mesh.graph.store.traversals) == before == ({}, {})
    assert (past.graph.store.walks, past.graph.store.traversals) == ({}, {})
    assert mesh.ask("Why exchange the Harbour Pump?").path and mesh.graph.store.walks
