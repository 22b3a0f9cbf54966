"""pyDatalog as a second engine: fed only from our tree, in a child process that is killed at its deadline.

``SecondEngine`` plans, asks the child and checks what comes back. The child (``python -m contextmesh.datalog.goal``)
is the only place that gives rules to pyDatalog: it reads one plan a line, builds pyDatalog's own terms from it and
writes one reply a line. No text is ever read by pyDatalog, whose ``load`` and ``ask`` run Python.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from contextmesh.base.canon import canonical
from contextmesh.base.errors import LimitReached, Problem
from contextmesh.datalog.ast import Query, Row, Value
from contextmesh.datalog.goal_child import Child
from contextmesh.datalog.goal_plan import plan
from contextmesh.datalog.limits import Limits, Meter, whole
from contextmesh.datalog.order import row_key, value_key
from contextmesh.datalog.program import GOAL, Program

Facts = Mapping[str, Iterable[Row]]
Rows = dict[str, dict[Row, None]]
MEMORY = 4 << 30
"""Bytes the child may map: a runaway rule must not take the machine's memory before its deadline."""


class SecondEngine:
    """pyDatalog over checked programs, one child process for many questions.

    Limits: ``seconds`` for each question, at which the child is killed, and ``rows`` for what it keeps or adds up.
    Rounds have no meaning in a search from the goal. After a question that was stopped the next one starts a
    new child.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._child: Child | None = None

    def evaluate(self, program: Program, facts: Facts, relations: Sequence[str] | None = None) -> Rows:
        """The rows of the relations asked for (all declared ones by default), each sorted, whole numbers first.

        Raises:
            LimitReached: ``limit-reached``, ``integer-range`` (a sum left 64 bits), or ``pydatalog-stopped``.
        """
        wanted = list(program.declarations) if relations is None else list(relations)
        steps = plan(program, facts, wanted)
        job = {"steps": steps, "rows": self.limits.rows, "seconds": self.limits.seconds}
        reply = json.loads(self._ready().ask(canonical(job).encode("utf-8"), self.limits.seconds))
        if "problem" in reply:
            problem = reply["problem"]
            raise LimitReached(Problem(problem["code"], problem["message"], problem["subject"], hint=problem["hint"]))
        assert list(reply) == ["rows"], f"pyDatalog failed on a plan of ours: {reply}"
        return {name: dict.fromkeys(sorted(map(tuple, reply["rows"][name]), key=row_key)) for name in wanted}

    def answer(self, program: Program, query: Query, facts: Facts) -> list[Row]:
        """The rows of a query, distinct and sorted. Raises as ``evaluate``, and RuleError for a bad query."""
        return list(self.evaluate(program.with_query(query), facts, [GOAL])[GOAL])

    def close(self) -> None:
        """Ends the child. Closing twice is allowed."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def __enter__(self) -> SecondEngine:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _ready(self) -> Child:
        if self._child is None or not self._child.alive:
            self.close()
            self._child = Child("contextmesh.datalog.goal")
        return self._child


def evaluate(program: Program, facts: Facts, limits: Limits | None = None) -> Rows:
    """``SecondEngine.evaluate`` with a child for this call alone."""
    with SecondEngine(limits) as engine:
        return engine.evaluate(program, facts)


def answer(program: Program, query: Query, facts: Facts, limits: Limits | None = None) -> list[Row]:
    """``SecondEngine.answer`` with a child for this call alone."""
    with SecondEngine(limits) as engine:
        return engine.answer(program, query, facts)


# ---- the child ------------------------------------------------------------------------------------


