"""How the text of compiled rules looks into tables, by their shape (see table)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextmesh.datalog.ast import Const, Term
from contextmesh.datalog.keyed import Odd
from contextmesh.datalog.steps import Scan
from contextmesh.datalog.text import Tests, Text

ROW = "e0"
"""A driving row as it is."""


class RowText(Text):
    """Lines that read and write rows."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._loops = 0
        self._given_row: tuple[str, ...] = ()

    def _row(self, values: Sequence[str]) -> str:
        return ROW if values and tuple(values) == self._given_row else super()._row(values)

    def _there(self, name: str, values: Sequence[str], *, absent: bool = False) -> str:
        """Whether a row is there, as a look into its table (see table)."""
        number = self._relation(name)
        match self.relations[name].shape:
            case "ones":
                return f"{'not ' if absent else ''}g{number}({values[0]})"
            case "pairs":
                return f"g{number}({values[0]}) {'!=' if absent else '=='} {values[1]}"
            case "keyed":
                return f"g{number}({values[0]}) {'!=' if absent else '=='} {self._row(values)}"
            case _:
                return f"{'not ' if absent else ''}g{number}({self._row(values)})"

    def _derived(self, head: str, values: Sequence[str]) -> None:
        """A row goes into the table of its head and to those found, unless it is there."""
        number, at, row = self._relation(head), self.heads[head], self._row(values)
        match self.relations[head].shape:
            case "ones":
                self._nest(f"if not g{number}({values[0]}):")
                self._line(f"r{number}[{values[0]}] = True")
                self._line(f"p{at}({row})")
            case "pairs" | "keyed" as shape:
                kept = self._new("m")
                self._line(f"{kept} = g{number}({values[0]})")
                self._line(f"if {kept} is None:")
                self._line(f"    row{at} = {row}")
                self._line(f"    r{number}[{values[0]}] = {values[1] if shape == 'pairs' else f'row{at}'}")
                self._line(f"    p{at}(row{at})")
                self._nest(f"elif {kept} != {values[1] if shape == 'pairs' else row}:")
                self._line(f"row{at} = {row}")
                self.data.setdefault(f"q{number}", self.relations[head].put)
                self._line(f"q{number}(row{at})")
                self._line(f"p{at}(row{at})")
            case _:
                self._line(f"row{at} = {row}")
                self._nest(f"if not g{number}(row{at}):")
                self._line(f"r{number}[row{at}] = True")
                self._line(f"p{at}(row{at})")

    # ---- loops over rows ---------------------------------------------------------------------

    def _each(self, scan: Scan, rows: str, tests: Tests, more_loops: bool) -> None:
        taken = {column: self._variable(name) for column, name in scan.binds}
        tested = tests + [(column, self._variable(name)) for column, name in scan.same]
        again = {column: self._new("t") for column, _ in tested}
        arity = self.relations[scan.relation].arity
        parts = [again.get(column) or taken.get(column, "_") for column in range(arity)]
        self._for(f"{', '.join(parts)}{',' if arity == 1 else ''}", rows, more_loops)
        for column, value in tested:
            self._nest(f"if {again[column]} == {value}:")

    def _for(self, targets: str, rows: str, more_loops: bool) -> None:
        self._line(f"for {targets} in {rows}:")
        self._level += 1
        self._loops += 1
        if more_loops:
            self._tick()

    def _entry(self, relation: str, key: Term) -> str:
        """What stands under a key of a table by the first column."""
        entry = self._new("m")
        self.data.setdefault("odd", Odd)
        self._line(f"{entry} = g{self._relation(relation)}({self._value(key)})")
        return entry

    def _scan_key(self, scan: Scan, more_loops: bool) -> None:
        """The rows under a key of such a table: one, or, where the entry is odd, any number."""
        by_column = dict(zip(scan.columns, scan.keys, strict=True))
        rest = [(column, self._value(term)) for column, term in by_column.items() if column]
        rest += [(column, self._value(Const(value))) for column, value in scan.where]
        entry = self._entry(scan.relation, by_column[0])
        self._nest(f"if {entry} is not None:")
        rows = f"({entry},) if {entry}.__class__ is not odd else {entry}.all()"
        if not scan.needed and not rest:
            self._nest(f"if {entry}.__class__ is not odd or {entry}.all():")
        elif self.relations[scan.relation].shape == "keyed":
            self._each(scan, rows, rest, more_loops)
        else:
            ((_, name),) = scan.binds
            self._for(self._variable(name), rows, more_loops)

    def _each_key(self, scan: Scan, keys: str, more_loops: bool) -> None:
        self._line(f"if {keys}.__class__ is dict:")
        self._line(f"    n += len({keys})")
        self._line(f"elif {keys}.__class__ is not tuple:")
        self._line(f"    {keys} = ({keys},)")
        ((_, name),) = scan.binds
        self._for(self._variable(name), keys, more_loops)
