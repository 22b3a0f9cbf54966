"""Many rows at once, and the rules that a few passes over whole columns show to add nothing to them.

A rule is otherwise run from each row that came, and needs indexes for it. It adds nothing

- where no value that came joins another of its atoms (a semi-join is empty), or all are in one that it negates;
- where it finds nothing from one row of each kind that it can tell apart, and those are few (``alike``);
- where two of its atoms can only be one row, and it asks them to differ: in ``twice(L) :- new(L, X, Y), edge(M, X, Y),
  L != M`` when each new row is a row of ``edge``, of which no two agree in X and Y. That atoms which agree in a key are
  one is the chase (Aho, Beeri and Ullman 1979), and to leave a query out for it semantic optimisation (Chakravarthy,
  Grant and Minker 1990).

All this is about the rows that stand now: nothing is assumed of a relation, and nothing is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from operator import itemgetter
from typing import Any

from contextmesh.datalog.alike import Came
from contextmesh.datalog.ast import Atom, Compared, Const, Literal, Not, Row, Rule, Term, Var, Wildcard
from contextmesh.datalog.facts import Relation

BULK = 1024
"""Of no more rows than this nobody asks."""

MANY_MORE = 8
"""A relation of so many times the rows that came costs more to pass over than they do to run."""

DIFFER = ("!=", "<", ">")
"""Comparisons that fail between a value and itself."""

Columns = tuple[int, ...]


class Bulk:
    """Rows that came, and the relations beside them; good while none of these changes."""

    def __init__(self, came: Sequence[Row], relations: Iterable[Relation]) -> None:
        relations = list(relations)
        self._came = Came(came, relations)
        self._relations = {r.name: r for r in relations if len(r) <= MANY_MORE * len(came)}
        self._given: dict[Columns, set[Any]] = {}
        self._values: dict[tuple[str, Columns], set[Any]] = {}
        self._keys: dict[tuple[str, Columns], bool] = {}

    def adding(self, driven: Sequence[tuple[Rule, int]], finds: Callable[[int, Sequence[Row]], bool]) -> list[int]:
        """The numbers of those rules, driven by the rows that came at a body atom, that are not seen to add nothing.

        ``finds`` tells whether the rule of a number may find anything when some of these rows drive it.
        """
        left = [number for number, (rule, at) in enumerate(driven) if not self._is_void(rule, at)]
        kinds = self._came.kinds([driven[number] for number in left])
        found = []
        for place, number in enumerate(left):
            rows = kinds.get(place)
            if finds(number, rows) if rows is not None else not self._meets_nothing(*driven[number]):
                found.append(number)
        return found

    def _meets_nothing(self, rule: Rule, at: int) -> bool:
        given = _driver(rule, at)
        return any(self._is_missed(given, other) for place, other in enumerate(rule.body) if place != at)

    def _is_missed(self, given: Atom, other: Literal) -> bool:
        """No row that came meets a row of another atom, or each meets one that the rule excludes."""
        atom = other.atom if isinstance(other, Not) else other
        if not isinstance(atom, Atom) or atom.relation not in self._relations:
            return False
        here = {term.name: column for column, term in enumerate(given.terms) if isinstance(term, Var)}
        joined = [(here[t.name], i) for i, t in enumerate(atom.terms) if isinstance(t, Var) and t.name in here]
        if isinstance(other, Not):
            loose = sum(1 for term in atom.terms if isinstance(term, Wildcard))
            if not joined or len(joined) + loose < len(atom.terms):
                return False
            ours, theirs = (tuple(columns) for columns in zip(*joined, strict=True))
            return self._all(ours) <= self._of(atom.relation, theirs)
        rows = self._relations[atom.relation].scan()
        return any(self._all((i,)).isdisjoint(map(itemgetter(j), rows)) for i, j in joined)

    def _is_void(self, rule: Rule, at: int) -> bool:
        """Two atoms that must differ can only be one row."""
        given, others = _driver(rule, at), [part for place, part in enumerate(rule.body) if place != at]
        atoms = [other for other in others if isinstance(other, Atom) and other.relation in self._relations]
        apart = [(c.left, c.right) for c in others if isinstance(c, Compared) and c.op in DIFFER]
        for one, other in ((given, atom) for atom in atoms if len(atom.terms) == len(given.terms)):
            if self._is_one(one, other, apart) and self._came.are_rows_of(self._relations[other.relation]):
                return True
        pairs = ((one, other) for one, other in combinations(atoms, 2) if one.relation == other.relation)
        return any(self._is_one(one, other, apart) for one, other in pairs)

    def _is_one(self, one: Atom, other: Atom, apart: Sequence[tuple[Term, Term]]) -> bool:
        beside = list(zip(one.terms, other.terms, strict=True))
        columns = tuple(i for i, (a, b) in enumerate(beside) if a == b and isinstance(a, Var | Const))
        if not columns or not any(terms in beside or terms[::-1] in beside for terms in apart):
            return False
        return self._is_key(other.relation, columns)

    # ---- what was passed over --------------------------------------------------------------------

    def _all(self, columns: Columns) -> set[Any]:
        """The values of the rows that came."""
        if columns not in self._given:
            self._given[columns] = set(self._beside(columns))
        return self._given[columns]

    def _of(self, relation: str, columns: Columns) -> set[Any]:
        """The values of a relation's rows."""
        if (relation, columns) not in self._values:
            rows = self._relations[relation].scan()
            self._values[relation, columns] = set(map(itemgetter(*columns), rows))
        return self._values[relation, columns]

    def _is_key(self, relation: str, columns: Columns) -> bool:
        """Whether no two rows of a relation are seen to agree in these columns.

        Rows with different hashes differ, and hashes take half the memory of what they are of. Where two meet,
        nothing is seen.
        """
        if (relation, columns) not in self._keys:
            rows = self._relations[relation]
            self._keys[relation, columns] = (0 in columns and rows.key is not None and rows.key.one_each) or (
                len(set(map(hash, self._values_of(rows, columns)))) == len(rows)
            )
        return self._keys[relation, columns]

    def _values_of(self, relation: Relation, columns: Columns) -> Iterable[Any]:
        if len(relation) == len(self._came.rows) and self._came.are_rows_of(relation):
            return self._beside(columns)
        return map(itemgetter(*columns), relation.scan())

    def _beside(self, columns: Columns) -> Iterable[Any]:
        """The values of some columns, together where they are several."""
        taken = [self._came.column(column) for column in columns]
        return zip(*taken, strict=True) if len(taken) > 1 else taken[0]


def _driver(rule: Rule, at: int) -> Atom:
    given = rule.body[at]
    assert isinstance(given, Atom), "a rule is driven here by an atom that it joins"
    return given
