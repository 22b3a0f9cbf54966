"""What to do next, read from schedule.dl; and the only writer of what that file calls input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from contextmesh.datalog.ast import Row, Value
from contextmesh.graph.batch import Batch
from contextmesh.graph.graph import ContextGraph
from contextmesh.run.plan import Plan
from contextmesh.run.task import State, Task

PLANNED, RAN, MISSED = "planned", "ran", "missed"
GROUND_REJECTED, GROUND_SUPERSEDED, WAITING = "ground_rejected", "ground_superseded", "waiting"
_NAMED = 5


class Pen:
    """One transaction in which things are said of tasks. A later saying takes back the one of its kind before."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self._turns: dict[str, int] = {}
        self._standing: dict[str, dict[str, int]] = {}
        self._tasks: dict[str, Task] = {}

    def say(self, task: Task, relation: str, *terms: Value) -> None:
        """Append ``relation(task, terms …, turn)``, in force until it is said again."""
        turn = self._turns.get(task.key, task.turn) + 1
        self.unsay(task, relation)
        self.batch.fact(relation, (task.key, *terms, turn))
        self._turns[task.key] = turn
        self._of(task)[relation] = turn

    def unsay(self, task: Task, relation: str) -> None:
        """Let what was last said of a kind be past."""
        turn = self._of(task).pop(relation, None)
        if turn is not None:
            self.batch.fact("past", (task.key, turn))

    def try_again(self, task: Task) -> None:
        """A failed task may run in this round."""
        turn = self._of(task).get(MISSED)
        if turn is not None:
            self.batch.fact("tried_again", (task.key, turn))

    def settle(self) -> None:
        """Take over what was said, once it is written."""
        for key, task in self._tasks.items():
            task.turn = self._turns.get(key, task.turn)
            task.standing = self._standing[key]

    def _of(self, task: Task) -> dict[str, int]:
        self._tasks[task.key] = task
        return self._standing.setdefault(task.key, dict(task.standing))


class Schedule:
    """Reads cost what they return; nothing here remembers a state."""

    def __init__(self, graph: ContextGraph, plan: Plan) -> None:
        self._graph = graph
        self._plan = plan
        self._engine = graph.store.engine

    @contextmanager
    def write(self, kind: str) -> Iterator[Pen]:
        """One transaction over graph and plan: all of it, or nothing; other threads wait for its end."""
        with self._graph.store.lock:
            with self._graph.batch(kind) as batch:
                pen = Pen(batch)
                yield pen
            pen.settle()

    def opening(self) -> int:
        """Which plan of its name over this graph the next one is, from 1."""
        return 1 + len(self._engine.match("opened", (self._plan.name, None)))

    def ready(self) -> list[Task]:
        """In the order of declaration."""
        return self._mine("ready")

    def failed(self) -> list[Task]:
        return self._mine("failed")

    def standing(self) -> list[Task]:
        """Tasks whose result stands: done, or failed since without having fallen."""
        failed = [task for task in self.failed() if RAN in task.standing and not self.is_stale(task)]
        return sorted([*self._mine("done"), *failed], key=lambda task: task.order)

    def pending_count(self) -> int:
        return self._engine.count("pending")

    def is_done(self, task: Task) -> bool:
        return self._engine.holds("done", (task.key,))

    def is_failed(self, task: Task) -> bool:
        return self._engine.holds("failed", (task.key,))

    def is_stale(self, task: Task) -> bool:
        return self._engine.holds("stale", (task.key,))

    def stands_on(self, assumption_id: str) -> list[Task]:
        """Tasks on this ground, in the order of declaration."""
        return self._in_order(self._engine.match("task", (None, assumption_id)))

    def state(self, task: Task) -> State:
        """One of the four words of the file format; ``blocked`` is not one of them."""
        if self.is_failed(task):
            return "failed"
        if self.is_done(task):
            return "done"
        return "stale" if self.is_stale(task) or (task.called_stale and task.node_id is None) else "pending"

    def blocked(self) -> dict[str, str]:
        """Why each task that waits does so, in words, in the order of declaration."""
        reasons: dict[str, str] = {}
        for row in self._engine.rows("blocked"):
            task = self._plan.by_key.get(str(row[0]))
            if task is not None and (task.name not in reasons or row[1] != WAITING):
                reasons[task.name] = str(row[1])
        names = self._plan.ordered(reasons)
        return {name: self._words(self._plan.tasks[name], reasons[name]) for name in names}

    def _words(self, task: Task, reason: str) -> str:
        if reason == GROUND_REJECTED:
            return f"its ground was rejected: {task.assumes}"
        if reason == GROUND_SUPERSEDED:
            return f"its ground was superseded: {task.assumes}"
        if reason != WAITING:
            return reason.replace("_", " ")  # a rule of the user's own
        waits = [need for need in task.needs if not self.is_done(self._plan.tasks[need])]
        more = f" and {len(waits) - _NAMED} more" if len(waits) > _NAMED else ""
        return f"waits for {', '.join(waits[:_NAMED])}{more}"

    def _mine(self, relation: str) -> list[Task]:
        return self._in_order(self._engine.rows(relation))

    def _in_order(self, rows: Iterable[Row]) -> list[Task]:
        found = [self._plan.by_key.get(str(row[0])) for row in rows]
        return sorted((task for task in found if task is not None), key=lambda task: task.order)
