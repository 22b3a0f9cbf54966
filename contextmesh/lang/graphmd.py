"""GRAPH.md from text: sections, tables and cells, each with its place. What they mean is not known here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contextmesh.base.errors import Problem, Where
from contextmesh.base.source import Source, Span
from contextmesh.lang.parser import END, Fault, parse_tokens, sentences, span_of

if TYPE_CHECKING:
    from lark import Token

    from contextmesh.lang.parser import Node

GRAMMAR = "graph_md.lark"
SECTION_LEVEL = 2
_WORDS = {"WORD": "a name", "ARROW": "`→`", "COMMA": "a comma", "TICK": "a back-tick", END: "the end of the cell"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table: its text, trimmed and with escaped pipes undone, and where it stands."""

    source: Source = field(repr=False)
    text: str
    span: Span
    tokens: tuple[Token, ...] = field(repr=False, compare=False)

    @property
    def where(self) -> Where:
        return self.source.where(self.span)


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table."""

    cells: tuple[Cell, ...]
    where: Where


@dataclass(frozen=True, slots=True)
class Table:
    """A run of rows without a line between them; rows of dashes are left out."""

    header: Line
    rows: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """What follows a heading of the first or second level, up to the next one."""

    title: str
    where: Where
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Document:
    source: Source
    sections: tuple[Section, ...]

    def named(self, title: str) -> tuple[Section, ...]:
        """The sections of that title, in any case."""
        return tuple(s for s in self.sections if s.title.casefold() == title.casefold())


@dataclass(frozen=True, slots=True)
class Name:
    """A word of a cell and its place."""

    word: str
    where: Where


def parse_graph_md(source: Source) -> Document:
    """The sections of a text with their tables. Never refuses: what is no heading and no row is prose."""
    sections: list[Section] = []
    title, where = "", Where(source.name)
    tables: list[Table] = []
    rows: list[Line] = []

    def end_table() -> None:
        if rows:
            tables.append(Table(rows[0], tuple(r for r in rows[1:] if not _is_rule(r))))
            rows.clear()

    def end_section() -> None:
        end_table()
        sections.append(Section(title, where, tuple(tables)))
        tables.clear()

    for tokens in sentences(GRAMMAR, source.text, end="NL"):
        line = tokens[:-1] if tokens[-1].type == "NL" else tokens
        tree = _line(line)
        if tree is not None and tree.data == "row":
            rows.append(_row(source, tree, line))
            continue
        end_table()
        if tree is not None and _level(line[0]) <= SECTION_LEVEL:
            end_section()
            title, where = _title(line[0]), source.where(span_of(line[0]))
    end_section()
    return Document(source, tuple(sections))


def read_word(cell: Cell) -> Name | Problem:
    """A cell that holds one name, with or without back-ticks."""
    tree = _cell(cell, "word")
    return tree if isinstance(tree, Problem) else _names(cell, tree)[0]


def read_names(cell: Cell) -> tuple[Name, ...] | Problem:
    """A cell that holds names with commas between them; empty, or a dash, for none."""
    tree = _cell(cell, "names")
    return tree if isinstance(tree, Problem) else tuple(_names(cell, tree))


def read_pairs(cell: Cell) -> tuple[tuple[Name, Name], ...] | Problem:
    """A cell that holds pairs ``from→to`` with commas between them; empty, or a dash, for none."""
    tree = _cell(cell, "pairs")
    if isinstance(tree, Problem):
        return tree
    names = _names(cell, tree)
    return tuple(zip(names[::2], names[1::2], strict=True))


def _line(tokens: Sequence[Token]) -> Node | None:
    if not tokens or tokens[0].type not in ("BAR", "HEADING"):
        return None
    tree = parse_tokens(GRAMMAR, "line", tokens)
    if isinstance(tree, Fault):
        return None
    found = tree.children[0]
    assert not isinstance(found, str), "a line is a heading or a row"
    return found


def _row(source: Source, tree: Node, tokens: Sequence[Token]) -> Line:
    bars = [span_of(t) for t in tokens if t.type == "BAR"]
    inner = [child for child in tree.children if not isinstance(child, str)]
    cells = []
    for left, right, cell in zip(bars, bars[1:], inner, strict=False):
        raw = source.text[left.end : right.start]
        start = left.end + len(raw) - len(raw.lstrip())
        text = raw.strip()
        span = Span(start, start + len(text)) if text else Span(left.end, right.start)
        held = tuple(t for t in cell.scan_values(lambda _: True))
        cells.append(Cell(source, text.replace("\\|", "|"), span, held))
    return Line(tuple(cells), source.where(Span(bars[0].start, bars[-1].end)))


def _is_rule(row: Line) -> bool:
    """A row of dashes and colons, which only draws the line below a header."""
    return all(not cell.text.strip("-: ") for cell in row.cells) and any("-" in cell.text for cell in row.cells)


def _level(heading: str) -> int:
    text = heading.lstrip(" ")
    return len(text) - len(text.lstrip("#"))


def _title(heading: str) -> str:
    return heading.strip().lstrip("#").strip().rstrip("#").strip()


def _cell(cell: Cell, start: str) -> Node | Problem:
    tree = parse_tokens(GRAMMAR, start, cell.tokens)
    if not isinstance(tree, Fault):
        return tree
    expected = [_WORDS[t] for t in tree.expected if t in _WORDS]
    span = tree.span
    if tree.kind == END:
        found = "the end of the cell" if cell.tokens else "an empty cell"
        span = Span(cell.span.end, cell.span.end) if cell.tokens else cell.span
    else:
        found = f"`{tree.text}`"
    words = expected[0] if len(expected) == 1 else f"{', '.join(expected[:-1])} or {expected[-1]}"
    hint = "a name is made of a-z, A-Z, 0-9 and `_`" if tree.kind in ("DASH", "OTHER") else None
    return Problem("bad-cell", f"expected {words}, found {found}", where=cell.source.where(span), hint=hint)


def _names(cell: Cell, tree: Node) -> list[Name]:
    return [
        Name(str(token), cell.source.where(span_of(token)))
        for token in tree.scan_values(lambda part: getattr(part, "type", None) == "WORD")
    ]
