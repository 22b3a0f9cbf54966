"""The engine: facts go in as deltas, and every relation of the program reads as if evaluated anew.

Work is put off until it shows. A stratum is first evaluated when a relation of it is read or reported; from
then on changes of what it reads are logged, and it takes them in, net, when it is read or reported again. So a
write pays only for the relations whose delta it asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from contextmesh.datalog.adhoc import GIVEN, Answer, ask, handed_on
from contextmesh.datalog.ast import Query, Row, Value
from contextmesh.datalog.choose import outgrown
from contextmesh.datalog.compile import Code, Compiler
from contextmesh.datalog.events import Event
from contextmesh.datalog.explain import Derivation, Explainer, Failure
from contextmesh.datalog.facts import Delta, Relation
from contextmesh.datalog.functional import functional
from contextmesh.datalog.late import Late
from contextmesh.datalog.limits import Limits, Meter
from contextmesh.datalog.maintain import Maintained
from contextmesh.datalog.program import Program
from contextmesh.datalog.strata import Stratum
from contextmesh.datalog.told import net_delta, tell
from contextmesh.datalog.trial import Frame, Trial
from contextmesh.datalog.wake import Waker

__all__ = ["Answer", "Delta", "Derivation", "Engine", "Failure", "Limits", "Trial"]

LONG = 4096


class Engine:
    """A program over facts, kept true.

    Args:
        facts: the first facts, by relation. A relation that rules derive may have some, and may be given more
            later only if it is named here or has facts in the program.
        limits: of each call that evaluates.
        listener: is told what was done.
        late: for input relations without facts: gives their rows when such a relation is first looked at.
        keyed: input relations whose first column is expected to name one row each, which then takes less memory.
    """

    def __init__(
        self,
        program: Program,
        facts: Mapping[str, Iterable[Row]] = {},
        *,
        limits: Limits | None = None,
        listener: Callable[[Event], None] | None = None,
        late: Mapping[str, Callable[[], Iterable[Row]]] = {},
        keyed: Collection[str] = (),
    ) -> None:
        self.program = program
        self.limits = limits or Limits()
        self.listener = listener
        one = functional(program, keyed)
        self.relations = {n: Relation(n, len(d.columns), keyed=n in one) for n, d in program.declarations.items()}
        self._late = Late(late, self.relations)
        self._given: dict[str, Relation] = {}
        for name in dict.fromkeys([*facts, *(name for name, _ in program.facts)]):
            if program.stratum_of[name] >= 0:
                self._given[name] = Relation(name + GIVEN, self.relations[name].arity)
        self.relations |= {relation.name: relation for relation in self._given.values()}
        compiler = Compiler(self.relations)
        self.stages = [
            Maintained(i, self._with_given(stratum), self.relations, compiler)
            for i, stratum in enumerate(program.strata)
        ]
        self._frames: list[Frame] = []
        self._dirty = (1 << len(self.stages)) - 1
        self._overdue = 0
        self._wire()
        for name, row in program.facts:
            self._base(name).add((row,))
        for name, rows in facts.items():
            self._base(name).add(rows)

    def _with_given(self, stratum: Stratum) -> Stratum:
        """A given row of a derived relation is derived by a rule of its own."""
        copies = [handed_on(name, self.relations[name].arity) for name in stratum.relations if name in self._given]
        return Stratum(stratum.relations, (*copies, *stratum.rules), stratum.recursive) if copies else stratum

    def _wire(self) -> None:
        """Who reads what, as bits by number of stage."""
        self._readers: dict[Relation, list[tuple[Maintained, int]]] = {r: [] for r in self.relations.values()}
        self._wakers: dict[Relation, Waker] = {}
        self._guards: dict[str, None] = {}
        self._closure = dict.fromkeys(self.relations, 0)
        for stage in self.stages:
            mask = 1 << stage.number
            for at, relation in enumerate(stage.inputs):
                self._readers[relation].append((stage, at))
                mask |= self._closure[relation.name]
            for name in stage.names:
                self._closure[name] = mask
        self._masks: dict[Collection[str], int] = {}

    def _base(self, name: str) -> Relation:
        if name in self._given:
            return self._given[name]
        assert self.program.stratum_of[name] < 0, f"{name} is derived by rules"
        return self.relations[name]

    # ---- reading -----------------------------------------------------------------------------

    def rows(self, relation: str) -> Sequence[Row]:
        """Every row, in insertion order.

        Raises:
            LimitReached: bringing the relation up to date passed a limit; nothing has changed.
        """
        return tuple(self.read(relation).scan())

    def count(self, relation: str) -> int:
        return len(self.read(relation))

    def holds(self, relation: str, row: Row) -> bool:
        return self.read(relation).holds(row)

    def match(self, relation: str, pattern: Sequence[Value | None]) -> Sequence[Row]:
        """Rows that agree with the pattern (None: anything), in insertion order, by an index."""
        return self.read(relation).match(pattern)

    def read(self, relation: str) -> Relation:
        """The relation itself, up to date; to be read at once and never changed."""
        mask = self._closure[relation]
        if self._dirty & mask:
            self._catch_up(mask)
        if self._late:
            self._fill(relation)
        return self.relations[relation]

    def _fill(self, name: str) -> None:
        """Let a relation have the rows it was promised, as if they had stood there from the start."""
        if self._late.fill(name):
            self._forget_if_guard(name)

    def stage_of(self, relation: str) -> Maintained | None:
        """The evaluator of a derived relation of the program, None for any other relation."""
        number = self.program.stratum_of.get(relation, -1)
        return self.stages[number] if number >= 0 else None

    def query(self, query: Query, limits: Limits | None = None) -> Answer:
        """Answer a query with its own rules over what stands; distinct rows, sorted.

        Raises:
            RuleError: the query does not fit the program.
            LimitReached: its evaluation passed a limit.
        """
        return ask(self, query, limits or self.limits)

    def explain(self, relation: str, row: Row, limits: Limits | None = None) -> Derivation | None:
        """The shortest derivation of a row, or None if it does not hold. Raises LimitReached beyond the limits."""
        return self._explainer(limits).explain(relation, row)

    def why_not(self, relation: str, row: Row, limits: Limits | None = None) -> tuple[Failure, ...]:
        """For each rule of the relation, the first literal that fails for the row; within limits, as ``explain``."""
        return self._explainer(limits).why_not(relation, row)

    def _explainer(self, limits: Limits | None) -> Explainer:
        rules = {name: [r for r in self.program.rules if r.head.relation == name] for name in self.program.stratum_of}
        return Explainer(rules, self.match, self._is_given, (limits or self.limits).meter())

    def _is_given(self, relation: str, row: Row) -> bool:
        if relation in self._given:
            return self._given[relation].holds(row)
        return self.program.stratum_of[relation] < 0

    def codes(self, relation: str) -> list[Code]:
        """The functions compiled so far for the stratum of a relation."""
        stage = self.stage_of(relation)
        return stage.codes() if stage is not None else []

    # ---- changing ----------------------------------------------------------------------------

    def apply(
        self,
        delta: Delta,
        *,
        report: Collection[str] | None = None,
        checks: Mapping[str, list[Row]] = {},
        judge: tuple[str, Callable[[Relation], None]] | None = None,
    ) -> Delta:
        """Drop and add given rows (dropped first), and tell exactly what changed.

        Args:
            report: relations to tell about; only what they need is evaluated now. None: all.
            judge: a relation, and who looks at it before anything else is evaluated and may refuse by raising.
            checks: rows that stand beside the delta while it is judged and told, and are gone afterwards.

        Raises:
            LimitReached: an evaluation passed a limit; nothing has changed.
            Refusal: what the judge raised; nothing has changed.
        """
        if report is None and self._frames:
            report = self._frames[-1].wanted
        mask = self._mask(report) | self._overdue
        judging = self._closure[judge[0]] if judge is not None else 0
        frame = self._open()
        try:
            self._refresh(mask | judging)  # the delta is told against what stood before, without the last checks
            before = {relation: len(relation.log) for relation in frame.marks}
            self._change(delta, frame)
            if judge is not None:
                self._change(Delta(checks), frame)
                self._refresh(judging)
                judge[1](self.relations[judge[0]])
            self._refresh(mask)
            told = net_delta({**frame.marks, **before}, report)
            if judge is not None:
                self._change(Delta(dropped=checks), frame)
                if any(len(rows) > LONG for rows in checks.values()):
                    self._refresh(judging)  # so that their logs need not be kept for it
        except BaseException:
            self._undo(frame)
            raise
        self._close(frame)
        self._overdue &= ~mask
        return told

    def trial(self, *, wanted: Collection[str] | None = None) -> Trial:
        """A context in which everything applied is undone at the end, unless ``keep`` is called on it.

        Args:
            wanted: relations the trial is about; others are left behind until read. Such a trial cannot be kept.
        """
        return Trial(self, wanted)

    def begin(self, wanted: Collection[str] | None) -> None:
        """Open a trial (see ``trial``)."""
        if wanted is not None:
            self._catch_up(self._mask(wanted))
        frame = self._open()
        frame.wanted = wanted

    def end(self, *, keep: bool) -> None:
        """End the innermost trial."""
        frame = self._frames[-1]
        if keep:
            self._close(frame)
        else:
            self._undo(frame)

    # ---- evaluation --------------------------------------------------------------------------

    def _mask(self, names: Collection[str] | None) -> int:
        if names is None:
            return (1 << len(self.stages)) - 1
        key = tuple(names)
        mask = self._masks.get(key)
        if mask is None:
            mask = 0
            for name in key:
                mask |= self._closure[name]
            self._masks[key] = mask
        return mask

    def _change(self, delta: Delta, frame: Frame) -> None:
        for name in (*delta.dropped, *delta.added) if self._late else ():
            self._fill(name)
        for name, rows in delta.dropped.items():
            relation = self._base(name)
            stays = dict.fromkeys(delta.added.get(name, ()))
            frame.touch(relation)
            mark = len(relation.log)
            if relation.drop([row for row in rows if row not in stays] if stays else rows):
                self._wake(relation, mark)
        for name, rows in delta.added.items():
            relation = self._base(name)
            assert not set(map(len, rows)) - {relation.arity}, f"a row of {name} has another length"
            frame.touch(relation)
            mark = len(relation.log)
            if relation.add(rows):
                self._wake(relation, mark)

    def _wake(self, relation: Relation, mark: int) -> None:
        """What changed since a position of the log makes the strata due that it can matter to."""
        for name in self._late.owed([stage for stage, _ in self._readers[relation]]) if self._late.owing else ():
            self._fill(name)
        waker = self._wakers.get(relation)
        if waker is None:
            stages = list(dict.fromkeys(stage for stage, _ in self._readers[relation]))
            waker = self._wakers[relation] = Waker(relation.name, stages, self.relations, self._guards)
        if waker.every:
            self._dirty |= waker.mask(relation.log[mark:])
            self._forget_if_guard(relation.name)

    def _forget_if_guard(self, name: str) -> None:
        if name in self._guards:
            for waker in self._wakers.values():
                waker.forget()

    def _catch_up(self, mask: int) -> None:
        if not self._dirty & mask:
            return
        frame = self._open()
        try:
            self._refresh(mask)
        except BaseException:
            self._undo(frame)
            raise
        self._close(frame)

    def _refresh(self, mask: int) -> None:
        """Bring the stages of a mask up to date, lowest first; one that does not change wakes no other."""
        todo = self._dirty & mask
        if not todo:
            return
        frame = self._frames[-1]
        meter = None
        while todo:
            bit = todo & -todo
            stage = self.stages[bit.bit_length() - 1]
            frame.note(stage)
            if not (stage.built and stage.is_idle()):
                meter = meter or self.limits.meter()
                self._run(stage, frame, meter)
            self._dirty &= ~bit
            todo = self._dirty & mask

    def _run(self, stage: Maintained, frame: Frame, meter: Meter) -> None:
        if self._late:
            for name in self._late.needed(stage):
                self._fill(name)
        for head in stage.heads:
            frame.touch(head)
        marks = [len(head.log) for head in stage.heads]
        built = stage.built
        returned = stage.update(meter) if built else stage.build(meter)
        for head, mark in zip(stage.heads, marks, strict=True):
            if returned and not any(head.net(mark)):
                head.cut(mark)  # what went came back
            if len(head.log) != mark:
                self._wake(head, mark)
        if self.listener is not None:
            tell(self.listener, stage, marks, whole=not built)

    # ---- frames ------------------------------------------------------------------------------

    def _open(self) -> Frame:
        frame = Frame(self._dirty)
        self._frames.append(frame)
        return frame

    def _close(self, frame: Frame) -> None:
        assert self._frames.pop() is frame, "trials end in the order in which they began, last first"
        if self._frames:
            frame.merge(self._frames[-1])
            return
        grown = []
        for relation in frame.marks:
            relation.settle()
            if len(relation.log) > relation.patience:
                self._trim(relation)
            if relation.misfits():
                relation.loosen()
                grown.append(relation)
            elif len(relation.rows) > relation.planned:
                grown.append(relation)
        if grown:
            self._replan(grown)

    def _replan(self, grown: list[Relation]) -> None:
        """Relations are many times as large as when rules that read them were compiled."""
        used = {index: None for stage in self.stages for code in stage.codes() for index in code.uses}
        for relation in grown:
            relation.planned = max(relation.planned + 1, 8 * len(relation))
            relation.keep_indexes(lambda index: index in used and not outgrown(relation, index))  # noqa: B023
            for stage in (*(stage for stage, _ in self._readers[relation]), self.stage_of(relation.name)):
                if stage is not None:
                    stage.forget_codes()

    def _undo(self, frame: Frame) -> None:
        assert self._frames.pop() is frame, "trials end in the order in which they began, last first"
        frame.undo()
        self._dirty = frame.dirty
        if not self._frames:
            for relation in frame.marks:
                relation.settle()

    def _trim(self, relation: Relation) -> None:
        """Forget changes that every built reader has seen or slept through; those that stay far behind become due."""
        reading = [(stage, at) for stage, at in self._readers[relation] if stage.built]
        for stage, at in reading:
            if not self._dirty >> stage.number & 1:
                stage.cursors[at] = relation.end
        seen = min((stage.cursors[at] for stage, at in reading), default=relation.end)
        relation.trim(seen)
        for stage, at in reading:
            stage.cursors[at] -= seen
        relation.patience = max(LONG // 4, 2 * len(relation.log))
        if len(relation.log) > max(LONG, 2 * len(relation)):
            relation.patience = LONG // 4
            for stage, at in reading:
                if stage.cursors[at] < relation.end:
                    self._overdue |= self._closure[stage.names[0]]
