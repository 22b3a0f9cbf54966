"""A case run under a policy: its steps change the facts of an engine, which is then held against what it expects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from contextmesh.base.errors import Problem, RuleError
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Atom, Const, Literal, Query, Row, Rule, Value
from contextmesh.datalog.check import atoms, check_names
from contextmesh.datalog.engine import Derivation, Engine, Failure
from contextmesh.datalog.facts import Delta, Relation
from contextmesh.datalog.fold import place
from contextmesh.datalog.limits import Limits
from contextmesh.datalog.program import Program
from contextmesh.datalog.safety import outer_variables
from contextmesh.lang.cases import Case, Step, fact_atom
from contextmesh.lang.render import render_atom
from contextmesh.lang.words import write_value
from contextmesh.policy.expected import Miss, cut, misses, rows_by_relation
from contextmesh.policy.policy import Policy

LIMITS = Limits(rows=1_000_000, rounds=100_000, seconds=30.0)
"""Of each evaluation of a case."""
VIOLATION = "violation"
_CHECKED = {"node": "new_node", "edge": "new_edge"}

Watch = Callable[[Engine, Sequence[str]], object]
"""Is shown the engine whenever rows of some relations are compared, before anything changes again."""


def program_of(case: Case, policy: Policy) -> Program:
    """The program a case is about: that of files compared with each other if it names an input of it."""
    named = [name for step in case.steps for name, _, _ in step.facts]
    apart = [name for name in named if name in policy.integrity.declarations]
    return (
        policy.integrity if apart and not any(name in policy.program.declarations for name in named) else policy.program
    )


def run_case(
    case: Case,
    policy: Policy,
    base: Mapping[str, Iterable[Row]] | None = None,
    *,
    watch: Watch | None = None,
    limits: Limits = LIMITS,
) -> tuple[Miss, ...]:
    """What the policy says otherwise than a case, in the order of its steps; nothing when the case holds.

    Args:
        base: facts that stand before the first step. Without them the tables of the policy's GRAPH.md stand.

    Raises:
        RuleError: the case does not fit the policy: ``unknown-relation``, ``arity``, ``input-derived``, or an
            expectation that is no query.
        LimitReached: an evaluation passed a limit.
    """
    program = program_of(case, policy)
    facts = {**(base or {}), **policy.facts} if program is policy.program else {}
    run = _Run(program, {**_doors(case, program), **facts}, watch, limits)
    run.check(case)
    for step, following in zip(case.steps, (*case.steps[1:], None), strict=True):
        run.step(step, following)
    return tuple(run.finished())


def _doors(case: Case, program: Program) -> dict[str, tuple[Row, ...]]:
    """Relations of the rules' own that a case adds to: a rule that derives them may stand beside what is given."""
    named = dict.fromkeys(name for step in case.steps if step.kind != "only" for name, _, _ in step.facts)
    return {name: () for name in named if program.stratum_of.get(name, -1) >= 0}


class _Refused(Exception):
    """The transaction was judged and is taken back."""


@dataclass(slots=True)
class _Judged:
    """What a write was refused for, and why the refusals that are expected are none: told while the write stood."""

    step: Step
    rows: dict[Row, Derivation | None] = field(default_factory=dict)
    why_not: dict[Atom, tuple[Failure, ...]] = field(default_factory=dict)

    def by(self, engine: Engine, expected: Step | None) -> None:
        """Take down what the engine says of the write."""
        self.rows.update((row, engine.explain(VIOLATION, row)) for row in engine.rows(VIOLATION))
        for atom in expected.body if expected is not None and expected.kind == "refused" else ():
            row = _violation_row(atom)
            if row is not None and isinstance(atom, Atom):
                self.why_not[atom] = engine.why_not(VIOLATION, row)


