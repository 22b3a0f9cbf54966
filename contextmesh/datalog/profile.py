"""What each rule costs: an evaluation from nothing in which every rule runs by itself and counts what it does.

The functions are those of the engine (plan, emit), with a count beside each lookup and each row that is passed. Where
the engine runs several rules on one row together, here each has a function of its own, and its cost is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contextmesh.datalog import plan
from contextmesh.datalog.ast import Row, Rule
from contextmesh.datalog.compile import Code, Compiler, Mode, made
from contextmesh.datalog.emit import Emitter
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Relation
from contextmesh.datalog.limits import Limits, Meter
from contextmesh.datalog.program import Program
from contextmesh.datalog.seminaive import Reading, Stage
from contextmesh.datalog.steps import Absent, Member, Plan, Scan, Step
from contextmesh.datalog.strata import Stratum

LOOKUPS, SCANNED = 0, 1
_COUNTS = "z"


@dataclass(slots=True)
class Cost:
    """What one rule did.

    Attributes:
        runs: how often a function of it was called.
        driven: rows it was started from.
        rows: rows that it was the first to conclude.
        seconds: by the clock that was given.
    """

    rule: Rule
    runs: int = 0
    driven: int = 0
    rows: int = 0
    seconds: float = 0.0
    counts: list[int] = field(default_factory=lambda: [0, 0])

    @property
    def lookups(self) -> int:
        """Keys looked up in an index or a relation, and full scans begun."""
        return self.counts[LOOKUPS]

    @property
    def scanned(self) -> int:
        """Rows passed that a lookup or a full scan gave."""
        return self.counts[SCANNED]

    @property
    def work(self) -> int:
        """Everything that was touched: the same in every run."""
        return self.driven + self.lookups + self.scanned


def profile(
    program: Program, facts: Mapping[str, Iterable[Row]], clock: Callable[[], float], limits: Limits | None = None
) -> tuple[Cost, ...]:
    """The cost of each rule of a program over some facts, in the order of the program.

    Args:
        clock: seconds, read before and after each call of a rule; it decides nothing.

    Raises:
        LimitReached: the evaluation passed a limit.
    """
    engine = Engine(program, facts)  # for its relations, filled with what is given; it evaluates nothing
    costs = {id(rule): Cost(rule) for rule in program.rules}
    meter = (limits or Limits()).meter()
    for stage in engine.stages:
        stratum = Stratum(stage.names, stage.rules, stage.recursive)
        _Counted(stage.number, stratum, engine.relations, costs, clock).build(meter)
    return tuple(costs.values())


class _Counted(Stage):
    """A stage whose rules run one by one."""

    copies = False

    def __init__(
        self,
        number: int,
        stratum: Stratum,
        relations: Mapping[str, Relation],
        costs: Mapping[int, Cost],
        clock: Callable[[], float],
    ) -> None:
        super().__init__(number, stratum, relations, Compiler(relations))
        self.linear = False
        self._relations = relations
        self._clock = clock
        self._costs = [costs.get(id(rule)) or Cost(rule) for rule in self.rules]

    def code(self, mode: Mode, driven: Sequence[Reading]) -> Code:
        key = (mode, tuple(driven))
        if key not in self._codes:
            runs = []
            for reading in driven:
                rule = self.rules[reading.rule]
                assert reading.inner is None, "nothing that is aggregated drives an evaluation from nothing"
                runs.append(self._run(reading.rule, plan.drive(rule, reading.at, losing=False)))

            def every(drive: Any, found: tuple[list[Row], ...], meter: Meter, before: Any) -> None:
                for run in runs:
                    run(drive, found, meter)

            self._codes[key] = Code(every, "", {}, ())
        return self._codes[key]

    def seed(self, number: int, found: tuple[list[Row], ...], meter: Meter) -> None:
        if any(reading.kind == "positive" for reading in self.reads[number]):
            super().seed(number, found, meter)
        else:
            self._run(number, plan.whole(self.rules[number]))((), found, meter)

    def _run(self, number: int, made_plan: Plan) -> Callable[[Any, tuple[list[Row], ...], Meter], None]:
        cost, clock = self._costs[number], self._clock
        emitter = _Counting(self._relations, self._compiler.numbers, "derive", self.names)
        emitter.data[_COUNTS] = cost.counts
        code = made(emitter, emitter.runner([(made_plan, cost.rule.head.relation)]))

        def run(drive: Any, found: tuple[list[Row], ...], meter: Meter) -> None:
            there, start = sum(map(len, found)), clock()
            code.run(drive, found, meter, ())
            cost.seconds += clock() - start
            cost.rows += sum(map(len, found)) - there
            cost.runs += 1
            cost.driven += len(drive)

        return run


class _Counting(Emitter):
    """Writes a count beside each lookup and into each loop over rows."""

    def _step(self, step: Step, more_loops: bool) -> None:
        if isinstance(step, Scan | Member | Absent):
            self._line(f"{_COUNTS}[{LOOKUPS}] += 1")
        super()._step(step, more_loops)

    def _for(self, targets: str, rows: str, more_loops: bool) -> None:
        at, level = len(self._lines), self._level
        super()._for(targets, rows, more_loops)
        self._lines.insert(at + 1, "    " * (level + 1) + f"{_COUNTS}[{SCANNED}] += 1")
