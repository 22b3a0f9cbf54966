"""Document to Ontology: the two tables of GRAPH.md, every problem at its cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from contextmesh.base.errors import PolicyError, Problem, Where
from contextmesh.lang.graphmd import Cell, Document, Line, Name, Section, Table, read_names, read_pairs, read_word
from contextmesh.policy.ontology import DIRECTIONS, Direction, EdgeType, NodeType, Ontology

NODE_SECTION, NODE_COLUMNS = "Node types", ("type", "symbol", "must carry")
EDGE_SECTION, EDGE_COLUMNS = "Edge types", ("edge", "legal pairs", "invalidation")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row by its columns."""

    cells: dict[str, Cell]
    line: Line


class _Reader:
    """Reads both tables, collecting problems; what has a problem is left out of the result."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.spoken: dict[str, None] = {}  # every word under Type or Symbol, also of rows that are refused
        self.blind = False  # a row of the node table could not be read, so a type may only seem undeclared
        self.told: dict[str, None] = {}  # undeclared types that were told already

    def read(self) -> Ontology:
        nodes = list(self._nodes())
        self.blind = self.blind or any(problem.code == "extra-cell" for problem in self.problems)
        edges = list(self._edges([node.name for node in nodes]))
        return Ontology(tuple(nodes), tuple(edges))

    # -- rows -------------------------------------------------------------------------------------

    def _rows(self, title: str, columns: Sequence[str]) -> Iterator[_Row]:
        sections = self.document.named(title)
        tables = [table for section in sections for table in _tables(section, columns[0])]
        if not tables:
            self._missing_table(title, columns, sections)
            return
        for table in tables:
            places = self._places(table, columns)
            if places is not None:
                for line in table.rows:
                    row = self._row(line, table, places)
                    if row is not None:
                        yield row
        if not any(table.rows for table in tables):
            self._add("no-types", f"the table under `{title}` has no rows", tables[0].header.where)

    def _missing_table(self, title: str, columns: Sequence[str], sections: Sequence[Section]) -> None:
        head = " | ".join(column.capitalize() for column in columns)
        where = sections[0].where if sections else Where(self.document.source.name)
        lack = "has no table" if sections else "is not there"
        self._add(
            "missing-table",
            f"the section `## {title}` {lack}",
            where,
            hint=f"it holds a table whose header is | {head} |",
        )

    def _places(self, table: Table, columns: Sequence[str]) -> dict[str, int] | None:
        """Which column stands where, or None when one is missing or stands twice."""
        found: dict[str, int] = {}
        sound = True
        for at, cell in enumerate(table.header.cells):
            name = cell.text.replace("`", "").strip().casefold()
            if name in columns and name in found:
                self._add("repeated-column", f"two columns are called `{cell.text}`", cell.where)
                sound = False
            found.setdefault(name, at)
        for name in columns:
            if name not in found:
                shown = {cell.text.casefold(): cell.text for cell in table.header.cells}
                close = get_close_matches(name, shown, n=1)
                hint = f"is it the one called `{shown[close[0]]}`?" if close else None
                message = f"the table has no column `{name.capitalize()}`"
                self._add("missing-column", message, table.header.where, subject=name, hint=hint)
                sound = False
        return found if sound else None

    def _row(self, line: Line, table: Table, places: dict[str, int]) -> _Row | None:
        if len(line.cells) > len(table.header.cells):
            extra = line.cells[len(table.header.cells)]
            message = f"the row has {len(line.cells)} cells, the header {len(table.header.cells)}"
            self._add("extra-cell", message, extra.where, hint="a pipe inside a cell is written \\|")
            return None
        cells = {name: line.cells[at] for name, at in places.items() if at < len(line.cells)}
        return _Row(cells, line)

    # -- the node table ----------------------------------------------------------------------------

    def _nodes(self) -> Iterator[NodeType]:
        seen: dict[str, Name] = {}
        for row in self._rows(NODE_SECTION, NODE_COLUMNS):
            name = self._word(row, "type")
            symbol = self._word(row, "symbol")
            fields = self._fields(row)
            self.blind = self.blind or name is None
            self.spoken |= dict.fromkeys(word.word.lower() for word in (name, symbol) if word is not None)
            if name is None or symbol is None or fields is None:
                continue
            kind = name.word.lower()
            if symbol.word != kind:
                message = f"the symbol of `{name.word}` is `{symbol.word}`, not `{kind}`"
                hint = f"write `{kind}`: a symbol is its type in lower case"
                self._add("symbol-mismatch", message, symbol.where, subject=kind, hint=hint)
            elif not self._repeats(kind, name, seen, "node type"):
                yield NodeType(kind, fields)

    def _fields(self, row: _Row) -> tuple[str, ...] | None:
        cell = row.cells.get("must carry")
        names = read_names(cell) if cell is not None else ()
        if isinstance(names, Problem):
            self.problems.append(names)
            return None
        return tuple(dict.fromkeys(name.word for name in names))

    # -- the edge table ----------------------------------------------------------------------------

    def _edges(self, kinds: Sequence[str]) -> Iterator[EdgeType]:
        seen: dict[str, Name] = {}
        for row in self._rows(EDGE_SECTION, EDGE_COLUMNS):
            name = self._word(row, "edge")
            pairs = self._pairs(row, name, kinds)
            direction = self._direction(row)
            if name is None or pairs is None or direction is None:
                continue
            edge = name.word.lower()
            if not self._repeats(edge, name, seen, "edge type"):
                yield EdgeType(edge, pairs, direction)

    def _pairs(self, row: _Row, edge: Name | None, kinds: Sequence[str]) -> tuple[tuple[str, str], ...] | None:
        cell = row.cells.get("legal pairs")
        pairs = read_pairs(cell) if cell is not None else ()
        if isinstance(pairs, Problem) and cell is not None and any(t.type == "ARROW" for t in cell.tokens):
            self.problems.append(pairs)
            return None
        if isinstance(pairs, Problem) or not pairs:
            what = f"`{edge.word}`" if edge is not None else "the edge type"
            where = cell.where if cell is not None else row.line.where
            self._add("no-legal-pair", f"no legal pair for {what}: it could never be written", where,
                      hint="write the node types it may join, such as claim→source")  # fmt: skip
            return None
        unknown = [end for pair in pairs for end in pair if end.word.lower() not in kinds]
        for end in unknown:
            self._undeclared(end, kinds)
        if unknown:
            return None
        return tuple(dict.fromkeys((src.word.lower(), dst.word.lower()) for src, dst in pairs))

    def _undeclared(self, end: Name, kinds: Sequence[str]) -> None:
        """Told once for each name, and not at all for one that a row above was meant to declare."""
        name = end.word.lower()
        if self.blind or not self.spoken or name in self.spoken or name in self.told:
            return
        self.told[name] = None
        close = get_close_matches(name, kinds, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"GRAPH.md declares {', '.join(kinds)}"
        self._add("undeclared-type", f"`{end.word}` is not a node type", end.where, subject=end.word, hint=hint)

    def _direction(self, row: _Row) -> Direction | None:
        found = self._word(row, "invalidation")
        if found is None:
            return None
        for direction in DIRECTIONS:
            if found.word.lower() == direction:
                return direction
        close = get_close_matches(found.word.lower(), DIRECTIONS, n=1)
        hint = f"did you mean `{close[0]}`?" if close else None
        message = f"`{found.word}` is not a direction: it is backward, forward or none"
        self._add("unknown-direction", message, found.where, subject=found.word, hint=hint)
        return None

    # -- both --------------------------------------------------------------------------------------

    def _word(self, row: _Row, column: str) -> Name | None:
        cell = row.cells.get(column)
        if cell is None or not cell.text:
            where = row.line.where if cell is None else cell.where
            self._add("missing-cell", f"nothing stands under `{column.capitalize()}`", where)
            return None
        name = read_word(cell)
        if isinstance(name, Problem):
            self.problems.append(name)
            return None
        return name

    def _repeats(self, word: str, name: Name, seen: dict[str, Name], what: str) -> bool:
        first = seen.setdefault(word, name)
        if first is name:
            return False
        message = f"the {what} `{word}` has two rows"
        problem = Problem("repeated-row", message, word, where=name.where, also=(first.where,), hint="keep one of them")
        self.problems.append(problem)
        return True

    def _add(
        self, code: str, message: str, where: Where, *, subject: str | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(Problem(code, message, subject, where=where, hint=hint))


def read_ontology(document: Document) -> Ontology:
    """Both tables as one value.

    Raises:
        PolicyError: every problem of both tables, in the order in which they stand (codes ``missing-table``,
            ``missing-column``, ``repeated-column``, ``no-types``, ``missing-cell``, ``extra-cell``, ``bad-cell``,
            ``symbol-mismatch``, ``repeated-row``, ``no-legal-pair``, ``undeclared-type``, ``unknown-direction``).
    """
    reader = _Reader(document)
    ontology = reader.read()
    if reader.problems:
        raise PolicyError(*sorted(reader.problems, key=_place))
    return ontology


def _tables(section: Section, key: str) -> Iterator[Table]:
    for table in section.tables:
        if table.header.cells[0].text.replace("`", "").strip().casefold() == key:
            yield table


def _place(problem: Problem) -> tuple[int, int]:
    where = problem.where
    return (0, 0) if where is None else (where.line or 0, where.column or 0)
