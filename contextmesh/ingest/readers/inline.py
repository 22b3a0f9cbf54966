"""Mark-up inside a line, taken away: Markdown and reStructuredText each by one pattern over a block's raw lines."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from contextmesh.ingest.flow import FlowBuilder, Lines

_MARKDOWN = re.compile(
    r"(?P<code>(?P<ticks>`{1,3})(?!`)(?P<coded>[^`].{0,999}?)(?<!`)(?P=ticks)(?!`))"
    r"|(?P<image>!\[[^\[\]]{0,300}\]\([^()\s]{0,2000}(?:\s+[\"'][^\"']{0,300}[\"'])?\))"
    r"|(?P<link>\[(?P<linked>(?:[^\[\]]|\[[^\[\]]{0,99}\]){1,500})\]"
    r"(?:\((?:[^()\s]|\([^()\s]{0,300}\)){0,2000}(?:\s+[\"'][^\"']{0,300}[\"'])?\)|\[[^\[\]]{0,200}\]))"
    r"|(?P<note>\[\^[^\[\]\s]{1,60}\])"
    r"|(?P<comment><!--.{0,5000}?-->)"
    r"|<(?P<auto>(?:https?|mailto|ftp):[^\s<>]{1,2000})>"
    r"|(?P<tag></?[A-Za-z][A-Za-z0-9-]{0,30}(?:\s[^<>]{0,500})?/?>)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)"
    r"|(?P<mark>(?<![\w*])\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}(?![\w*])|(?<![\w_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\w_])|~~)"
    r"|(?P<break>\\(?=\n))",
    re.DOTALL,
)

_RST = re.compile(
    r"(?P<code>``(?=\S)(?P<coded>.{1,999}?)(?<=\S)``)"
    r"|(?P<role>:(?P<name>[a-z][a-z0-9:+._-]{0,40}):`(?P<content>[^`]{1,500})`)"
    r"|(?P<link>_?`(?P<linked>[^`<]{1,500}?)\s*(?P<target><[^`>]{1,2000}>)?`(?::[a-z][a-z0-9:]{0,30}:|__?(?!\w))?)"
    r"|(?P<note>\s?\[(?:\d{1,3}|#[\w.-]{0,40}|\*|[A-Za-z][\w.-]{0,40})\]_(?!\w))"
    r"|\|(?P<replaced>[^\s|][^|\n]{0,60})\|_{0,2}"
    r"|(?<=[^\W_])(?P<reference>__?)(?![\w_])"
    r"|(?P<strong>(?<![\w*])\*{1,2}(?=[^\s*])|(?<=[^\s*])\*{1,2}(?![\w*]))"
    r"|\\(?P<nothing>\s)"
    r"|\\(?P<escaped>[^\s\w])",
    re.DOTALL,
)

_NUMBERED = {"pep": "PEP", "rfc": "RFC"}


def markdown_words(lines: Lines, out: FlowBuilder) -> None:
    """Adds the words of Markdown lines; code and links are marked."""
    _words(lines, 0, len(lines.raw), out, _MARKDOWN, _markdown_piece)


def rst_words(lines: Lines, out: FlowBuilder) -> None:
    """Adds the words of reStructuredText lines; code and links are marked."""
    _words(lines, 0, len(lines.raw), out, _RST, _rst_piece)


def plain_words(lines: Lines, start: int, end: int, out: FlowBuilder) -> None:
    """Adds raw characters as they are; a line's end is a space."""
    for row, (run, place) in enumerate(lines.each(start, end)):
        if row:
            out.space(place - 1, place)
        out.exact(run, place)
    if end > start and lines.raw[end - 1 : end] == "\n":
        out.space(lines.place(end - 1), lines.place(end - 1) + 1)


_Piece = Callable[[Lines, "re.Match[str]", FlowBuilder], None]


def _words(lines: Lines, start: int, end: int, out: FlowBuilder, pattern: re.Pattern[str], piece: _Piece) -> None:
    at = start
    for match in pattern.finditer(lines.raw, start, end):
        if match.start() > at:
            _run(lines, at, match.start(), out)
        piece(lines, match, out)
        at = match.end()
    if at < end:
        _run(lines, at, end, out)


def _run(lines: Lines, start: int, end: int, out: FlowBuilder) -> None:
    if lines.raw[start] == "\n":
        out.space(lines.place(start), lines.place(start) + 1)
    plain_words(lines, start, end, out)


def _whole(lines: Lines, match: re.Match[str], text: str, out: FlowBuilder) -> None:
    out.mapped(text, lines.place(match.start()), lines.place(match.end() - 1) + 1)


def _markdown_piece(lines: Lines, match: re.Match[str], out: FlowBuilder) -> None:
    before = len(out)
    if match["code"] is not None:
        plain_words(lines, match.start("coded"), match.end("coded"), out)
        out.mark("code", before, len(out))
    elif match["link"] is not None:
        _words(lines, match.start("linked"), match.end("linked"), out, _MARKDOWN, _markdown_piece)
        out.mark("link", before, len(out))
    elif match["auto"] is not None:
        plain_words(lines, match.start("auto"), match.end("auto"), out)
        out.mark("link", before, len(out))
    elif match["escaped"] is not None:
        plain_words(lines, match.start("escaped"), match.end("escaped"), out)
    elif match["entity"] is not None:
        _whole(lines, match, html.unescape(match[0]), out)
    elif match["tag"] is not None and match["tag"].lower().startswith("<br"):
        _whole(lines, match, " ", out)


def _rst_piece(lines: Lines, match: re.Match[str], out: FlowBuilder) -> None:
    before = len(out)
    if match["code"] is not None:
        plain_words(lines, match.start("coded"), match.end("coded"), out)
        out.mark("code", before, len(out))
    elif match["role"] is not None:
        role = match["name"].rsplit(":", 1)[-1]
        words = re.sub(r"\s*<[^<>]*>$", "", match["content"].lstrip("~!")).strip() or match["content"]
        if role in _NUMBERED and words.split("#")[0].isdigit():
            words = f"{_NUMBERED[role]} {words.split('#')[0].lstrip('0') or '0'}"
        _whole(lines, match, words, out)
    elif match["link"] is not None:
        plain_words(lines, match.start("linked"), match.end("linked"), out)
        if match["target"] is not None:
            out.mark("link", before, len(out))
    elif match["replaced"] is not None:
        plain_words(lines, match.start("replaced"), match.end("replaced"), out)
    elif match["escaped"] is not None:
        plain_words(lines, match.start("escaped"), match.end("escaped"), out)
