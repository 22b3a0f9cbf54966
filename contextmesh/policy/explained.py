"""A relation as the engine sees it: its rules as read, where it stands, how each rule is planned and compiled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from contextmesh.base.errors import Problem, UnknownError
from contextmesh.datalog import plan
from contextmesh.datalog.ast import Declaration, Not, Row, Rule, Sum, Term, Value, Var
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.program import Program
from contextmesh.datalog.seminaive import Reading, readings
from contextmesh.datalog.steps import Absent, Fold, Let, Member, Plan, Scan, Step, Test
from contextmesh.datalog.strata import reads
from contextmesh.lang.render import render_literal, render_term
from contextmesh.lang.words import write_value
from contextmesh.policy.policy import Policy

_PLACE = re.compile(r"(?P<file>.*\.dl):(?P<line>[0-9]{1,9})(:[0-9]{1,9})?", re.ASCII)
_NUMBERED = re.compile(r"(?P<relation>[a-z][A-Za-z0-9_]*)/(?P<number>[0-9]{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Variant:
    """A way in which a rule is run.

    Attributes:
        when: what starts it.
        steps: what is then done, in order.
    """

    when: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """Compiled rules: ``names`` says what the numbers of the text stand for."""

    when: str
    names: Mapping[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Explained:
    """One relation.

    Attributes:
        stratum: its number in the order of evaluation, from 1; None for what no rule derives.
        recursive: whether its stratum reads itself; ``together`` are the relations evaluated with it.
        reads: what its rules read, and how: ``""``, ``not``, or the aggregate.
        read_by: the relations whose rules read it.
        facts: how many facts of it stand in the rules files.
        rules: the rules asked about, in order, each with its variants.
        functions: compiled rules of the stratum, when asked for.
    """

    declaration: Declaration
    stratum: int | None
    strata: int
    recursive: bool
    together: tuple[str, ...]
    reads: tuple[tuple[str, str], ...]
    read_by: tuple[str, ...]
    facts: int
    rules: tuple[tuple[Rule, tuple[Variant, ...]], ...]
    functions: tuple[Function, ...] = ()


def explained(policy: Policy, target: str, facts: Mapping[str, Iterable[Row]] | None = None) -> tuple[Explained, ...]:
    """The relations that a target names: ``fell``, ``fell/2`` (its second rule), ``@label`` or ``propagation.dl:47``.

    Args:
        facts: facts over which the functions are compiled, since indexes are chosen by the numbers of rows; with None
            there are no functions.

    Raises:
        UnknownError: ``unknown-relation`` or ``unknown-rule``.
        LimitReached: evaluating what the functions read passed a limit.
    """
    found: list[Explained] = []
    for program in (policy.program, policy.integrity):
        for name, rules in _targets(program, target).items():
            one = _explained(program, name, rules)
            if facts is not None:
                given = {n: rows for n, rows in facts.items() if n in program.declarations}
                functions = tuple(_functions(Engine(program, given), name, rules))
                one = replace(one, functions=functions)
            found.append(one)
    if not found:
        names = [*policy.program.declarations, *policy.integrity.declarations]
        raise _unknown(target, names)
    return tuple(found)


def _targets(program: Program, target: str) -> dict[str, list[Rule]]:
    """The rules of a target by relation; a relation without rules has none."""
    if target in program.declarations:
        return {target: [rule for rule in program.rules if rule.head.relation == target]}
    numbered, at = _NUMBERED.fullmatch(target), _PLACE.fullmatch(target)
    chosen: list[Rule] = []
    if target.startswith("@"):
        chosen = [rule for rule in program.rules if rule.label is not None and rule.label.name == target[1:]]
    elif numbered is not None:
        of = [rule for rule in program.rules if rule.head.relation == numbered["relation"]]
        number = int(numbered["number"])
        chosen = of[number - 1 : number] if number else []
    elif at is not None:
        chosen = [rule for rule in program.rules if _stands(rule, at["file"], int(at["line"]))]
    by_relation: dict[str, list[Rule]] = {}
    for rule in chosen:
        by_relation.setdefault(rule.head.relation, []).append(rule)
    return by_relation


def _stands(rule: Rule, file: str, line: int) -> bool:
    """Whether a rule covers a line of a file, which may be named by the end of its path."""
    if rule.at is None:
        return False
    where = rule.at.source.where(rule.at.span)
    last = (where.line or 0) + rule.at.source.text.count("\n", rule.at.span.start, rule.at.span.end)
    return (where.line or 0) <= line <= last and f"/{where.file}".endswith(f"/{file}")


def _unknown(target: str, names: Sequence[str]) -> UnknownError:
    from difflib import get_close_matches

    if target.startswith("@") or "." in target or "/" in target:
        hint = "a rule is named relation/2, @label or file.dl:47; `contextmesh rules list` shows the relations"
        return UnknownError(Problem("unknown-rule", f"no rule is named {target}", subject=target, hint=hint))
    close = get_close_matches(target, sorted(names), n=1)
    hint = f"did you mean {close[0]}?" if close else "`contextmesh rules list` shows them"
    return UnknownError(Problem("unknown-relation", f"there is no relation {target}", subject=target, hint=hint))


def _explained(program: Program, name: str, rules: Sequence[Rule]) -> Explained:
    number = program.stratum_of[name]
    stratum = program.strata[number] if number >= 0 else None
    graph = reads(program.rules)
    edges = dict.fromkeys((edge.relation, edge.word) for edge in graph.get(name, ()))
    by = dict.fromkeys(head for head, found in graph.items() if any(edge.relation == name for edge in found))
    return Explained(
        program.declarations[name],
        number + 1 if stratum is not None else None,
        len(program.strata),
        stratum.recursive if stratum is not None else False,
        tuple(other for other in stratum.relations if other != name) if stratum is not None else (),
        tuple(edges),
        tuple(by),
        sum(1 for relation, _ in program.facts if relation == name),
        tuple((rule, tuple(_variants(rule, program.declarations))) for rule in rules),
    )


# ---- plans -------------------------------------------------------------------------------------------


def _variants(rule: Rule, declared: Mapping[str, Declaration]) -> Iterator[Variant]:
    found = readings(0, rule)
    if not any(reading.kind == "positive" for reading in found):
        yield Variant("once, from nothing", _steps(plan.whole(rule), declared))
    for reading in found:
        if reading.inner is None:
            made = plan.drive(rule, reading.at, losing=False)
        else:
            made = plan.drive_group(rule, reading.at, reading.inner)
        yield Variant(_when(rule, reading), _steps(made, declared, reading.relation))
    yield Variant("to see whether a row still follows", _steps(plan.prove(rule), declared, rule.head.relation))


def _when(rule: Rule, reading: Reading) -> str:
    literal = rule.body[reading.at]
    if reading.kind == "positive":
        return f"for each new row of {render_literal(literal)}"
    if reading.kind == "negated":
        assert isinstance(literal, Not)
        return f"for each row that went from {render_literal(literal.atom)}"
    return f"for each group with a row of {reading.relation} that came or went"


def _steps(made: Plan, declared: Mapping[str, Declaration], driver: str | None = None) -> tuple[str, ...]:
    tests = made.bind.tests if made.bind is not None else ()
    names = declared[driver].columns if driver is not None else ()
    driven = [f"{_given(test.left, names)} {test.op} {_term(test.right, names)}" for test in tests]
    return (*driven, *(_step(step, declared, names) for step in made.steps))


def _given(term: Term, names: Sequence[str]) -> str:
    """A column of the row that drives has a name no rule can use: a blank and its number."""
    if isinstance(term, Var) and term.name.startswith(" "):
        return f"its {names[int(term.name)]}"
    return _term(term, names)


def _step(step: Step, declared: Mapping[str, Declaration], driver: Sequence[str]) -> str:
    match step:
        case Scan(relation, columns, where, keys, binds, same, needed):
            names = declared[relation].columns
            told = f"{'each' if needed else 'some'} row of {relation}{_by(names, columns, where, keys, driver)}"
            again = "".join(f", {names[column]} the same {_plain(name)}" for column, name in same)
            bound = ", ".join(f"{_plain(name)} = {names[column]}" for column, name in binds) if needed else ""
            return f"{told}{again}{f' -> {bound}' if bound else ''}"
        case Member(relation, terms, negated):
            return f"{'no row' if negated else 'the row'} {relation}({_terms(terms, driver)})"
        case Absent(relation, columns, where, keys):
            return f"no row of {relation}{_by(declared[relation].columns, columns, where, keys, driver)}"
        case Let(name, term):
            return f"{_given(Var(name), driver)} is {_term(term, driver)}"
        case Test(op, left, right):
            return f"{_term(left, driver)} {op} {_term(right, driver)}"
        case Fold(aggregate, steps, over):
            inner = "; ".join(_step(part, declared, driver) for part in steps)
            what = f"{aggregate.kind} of {_terms(over, driver)}"
            return f"{render_term(aggregate.result)} is the {what} over: {inner}"


Where = Sequence[tuple[int, Value]]


def _by(names: Sequence[str], columns: Sequence[int], where: Where, keys: Sequence[Term], driver: Sequence[str]) -> str:
    """The index that is used: looked-up columns, and the constants that choose a part of the relation."""
    parts = [f"{names[column]} = {_term(key, driver)}" for column, key in zip(columns, keys, strict=True)]
    parts += [f"{names[column]} = {write_value(value)}" for column, value in where]
    return f" by {', '.join(parts)}" if parts else ""


def _terms(terms: Sequence[Term], driver: Sequence[str]) -> str:
    return ", ".join(_term(term, driver) for term in terms)


def _term(term: Term, driver: Sequence[str]) -> str:
    match term:
        case Var(name):
            return _given(term, driver) if name.startswith(" ") else _plain(name)
        case Sum(op, left, right):
            return f"{_term(left, driver)} {op} {_term(right, driver)}"
        case _:
            return render_term(term)


def _plain(name: str) -> str:
    """A variable inside an aggregate, without the mark that keeps it apart."""
    return name.removesuffix(" inside")


# ---- functions ---------------------------------------------------------------------------------------


def _functions(engine: Engine, name: str, rules: Sequence[Rule]) -> Iterator[Function]:
    """What the engine compiles for the rules: for what comes, for what goes, and to see whether a row still follows."""
    stage = engine.stage_of(name)
    if stage is None:
        return
    for read in stage.inputs:
        engine.read(read.name)
    wanted = {id(rule) for rule in rules}
    every = [
        reading for found in (*stage.reads, *stage.own) for reading in found if id(stage.rules[reading.rule]) in wanted
    ]
    by_relation: dict[str, list[Reading]] = {}
    for reading in every:
        by_relation.setdefault(reading.relation, []).append(reading)
    for relation, found in by_relation.items():
        for group in stage.groups(found):
            for mode, word in (("derive", "came"), ("withdraw", "went")):
                if group[0].kind == "negated":
                    word = "went" if word == "came" else "came"
                code = stage.code("derive" if mode == "derive" else "withdraw", group)
                what = "concluded" if mode == "derive" else "doubted"
                changed = f"rows of {relation} that {'came or went' if group[0].kind == 'folded' else word}"
                yield Function(f"what is {what} by {changed}", code.names, code.text)
    code = stage.provers()[stage.names.index(name)]
    yield Function(f"whether a row of {name} still follows", code.names, code.text)
