"""The data of the dashboard says what the queries of its README say, of every graph, and is bounded."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graph_plans import Play, plans
from hypothesis import given, settings

from contextmesh import Mesh, Resolver, Runner, Session, TaskRegistry
from contextmesh.dashboard import around, panels
from contextmesh.dashboard.payload import ROWS, payload, payload_text
from contextmesh.demo.build import build_demo, demo_mesh
from contextmesh.graph.graph import ContextGraph
from contextmesh.session import SessionState

ROOT = Path(__file__).resolve().parent.parent.parent
QUERIES = dict(
    re.findall(
        r"^`([a-z._]+)`\n\n```datalog\n(.*?)\n```$",
        (ROOT / "dashboard" / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)


def played(plan: Any) -> ContextGraph:
    kinds, edges, steps = plan
    play = Play(kinds)
    for edge in edges:
        play.edge(*edge)
    for word, one, two, which in steps:
        if word == "reject" and play.can_reject(one):
            play.reject(one)
        elif word == "edge":
            play.edge(one, two, which)
    return play.graph


def ids_in(value: object) -> Iterator[str]:
    """Whatever a panel gives as the id of a node."""
    for panel in value["panels"].values():  # type: ignore[index]
        for row in panel["rows"] if panel else ():
            for key in ("id", "against", "answer", "ground"):
                if row.get(key) is not None:
                    yield row[key]
            for key in ("roots", "superseded_by", "seeds"):
                yield from row.get(key, ())


def agrees(mesh: Mesh) -> None:
    """Each panel holds exactly the rows of its queries; the graph is small enough for all to be shown."""
    told = payload(mesh)
    rows = {name: mesh.query(text).rows for name, text in QUERIES.items()}
    shown = {name: panel["rows"] if panel else [] for name, panel in told["panels"].items()}

    for what, key in (("counts", "nodes"), ("edges", "edges")):
        words = [name for name in rows if name.startswith(f"{what}.")]
        for name in words:
            word = name.removeprefix(f"{what}.")
            assert {row["type"]: row[word] for row in told["counts"][key]} == dict(rows[name]), name
    signals: dict[tuple[Any, ...], int] = {}
    for kind, _, severity, remedy in rows["health"]:
        signals[kind, severity, remedy] = signals.get((kind, severity, remedy), 0) + 1
    assert {
        (s["kind"], s["severity"], s["remedy"]): s["count"] for s in told["health"]["signals"] if s["count"]
    } == signals
    assert sorted((r["id"], r["status"], r["direct"]) for r in shown["assumptions"]) == rows["assumptions"]
    assert sorted((r["id"], r["stands"]) for r in shown["assumptions"]) == rows["assumptions.stands"]
    assert sorted((r["id"], root) for r in shown["fallen"] for root in r["roots"]) == rows["fallen"]
    assert sorted((r["id"], r["uses"]) for r in shown["decisions"]) == rows["decisions"]
    assert sorted((r["id"],) for r in shown["decisions"] if r["current"]) == rows["decisions.current"]
    current = [r["current"] for r in shown["decisions"]]
    assert current == sorted(current, reverse=True), "what holds comes first"
    replaced = sorted((new, r["id"]) for r in shown["decisions"] for new in r["superseded_by"])
    assert replaced == rows["decisions.replaced"]
    for kind, name in (("open", "contradictions"), ("unjudged", "unjudged")):
        pairs = [(r["id"], r["against"]) for r in shown["contradictions"] if r["kind"] == kind]
        assert sorted(pairs) == sorted((row[0], row[2]) for row in rows[name])
    assert sorted((r["id"], r["rests"]) for r in shown["sources"]) == rows["sources"]
    assert sorted((r["task"], r["ground"]) for r in shown["plan"]) == rows["plan"]
    for word in panels.STATES:
        assert sorted((r["task"],) for r in shown["plan"] if word in r["states"]) == rows[f"plan.{word}"]
    assert sorted((r["task"], why) for r in shown["plan"] for why in r["blocked"]) == rows["plan.blocked"]
    assert sorted((r["seq"], r["wrote"]) for r in shown["timeline"] if r["wrote"]) == rows["timeline"]


def test_the_readme_lists_every_query_word_for_word() -> None:
    assert panels.queries() == QUERIES


def test_every_panel_is_its_queries_of_the_demo() -> None:
    demo = build_demo()
    demo.graph.reject(demo.linear, evidence_id=demo.counted)

    agrees(Mesh(graph=demo.graph))


@settings(max_examples=30, deadline=None)
@given(plans())
def test_every_panel_is_its_queries_of_any_graph(plan: Any) -> None:
    agrees(Mesh(graph=played(plan)))


@settings(max_examples=30, deadline=None)
@given(plans())
def test_the_counts_add_up_to_those_of_the_graph(plan: Any) -> None:
    graph = played(plan)
    told = payload(Mesh(graph=graph))

    for row in told["counts"]["nodes"]:
        assert row["total"] == row["standing"] + row["superseded"] + row["fallen"] + row["pruned"]
    nodes, edges = told["counts"]["nodes"], told["counts"]["edges"]
    assert sum(row["total"] for row in nodes) == len(graph.store.nodes) == told["nodes_total"]
    assert sum(row["standing"] + row["superseded"] for row in nodes) == len(list(graph.live_nodes()))
    assert sum(row["total"] for row in edges) == len(graph.store.edges) == told["edges_total"]
    assert sum(not edge["live"] for edge in told["edges"]) == sum(row["dead"] for row in edges)


@settings(max_examples=30, deadline=None)
@given(plans())
def test_every_id_that_is_named_is_a_node_that_is_told(plan: Any) -> None:
    told = payload(Mesh(graph=played(plan)))
    nodes = {node["id"]: node for node in told["nodes"]}

    assert len(nodes) == len(told["nodes"])
    assert [name for name in ids_in(told) if name not in nodes] == []
    assert all(edge["from"] in nodes and edge["to"] in nodes for edge in told["edges"])


@settings(max_examples=30, deadline=None)
@given(plans())
def test_what_stands_on_an_assumption_is_what_its_rejection_takes_down(plan: Any) -> None:
    """Where nothing states several grounds, so that what stands on it and what falls with it are the same."""
    mesh = Mesh(graph=played(plan))

    for row in payload(mesh)["panels"]["assumptions"]["rows"]:
        if row["status"] != "rejected":
            assert row["stands"] == mesh.blast(row["id"]).blast_radius


@settings(max_examples=30, deadline=None)
@given(plans())
def test_each_node_that_fell_tells_the_chain_from_its_root(plan: Any) -> None:
    mesh = Mesh(graph=played(plan))
    told = payload(mesh)
    fallen = {row["id"]: row["roots"] for row in told["panels"]["fallen"]["rows"]}

    for node in told["nodes"]:
        assert ("because" in node) == (node["id"] in fallen)
        if node["id"] in fallen:
            roots = [mesh.node(root).label[:20] for root in fallen[node["id"]]]
            assert any(root in node["because"][0] for root in roots)
            assert node["because"][-1][:20].removeprefix("assumption(") in node["label"]


def test_a_session_gives_the_same_data_however_often_it_is_loaded(tmp_path: Path) -> None:
    mesh = demo_mesh()
    before = payload(mesh)
    mesh.save(tmp_path / "demo.mesh")
    first, second = (payload_text(payload(Mesh.open(tmp_path / "demo.mesh"))) for _ in range(2))

    assert first == second
    loaded = json.loads(first)
    for key in ("counts", "health", "nodes", "nodes_total", "edges", "edges_total"):
        assert loaded[key] == before[key], key
    for name in ("assumptions", "fallen", "decisions", "contradictions", "sources"):
        assert loaded["panels"][name] == before["panels"][name]


def test_the_data_is_the_same_whatever_the_hash_seed() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-m", "contextmesh", "export"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "CONTEXTMESH_SESSION": ""},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(found) == 1


def test_a_large_graph_is_cut_and_says_how_much_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = ContextGraph()
    with graph.batch("many") as batch:
        batch.add_node("source", "Log", id="source:log", attrs={"origin": "log", "retrieved_at": "2025-01-01"})
        for n in range(400):
            name = f"entity:{n}"
            batch.add_node("entity", f"Thing {n}", id=name, attrs={"canonical": f"Thing {n}", "aliases": []})
            batch.add_edge("source:log", "mentions", name)
    for n in range(ROWS + 5):
        graph.assume(f"Thing {n} is blue")
    monkeypatch.setattr(around, "NODES", 100)
    monkeypatch.setattr(around, "EDGES", 9)
    told = payload(Mesh(graph=graph))

    assert (told["nodes_total"], len(told["nodes"])) == (len(graph.store.nodes), 100)
    assert (len(told["edges"]), told["edges_total"]) == (9, 400)
    there = {node["id"] for node in told["nodes"]}
    assert told["edges_left_out"] == sum(f"entity:{n}" in there for n in range(400)) - 9
    assert {key: told["panels"]["assumptions"][key] for key in ("total", "shown")} == {"total": ROWS + 5, "shown": ROWS}
    assert set(ids_in(told)) <= there
    log = next(node for node in told["nodes"] if node["id"] == "source:log")
    assert log["out"] == 400


def test_the_node_that_is_asked_for_comes_first_with_what_lies_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = demo_mesh()
    last = list(mesh.graph.store.nodes)[-1]
    told = payload(mesh, around=last)

    assert (told["center"], told["nodes"][0]["id"]) == (last, last)


def test_a_long_label_is_cut_with_an_ellipsis() -> None:
    graph = ContextGraph()
    graph.assume("long " * 3000)
    told = payload(Mesh(graph=graph))

    assert len(told["nodes"][0]["label"]) == 400
    assert told["nodes"][0]["label"].endswith("…")


def test_an_empty_mesh_has_empty_panels() -> None:
    told = payload(Mesh())

    assert told["nodes"] == [] and told["panels"]["plan"] is None
    assert all(panel["total"] == 0 for panel in told["panels"].values() if panel is not None)


def dock() -> Runner:
    registry = TaskRegistry()
    registry.register_worker("dock.survey.v1", lambda ctx: {"depth": 4})
    runner = Runner("dock", registry=registry)
    runner.task("survey", worker_key="dock.survey.v1", assumes="The echo sounder is calibrated")
    runner.task("dredge", worker_key="dock.survey.v1", assumes="The barge is free in May", needs=["survey"])
    return runner


@pytest.mark.parametrize("rejected", [False, True])
@pytest.mark.parametrize("ran", [False, True])
def test_a_plan_in_a_file_has_the_states_of_the_plan_at_work(tmp_path: Path, ran: bool, rejected: bool) -> None:
    runner = dock()
    if ran:
        runner.run()
    Session(SessionState(runner.graph, Resolver()), runner).save(tmp_path / "dock.mesh")
    carried = Mesh.open(tmp_path / "dock.mesh")
    for graph in (runner.graph, carried.graph) if rejected else ():
        log = graph.add_node("source", "Log", attrs={"origin": "log", "retrieved_at": "2025-01-01"})
        seen = graph.submit_evidence("It was off by a metre.", source_id=log.id)
        ground = next(str(a) for a, _ in graph.query("status(A, active)  , named(A, N)").rows if "echo" in str(a))
        graph.add_edge(seen.id, "contradicts", ground)
        graph.reject(ground, evidence_id=seen.id)
    agrees(Mesh(graph=runner.graph))
    at_work = payload(Mesh(graph=runner.graph))["panels"]["plan"]
    from_file = payload(carried)["panels"]["plan"]

    assert [{**row, "task": f"dock/{row['task']}"} for row in from_file["rows"]] == at_work["rows"]
    assert carried.query("task(T, A)").rows == [], "it is told to the rules only while they are asked"
    expected = {(False, False): "ready", (False, True): "ready", (True, False): "done", (True, True): "stale"}
    assert any(expected[ran, rejected] in row["states"] for row in from_file["rows"]) == (
        (ran, rejected) != (False, True)
    )


def test_walks_are_told_newest_first_with_their_dead_ends(tmp_path: Path) -> None:
    mesh = demo_mesh()
    mesh.ask("What does the Sharding by passage count depend on?")
    mesh.ask("Who founded the Zzyzx Railway?")
    told = payload(mesh)["panels"]

    assert told["walks"]["rows"][0]["question"] == "Who founded the Zzyzx Railway?"
    assert told["walks"]["total"] == 2
    assert [row["dead_end"] for row in told["dead_ends"]["rows"]] == ["entity_unresolved"]


def test_a_panel_whose_relations_a_policy_has_not_says_so_and_the_rest_is_there(tmp_path: Path) -> None:
    rules = (ROOT / "rules" / "health.dl").read_text(encoding="utf-8")
    folder = tmp_path / "policy" / "rules"
    folder.mkdir(parents=True)
    (folder / "health.dl").write_text(rules.replace("settled", "agreed"), encoding="utf-8")
    from contextmesh import Policy

    told = payload(Mesh(Policy.load(tmp_path / "policy")))

    assert told["panels"]["contradictions"]["error"]["code"] == "unknown-relation"
    assert [name for name, panel in told["panels"].items() if panel and "error" in panel] == ["contradictions"]
