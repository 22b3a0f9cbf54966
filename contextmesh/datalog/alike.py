"""Rows that a rule cannot tell apart: it finds something from one of them just where it does from each.

What a rule can tell of a row that drives it: whether constants and repeated variables fit; what a table by key has
under a value that is only looked up there; and of all else the value itself. So from many rows with few differences
one of each kind is enough to see that nothing is found. Kinds of edges and of their ends, say, are few, whatever the
number of edges. This is a semi-join over classes of equivalent values, as factorised databases have them (Olteanu and
Závodný 2015), made at the moment it is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from operator import eq, is_, itemgetter
from typing import Any

from contextmesh.datalog.ast import Atom, Compared, Const, Literal, Not, Row, Rule, Term, Value, Var, Wildcard
from contextmesh.datalog.facts import Relation
from contextmesh.datalog.steps import names_in
from contextmesh.datalog.table import KEYED, ONES, PAIRS

SHARE = 16
"""More kinds than one in so many rows are not few."""

SMALL = 1024
"""A relation of no more rows may be read in any way."""

Look = tuple[Any, ...]
"""What a rule can tell of a row: of which columns, in which way."""


class Came:
    """Many rows that came, beside relations that do not change while this is asked."""

    def __init__(self, rows: Sequence[Row], relations: Iterable[Relation]) -> None:
        self.rows = rows
        self._relations = {relation.name: relation for relation in relations}
        self._columns: dict[int, list[Value]] = {}
        self._told_by: dict[Look, list[Any] | None] = {}
        self._within: dict[str, bool] = {}

    def column(self, at: int) -> list[Value]:
        """The values of one column."""
        if at not in self._columns:
            self._columns[at] = list(map(itemgetter(at), self.rows))
        return self._columns[at]

    def are_rows_of(self, relation: Relation) -> bool:
        """Whether each is a row of the relation too: the very rows it got last, or any."""
        if relation.name not in self._within:
            before = len(relation) - len(self.rows)
            same = before >= 0 and all(map(is_, islice(relation.scan(), before, None), self.rows))
            fits = relation.arity == len(self.rows[0])
            self._within[relation.name] = fits and (same or self._stand_in(relation))
        return self._within[relation.name]

    def _stand_in(self, relation: Relation) -> bool:
        if relation.key is None:
            return all(map(relation.holds, self.rows))
        kept = self.column(1) if relation.shape == PAIRS else self.rows
        return all(map(eq, map(relation.rows.get, self.column(0)), kept))

    def kinds(self, driven: Sequence[tuple[Rule, int]]) -> dict[int, list[Row]]:
        """For each rule, driven at its body atom, by number: a row of each kind it can tell apart, if those are few.

        Where what all the rules together tell apart is few, each has the same rows.
        """
        every = {number: self._looks(rule, at) for number, (rule, at) in enumerate(driven)}
        found = {n: looks for n, looks in every.items() if looks is not None and None not in map(self._told, looks)}
        rows = self._apart({look: None for looks in found.values() for look in looks}) if len(found) > 1 else None
        if rows is not None:
            return dict.fromkeys(found, rows)
        return {number: rows for number, looks in found.items() if (rows := self._apart(looks)) is not None}

    def _apart(self, looks: Iterable[Look]) -> list[Row] | None:
        """A row of each kind that some looks tell apart, unless there are many."""
        told = [found for look in looks if (found := self._told(look))]
        if not told:
            return list(self.rows[:1])
        kinds = dict(zip(zip(*told, strict=True) if len(told) > 1 else told[0], self.rows, strict=True))
        return list(kinds.values()) if len(kinds) * SHARE <= len(self.rows) else None

    # ---- what is told apart ----------------------------------------------------------------------

    def _looks(self, rule: Rule, at: int) -> dict[Look, None] | None:
        """None: a large relation would have to be read by an index."""
        given = rule.body[at]
        assert isinstance(given, Atom), "a rule is driven here by an atom that it joins"
        here: dict[str, int] = {}
        looks: dict[Look, None] = {}
        for column, term in enumerate(given.terms):
            match term:
                case Var(name) if name not in here:
                    here[name] = column
                case Var(name):
                    looks["equal", here[name], column] = None
                case Const(value):
                    looks["constant", column, value] = None
                case Wildcard():
                    pass
                case _:
                    return None
        for literal in (part for place, part in enumerate(rule.body) if place != at):
            found = self._of_literal(literal, here)
            if found is None:
                return None
            looks |= dict.fromkeys(found)
        return looks

    def _of_literal(self, literal: Literal, here: Mapping[str, int]) -> Iterable[Look] | None:
        match literal:
            case Compared("=" | "!=", Var(a), Var(b)) if a in here and b in here:
                return [("equal", here[a], here[b])]
            case Compared():
                return _values((literal.left, literal.right), here)
            case Not(atom):
                return self._of_atom(atom, here)
            case Atom():
                return self._of_atom(literal, here)
        return None

    def _of_atom(self, atom: Atom, here: Mapping[str, int]) -> Iterable[Look] | None:
        relation = self._relations.get(atom.relation)
        if relation is None:
            return None
        key, *others = atom.terms or (Wildcard(),)
        if isinstance(key, Var) and key.name in here and key.name not in names_in(others):
            loose = all(isinstance(term, Wildcard) for term in others)
            if relation.shape in (PAIRS, ONES) or (relation.key is not None and relation.key.one_each and loose):
                return [("under", here[key.name], atom.relation), *_values(others, here)]
        return _values(atom.terms, here) if len(relation) <= SMALL else None

    # ---- telling ---------------------------------------------------------------------------------

    def _told(self, look: Look) -> list[Any] | None:
        """What one look tells of each row; nothing when they are alike in it, None when they differ in too much."""
        if look not in self._told_by:
            self._told_by[look] = self._read(*look)
        return self._told_by[look]

    def _read(self, way: str, column: int, beside: Any = None) -> list[Any] | None:
        if way == "under":
            found = self._under(column, self._relations[beside])
        elif way == "value":
            found = self.column(column)
        else:
            return list(map(eq, self.column(column), self.column(beside) if way == "equal" else repeat(beside)))
        return found if len(set(found)) * SHARE <= len(found) else None

    def _under(self, column: int, relation: Relation) -> list[Any]:
        """What stands under the values of a column in a table by key, or whether anything does."""
        keys = relation.rows.keys()
        if column == 0:
            for twin in self._relations.values():
                if twin.key is not None and keys.isdisjoint(twin.rows.keys()) and self.are_rows_of(twin):
                    return []
        if relation.key is None:
            return list(map(relation.rows.get, self.column(column)))
        if relation.shape == KEYED:
            return list(map(keys.__contains__, self.column(column)))
        return relation.key.entries(self.column(column))


def _values(terms: Iterable[Term], here: Mapping[str, int]) -> Iterator[Look]:
    return (("value", here[name]) for name in names_in(tuple(terms)) if name in here)
