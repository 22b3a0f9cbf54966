"""Plain text: paragraphs between blank lines, list items, turns of a talk, headings by their underline."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextmesh.ingest.flow import ITEM, PROSE, TURN, FlowBuilder, Lines
from contextmesh.ingest.layout import Layout, LayoutBuilder, LineTable
from contextmesh.ingest.readers.inline import plain_words
from contextmesh.ingest.readers.sections import is_boilerplate

_BULLET = re.compile(r"\s*(?:[-*+•‣◦·–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_RULE = re.compile(r"\s*([=\-~^*_#`.])\1{2,}\s*$")
_TURN = re.compile(r"\s*(?:\[[^\]\n]{1,40}\]\s*)?[^\W\d_][^\n:：]{0,39}[:：]\s+\S")
_TABLE = re.compile(r"\t.*\t|\|.*\|")

_Line = tuple[str, int]


def text_layout(text: str) -> Layout:
    """The flows and headings of a plain text. Rows of a table are left out."""
    table = LineTable(text)
    out = LayoutBuilder()
    for first, lines in _paragraphs(table):
        if len(lines) >= 2 and _RULE.match(lines[-1][0]) and not _RULE.match(lines[0][0]):
            words = " ".join(" ".join(line.split()) for line, _ in lines[:-1])
            out.heading(1, words, first, dull=is_boilerplate(words))
        elif len(lines) == 1 and is_boilerplate(lines[0][0]):
            out.heading(1, " ".join(lines[0][0].split()), first, dull=True)
        elif 2 * sum(_TABLE.search(line) is not None for line, _ in lines) <= len(lines):
            _paragraph(out, first, lines)
    return out.build()


def _paragraphs(table: LineTable) -> Iterator[tuple[int, list[_Line]]]:
    held: list[_Line] = []
    first = 1
    for number in range(1, len(table) + 1):
        start, end = table.bounds(number)
        line = table.text[start:end]
        if line.strip():
            if not held:
                first = number
            held.append((line, start))
        elif held:
            yield first, held
            held = []
    if held:
        yield first, held


def _paragraph(out: LayoutBuilder, first: int, lines: list[_Line]) -> None:
    turns = len(lines) > 1 and all(_TURN.match(line) for line, _ in lines)
    block: list[_Line] = []
    begin, item = first, False
    for number, (line, at) in enumerate(lines, start=first):
        bullet = None if turns else _BULLET.match(line)
        if block and (turns or bullet is not None or _RULE.match(line)):
            _flow(out, block, begin, item=item, turn=turns)
            block, item = [], False
        if _RULE.match(line):
            continue
        if not block:
            begin, item = number, bullet is not None
        cut = bullet.end() if bullet is not None else 0
        block.append((line[cut:], at + cut))
    if block:
        _flow(out, block, begin, item=item, turn=turns)


def _flow(out: LayoutBuilder, block: list[_Line], line: int, *, item: bool, turn: bool) -> None:
    lines = Lines.of([_stripped(text, at) for text, at in block])
    words = FlowBuilder()
    plain_words(lines, 0, len(lines.raw), words)
    role = out.role(item=item)
    out.add(words.build(TURN if turn and role in (PROSE, ITEM) else role), line)


def _stripped(line: str, at: int) -> _Line:
    return line.strip(), at + len(line) - len(line.lstrip())
