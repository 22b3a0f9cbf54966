"""Small worlds in which plans run: what workers return and auditors find is data, so that a round can be repeated."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from contextmesh.graph.graph import ContextGraph
from contextmesh.run import AuditContext, RunLedger, Runner, RunReport, TaskRegistry, Verdict, WorkContext
from contextmesh.run.ledger_file import ledger_from_bytes, ledger_to_bytes
from contextmesh.run.plan_file import plan_from_bytes, plan_to_bytes
from contextmesh.store.snapshot import graph_from_bytes, graph_to_bytes

NAMES = ("dye", "wool", "loom", "cloth", "coat", "seam")
GROUNDS = ("the river runs clear", "the mill turns", "sheep are shorn in May", "thread is even")
FIXES = ("the well is deep", "the wind turns it", "sheep are shorn in June")


@dataclass
class World:
    """What holds outside: change it, and the next round finds it changed.

    Attributes:
        yields: what a worker returns, by task; a task that is not here returns its name.
        raises: tasks whose worker raises.
        finds: what the auditor of a task says: ok, fail or disproved.
        called: the attempts that workers were called for, in the order of calling.
    """

    yields: dict[str, Any] = field(default_factory=dict)
    raises: dict[str, str] = field(default_factory=dict)
    finds: dict[str, str] = field(default_factory=dict)
    called: list[str] = field(default_factory=list)

    def work(self, context: WorkContext) -> Any:
        self.called.append(context.attempt_id)
        if context.name in self.raises:
            raise RuntimeError(self.raises[context.name])
        return {"made": self.yields.get(context.name, context.name)}

    def audit(self, context: AuditContext) -> Verdict:
        found = self.finds.get(context.name, "ok")
        if found == "disproved":
            return context.disproved(f"{context.assumes} no more")
        return context.fail("it is crooked") if found == "fail" else context.ok("it is straight")

    def registry(self) -> TaskRegistry:
        registry = TaskRegistry()
        for version in ("v1", "v2"):
            registry.register_worker(f"cloth.work.{version}", self.work)
        registry.register_auditor("cloth.look.v1", self.audit)
        return registry


@dataclass(frozen=True)
class Shape:
    """A plan as data: for each task its ground, its needs (numbers of earlier tasks), and whether it is audited."""

    tasks: tuple[tuple[int, tuple[int, ...], bool], ...]

    def plan(self, registry: TaskRegistry, *, workers: int = 1, ledger: RunLedger | None = None) -> Runner:
        runner = Runner("weave", registry=registry, workers=workers, ledger=ledger)
        for number, (ground, needs, audited) in enumerate(self.tasks):
            runner.task(
                NAMES[number],
                worker_key="cloth.work.v1",
                auditor_key="cloth.look.v1" if audited else None,
                assumes=GROUNDS[ground],
                needs=[NAMES[need] for need in needs],
                produces=[f"{NAMES[number]} made"],
            )
        return runner


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    count = draw(st.integers(1, len(NAMES)))
    tasks = []
    for number in range(count):
        needs = draw(st.lists(st.integers(0, number - 1), unique=True, max_size=2)) if number else []
        tasks.append((draw(st.integers(0, len(GROUNDS) - 1)), tuple(needs), draw(st.booleans())))
    return Shape(tuple(tasks))


Step = tuple[str, str, str]
"""What happens, to which task, and with what word."""


def steps() -> st.SearchStrategy[list[Step]]:
    name = st.sampled_from(NAMES)
    happening = st.one_of(
        st.tuples(st.just("run"), st.just(""), st.just("")),
        st.tuples(st.just("recheck"), st.just(""), st.just("")),
        st.tuples(st.just("find"), name, st.sampled_from(("ok", "fail", "disproved"))),
        st.tuples(st.just("raise"), name, st.sampled_from(("", "no thread"))),
        st.tuples(st.just("yield"), name, st.sampled_from(("red", "blue"))),
        st.tuples(st.just("repair"), name, st.sampled_from(FIXES)),
    )
    return st.lists(happening, min_size=1, max_size=7)


def take(runner: Runner, world: World, step: Step) -> RunReport | None:
    """One thing happens; what a repair refuses is left as it is."""
    what, name, word = step
    if what == "run":
        return runner.run()
    if what == "recheck":
        return runner.recheck()
    if what == "find":
        world.finds[name] = word
    elif what == "raise":
        world.raises.pop(name, None)
        if word:
            world.raises[name] = word
    elif what == "yield":
        world.yields[name] = word
    elif name in runner.plan.tasks:
        mend(runner, name, word)
    return None


def mend(runner: Runner, name: str, ground: str) -> None:
    from contextmesh.base.errors import Refusal

    try:
        runner.repair(name, assumes=ground, worker_key="cloth.work.v2")
    except Refusal as refusal:
        assert refusal.code in ("same-ground", "ground-not-active"), refusal


def everything(runner: Runner) -> dict[str, bytes]:
    """All that a session would hold of it."""
    return {
        "plan": plan_to_bytes(runner),
        "ledger": ledger_to_bytes(runner.ledger),
        "graph": graph_to_bytes(runner.graph.store),
    }


def restored(runner: Runner, registry: TaskRegistry, *, workers: int = 1) -> Runner:
    """The same plan, after everything of it went through files."""
    files = everything(runner)
    graph = ContextGraph(store=graph_from_bytes(files["graph"], runner.graph.policy, "graph"))
    ledger = ledger_from_bytes(files["ledger"], expect_head=runner.ledger.head)
    return plan_from_bytes(files["plan"], graph=graph, registry=registry, ledger=ledger, workers=workers)


def told(report: RunReport | None) -> str:
    return "" if report is None else json.dumps(report.as_json(), sort_keys=True)
