"""What a plan is made of: the steps from bound variables to more, and the row that a plan starts from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contextmesh.datalog.ast import Aggregate, Const, Sum, Term, Var
from contextmesh.datalog.facts import Where

Columns = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    """Rows of a relation found by an index.

    Attributes:
        columns, where: the index; no columns and no values means every row.
        keys: the terms looked up, one per column.
        binds: a column and the variable that takes its value.
        same: a column whose value must equal a variable bound in this very row.
        needed: whether what it binds is used later; if not, one row is enough.
    """

    relation: str
    columns: Columns
    where: Where
    keys: tuple[Term, ...]
    binds: tuple[tuple[int, str], ...]
    same: tuple[tuple[int, str], ...]
    needed: bool


@dataclass(frozen=True, slots=True)
class Member:
    """A whole row is known: it must be there (or, negated, must not)."""

    relation: str
    terms: tuple[Term, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Absent:
    """No row may agree with the keys."""

    relation: str
    columns: Columns
    where: Where
    keys: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Let:
    """A variable takes the value of a term; ``inverse``: a sum solved for it, which may leave the range of numbers."""

    name: str
    term: Term
    inverse: bool


@dataclass(frozen=True, slots=True)
class Test:
    op: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Fold:
    """An aggregate, with the variables of its group bound. ``target`` takes the result when it is a free variable."""

    aggregate: Aggregate
    steps: tuple[Step, ...]
    over: tuple[Term, ...]
    target: str | None


Step = Scan | Member | Absent | Let | Test | Fold


@dataclass(frozen=True, slots=True)
class Bind:
    """How a given row enters a plan: values taken, constants and repetitions demanded."""

    names: tuple[str | None, ...]
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A driver row (if any), the steps of the rest, and what the head is made of.

    ``distinct``: many driver rows may bind the same, and each binding is wanted once.
    """

    bind: Bind | None
    steps: tuple[Step, ...]
    head: tuple[Term, ...]
    distinct: bool = False


def is_known(term: Term, known: Mapping[str, None]) -> bool:
    match term:
        case Const():
            return True
        case Var(name):
            return name in known
        case Sum(_, left, right):
            return is_known(left, known) and is_known(right, known)
    return False


def names_in(terms: Sequence[Term]) -> Iterator[str]:
    """The variables of terms, with repetitions."""
    for term in terms:
        match term:
            case Var(name):
                yield name
            case Sum(_, left, right):
                yield from names_in((left, right))
