"""reStructuredText, read by docutils with everything that touches the system switched off.

Its paragraphs know their first line and their raw lines, which are found again in the text for exact places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from contextmesh.base.errors import InputError, Problem
from contextmesh.ingest.flow import FlowBuilder, Lines, find_line
from contextmesh.ingest.layout import Layout, LayoutBuilder, LineTable
from contextmesh.ingest.readers.inline import rst_words
from contextmesh.ingest.readers.sections import is_boilerplate

if TYPE_CHECKING:
    from docutils import nodes

# docutils would end a line at these; as spaces they leave every offset where it is.
_OTHER_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_SKIPPED = (
    *("table", "field_list", "docinfo", "footnote", "citation", "comment", "literal_block", "doctest_block"),
    *("math_block", "raw", "system_message", "substitution_definition", "target", "topic", "image", "figure"),
    "line_block",
)


def rst_layout(text: str, *, first_line: int = 1) -> Layout:
    """The flows and headings of a text. Literal blocks, tables, footnotes, fields and comments are left out.

    ``first_line`` is where it begins (after a header).

    Raises:
        InputError: unparsable, for a text that the parser gives up on.
    """
    table = LineTable(text)
    offset = first_line - 1
    tree = _parse(text[table.bounds(first_line)[0] :])
    out = LayoutBuilder()
    for node, level, item, about in _walk(tree):
        line = (node.line or 0) + offset
        if node.tagname == "title":
            words = " ".join(node.astext().split())
            out.heading(level, words, line, dull=is_boilerplate(words))
            continue
        words_of = FlowBuilder()
        rst_words(Lines.of(list(_lines(table, node.rawsource, line))), words_of)
        out.add(words_of.build(out.role(item=item), about), line)
    return out.build()


def _walk(root: nodes.Node) -> Iterator[tuple[Any, int, bool, tuple[str, ...]]]:
    """Titles and paragraphs in order: section level, whether a list item, the term of a definition."""
    stack: list[tuple[Any, int, bool, tuple[str, ...]]] = [(root, 0, False, ())]
    while stack:
        node, level, item, about = stack.pop()
        tag = getattr(node, "tagname", "#text")
        if tag in _SKIPPED:
            continue
        if tag in ("title", "paragraph"):
            if tag == "paragraph" or level:
                yield node, level, item, about
            continue
        if tag == "section":
            level += 1
        elif tag == "list_item":
            item = True
        elif tag == "definition_list_item":
            term = next((" ".join(c.astext().split()) for c in node.children if c.tagname == "term"), "")
            about = (term.split(" : ")[0],) if 0 < len(term) <= 60 else ()
        stack.extend((child, level, item, about) for child in reversed(node.children))


def _parse(text: str) -> nodes.document:
    from docutils.parsers.rst import Parser
    from docutils.utils import new_document

    document = new_document("<text>", _settings())
    try:
        Parser().parse(_OTHER_LINE_ENDS.sub(" ", text), document)
    except Exception as error:  # docutils states no type for what a hostile text makes it raise
        raise InputError(Problem("unparsable", f"docutils gave up: {type(error).__name__}")) from None
    return document


@cache
def _settings() -> Any:
    from io import StringIO

    from docutils.frontend import get_default_settings
    from docutils.parsers.rst import Parser

    settings = get_default_settings(Parser)
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    settings.syntax_highlight = "none"
    settings.report_level = 5
    settings.halt_level = 6
    settings.warning_stream = StringIO()
    settings.line_length_limit = 10_000_000
    return settings


def _lines(table: LineTable, raw: str, first: int) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(raw.split("\n"), start=first):
        found = find_line(line, table.text, *table.bounds(number))
        if found is not None:
            yield found
