"""One stratum: what it reads, its compiled rules, and its first evaluation, semi-naive by deltas.

A rule is run from one row of one literal outwards (its driver). From nothing, each rule is driven once by the
smallest relation it joins; then, in a recursive stratum, by the rows that are new, round by round
(Bancilhon and Ramakrishnan 1986).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from contextmesh.datalog import plan
from contextmesh.datalog.ast import Aggregate, Atom, Not, Row, Rule, Var
from contextmesh.datalog.compile import Code, Compiler, Mode
from contextmesh.datalog.facts import Relation
from contextmesh.datalog.limits import Meter
from contextmesh.datalog.steps import Plan
from contextmesh.datalog.strata import Stratum

Kind = Literal["positive", "negated", "folded"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A place where a rule reads a relation: body literal ``at``, and ``inner`` within it if it is an aggregate."""

    rule: int
    at: int
    inner: int | None
    relation: str
    kind: Kind


def readings(number: int, rule: Rule) -> list[Reading]:
    """Every place where a rule reads a relation, in the order written."""
    found: list[Reading] = []
    for at, literal in enumerate(rule.body):
        match literal:
            case Atom(relation):
                found.append(Reading(number, at, None, relation, "positive"))
            case Not(atom):
                found.append(Reading(number, at, None, atom.relation, "negated"))
            case Aggregate():
                for inner, part in enumerate(literal.body):
                    if isinstance(part, Atom | Not):
                        name = part.relation if isinstance(part, Atom) else part.atom.relation
                        found.append(Reading(number, at, inner, name, "folded"))
    return found


