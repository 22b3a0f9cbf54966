"""Which strata a changed row can matter to, so that the others sleep on.

A row of ``edge`` whose type is ``cites`` changes nothing for a rule that reads ``edge(_, X, supersedes, Y)``, for one
that joins the type with ``propagates(T, backward)`` where no row is about ``cites``, nor for one that joins any
relation that is empty. Whatever lets such a row matter later is a change of another relation, which wakes the stratum
itself; it then finds the row where it stands. So a stratum that slept may skip what it slept through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from contextmesh.datalog.ast import Atom, Const, Not, Row, Rule, Sum, Value, Var
from contextmesh.datalog.facts import Relation
from contextmesh.datalog.seminaive import Reading, Stage

MANY = 1024
"""Of more changed rows than this nobody asks which; all readers wake."""

KEPT = 256
"""Values of the telling column that are remembered."""

SMALL = 64
"""Rows of a relation that may say which values matter: a table of the policy, not of the graph."""


Key = tuple[int, str, int, tuple[tuple[int, Value], ...]]
"""A column of a row, and where its value must stand too: a relation, a column of it, constants in others."""


@dataclass(frozen=True, slots=True)
class Need:
    """When a row can matter to one place that reads its relation.

    Attributes:
        mask: the bit of the stratum.
        tests: a column of the row and the constant it must have.
        keys: where else values of the row must stand.
        joined: relations that must not be empty.
    """

    mask: int
    tests: tuple[tuple[int, Value], ...]
    keys: tuple[Key, ...]
    joined: tuple[str, ...]


class Waker:
    """The readers of one relation."""

    __slots__ = ("_column", "_guards", "_known", "_needs", "_relations", "_take", "every")

    def __init__(
        self, relation: str, stages: Sequence[Stage], relations: Mapping[str, Relation], guards: dict[str, None]
    ) -> None:
        """``guards`` takes the relations whose rows were looked at: a change of one makes what is remembered void."""
        self._relations = relations
        self._guards = guards
        self._needs = [need for stage in stages for need in _needs(relation, stage)]
        self.every = 0
        for need in self._needs:
            self.every |= need.mask
        telling = [column for need in self._needs for column, _ in need.tests]
        self._column = max(dict.fromkeys(telling), key=telling.count) if telling else None
        self._take = itemgetter(self._column or 0)
        self._known: dict[Value | None, tuple[int, tuple[Mapping[Row, bool], ...]]] = {}

    def mask(self, rows: Sequence[Row]) -> int:
        """The strata that some of these rows, which came or went, can matter to."""
        if len(rows) == 1:
            known = self._known.get(rows[0][self._column] if self._column is not None else None)
            if known is not None and not any(known[1]):
                return known[0]
        if len(rows) > MANY:
            return self.every
        mask = 0
        for value in dict.fromkeys(map(self._take, rows)) if self._column is not None else (None,):
            known = self._known.get(value)
            if known is None or any(known[1]):
                known = self._judged(value)
            mask |= known[0]
        return mask

    def forget(self) -> None:
        self._known.clear()

    def _judged(self, value: Value | None) -> tuple[int, tuple[Mapping[Row, bool], ...]]:
        """The mask for a value of the telling column, and the relations that must stay empty for it to hold."""
        mask = 0
        slept: list[tuple[int, str]] = []
        for need in self._needs:
            if any(column == self._column and value != wanted for column, wanted in need.tests):
                continue
            if any(key[0] == self._column and not self._stands(value, key) for key in need.keys):
                continue
            empty = next((name for name in need.joined if not self._relations[name].rows), None)
            if empty is None:
                mask |= need.mask
            else:
                slept.append((need.mask, empty))
        relied = dict.fromkeys(name for bit, name in slept if not bit & mask)
        if len(self._known) >= KEPT:
            self._known.clear()
        known = self._known[value] = (mask, tuple(self._relations[name].rows for name in relied))
        return known

    def _stands(self, value: Value | None, key: Key) -> bool:
        _, name, column, where = key
        relation = self._relations[name]
        if len(relation) > SMALL:
            return True
        self._guards[name] = None
        return any(row[column] == value and all(row[at] == wanted for at, wanted in where) for row in relation.scan())


def _needs(relation: str, stage: Stage) -> list[Need]:
    found = []
    for reading in (r for places in stage.reads for r in places if r.relation == relation):
        rule = stage.rules[reading.rule]
        atom = _atom(rule, reading)
        tests = tuple((i, term.value) for i, term in enumerate(atom.terms) if isinstance(term, Const))
        others = [part for at, part in enumerate(rule.body) if isinstance(part, Atom) and at != reading.at]
        others = [part for part in others if part.relation != relation]
        keys = [] if reading.inner is not None else _keys(atom, others)
        joined = tuple(dict.fromkeys(part.relation for part in others))
        found.append(Need(1 << stage.number, tests, tuple(keys), joined))
    return found


def _atom(rule: Rule, reading: Reading) -> Atom:
    literal = rule.body[reading.at]
    if reading.inner is not None:
        literal = literal.body[reading.inner]  # type: ignore[union-attr]
    return literal.atom if isinstance(literal, Not) else literal  # type: ignore[return-value]


def _keys(atom: Atom, others: Sequence[Atom]) -> list[Key]:
    """Where else a variable of the atom must stand by itself, as in a table of the policy: beside constants alone."""
    found = []
    for other in others:
        where = tuple((i, term.value) for i, term in enumerate(other.terms) if isinstance(term, Const))
        names = [(i, term.name) for i, term in enumerate(other.terms) if isinstance(term, Var)]
        if len(names) == 1 and not any(isinstance(term, Sum) for term in other.terms):
            column, name = names[0]
            found += [
                (at, other.relation, column, where)
                for at, term in enumerate(atom.terms)
                if isinstance(term, Var) and term.name == name
            ]
    return found
