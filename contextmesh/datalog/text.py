"""What every compiled function is written with: lines, values, and the data that its numbers stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from contextmesh.datalog.ast import Const, Sum, Term, Var
from contextmesh.datalog.choose import FEW, choose
from contextmesh.datalog.facts import Relation, Where
from contextmesh.datalog.index import Index
from contextmesh.datalog.keyed import KeyIndex, KeysIndex
from contextmesh.datalog.steps import Columns

STEPS = 256
Tests = list[tuple[int, str]]
"""A column of a row and the expression that it must equal."""

Shared = tuple[Index | KeyIndex, tuple[str, ...]]
"""A lookup by columns of the driver row (``w0``): the same for every rule that makes it."""


class Text:
    """Lines of one function, and what it is given."""

    def __init__(self, relations: Mapping[str, Relation], numbers: Mapping[str, int], heads: Sequence[str]) -> None:
        self.relations = relations
        self.numbers = numbers
        self.heads = {name: i for i, name in enumerate(heads)}
        self.data: dict[str, Any] = {}
        self.names: dict[str, str] = {}
        self.uses: dict[Index | KeyIndex, str] = {}
        self._lines: list[str] = []
        self._level = 0
        self._fresh = 0
        self._scans: dict[str, str] = {}
        self._constants: dict[tuple[type, Any], str] = {}
        self._variables: dict[str, str] = {}
        self._growing = "found"
        self.lookups: Counter[Shared] = Counter()
        self._hoisted: dict[Shared, str] = {}
        self._early: dict[str, str] = {}
        self._users: dict[str, dict[str, None]] = {}
        self._part = ""
        self._often: Collection[Shared] = ()
        self._few = FEW

    # ---- values ------------------------------------------------------------------------------

    def _value(self, term: Term, inverse: bool = False) -> str:
        """An expression; a sum is worked out first, and what follows stands under the test that it has a value."""
        match term:
            case Const(value):
                key = (type(value), value)
                if key not in self._constants:
                    self._constants[key] = self._given("k", value)
                return self._constants[key]
            case Var(name):
                return self._variable(name)
            case Sum(op, left, right):
                first, second = self._value(left, inverse), self._value(right, inverse)
                worked = self._new("t")
                self._line(
                    f"{worked} = {'undo_' if inverse else ''}{'plus' if op == '+' else 'minus'}({first}, {second})"
                )
                self._nest(f"if {worked} is not None:")
                return worked
        raise AssertionError("a wildcard has no value")

    def _row(self, values: Sequence[str]) -> str:
        return f"({', '.join(values)}{',' if len(values) == 1 else ''})"

    def _key(self, keys: Sequence[Term]) -> str:
        values = [self._value(term) for term in keys]
        return values[0] if len(values) == 1 else self._row(values)

    def _variable(self, name: str) -> str:
        return self._variables.setdefault(name, f"v{len(self._variables)}")

    # ---- data --------------------------------------------------------------------------------

    def _given(self, letter: str, value: Any) -> str:
        name = self._new(letter)
        self.data[name] = value
        return name

    def _relation(self, name: str) -> int:
        number = self.numbers[name]
        relation = self.relations[name]
        self.data.setdefault(f"r{number}", relation.rows)
        self.data.setdefault(f"g{number}", relation.rows.get)
        self.names[f"r{number}"] = name
        return number

    def _whole(self, name: str) -> str:
        number = self._relation(name)
        self.data.setdefault(f"R{number}", self.relations[name])
        return f"R{number}"

    def _all(self, name: str) -> str:
        """A full scan, taken once a call; a copy where the function itself adds to the relation."""
        scan = f"{self._whole(name)}.scan()"
        if name in self.heads:
            scan = f"list({scan})"
        return self._scans.setdefault(scan, f"s{self.numbers[name]}")

    def _lookup(self, relation: str, columns: Columns, where: Where, keys: Sequence[Term]) -> tuple[str, Tests]:
        """A call that gives a bucket or None, and what must yet be tested of its rows."""
        way = choose(self.relations[relation], columns, where, self._few)
        by_column = dict(zip(columns, keys, strict=True))
        keys_of = [[by_column[column] for column in index.columns] for index in way.indexes]
        first = self._call(relation, way.indexes[0], keys_of[0])
        tests = [(column, self._value(by_column[column])) for column in way.rest]
        tests += [(column, self._value(Const(value))) for column, value in way.where]
        if way.late is not None:
            bucket, find = self._new("b"), self._given("y", self.relations[relation].finder(*way.late))
            key = self._key(keys_of[0])
            return f"({bucket} if ({bucket} := {first}).__class__ is not dict else {find}({key}))", tests
        if len(way.indexes) == 1:
            return first, tests
        if not way.spare:
            return f"fewest({first}, {self._call(relation, way.indexes[1], keys_of[1])})", tests
        other = f"{self._index(relation, way.indexes[1])}({self._key(keys_of[1])})"
        bucket = self._new("b")
        return f"({bucket} if ({bucket} := {first}).__class__ is not dict else fewest({bucket}, {other}))", tests

    def _call(self, relation: str, index: Index | KeyIndex, key: Sequence[Term]) -> str:
        """A lookup that several rules make of one driver row is made once, and its bucket is a sequence then."""
        call = f"{self._index(relation, index)}({self._key(key)})"
        columns = [self._variable(term.name) for term in key if isinstance(term, Var)]
        thin = isinstance(index, KeyIndex | KeysIndex)
        if thin or len(columns) < len(key) or not all(name.startswith("w") for name in columns):
            return call
        shared = (index, tuple(columns))
        self.lookups[shared] += 1
        if shared not in self._often:
            return call
        if shared not in self._hoisted:
            bucket = self._hoisted[shared] = self._new("c")
            self._early[bucket] = call
        bucket = self._hoisted[shared]
        self._users.setdefault(bucket, {})[self._part] = None
        return bucket

    def _looked_up_early(self) -> list[str]:
        """Lines that make the lookups several rules share, where any of those rules can derive anything."""
        lines = []
        for bucket, call in self._early.items():
            users = self._users[bucket]
            lines += [
                f"{bucket} = {call}" if "" in users else f"{bucket} = {call} if {' or '.join(users)} else None",
                f"if {bucket}.__class__ is tuple and {bucket}[0].__class__ is not tuple:",
                f"    {bucket} = ({bucket},)",
            ]
        return lines

    def _index(self, relation: str, index: Index | KeyIndex) -> str:
        if index not in self.uses:
            name = self.uses[index] = self._given("x", index.buckets.get)
            parts = [f"column {i}" for i in index.columns] + [f"column {i} = {value!r}" for i, value in index.where]
            self.names[name] = f"{relation} by {', '.join(parts)}"
        return self.uses[index]

    # ---- lines -------------------------------------------------------------------------------

    def _new(self, letter: str) -> str:
        self._fresh += 1
        return f"{letter}{self._fresh}"

    def _line(self, text: str) -> None:
        self._lines.append("    " * self._level + text)

    def _nest(self, text: str) -> None:
        self._line(text)
        self._level += 1

    def _tick(self) -> None:
        self._line("n += 1")
        self._line(f"if n > {STEPS}:")
        self._line(f"    n = tick(n, meter, {self._growing})")
