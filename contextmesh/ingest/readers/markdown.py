"""Markdown, read by markdown-it-py (CommonMark with tables); its line map and the lines give exact places."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from contextmesh.base.errors import InputError, Problem
from contextmesh.ingest.flow import FlowBuilder, Lines, find_line
from contextmesh.ingest.layout import Layout, LayoutBuilder, LineTable
from contextmesh.ingest.readers.inline import markdown_words
from contextmesh.ingest.readers.sections import is_boilerplate

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


def markdown_layout(text: str, *, first_line: int = 1) -> Layout:
    """The flows and headings of a Markdown text. Code, tables and raw HTML are left out.

    ``first_line`` is where the Markdown begins (after front matter).

    Raises:
        InputError: unparsable, for a text that the parser gives up on.
    """
    table = LineTable(text)
    offset = first_line - 1
    try:
        tokens = _parser().parse(text[table.bounds(first_line)[0] :])
    except Exception as error:  # the library states no type for what a hostile text makes it raise
        raise InputError(Problem("unparsable", f"markdown-it gave up: {type(error).__name__}")) from None
    out = LayoutBuilder()
    lists = 0
    in_table = False
    for at, token in enumerate(tokens):
        if token.type.endswith("_list_open"):
            lists += 1
        elif token.type.endswith("_list_close"):
            lists -= 1
        elif token.type in ("table_open", "table_close"):
            in_table = token.type == "table_open"
        elif token.type == "inline" and token.map is not None and not in_table:
            words = FlowBuilder()
            markdown_words(Lines.of(list(_lines(table, token, offset))), words)
            line = token.map[0] + offset + 1
            if tokens[at - 1].type == "heading_open":
                title = words.build().plain
                out.heading(int(tokens[at - 1].tag[1:]), title, line, dull=is_boilerplate(title))
            else:
                out.add(words.build(out.role(item=lists > 0)), line)
    return out.build()


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Inline mark-up is ours (readers/inline.py): the library's inline tokens know no place.
    return MarkdownIt("commonmark", {"maxNesting": 40}).enable("table").disable("inline")


def _lines(table: LineTable, token: Token, offset: int) -> Iterator[tuple[str, int]]:
    assert token.map is not None
    for number, line in enumerate(token.content.split("\n"), start=token.map[0] + offset + 1):
        found = find_line(line, table.text, *table.bounds(number))
        if found is not None:
            yield found
