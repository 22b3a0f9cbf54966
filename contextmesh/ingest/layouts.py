"""Which reader lays out which document."""

from __future__ import annotations

from collections.abc import Callable

from contextmesh.base.errors import InputError
from contextmesh.ingest.documents import Document
from contextmesh.ingest.layout import Layout
from contextmesh.ingest.readers.frontmatter import front_matter
from contextmesh.ingest.readers.markdown import markdown_layout
from contextmesh.ingest.readers.pep import header_fields, numbered_record
from contextmesh.ingest.readers.rst import rst_layout
from contextmesh.ingest.readers.text import text_layout
from contextmesh.ingest.readers.yamldoc import yaml_layout

MARKED_UP_AT_MOST = 2 << 20
"""Longer texts, in characters, are read as plain paragraphs: no parser of mark-up is made for them."""


def layout_of(document: Document) -> Layout:
    """The running words and headings of a document; an unknown kind is read as plain text."""
    text = document.text
    if len(text) > MARKED_UP_AT_MOST:
        return text_layout(text)
    if document.kind == "markdown":
        return _safely(text, lambda: markdown_layout(text, first_line=_after_header(text)))
    if document.kind == "rst":
        return _safely(text, lambda: rst_layout(text, first_line=_after_header(text)))
    if document.kind == "yaml":
        return _safely(text, lambda: yaml_layout(text))
    return text_layout(text)


def _safely(text: str, read: Callable[[], Layout]) -> Layout:
    """What its parser gives up on is left to the plain reader, which never does."""
    try:
        return read()
    except InputError:
        return text_layout(text)


def _after_header(text: str) -> int:
    fields, line = header_fields(text)
    if numbered_record(fields) is not None:
        return line
    front = front_matter(text)
    return front[2] if front is not None else 1
