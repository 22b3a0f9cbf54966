"""A rules text in one layout, with every comment where it was; formatting twice is formatting once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contextmesh.base.source import Source
from contextmesh.lang.parser import sentences, span_of
from contextmesh.lang.reader import Reader
from contextmesh.lang.render import WIDTH, render_declaration, render_rule
from contextmesh.lang.rules import GRAMMAR, checked_source, parse_rules, sentence_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lark import Token


@dataclass(frozen=True, slots=True)
class _Item:
    """A comment, or a statement as it will be written, and where it stood."""

    text: str
    start: int
    end: int
    is_comment: bool
    is_plain: bool
    """A fact that may share its line with the facts beside it."""


def format_rules(source: Source) -> str:
    """The text, a statement a line, comments kept, at most one empty line between two statements.

    Facts that shared a line still do while they fit it, a comment after a statement keeps its column when it can,
    and a statement with a comment inside stays as it was written.

    Raises:
        RuleError: as parse_rules; a text that cannot be read is not formatted.
    """
    source = checked_source(source)
    parse_rules(source)
    lines: list[str] = []
    before: _Item | None = None
    for item in _items(source):
        gap = source.text[before.end : item.start] if before else "\n"
        if before is None or "\n" in gap or before.is_comment:
            lines += [""] * (before is not None and gap.count("\n") > 1)
            lines.append(item.text)
        elif item.is_comment:
            column = item.start - (source.text.rfind("\n", 0, item.start) + 1)
            above, newline, last = lines[-1].rpartition("\n")
            lines[-1] = f"{above}{newline}{last.ljust(column - 2)}  {item.text}"
        elif item.is_plain and before.is_plain and len(lines[-1]) + 1 + len(item.text) <= WIDTH:
            lines[-1] = f"{lines[-1]} {item.text}"
        else:
            lines.append(item.text)
        before = item
    return "".join(f"{line}\n" for line in lines)


def _items(source: Source) -> Iterator[_Item]:
    for run in sentences(GRAMMAR, source.text, end="DOT", keep=("COMMENT",)):
        first = next((i for i, token in enumerate(run) if token.type != "COMMENT"), len(run))
        for token in run[:first]:
            span = span_of(token)
            yield _Item(str(token).rstrip(), span.start, span.end, True, False)
        if first < len(run):
            yield _statement(source, run[first:])


def _statement(source: Source, run: Sequence[Token]) -> _Item:
    start, end = span_of(run[0]).start, span_of(run[-1]).end
    if any(token.type == "COMMENT" for token in run):
        written = "\n".join(line.rstrip() for line in source.text[start:end].split("\n"))
        return _Item(written, start, end, False, False)
    reader = Reader(source)
    tree = sentence_tree(source, "statement", run, reader.problems)
    assert tree is not None and not reader.problems, "the text was read before"
    reader.statement(tree)
    text = "\n".join([*map(render_declaration, reader.declarations), *map(render_rule, reader.rules)])
    plain = all(not rule.body and rule.label is None for rule in reader.rules) and not reader.declarations
    return _Item(text, start, end, False, plain)
