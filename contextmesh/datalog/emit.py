"""The text of compiled rules, line by line (see compile for the names in it)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from contextmesh.datalog.ast import Const, Sum, Term
from contextmesh.datalog.choose import FEW
from contextmesh.datalog.facts import MANY, Relation
from contextmesh.datalog.steps import Absent, Fold, Let, Member, Plan, Scan, Step, Test, names_in
from contextmesh.datalog.text import Shared, Tests
from contextmesh.datalog.text_rows import ROW, RowText

LOOPS = 14
"""Python nests at most twenty loops; beyond this many a new nest is begun from a list of bindings."""

INDENT = 60
_GIVEN = re.compile(rf"\b{ROW}\b")
HELPERS = ("plus", "minus", "undo_plus", "undo_minus", "total", "tick", "fewest", "some")


class Emitter(RowText):
    """Emits one function."""

    def __init__(
        self,
        relations: Mapping[str, Relation],
        numbers: Mapping[str, int],
        mode: str,
        heads: Sequence[str],
        often: Collection[Shared] = (),
        few: float = FEW,
    ) -> None:
        super().__init__(relations, numbers, heads)
        self._often = often
        self._few = few
        self.mode = mode
        self._base = (0, 0, 0)
        self._given_at = 0

    # ---- whole functions ---------------------------------------------------------------------

    def runner(self, parts: Sequence[tuple[Plan, str]]) -> str:
        self._level = 2
        start: list[str] = []
        first = parts[0][0]
        if len(parts) == 1 and (needed := self._needed(first)):
            start = [f"if not ({needed}):", "    return"]
        if first.bind is None:
            self._rule(first, parts[0][1])
        elif len(parts) == 1:
            self._enter(first, "drive")
            self._tests(first)
            self._rule(parts[0][0], parts[0][1])
            self._open_given()
        else:
            self._together(parts, start)
        takes = [f"p{i} = found[{i}].append" for i in self.heads.values()]
        if self.mode == "withdraw":
            takes += [f"d{i} = before[{i}]" for i in self.heads.values()]
        takes += [f"{name} = {scan}" for scan, name in self._scans.items()]
        return self._function("drive, found, meter, before", [*start, *takes, "n = 0"])

    def _together(self, parts: Sequence[tuple[Plan, str]], start: list[str]) -> None:
        """Several rules on one row: its columns have one name, and what they look up alike is looked up once."""
        assert parts[0][0].bind is not None
        columns = [f"w{i}" for i in range(len(parts[0][0].bind.names))]
        self._each_given(", ".join(columns) + ("," if len(columns) == 1 else "") or "_", columns, "drive")
        self._tick()
        first = len(self._lines)
        guards: list[str] = []
        for number, (plan, head) in enumerate(parts):
            assert plan.bind is not None
            self._variables = {name: columns[i] for i, name in enumerate(plan.bind.names) if name is not None}
            needed = self._needed(plan)
            self._part = f"u{number}" if needed else ""
            if needed:
                start.append(f"u{number} = {needed}")
                self._nest(f"if u{number}:")
            guards.append(self._part)
            self._tests(plan)
            self._rule(plan, head)
            self._level, self._loops = 3, 1
        if all(guards):
            start += [f"if not ({' or '.join(guards)}):", "    return"]
        self._lines[first:first] = [f"            {line}" for line in self._looked_up_early()]
        self._open_given()

    def _needed(self, plan: Plan) -> str:
        """A test whether the relations that a plan joins have any rows; those it adds to may still get some."""
        names = dict.fromkeys(_joined(plan.steps))
        return " and ".join(f"r{self._relation(name)}" for name in names if name not in self.heads)

    def prover(self, plans: Sequence[Plan]) -> str:
        self._level = 2
        for plan in plans:
            self._loops = 0
            level = self._level
            self._unpack(plan)
            self._tests(plan)
            self._rule(plan, "")
            self._level = level
        self._line("return False")
        scans = [f"{name} = {scan}" for scan, name in self._scans.items()]
        return self._function("row, meter", ["n = 0", "found = ()", *scans])

    def _function(self, arguments: str, start: Sequence[str]) -> str:
        lines = ["def make(helpers, data):"]
        used = "\n".join(self._lines)
        lines += [f"    {name} = helpers[{name!r}]" for name in HELPERS if f"{name}(" in used]
        lines += [f"    {name} = data[{name!r}]" for name in self.data]
        lines += ["", f"    def run({arguments}):", *(f"        {line}" for line in start), *self._lines]
        return "\n".join([*lines, "", "    return run", ""])

    # ---- the driver --------------------------------------------------------------------------

    def _enter(self, plan: Plan, source: str) -> None:
        assert plan.bind is not None
        names = plan.bind.names
        if plan.distinct:
            kept = [(i, name) for i, name in enumerate(names) if name is not None]
            if not kept:
                self._line(f"for _ in {source}[:1]:")
            else:
                parts = ", ".join(f"row[{i}]" for i, _ in kept)
                taken = ", ".join(self._variable(name) for _, name in kept)
                self._line(f"for {taken}, in dict.fromkeys([({parts},) for row in {source}]):")
            self._level += 1
        else:
            columns = [self._variable(name) for name in names if name is not None]
            self._each_given(self._targets(names), columns if len(columns) == len(names) else (), source)
        self._loops = 1
        self._tick()

    def _each_given(self, targets: str, columns: Sequence[str], source: str) -> None:
        """The loop over the rows that drive; a row of the same values is that very row (``_open_given``)."""
        self._given_at, self._given_row = len(self._lines), tuple(columns)
        self._line(f"for {targets} in {source}:")
        self._level += 1

    def _open_given(self) -> None:
        """Where a driving row is used whole, it has a name, and is taken apart in a line of its own."""
        if any(_GIVEN.search(line) for line in self._lines):
            line = self._lines[self._given_at]
            indent = line[: len(line) - len(line.lstrip())]
            targets, source = line.strip().removeprefix("for ").removesuffix(":").rsplit(" in ", 1)
            opened = [f"{indent}for {ROW} in {source}:", f"{indent}    {targets} = {ROW}"]
            self._lines[self._given_at : self._given_at + 1] = opened

    def _unpack(self, plan: Plan) -> None:
        assert plan.bind is not None
        if any(name is not None for name in plan.bind.names):
            self._line(f"{self._targets(plan.bind.names)} = row")

    def _targets(self, names: Sequence[str | None]) -> str:
        if not any(names):
            return "_"
        taken = ", ".join("_" if name is None else self._variable(name) for name in names)
        return f"{taken}," if len(names) == 1 else taken

    def _tests(self, plan: Plan) -> None:
        assert plan.bind is not None
        for test in plan.bind.tests:
            self._test(test)

    # ---- a body ------------------------------------------------------------------------------

    def _rule(self, plan: Plan, head: str) -> None:
        """Steps nest into each other; a check of the head comes as soon as the head is known."""
        known = dict.fromkeys(name for name in (plan.bind.names if plan.bind else ()) if name)
        wanted = dict.fromkeys(names_in(plan.head))
        guarded = self.mode == "prove" or any(isinstance(term, Sum) for term in plan.head)
        self._base = (len(self._lines), self._level, self._loops)
        for at, step in enumerate(plan.steps):
            if not guarded and wanted.keys() <= known.keys() and any(_loops(later) for later in plan.steps[at:]):
                self._guard(plan.head, head)
                guarded = True
            if self._loops > LOOPS or self._level > INDENT:
                self._spill(known, plan.steps[at:], plan.head)
            self._step(step, any(_loops(later) for later in plan.steps[at + 1 :]))
            known.update(dict.fromkeys(_binds(step)))
        if self.mode == "prove":
            self._line("return True")
        else:
            self._found(plan.head, head)

    def _guard(self, terms: Sequence[Term], head: str) -> None:
        values = [self._value(term) for term in terms]
        known = f"r{self._relation(head)} and {self._there(head, values)}"
        self._nest(f"if {known}:" if self.mode == "withdraw" else f"if not ({known}):")

    def _found(self, terms: Sequence[Term], head: str) -> None:
        at, values = self.heads[head], [self._value(term) for term in terms]
        if self.mode == "withdraw":
            self._line(f"row{at} = {self._row(values)}")
            self._nest(f"if {self._there(head, values)} and row{at} not in d{at}:")
            self._line(f"d{at}[row{at}] = True")
            self._line(f"p{at}(row{at})")
        else:
            self._derived(head, values)

    def _spill(self, known: Collection[str], left: Sequence[Step], head: Sequence[Term]) -> None:
        """End this nest in a list of bindings and begin another from it, at the level where the nest began."""
        used = dict.fromkeys([*names_in(head), *(name for step in left for name in _uses(step))])
        kept = [self._variable(name) for name in used if name in known]
        taken = "".join(f"{name}, " for name in kept)
        listed = self._new("b")
        at, level, loops = self._base
        self._line(f"{listed}.append(({taken}))")
        self._lines.insert(at, "    " * level + f"{listed} = []")
        self._base = (len(self._lines), level, loops)
        self._level, self._loops = level, loops
        self._line(f"for {taken if kept else '_'} in {listed}:")
        self._level += 1
        self._loops += 1
        self._tick()

    # ---- steps -------------------------------------------------------------------------------

    def _step(self, step: Step, more_loops: bool) -> None:
        match step:
            case Scan():
                self._scan(step, more_loops)
            case Member():
                self._member(step)
            case Absent(relation, columns, where, keys):
                if columns == (0,) and not where and self.relations[relation].key is not None:
                    entry = self._entry(relation, keys[0])
                    self._nest(f"if {entry} is None or ({entry}.__class__ is odd and not {entry}.all()):")
                elif columns or where:
                    found, tests = self._lookup(relation, columns, where, keys)
                    self._nest(f"if not some({found}, {_pairs(tests)}):" if tests else f"if {found} is None:")
                else:
                    self._nest(f"if not len({self._whole(relation)}):")
            case Let(name, term, inverse):
                value = self._value(term, inverse)
                self._line(f"{self._variable(name)} = {value}")
            case Test():
                self._test(step)
            case Fold():
                self._fold(step)

    def _member(self, member: Member) -> None:
        """An empty relation is known by its looks; in a small one, constants leave a single value to look up."""
        varying = [column for column, term in enumerate(member.terms) if not isinstance(term, Const)]
        relation = self.relations[member.relation]
        if len(varying) == 1 < relation.arity and len(relation) < MANY and relation.key is None:
            where = tuple((i, term.value) for i, term in enumerate(member.terms) if isinstance(term, Const))
            found, _ = self._lookup(member.relation, (varying[0],), where, [member.terms[varying[0]]])
            self._nest(f"if {found} is {'' if member.negated else 'not '}None:")
            return
        values = [self._value(term) for term in member.terms]
        number = self._relation(member.relation)
        there = self._there(member.relation, values, absent=member.negated)
        self._nest(f"if not r{number} or {there}:" if member.negated else f"if {there}:")

    def _scan(self, scan: Scan, more_loops: bool) -> None:
        if 0 in scan.columns and self.relations[scan.relation].key is not None:
            self._scan_key(scan, more_loops)
            return
        if not scan.columns and not scan.where:
            if not scan.needed:
                self._nest(f"if len({self._whole(scan.relation)}):")
                return
            rows, tests = self._all(scan.relation), Tests()
            self._line(f"n += len({rows})")
        else:
            found, tests = self._lookup(scan.relation, scan.columns, scan.where, scan.keys)
            if not scan.needed:
                self._nest(f"if some({found}, {_pairs(tests)}):" if tests else f"if {found} is not None:")
                return
            if found in self._hoisted.values():
                self._nest(f"if {found} is not None:")
                self._each(scan, found, tests, more_loops)
                return
            rows = self._new("b")
            self._line(f"{rows} = {found}")
            self._nest(f"if {rows} is not None:")
            if self.relations[scan.relation].is_thin(scan.columns, scan.where):
                self._each_key(scan, rows, more_loops)
                return
            self._line(f"if {rows}.__class__ is dict:")
            self._line(f"    n += len({rows})")
            self._line(f"elif {rows}[0].__class__ is not tuple:")
            self._line(f"    {rows} = ({rows},)")
        self._each(scan, rows, tests, more_loops)

    def _test(self, test: Test) -> None:
        left, right = self._value(test.left), self._value(test.right)
        if test.op in ("=", "!="):
            self._nest(f"if {left} {'==' if test.op == '=' else '!='} {right}:")
            return
        if test.op in (">", ">="):
            left, right = right, left
        self._nest(f"if {_compared(left, '<' if test.op in ('<', '>') else '<=', right)}:")

    def _fold(self, fold: Fold) -> None:
        kind, result = fold.aggregate.kind, self._new("a")
        level, loops = self._level, self._loops
        self._line(f"{result} = { ({'count': 'set()', 'sum': '{}'}.get(kind, 'None')) }")
        outer, self._base = self._base, (len(self._lines), level, loops)
        self._growing = f"({result},)" if kind in ("count", "sum") else "found"
        known: dict[str, None] = {}
        for at, step in enumerate(fold.steps):
            if self._loops > LOOPS + 4 or self._level > INDENT + 20:
                self._spill(known, fold.steps[at:], fold.over)
            self._step(step, any(_loops(later) for later in fold.steps[at + 1 :]))
            known.update(dict.fromkeys(_binds(step)))
        if kind in ("min", "max"):
            value = self._value(fold.over[0])
            better = _compared(value, "<", result) if kind == "min" else _compared(result, "<", value)
            self._nest(f"if {result} is None or {better}:")
            self._line(f"{result} = {value}")
        else:
            values = [self._value(term) for term in fold.over]
            element = values[0] if len(values) == 1 else f"({', '.join(values)})"
            self._line(f"{result}.add({element})" if kind == "count" else f"{result}[{element}] = {values[0]}")
        self._base = outer
        self._growing = "found"
        self._level, self._loops = level, loops
        if kind in ("count", "sum"):
            self._line(f"{result} = {'len(' + result + ')' if kind == 'count' else f'total({result}.values())'}")
        if kind != "count":
            self._nest(f"if {result} is not None:")
        if fold.target is not None:
            self._line(f"{self._variable(fold.target)} = {result}")
        else:
            self._nest(f"if {self._value(fold.aggregate.result)} == {result}:")


def _compared(left: str, op: str, right: str) -> str:
    """Whole numbers come before text (see ``value_key``)."""
    return f"({left} {op} {right} if {left}.__class__ is {right}.__class__ else {left}.__class__ is int)"


def _pairs(tests: Tests) -> str:
    return f"({''.join(f'({column}, {value}), ' for column, value in tests)})"


def _loops(step: Step) -> bool:
    return isinstance(step, Fold) or (isinstance(step, Scan) and step.needed)


def _joined(steps: Iterable[Step]) -> Iterator[str]:
    """Relations that must have a row for anything to come of the steps; of nothing there is no least or greatest."""
    for step in steps:
        match step:
            case Scan(relation) | Member(relation, negated=False):
                yield relation
            case Fold(aggregate) if aggregate.kind in ("min", "max"):
                yield from _joined(step.steps)


def _binds(step: Step) -> list[str]:
    match step:
        case Scan():
            return [name for _, name in step.binds]
        case Let(name):
            return [name]
        case Fold(target=str() as name):
            return [name]
    return []


def _uses(step: Step) -> Iterator[str]:
    match step:
        case Scan() | Absent():
            yield from names_in(step.keys)
        case Member():
            yield from names_in(step.terms)
        case Let():
            yield from names_in((step.term,))
        case Test():
            yield from names_in((step.left, step.right))
        case Fold():
            yield from names_in((step.aggregate.result, *step.over))
            for inner in step.steps:
                yield from _uses(inner)