class _Run:
    def __init__(
        self, program: Program, facts: Mapping[str, Iterable[Row]], watch: Watch | None, limits: Limits
    ) -> None:
        self.program = program
        known = {name: rows for name, rows in facts.items() if name in program.declarations}
        self.engine = Engine(program, known, limits=limits)
        self.watch = watch
        self.misses: list[Miss] = []
        self._number = max((row[1] for row in known.get("born", ()) if isinstance(row[1], int)), default=0)
        self._judged: _Judged | None = None

    # ---- fitting -----------------------------------------------------------------------------

    def check(self, case: Case) -> None:
        """Raises RuleError for whatever of the case the program does not know."""
        problems: list[Problem] = []
        for step in case.steps:
            if step.kind in ("write", "reject") and VIOLATION not in self.program.declarations:
                message = "no rule judges a write of these facts: state them with `given`"
                problems.append(Problem("input-derived", message, subject=VIOLATION, where=place(step.at)))
            if step.kind != "reject":
                for relation, row, at in step.facts:
                    problems += self._check_fact(step, fact_atom(relation, row, at))
            if step.kind == "expect":
                try:
                    self.program.with_query(_query(step.body, step.at.source))
                except RuleError as refusal:
                    problems += refusal.problems
        if problems:
            raise RuleError(*problems)

    def _check_fact(self, step: Step, atom: Atom) -> list[Problem]:
        problems = check_names([Rule(atom)], dict(self.program.declarations), standalone=True)
        if not problems and step.kind != "only" and self.program.declarations[atom.relation].kind == "output":
            message = f"{atom.relation} is what the rules conclude, and a case states what they conclude it from"
            hint = "state the facts that it follows from"
            return [Problem("input-derived", message, subject=atom.relation, where=place(atom.at), hint=hint)]
        return problems

    # ---- steps -------------------------------------------------------------------------------

    def step(self, step: Step, following: Step | None) -> None:
        """Take one step; ``following`` says which refusals are expected of a write."""
        if step.kind == "refused":
            self._refusal(step)
            return
        self._settle()
        match step.kind:
            case "given" | "write" | "reject":
                self._number += 1
                self._add(step, following)
            case "drop":
                self._number += 1
                self.engine.apply(Delta(dropped=rows_by_relation(step)), report=())
            case "expect":
                self._look([atom.relation for atom in atoms(step.body)])
                self.misses += misses(self.engine, step)
            case "only":
                self._look([relation for relation, _, _ in step.facts])
                self.misses += misses(self.engine, step)

    def finished(self) -> list[Miss]:
        self._settle()
        return self.misses

    def _look(self, relations: Iterable[str]) -> None:
        if self.watch is not None:
            self.watch(self.engine, tuple(dict.fromkeys(relations)))

    def _add(self, step: Step, following: Step | None) -> None:
        if step.kind == "reject":
            ((_, (assumption, evidence), _),) = step.facts
            added: dict[str, list[Row]] = {"verdict": [(assumption, evidence, self._number)]}
        else:
            added = rows_by_relation(step)
        fresh = dict.fromkeys(row[0] for name in _CHECKED for row in added.get(name, ()))
        told = dict.fromkeys(row[0] for row in added.get("born", ()))
        born = [(name, self._number) for name in fresh if name not in told and not self._is_born(name)]
        if born:
            added.setdefault("born", []).extend(born)
        if step.kind == "given":
            self.engine.apply(Delta(added), report=())
            return
        checks = {new: list(added[name]) for name, new in _CHECKED.items() if name in added}
        if "verdict" in added:
            checks["new_verdict"] = [row[:2] for row in added["verdict"]]
        judged = self._judged = _Judged(step)

        def judge(relation: Relation) -> None:
            self._look([VIOLATION])
            judged.by(self.engine, following)
            if len(relation):
                raise _Refused

        try:
            self.engine.apply(Delta(added), report=(), checks=checks, judge=(VIOLATION, judge))
        except _Refused:
            self._number -= 1

    def _is_born(self, name: Value) -> bool:
        return bool(self.engine.match("born", (name, None)))

    # ---- refusals ----------------------------------------------------------------------------

    def _settle(self) -> None:
        """A write that nobody expected to be refused must have been accepted."""
        if self._judged is None:
            return
        judged, self._judged = self._judged, None
        for row, why in [*judged.rows.items()][:1]:
            message, where = f"the write is refused: {_violation(row)}", place(judged.step.at)
            problem = Problem("refused-write", message, subject=str(row[0]), where=where)
            self.misses.append(Miss(problem, (), cut(map(_violation, judged.rows)), why))

    def _refusal(self, step: Step) -> None:
        assert self._judged is not None, "the reader lets it stand only after a write"
        judged, self._judged = self._judged, None
        wanted = [part for part in step.body if isinstance(part, Atom)]
        expected, got = cut(map(render_atom, wanted)), cut(map(_violation, judged.rows))
        for atom in wanted:
            if not any(_fits(atom, row) for row in judged.rows):
                message = f"the write is not refused for {render_atom(atom)}"
                problem = Problem("not-refused", message, subject=atom.relation, where=place(atom.at))
                self.misses.append(Miss(problem, expected, got, None, judged.why_not.get(atom, ())))
        left = [row for row in judged.rows if not any(_fits(atom, row) for atom in wanted)]
        for row in left[:1]:
            message, where = f"the write is refused for {_violation(row)} too", place(step.at)
            problem = Problem("refused-write", message, subject=str(row[0]), where=where)
            self.misses.append(Miss(problem, expected, got, judged.rows[row]))


def _query(body: tuple[Literal, ...], source: Source) -> Query:
    return Query(source, body, outer_variables(body))


def _fits(atom: Atom, row: Row) -> bool:
    """A violation is written CODE(SUBJECT)."""
    terms = [Const(atom.relation), *atom.terms]
    return len(terms) == len(row) and all(
        not isinstance(term, Const) or term.value == value for term, value in zip(terms, row, strict=True)
    )


def _violation_row(atom: Literal) -> Row | None:
    if not isinstance(atom, Atom):
        return None
    terms = [term.value for term in atom.terms if isinstance(term, Const)]
    return (atom.relation, *terms) if len(terms) == len(atom.terms) == 1 else None


def _violation(row: Row) -> str:
    return f"{row[0]}({', '.join(map(write_value, row[1:]))})"
