"""Why a fact holds, and why one does not: derivations as words, as an indented tree, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from contextmesh.base.errors import Problem, RuleError, UnknownError, Where
from contextmesh.base.source import Source
from contextmesh.datalog.ast import Atom, Const, Query, Rule, Var, Wildcard
from contextmesh.datalog.explain import Derivation, Failure
from contextmesh.lang.render import render_atom, render_literal
from contextmesh.lang.rules import parse_fact, parse_query
from contextmesh.lang.words import write_value

if TYPE_CHECKING:
    from contextmesh.datalog.ast import Row, Value
    from contextmesh.datalog.limits import Limits
    from contextmesh.store.store import Store

MAX_STEPS = 500
"""How many steps of a derivation are shown; what is left out is said."""


def why(store: Store, text: str | Source, limits: Limits | None = None) -> Derivation:
    """The shortest derivation of a fact; with variables, of the first row that matches.

    Raises:
        RuleError: not one atom of a declared relation.
        UnknownError: ``does-not-hold``. LimitReached: finding it would cost more than allowed.
    """
    source = _source(text, "<why>")
    atom = _one_atom(parse_query(source), source)
    _require_declared(store, atom)
    row = _first_match(store, atom)
    derivation = store.engine.explain(atom.relation, row, limits) if row is not None else None
    if derivation is None:
        message = f"{render_atom(atom)} does not hold"
        raise UnknownError(
            Problem("does-not-hold", message, subject=atom.relation, hint="ask why-not to see what is missing")
        )
    return derivation


def why_not(store: Store, text: str | Source, limits: Limits | None = None) -> tuple[Failure, ...]:
    """For each rule of the relation, the first literal that fails for this ground fact.

    Raises:
        RuleError: not one ground atom of a declared relation.
        UnknownError: ``does-hold``.
    """
    atom = parse_fact(_source(text, "<why-not>"))
    _require_declared(store, atom)
    row = tuple(t.value for t in atom.terms if isinstance(t, Const))
    if store.engine.holds(atom.relation, row):
        message, hint = f"{render_atom(atom)} holds", "ask why to see its derivation"
        raise UnknownError(Problem("does-hold", message, subject=atom.relation, hint=hint))
    return store.engine.why_not(atom.relation, row, limits)


def fact_text(relation: str, row: Row) -> str:
    """A row as the rule language writes it."""
    return render_atom(Atom(relation, tuple(Const(v) for v in row)))


def rule_place(rule: Rule) -> str | None:
    """``file:line`` of a rule, or None when no text made it."""
    where = _where(rule)
    return None if where is None else f"{where.file}:{where.line}"


def one_line(derivation: Derivation) -> str:
    """The last step of a derivation: the rule, where it stands, and the facts it used."""
    rule = derivation.rule
    if rule is None:
        return f"stated: {fact_text(derivation.relation, derivation.row)}"
    name = f"@{rule.label.name} " if rule.label is not None else ""
    place = rule_place(rule)
    facts = [fact_text(p.relation, p.row) for p in derivation.premises]
    facts += [f"not {render_atom(a)}" for a in derivation.absent]
    return f"rule {name}{f'({place}) ' if place else ''}from {', '.join(facts)}"


def tree_text(derivation: Derivation, *, steps: int = MAX_STEPS) -> str:
    """The derivation as an indented tree; a part already shown is named and not repeated."""
    lines: list[str] = []
    for depth, step, told in _walk(derivation):
        if len(lines) == steps:
            lines.append("…")
            break
        lines.append("  " * depth + _line(step) + ("  (shown above)" if told else ""))
        if not told:
            lines.extend("  " * (depth + 1) + f"not {render_atom(a)}" for a in step.absent)
    return "\n".join(lines)


def tree_json(derivation: Derivation, *, steps: int = MAX_STEPS) -> dict[str, object]:
    """The derivation as a list of numbered steps, each naming the numbers of its premises; the root is 0.

    A flat list keeps shared parts shared and any depth readable by any JSON reader.
    """
    numbers: dict[int, int] = {}
    order: list[Derivation] = []
    queue: list[Derivation] = [derivation]
    numbers[id(derivation)] = 0
    cut = False
    at = 0
    while at < len(queue):
        step = queue[at]
        at += 1
        order.append(step)
        for premise in step.premises:
            if id(premise) in numbers:
                continue
            if len(queue) == steps:
                cut = True
                continue
            numbers[id(premise)] = len(queue)
            queue.append(premise)
    return {"steps": [_step_json(step, numbers) for step in order], "cut": cut}


def failure_text(failure: Failure) -> str:
    """One line: the rule, where it stands, and the literal at which it fails under which values."""
    name = f"@{failure.rule.label.name} " if failure.rule.label is not None else ""
    place = rule_place(failure.rule)
    head = f"{name}{f'({place}) ' if place else ''}{render_atom(failure.rule.head)}"
    if failure.literal is None:
        return f"{head}: the head does not fit"
    values = ", ".join(f"{k} = {write_value(v)}" for k, v in failure.binding.items())
    return f"{head}: no row for {render_literal(failure.literal)}{f' with {values}' if values else ''}"


# ---- parts -------------------------------------------------------------------------------------


def _walk(derivation: Derivation) -> Iterator[tuple[int, Derivation, bool]]:
    seen: set[int] = set()
    stack: list[tuple[int, Derivation]] = [(0, derivation)]
    while stack:
        depth, step = stack.pop()
        told = id(step) in seen and bool(step.premises)
        yield depth, step, told
        if not told:
            seen.add(id(step))
            stack.extend((depth + 1, p) for p in reversed(step.premises))


def _line(step: Derivation) -> str:
    text = fact_text(step.relation, step.row)
    if step.rule is None:
        return text
    words = step.words
    name = step.rule.label.name if step.rule.label is not None else None
    place = rule_place(step.rule)
    notes = [part for part in (f"@{name}" if name else None, place) if part]
    return text + (f"  [{' '.join(notes)}]" if notes else "") + (f"  {words}" if words else "")


def _step_json(step: Derivation, numbers: dict[int, int]) -> dict[str, object]:
    rule = step.rule
    return {
        "fact": fact_text(step.relation, step.row),
        "relation": step.relation,
        "row": list(step.row),
        "rule": rule.label.name if rule is not None and rule.label is not None else None,
        "where": rule_place(rule) if rule is not None else None,
        "words": step.words,
        "from": [numbers[id(p)] for p in step.premises if id(p) in numbers],
        "absent": [render_atom(a) for a in step.absent],
    }


def _source(text: str | Source, name: str) -> Source:
    return text if isinstance(text, Source) else Source(name, text)


def _one_atom(query: Query, source: Source) -> Atom:
    if len(query.body) == 1 and not query.rules and isinstance(query.body[0], Atom):
        atom = query.body[0]
        if all(isinstance(term, Var | Const | Wildcard) for term in atom.terms):
            return atom
    message = "this takes one fact, such as `fell(X, A)`: no `not`, no comparison, no sum, no second literal"
    raise RuleError(Problem("not-one-fact", message, where=Where(source.name, 1, 1, 1, source.line(1))))


def _require_declared(store: Store, atom: Atom) -> None:
    """Names and arity, with the same words as every query: an empty query over the atom is checked."""
    store.policy.program.with_query(Query(_place_source(atom), (atom,), _columns(atom)))


def _place_source(atom: Atom) -> Source:
    return atom.at.source if atom.at is not None else Source("<fact>", render_atom(atom))


def _columns(atom: Atom) -> tuple[str, ...]:
    return tuple(dict.fromkeys(t.name for t in atom.terms if isinstance(t, Var)))


def _first_match(store: Store, atom: Atom) -> Row | None:
    pattern: list[Value | None] = [t.value if isinstance(t, Const) else None for t in atom.terms]
    for row in store.engine.match(atom.relation, pattern):
        if _repeats_agree(atom.terms, row):
            return row
    return None


def _repeats_agree(terms: Sequence[object], row: Row) -> bool:
    seen: dict[str, Value] = {}
    for term, value in zip(terms, row, strict=True):
        assert isinstance(term, Var | Const | Wildcard), "arithmetic in a fact is refused before"
        if isinstance(term, Var) and seen.setdefault(term.name, value) != value:
            return False
    return True


def _where(rule: Rule) -> Where | None:
    return None if rule.at is None else rule.at.source.where(rule.at.span)
