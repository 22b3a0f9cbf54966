"""The tree of a rules text: terms, literals, rules, declarations. Frozen; equality ignores the place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as Choice

from contextmesh.base.source import Source, Span

Value = str | int
"""A constant: text or a whole number. The symbol ``abc`` and the string ``"abc"`` are one value; never a bool."""

Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class At:
    """Where a part was written. Parts made by a transformation keep the place of what they were made from."""

    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class Var:
    name: str
    at: At | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Const:
    value: Value
    at: At | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Wildcard:
    """``_``: anything, each occurrence its own; under ``not`` it means "there is none, whatever stands here"."""

    at: At | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sum:
    """``left + right`` or ``left - right`` over whole numbers."""

    op: Choice["+", "-"]
    left: Term
    right: Term
    at: At | None = field(default=None, compare=False, repr=False)


Term = Var | Const | Wildcard | Sum


@dataclass(frozen=True, slots=True)
class Atom:
    """``relation(term, …)``: a positive literal, or a head."""

    relation: str
    terms: tuple[Term, ...]
    at: At | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """``not relation(term, …)``."""

    atom: Atom
    at: At | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Compared:
    """``left op right``; ``=`` binds a variable on one side when the other side is bound.

    Whole numbers come before text; text is ordered by code point.
    """

    op: Choice["=", "!=", "<", "<=", ">", ">="]
    left: Term
    right: Term
    at: At | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``result = kind { over : body }``.

    Variables shared with the rest of the rule are the group. ``over`` is the distinct tuple that is counted;
    for min and max the one value; for sum the first of the tuple is summed over distinct tuples.
    Count and sum over nothing are 0; min and max over nothing do not hold.
    """

    kind: Choice["count", "min", "max", "sum"]
    result: Term
    over: tuple[Term, ...]
    body: tuple[Literal, ...]
    at: At | None = field(default=None, compare=False, repr=False)


Literal = Atom | Not | Compared | Aggregate


@dataclass(frozen=True, slots=True)
class Label:
    """``@name "words"``: what a derivation by this rule is called; ``{X}`` in the words is filled by the binding."""

    name: str
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """``head :- body.``; a fact is a rule without a body."""

    head: Atom
    body: tuple[Literal, ...] = ()
    label: Label | None = None
    at: At | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Declaration:
    """``input``: filled from outside, never derived. ``relation``: private. ``output``: promised to readers."""

    kind: Choice["input", "relation", "output"]
    name: str
    columns: tuple[str, ...]
    at: At | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RuleText:
    """One parsed text: its declarations, rules and facts in the order written."""

    source: Source
    declarations: tuple[Declaration, ...]
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A body to be answered, with rules of its own.

    ``columns`` are the named variables of the body in order of first occurrence (aggregate-local ones excluded).
    """

    source: Source
    body: tuple[Literal, ...]
    columns: tuple[str, ...]
    rules: tuple[Rule, ...] = ()
