"""Files of one session that contradict each other are found by rules, at their place, and each finding is explained."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contextmesh.base.canon import pretty_bytes
from contextmesh.base.errors import PolicyError, RuleError
from contextmesh.graph.graph import ContextGraph
from contextmesh.policy import Policy
from contextmesh.run import RunLedger, Runner, TaskRegistry
from contextmesh.run.plan_file import Rows, plan_to_bytes, read_rows
from contextmesh.run.plan_fits import compare
from contextmesh.store.explain import tree_text
from contextmesh.store.integrity import Comparison, Violation

Row = dict[str, Any]


def world(policy: Policy | None = None) -> Runner:
    """Two tasks, both done, the second on the first."""
    registry = TaskRegistry()
    registry.register_worker("w.v1", lambda context: {})
    runner = Runner("weave", registry=registry, graph=ContextGraph(policy))
    runner.task("dye", worker_key="w.v1", assumes="the river runs clear", produces=["Dye"])
    runner.task("wool", worker_key="w.v1", assumes="the mill turns", needs=["dye"])
    runner.run()
    return runner


def rows_of(runner: Runner, change: Callable[[list[Row]], object] = lambda tasks: None, **top: Any) -> Rows:
    value = json.loads(plan_to_bytes(runner))
    change(value["tasks"])
    return read_rows({**value, **top})


def found(runner: Runner, rows: Rows, ledger: RunLedger | None = None) -> list[tuple[str, str, str]]:
    """Code, place and words of each violation."""
    entries = ledger if ledger is not None else runner.ledger
    told = [one.fault() for one in compare(runner.graph.store, rows, entries)]
    return [(fault.code, ".".join(map(str, fault.path)), fault.message) for fault in told]


def test_what_was_written_together_agrees() -> None:
    runner = world()
    assert found(runner, rows_of(runner)) == []


def test_every_contradiction_is_found_in_the_order_of_the_files() -> None:
    runner = world()
    dye, wool = (runner.plan.task(name) for name in ("dye", "wool"))

    def bend(tasks: list[Row]) -> None:
        tasks[0].update(assumes="the river is low", artefacts=["entity:gone", dye.node_id])
        tasks[1].update(assumption_id="assumption:gone", node_id=dye.artefacts[0])

    ledger = RunLedger()
    ledger.append("executed", "dye", round=1, node_id=dye.node_id, assumption_id=dye.assumption_id)
    ledger.append("executed", "loom", round=7, node_id="decision:gone", assumption_id="assumption:gone")
    ledger.append("executed", "loom", round=7, node_id="decision:gone", assumption_id="assumption:gone")

    assert found(runner, rows_of(runner, bend), ledger) == [
        ("statement-differs", "tasks.0.assumes",
         f"is not what {dye.assumption_id} states in the graph: the river runs clear"),
        ("unknown-id", "tasks.0.artefacts.0", "names entity:gone, which the graph lacks"),
        ("wrong-kind", "tasks.0.artefacts.1", f"names {dye.node_id}, which is of the type decision, not an entity"),
        ("unknown-id", "tasks.1.assumption_id", "names assumption:gone, which the graph lacks"),
        ("wrong-kind", "tasks.1.node_id", f"names {dye.artefacts[0]}, which is of the type entity, not a decision"),
        ("unknown-id", "entries.1.assumption_id", "names assumption:gone, which the graph lacks"),
        ("unknown-id", "entries.1.node_id", "names decision:gone, which the graph lacks"),
        ("unknown-id", "entries.1.task", "names loom, which is no task of the plan"),
        ("out-of-range", "entries.1.round", "is 7, and the plan weave is in round 1"),
    ]  # fmt: skip
    assert wool.node_id is not None


def test_a_plan_of_another_name_is_told_once_and_not_for_each_decision() -> None:
    runner = world()
    assert found(runner, rows_of(runner, plan="knit"), RunLedger()) == [
        ("unknown-id", "plan", "is knit, and the graph has no source node execution plan: knit")
    ]


def one(runner: Runner, rows: Rows) -> Violation:
    (violation,) = compare(runner.graph.store, rows)
    return violation


def test_a_finding_is_explained_by_its_rule_and_the_facts_it_used() -> None:
    runner = world()
    runner.graph.reject(
        runner.plan.task("wool").assumption_id,
        evidence_id=runner.graph.submit_evidence("It stands still.", source_id=runner.source_id).id,
    )
    told = runner.snapshot()
    told["tasks"][1]["state"] = "done"
    violation = one(runner, read_rows(told))

    fault = violation.fault()
    assert (fault.code, fault.subject) == ("not-done", "wool")
    assert fault.message.startswith("says done, and its ground ")
    assert fault.note is not None and fault.note.startswith("rule @done (rules/integrity.dl:")
    assert 'task_state(1, "done")' in fault.note or "task_state(1, done)" in fault.note
    tree = tree_text(violation.derivation)
    assert "in_graph_rejected(" in tree
    assert {step.relation for step in violation.derivation.premises} >= {"task_state", "task_row", "in_graph_rejected"}


def test_a_name_of_the_resolver_is_compared_too() -> None:
    graph = ContextGraph()
    pier = graph.add_node("entity", "Pier", attrs={"canonical": "Pier", "aliases": []})
    book = graph.add_node("source", "Log", attrs={"origin": "mill", "retrieved_at": "2025-01-01"})
    comparison = Comparison(graph.store)
    for row, (id, label) in enumerate(((pier.id, "Pier"), (pier.id, "Quay"), (book.id, "Log"), ("entity:x", "X"))):
        comparison.say("resolver_row", row, id, label)
        comparison.name(id)

    told = comparison.violations()

    assert {violation.code for violation in told} == {"resolver-differs"}
    assert [violation.fault().message for violation in told] == [
        f"names {pier.id}, which the graph calls Pier, not Quay",
        f"names {book.id}, which is of the type source in the graph",
        "names entity:x, which the graph does not have",
    ]
    assert told[0].path == ("canonical", pier.id)


# ---- the rules are the deployment's -----------------------------------------------------------------


def overlay(folder: Path, change: Callable[[str], str]) -> Path:
    text = (Path(__file__).resolve().parents[2] / "rules" / "integrity.dl").read_text(encoding="utf-8")
    (folder / "integrity.dl").write_text(change(text), encoding="utf-8")
    return folder


def test_a_deployment_may_ask_more_of_its_files(tmp_path: Path) -> None:
    more = """