class Text(str):
    """A text constant: after every whole number, and never part of a sum. Equality and hash are those of text."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return isinstance(other, str) and str.__lt__(self, other)

    def __le__(self, other: object) -> bool:
        return isinstance(other, str) and str.__le__(self, other)

    def __gt__(self, other: object) -> bool:
        return not isinstance(other, str) or str.__gt__(self, other)

    def __ge__(self, other: object) -> bool:
        return not isinstance(other, str) or str.__ge__(self, other)


class Machine:
    """One plan, run step by step in pyDatalog's engine. Its state is this thread's, and is reset here."""

    def __init__(self, meter: Meter) -> None:
        from pyDatalog import Logic, pyEngine

        Logic()
        self._engine = pyEngine
        self._resolvers = pyEngine.Python_resolvers
        self._resolvers.clear()
        self._resolvers["sum_+_/3"] = self._adder(lambda a, b: a + b)
        self._resolvers["sum_-_/3"] = self._adder(lambda a, b: a - b)
        self._meter = meter
        self._texts: dict[str, Any] = {}
        self.answers: dict[str, list[Row]] = {}

    def run(self, step: list[Any]) -> None:
        match step:
            case ["facts", name, arity, rows]:
                self._known(name, max(arity, 1))
                self._assert(name, rows)
            case ["clause", head, body]:
                self._clause(head, body)
            case ["fill", [name, slots], body]:
                self._clause([f"q_{name}", slots], body)
                self._known(name, len(slots))
                self._assert(name, self._ask(f"q_{name}", self._variables(len(slots))))
            case ["fold", name, kind, source, width, over]:
                self._fold(name, kind, source, width, over)
            case ["answer", relation, name, arity]:
                rows = self._ask(name, self._variables(max(arity, 1)))
                self.answers[relation] = rows if arity else [()] * bool(rows)
            case _:
                raise AssertionError(step[0])

    # ---- pyDatalog's terms -----------------------------------------------------------------

    def _term(self, slot: Any) -> Any:
        if isinstance(slot, list):
            return self._engine.Var(slot[0])
        if isinstance(slot, str):
            term = self._texts.get(slot)
            if term is None:
                term = self._texts[slot] = self._engine.Const(Text(slot))
            return term
        return self._engine.Const(slot)

    def _literal(self, name: str, slots: Iterable[Any]) -> Any:
        return self._engine.Literal(name, [self._term(slot) for slot in slots])

    def _item(self, item: list[Any]) -> Any:
        match item:
            case ["call", name, slots]:
                return self._literal(name, slots)
            case ["absent", name, slots]:
                return self._literal(f"~{name}", slots)
            case ["compare", op, left, right]:
                return self._literal("==" if op == "=" else op, [left, right])
            case ["sum", op, left, right, result]:
                return self._literal(f"sum_{op}_", [left, right, result])
            case ["folded", name, slots]:
                return self._literal(name, slots)
        raise AssertionError(item[0])

    def _clause(self, head: list[Any], body: list[Any]) -> None:
        name, slots = head
        literal = self._literal(name, slots or [""])
        self._engine.insert(literal.pred)
        self._engine.assert_(self._engine.Clause(literal, [self._item(item) for item in body]))

    def _known(self, name: str, arity: int) -> None:
        """A predicate without rows exists too: pyDatalog fails on one it has not seen."""
        self._engine.insert(self._engine.Pred(name, arity))

    def _assert(self, name: str, rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            self._engine.assert_(self._engine.Clause(self._literal(name, row), []))

    def _variables(self, count: int) -> list[Any]:
        return [self._engine.Var(str(i)) for i in range(count)]

    def _ask(self, name: str, terms: list[Any]) -> list[Row]:
        """Distinct rows. At least one term is a variable; asking while an answer is being searched is allowed."""
        found: list[Row] = self._engine.Literal(name, terms).ask()
        self._meter.row(len(found))
        return found

    # ---- what pyDatalog asks back ------------------------------------------------------------

    def _adder(self, apply: Callable[[int, int], int]) -> Callable[[Any, Any, Any], Iterator[Row]]:
        """A predicate (left, right, result); over text it has no rows. Every sum counts as a row."""

        def add(left: Any, right: Any, _: Any) -> Iterator[Row]:
            self._meter.row()
            if isinstance(left.id, int) and isinstance(right.id, int):
                yield left.id, right.id, whole(apply(left.id, right.id))

        return add

    def _fold(self, name: str, kind: str, source: str, width: int, over: int) -> None:
        """A predicate (group, value): for a known group it asks ``source`` (group, tuple) and folds the tuples."""

        def look(*terms: Any) -> Iterator[Row]:
            group = list(terms[:-1])
            rows = self._ask(source, [*group, *self._variables(over)])
            value = folded(kind, [row[width] for row in rows])
            if value is not None:
                yield (*[term.id for term in group], value)

        self._resolvers[f"{name}/{width + 1}"] = look


def folded(kind: str, members: list[Value]) -> Value | None:
    """The value of one group, or None where the aggregate does not hold."""
    match kind:
        case "count":
            return len(members)
        case "min":
            return min(members, key=value_key, default=None)
        case "max":
            return max(members, key=value_key, default=None)
        case _:
            numbers = [member for member in members if isinstance(member, int)]
            return whole(sum(numbers)) if len(numbers) == len(members) else None


def reply_to(job: dict[str, Any]) -> dict[str, Any]:
    """The rows of each ``answer`` step, or the problem that stopped the plan."""
    try:
        machine = Machine(Limits(rows=job["rows"], seconds=job["seconds"]).meter())
        for step in job["steps"]:
            machine.run(step)
    except LimitReached as refusal:
        problem = refusal.problem
        return {"problem": {k: getattr(problem, k) for k in ("code", "message", "subject", "hint")}}
    return {"rows": machine.answers}


def main() -> None:
    """Reads jobs and writes replies, until the pipe is closed."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the library prints is no reply
    _bound_memory()
    import pyDatalog.pyEngine  # noqa: F401

    replies.write(b"ready\n")
    replies.flush()
    for line in sys.stdin.buffer:
        job = json.loads(line)
        _die_after(job["seconds"])
        replies.write(json.dumps(reply_to(job)).encode("ascii") + b"\n")
        replies.flush()


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # no such limit on this system
        return
    with contextlib.suppress(OSError, ValueError):  # a smaller limit stands already
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _die_after(seconds: float) -> None:
    """Should the parent be killed first, the child still ends: the default action of the alarm needs no Python."""
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds + 5)


if __name__ == "__main__":
    main()