class Stage:
    """The evaluator of one stratum; ``built`` once it has been evaluated.

    ``copies``: a relation that only hands another one on takes its rows at once; else row by row, to be counted.
    """

    copies = True

    def __init__(self, number: int, stratum: Stratum, relations: Mapping[str, Relation], compiler: Compiler) -> None:
        self.number = number
        self.rules = stratum.rules
        self.recursive = stratum.recursive
        self.names = stratum.relations
        self.heads = [relations[name] for name in stratum.relations]
        self.built = False
        self._compiler = compiler
        self._places = {name: i for i, name in enumerate(stratum.relations)}
        every = [readings(i, rule) for i, rule in enumerate(stratum.rules)]
        self.own = [[r for r in found if r.relation in self._places] for found in every]
        self.reads = [[r for r in found if r.relation not in self._places] for found in every]
        self.inputs = [relations[name] for name in dict.fromkeys(r.relation for found in self.reads for r in found)]
        self.cursors = [0] * len(self.inputs)
        self.logs = [relation.log for relation in self.inputs]
        self.linear = len(self.heads) == 1 and all(len(found) <= 1 for found in self.own)
        self._codes: dict[tuple[Mode, tuple[Reading, ...]], Code] = {}
        self._rounds: dict[tuple[Mode, int], Code | None] = {}
        self._prover: list[Code] | None = None

    # ---- compiled rules ----------------------------------------------------------------------

    def code(self, mode: Mode, driven: Sequence[Reading]) -> Code:
        """The function for these readings of one relation; compiled when first wanted."""
        key = (mode, tuple(driven))
        if key not in self._codes:
            parts = []
            for reading in driven:
                rule = self.rules[reading.rule]
                if reading.inner is None:
                    made = plan.drive(rule, reading.at, losing=mode == "withdraw")
                else:
                    made = plan.drive_group(rule, reading.at, reading.inner)
                parts.append((self.fitted(made), rule.head.relation))
            self._codes[key] = self._compiler.runner(parts, self.names, mode)
        return self._codes[key]

    def fitted(self, made: Plan) -> Plan:
        """A plan with the indexes that this kind of stage uses."""
        return made

    def groups(self, driven: Sequence[Reading]) -> list[list[Reading]]:
        """Readings that one function may serve together: those that take each driver row as it is."""
        plain = [r for r in driven if r.kind == "positive"]
        return ([plain] if plain else []) + [[r] for r in driven if r.kind != "positive"]

    def codes(self) -> list[Code]:
        """Every function compiled so far."""
        return [*self._codes.values(), *(self._prover or [])]

    def provers(self) -> list[Code]:
        """For each relation of the stratum, a function that tells whether some rule derives a row now."""
        if self._prover is None:
            self._prover = [
                self._compiler.prover([plan.prove(rule) for rule in self.rules if rule.head.relation == name], name)
                for name in self.names
            ]
        return self._prover

    def round_code(self, mode: Mode, place: int) -> Code | None:
        """The function that new rows of one of the stratum's relations drive within the stratum, if any."""
        key = (mode, place)
        if key not in self._rounds:
            driven = [r for found in self.own for r in found if r.relation == self.names[place]]
            self._rounds[key] = self.code(mode, driven) if driven else None
        return self._rounds[key]

    def forget_codes(self) -> None:
        """Plan again when next evaluated: relations have grown, and other indexes may serve better."""
        self._codes.clear()
        self._rounds.clear()
        self._prover = None

    # ---- evaluation --------------------------------------------------------------------------

    def build(self, meter: Meter) -> bool:
        """Evaluate from nothing: no row goes, so none comes back."""
        meter.round()
        found: tuple[list[Row], ...] = tuple([] for _ in self.heads)
        try:
            for number in range(len(self.rules)):
                if not any(r.kind == "positive" for r in self.own[number]):
                    self.seed(number, found, meter)
        except BaseException:
            self.take_back(found)
            raise
        self.enter(found, meter)
        if self.recursive:
            self.close(found, meter)
        self.built = True
        self.cursors = list(map(len, self.logs))
        return False

    def seed(self, number: int, found: tuple[list[Row], ...], meter: Meter) -> None:
        """Everything that a rule derives from the inputs alone, driven by the smallest relation it joins."""
        joined = [r for r in self.reads[number] if r.kind == "positive"]
        if not joined:
            rule = self.rules[number]
            made = plan.whole(rule)
            self._compiler.runner([(made, rule.head.relation)], self.names, "derive").run((), found, meter, ())
            return
        by_name = {relation.name: relation for relation in self.inputs}
        driver = min(joined, key=lambda r: len(by_name[r.relation]))
        if self.copies and _is_copy(self.rules[number]):
            place = self._places[self.rules[number].head.relation]
            found[place].extend(self.heads[place].put_new(by_name[driver.relation].scan()))
        elif len(by_name[driver.relation]):
            self.code("derive", [driver]).run(by_name[driver.relation].scan(), found, meter, ())

    def enter(self, found: Sequence[list[Row]], meter: Meter) -> None:
        """Rows that a function set present become part of the relations; their indexes and logs follow."""
        for head, rows in zip(self.heads, found, strict=True):
            if rows:
                head.entered(rows)
        meter.row(sum(map(len, found)))

    def take_back(self, found: Sequence[list[Row]]) -> None:
        for head, rows in zip(self.heads, found, strict=True):
            head.forget(rows)

    def close(self, fresh: Sequence[list[Row]], meter: Meter) -> None:
        """Drive the stratum's own rules by rows that are new until none is."""
        if self.linear:
            code = self.round_code("derive", 0) if fresh[0] else None
            if code is not None:
                self._close_linear(code, fresh[0], meter)
            return
        while any(fresh):
            meter.round()
            found: tuple[list[Row], ...] = tuple([] for _ in self.heads)
            try:
                for place, rows in enumerate(fresh):
                    code = self.round_code("derive", place) if rows else None
                    if code is not None:
                        code.run(rows, found, meter, ())
            except BaseException:
                self.take_back(found)
                raise
            self.enter(found, meter)
            fresh = found

    def _close_linear(self, code: Code, fresh: list[Row], meter: Meter) -> None:
        """One relation, read once by each rule: a row that is found goes to the end of the rows that drive."""
        driving = list(fresh)
        given = len(driving)
        meter.round()
        meter.rows -= given  # a look at the limits in the middle counts all that drives
        try:
            code.run(driving, (driving,), meter, ())
        except BaseException:
            self.take_back([driving[given:]])
            raise
        meter.rows += given
        self.enter([driving[given:]], meter)


def _is_copy(rule: Rule) -> bool:
    """Whether every row of one relation is a row of the head as it stands."""
    terms = rule.head.terms
    if len(rule.body) != 1 or not isinstance(rule.body[0], Atom) or rule.body[0].terms != terms:
        return False
    return all(isinstance(term, Var) for term in terms) and len(dict.fromkeys(terms)) == len(terms)


class Temporary(Stage):
    """A stage that is evaluated once: constants are keys of indexes, and rules start wherever is cheapest."""

    def fitted(self, made: Plan) -> Plan:
        return plan.keyed(made)

    def seed(self, number: int, found: tuple[list[Row], ...], meter: Meter) -> None:
        rule = self.rules[number]
        sizes = {relation.name: len(relation) for relation in self.inputs}
        made = self.fitted(plan.whole(rule, sizes))
        self._compiler.runner([(made, rule.head.relation)], self.names, "derive").run((), found, meter, ())