@house "was tried {N} times, and three are enough"
integrity_violation(tried_too_often, T, plan, R, attempt, -1) :- task_attempt(R, N), N > 3, task_row(R, T).
"""
    policy = Policy.load(overlay(tmp_path, lambda text: text + more))
    runner = world(policy)

    rows = rows_of(runner, lambda tasks: tasks[1].update(attempt=4))

    assert found(runner, rows) == [("tried-too-often", "tasks.1.attempt", "was tried 4 times, and three are enough")]
    assert policy.digest != Policy.load().digest


REFUSED: dict[str, tuple[Callable[[str], str], str]] = {
    "an output gone": (lambda text: text.replace("output   integrity_violation", "relation integrity_violation"),
                       "changed-output"),
    "an input gone": (
        lambda text: text.replace("input task_attempt(row, attempt).", "relation task_attempt(row, attempt).\n"
                                  "task_attempt(N, 1) :- task_row(N, _)."),
        "changed-input",
    ),
    "no rules": (lambda text: text + "\nthere(I) :- .", "syntax"),
    "a relation of the graph": (lambda text: text + "\nthere(I) :- node(I, _).", "unknown-relation"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_rules_that_cannot_compare_are_refused_when_they_are_loaded(case: str, tmp_path: Path) -> None:
    change, code = REFUSED[case]
    with pytest.raises((PolicyError, RuleError)) as refused:
        Policy.load(overlay(tmp_path, change))
    assert refused.value.code == code


def test_the_engine_of_the_graph_knows_nothing_of_them() -> None:
    policy = Policy.load()
    assert "integrity_violation" not in policy.program.declarations
    shared = set(policy.program.declarations) & set(policy.integrity.declarations)
    assert sorted(shared) == []


def test_a_word_of_a_file_that_goes_on_and_on_is_cut_in_what_is_said() -> None:
    runner = world()
    fault = one(runner, rows_of(runner, lambda tasks: tasks[1].update(assumption_id="x" * 10_000))).fault()
    assert len(fault.message) <= 400 and len(fault.note or "") <= 400
    assert pretty_bytes({"note": fault.note})


def test_two_ledgers_of_one_history_are_compared_alike() -> None:
    runner = world()
    bent = [replace(entry, node_id="decision:gone") for entry in runner.ledger]
    first = compare(runner.graph.store, rows_of(runner), bent)
    again = compare(runner.graph.store, rows_of(runner), bent)
    assert first == again != []
