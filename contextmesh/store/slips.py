"""Words of a query that nothing is called by: a kind or an edge type that was misspelt gives no rows, and no error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING

from contextmesh.base.source import Source
from contextmesh.datalog.ast import Const
from contextmesh.datalog.check import atoms
from contextmesh.lang.rules import parse_query

if TYPE_CHECKING:
    from contextmesh.store.store import Store

ENUMERATED = ("kind", "type", "word", "severity", "direction", "reason", "why")
"""Columns whose values are a few words."""

_KINDS = ("from", "to")
"""… and, of what is legal, the kinds at either end; elsewhere columns of these names hold ids."""

_LOOKED_AT = 20_000
_FEW = 64


def slips(store: Store, text: str) -> tuple[str, ...]:
    """A note for each constant of such a column that no row, no rule and no table of GRAPH.md has, with the nearest.

    Raises:
        RuleError: the text is not a query.
    """
    query = parse_query(Source("<query>", text))
    told: dict[str, None] = {}
    for atom in atoms([*query.body, *(literal for rule in query.rules for literal in rule.body)]):
        declaration = store.policy.program.declarations.get(atom.relation)
        if declaration is None or len(declaration.columns) != len(atom.terms):
            continue
        for place, (column, term) in enumerate(zip(declaration.columns, atom.terms, strict=True)):
            if not isinstance(term, Const) or not isinstance(term.value, str):
                continue
            if column not in ENUMERATED and not (column in _KINDS and atom.relation == "legal"):
                continue
            known = dict.fromkeys(_words(store, atom.relation, column, place))
            if term.value not in known and 0 < len(known) <= _FEW and not _is_said(store, term.value):
                told[_note(term.value, f"{atom.relation}({', '.join(declaration.columns)})", column, known)] = None
    return tuple(told)


def _words(store: Store, relation: str, column: str, place: int) -> Iterator[str]:
    """Every word that may stand in a column: what GRAPH.md declares, and what stands there."""
    ontology = store.policy.ontology
    kinds = {row[0] for row in store.engine.rows("node_type")}
    standing = dict.fromkeys(
        str(row[place]) for row in islice(store.engine.rows(relation), _LOOKED_AT) if isinstance(row[place], str)
    )
    yield from standing
    if column == "type":
        yield from ontology.edge_types
    elif relation == "node" or any(word in kinds for word in standing):
        yield from ontology.kinds
    for rule in store.policy.program.rules:
        term = rule.head.terms[place] if rule.head.relation == relation else None
        if isinstance(term, Const):
            yield str(term.value)


def _is_said(store: Store, word: str) -> bool:
    """Whether a rule or a fact of the rules speaks of it, so that no row of today need have it."""
    program = store.policy.program
    return any(word in row for _, row in program.facts) or any(
        isinstance(term, Const) and term.value == word
        for rule in program.rules
        for atom in (rule.head, *atoms(rule.body))
        for term in atom.terms
    )


def _note(word: str, form: str, column: str, known: Iterable[str]) -> str:
    near = get_close_matches(word, list(known), n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"it is one of {', '.join(known)}"
    return f"nothing is called `{word}` under `{column}` of {form}; {hint}"
