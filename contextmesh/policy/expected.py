"""What a case expects, held against the rows of an engine: what is missing, what is there and should not be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from contextmesh.base.errors import Problem
from contextmesh.datalog.ast import Atom, Const, Literal, Not, Row, Rule, Value, Wildcard
from contextmesh.datalog.check import atoms
from contextmesh.datalog.engine import Derivation, Engine, Failure
from contextmesh.datalog.fold import place
from contextmesh.datalog.solve import Fit
from contextmesh.lang.cases import Step, fact_atom
from contextmesh.lang.render import render_atom, render_literal
from contextmesh.lang.words import write_value

SHOWN = 20
"""Rows that a miss names."""


@dataclass(frozen=True, slots=True)
class Miss:
    """Something that a case expects and the rules do not say, or the other way round.

    Attributes:
        problem: ``missing-row``, ``unexpected-row``, ``not-refused`` or ``refused-write``, at its place in the case.
        expected, got: rows as the rule language writes them, at most 20.
        why: the derivation of a row that should not be.
        why_not: where the rules for a missing row fail.
    """

    problem: Problem
    expected: tuple[str, ...] = ()
    got: tuple[str, ...] = ()
    why: Derivation | None = None
    why_not: tuple[Failure, ...] = ()


def misses(engine: Engine, step: Step) -> Iterator[Miss]:
    """What an ``expect`` or an ``only`` says and the rows of the engine do not.

    Raises:
        LimitReached: an evaluation passed a limit of the engine.
    """
    if step.kind == "only":
        yield from _only(engine, step)
        return
    together = tuple(part for part in step.body if not _is_plain(part))
    for part in step.body:
        if part in together:
            continue
        if isinstance(part, Atom):
            yield from _holds(engine, part)
        elif isinstance(part, Not):
            yield from _fails(engine, part.atom, step)
    if together:
        yield from _together(engine, together, step)


def rows_by_relation(step: Step) -> dict[str, list[Row]]:
    """The facts of a step."""
    found: dict[str, list[Row]] = {}
    for relation, row, _ in step.facts:
        found.setdefault(relation, []).append(row)
    return found


def cut(texts: Iterable[str]) -> tuple[str, ...]:
    """At most as many as are shown, and how many more there are."""
    every = list(texts)
    return (*every[:SHOWN], f"and {len(every) - SHOWN} more") if len(every) > SHOWN else tuple(every)


def _is_plain(part: Literal) -> bool:
    """A fact, or that there is none: constants and wildcards."""
    atom = part.atom if isinstance(part, Not) else part
    return isinstance(atom, Atom) and all(isinstance(term, Const | Wildcard) for term in atom.terms)


def _holds(engine: Engine, atom: Atom) -> Iterator[Miss]:
    pattern = _pattern(atom)
    if engine.match(atom.relation, pattern):
        return
    row = tuple(value for value in pattern if value is not None)
    why_not = engine.why_not(atom.relation, row) if len(row) == len(pattern) else ()
    problem = Problem("missing-row", f"{render_atom(atom)} does not hold", atom.relation, where=place(atom.at))
    yield Miss(problem, (render_atom(atom),), _there(engine, atom.relation), None, why_not)


def _fails(engine: Engine, atom: Atom, step: Step) -> Iterator[Miss]:
    rows = engine.match(atom.relation, _pattern(atom))
    if rows:
        told = cut(fact_text(atom.relation, row) for row in rows)
        where = place(atom.at or step.at)
        problem = Problem("unexpected-row", f"{told[0]} holds", atom.relation, where=where)
        yield Miss(problem, (f"not {render_atom(atom)}",), told, _why(engine, atom.relation, rows[0]))


def _only(engine: Engine, step: Step) -> Iterator[Miss]:
    places = {(relation, row): at for relation, row, at in step.facts}
    for relation, rows in rows_by_relation(step).items():
        wanted, got = dict.fromkeys(rows), dict.fromkeys(engine.rows(relation))
        expected, found = (cut(fact_text(relation, row) for row in side) for side in (wanted, got))
        missing = next((row for row in wanted if row not in got), None)
        extra = next((row for row in got if row not in wanted), None)
        if missing is not None:
            message, where = f"{fact_text(relation, missing)} does not hold", place(places[relation, missing])
            problem = Problem("missing-row", message, relation, where=where)
            yield Miss(problem, expected, found, None, engine.why_not(relation, missing))
        if extra is not None:
            message, where = f"{fact_text(relation, extra)} holds", place(step.at)
            yield Miss(
                Problem("unexpected-row", message, relation, where=where),
                expected,
                found,
                _why(engine, relation, extra),
            )


def _together(engine: Engine, body: tuple[Literal, ...], step: Step) -> Iterator[Miss]:
    """Literals that hold for one binding of their variables, or the first of them that none satisfies."""
    fit = Fit(Rule(Atom("case", ()), body), (), engine.match, engine.limits.meter())
    if next(fit.solutions(), None) is not None:
        return
    depth, binding = fit.deepest
    literal = fit.body[depth]
    values = ", ".join(f"{name} = {write_value(value)}" for name, value in binding.items())
    message = f"no row for {render_literal(literal)}{f' with {values}' if values else ''}"
    names = dict.fromkeys(atom.relation for atom in atoms((literal,)))
    there = tuple(text for name in names for text in _there(engine, name))
    problem = Problem("missing-row", message, where=place(literal.at or step.at))
    yield Miss(problem, (", ".join(map(render_literal, body)),), there)


def _there(engine: Engine, relation: str) -> tuple[str, ...]:
    """What there is of a relation, in place of what is missing."""
    return cut(fact_text(relation, row) for row in engine.rows(relation))


def _why(engine: Engine, relation: str, row: Row) -> Derivation | None:
    return engine.explain(relation, row) if engine.stage_of(relation) is not None else None


def _pattern(atom: Atom) -> list[Value | None]:
    return [term.value if isinstance(term, Const) else None for term in atom.terms]


def fact_text(relation: str, row: Row) -> str:
    """A row as the rule language writes it."""
    return render_atom(fact_atom(relation, row))
