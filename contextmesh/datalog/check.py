"""Names: what is declared, how many columns it has, what may be derived, what a label may say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Literal as Choice

from contextmesh.base.errors import Problem
from contextmesh.datalog.ast import Aggregate, Atom, Compared, Declaration, Literal, Not, Row, Rule
from contextmesh.datalog.fold import place
from contextmesh.datalog.safety import rule_variables

Declarations = dict[str, Declaration]
Facts = Mapping[str, Sequence[Row]]

_SLOT = re.compile(r"\{([A-Z][A-Za-z0-9_]*|_[A-Za-z0-9_]+)\}")


def atoms(body: Sequence[Literal]) -> Iterator[Atom]:
    """Every atom of a body, negated ones and those inside aggregates too, in the order written."""
    for literal in body:
        match literal:
            case Atom():
                yield literal
            case Not():
                yield literal.atom
            case Aggregate():
                yield from atoms(literal.body)
            case Compared():
                pass


def declared(declarations: Sequence[Declaration]) -> tuple[Declarations, list[Problem]]:
    """By name, the first of each; a second one is a problem."""
    found: Declarations = {}
    problems = []
    for declaration in declarations:
        first = found.setdefault(declaration.name, declaration)
        if first is not declaration:
            also = place(first.at)
            problems.append(
                Problem(
                    "duplicate-declaration",
                    f"{declaration.name} is declared twice",
                    subject=declaration.name,
                    where=place(declaration.at),
                    also=(also,) if also else (),
                    hint="keep one of the two",
                )
            )
    return found, problems


def inferred(rules: Sequence[Rule], known: Declarations, facts: Facts) -> Declarations:
    """Declarations for what a stand-alone program uses without declaring it; the first use sets the columns.

    What some rule derives is a ``relation``, the rest ``input``. A relation that is given without rows and used
    nowhere has no columns.
    """
    derived = {rule.head.relation: None for rule in rules if rule.body}
    arity = {name: len(rows[0]) for name, rows in facts.items() if rows and name not in known}
    first: dict[str, Atom] = {}
    for rule in rules:
        for atom in (rule.head, *atoms(rule.body)):
            if atom.relation not in known and arity.setdefault(atom.relation, len(atom.terms)) == len(atom.terms):
                first.setdefault(atom.relation, atom)
    found: Declarations = {}
    for name in dict.fromkeys([*facts, *arity]):
        if name not in known:
            kind: Choice["relation", "input"] = "relation" if name in derived else "input"
            at = first[name].at if name in first else None
            found[name] = Declaration(kind, name, _numbered(arity.get(name, 0)), at)
    return found


def check_names(rules: Sequence[Rule], known: Declarations, *, standalone: bool) -> list[Problem]:
    """Undeclared relations (once each), wrong numbers of columns, derived inputs, labels with unknown variables."""
    problems = []
    unknown: dict[str, None] = {}
    for rule in rules:
        for atom in (rule.head, *atoms(rule.body)):
            declaration = known.get(atom.relation)
            if declaration is None:
                if atom.relation not in unknown:
                    unknown[atom.relation] = None
                    problems.append(_unknown(atom, known, declare=not standalone))
            elif len(atom.terms) != len(declaration.columns):
                problems.append(_arity(atom, declaration))
        problems += _head(rule, known.get(rule.head.relation), standalone)
        problems += _label(rule)
    return problems


def check_given(facts: Facts, known: Declarations) -> list[Problem]:
    """Facts given from outside: declared relations, as many columns as they have."""
    problems = []
    for name, rows in facts.items():
        declaration = known.get(name)
        if declaration is None:
            problems.append(_unknown(Atom(name, ()), known, declare=False))
            continue
        wrong = next((row for row in rows if len(row) != len(declaration.columns)), None)
        if wrong is not None:
            also = place(declaration.at)
            right = len(declaration.columns)
            message = f"a given fact of {name} has {_columns(len(wrong))}, and {name} has {_columns(right)}"
            problems.append(Problem("arity", message, subject=name, also=(also,) if also else ()))
    return problems


def _head(rule: Rule, declaration: Declaration | None, standalone: bool) -> list[Problem]:
    """In a stand-alone text a fact may stand for an input; a rule never may."""
    if declaration is None or declaration.kind != "input" or (standalone and not rule.body):
        return []
    name = declaration.name
    also = place(declaration.at)
    what = "a rule derives it" if rule.body else "a fact of it stands in the rules"
    return [
        Problem(
            "input-derived",
            f"{name} is an input, filled from outside, and {what}",
            subject=name,
            where=place(rule.head.at or rule.at),
            also=(also,) if also else (),
            hint="derive a relation of another name, or declare it as a relation",
        )
    ]


def _label(rule: Rule) -> list[Problem]:
    if rule.label is None or rule.label.words is None:
        return []
    names = rule_variables(rule)
    missing = [name for name in dict.fromkeys(_SLOT.findall(rule.label.words)) if name not in names]
    if not missing:
        return []
    message = f"the words of @{rule.label.name} name {', '.join(missing)}, which the rule does not have"
    hint = f"its variables are {', '.join(names)}" if names else "it has no variables"
    return [Problem("label-variable", message, subject=rule.label.name, where=place(rule.at), hint=hint)]


def _unknown(atom: Atom, known: Declarations, *, declare: bool) -> Problem:
    name = atom.relation
    close = get_close_matches(name, sorted(known), n=1)
    columns = ", ".join(_numbered(len(atom.terms)))
    if close:
        hint: str | None = f"did you mean {close[0]}?"
    else:
        hint = f"declare it: `relation {name}({columns}).`" if declare else None
    message = f"the relation {name} is not declared" if declare else f"there is no relation {name}"
    return Problem("unknown-relation", message, subject=name, where=place(atom.at), hint=hint)


def _arity(atom: Atom, declaration: Declaration) -> Problem:
    also = place(declaration.at)
    name = atom.relation
    return Problem(
        "arity",
        f"{name} stands here with {_columns(len(atom.terms))}, and it has {_columns(len(declaration.columns))}",
        subject=name,
        fields=(("found", len(atom.terms)), ("columns", len(declaration.columns))),
        where=place(atom.at),
        also=(also,) if also else (),
    )


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(f"c{i}" for i in range(1, count + 1))


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"
