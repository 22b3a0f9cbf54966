"""Text to tree by a lark grammar: the only module that imports lark, and only when a text is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from contextmesh.base.data import read_data
from contextmesh.base.source import Span

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

    Node = Tree[Token]

END = "$END"


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a text stops being a sentence of its grammar.

    Attributes:
        kind: the terminal that was found, or ``$END``.
        text: its characters.
        before: the tokens of the same sentence before it, as (terminal, characters).
        expected: the terminals that could have stood there, sorted.
    """

    kind: str
    text: str
    span: Span
    before: tuple[tuple[str, str], ...]
    expected: tuple[str, ...]


def sentences(
    grammar: str, text: str, *, end: str, keep: Sequence[str] = (), most: int | None = None
) -> Iterator[list[Token]]:
    """The tokens of a text, cut after each ``end`` token; the last list may lack one.

    The grammar must have a terminal for every character, so that lexing never fails.

    Args:
        grammar: a file of ``grammar/``, such as ``rules.lark``.
        keep: ignored terminals (comments) to hand over all the same.
        most: lexing stops with a list of more tokens than this.
    """
    lexer = _lexer(grammar)
    skip = frozenset(lexer.ignore_tokens) - frozenset(keep)
    run: list[Token] = []
    for token in lexer.lex(text, dont_ignore=bool(keep)):
        if token.type in skip:
            continue
        run.append(token)
        if token.type == end:
            yield run
            run = []
        elif most is not None and len(run) > most:
            break
    if run:
        yield run


def parse_tokens(grammar: str, start: str, tokens: Sequence[Token]) -> Node | Fault:
    """The tree of one sentence. Iterative: no nesting of the text deepens the call stack."""
    from lark import UnexpectedToken

    state = _parser(grammar).parse_interactive(start=start)
    seen = 0
    try:
        for token in tokens:
            state.feed_token(token)
            seen += 1
        tree: Node = state.feed_token(_end(tokens))
    except UnexpectedToken:
        before = tuple((str(t.type), str(t)) for t in tokens[:seen])
        expected = tuple(sorted(map(str, state.accepts())))  # type: ignore[no-untyped-call]
        if seen < len(tokens):
            token = tokens[seen]
            return Fault(str(token.type), str(token), span_of(token), before, expected)
        at = span_of(tokens[-1]).end if tokens else 0
        return Fault(END, "", Span(at, at), before, expected)
    return tree


def span_of(token: Token) -> Span:
    """The characters of a token."""
    assert token.start_pos is not None and token.end_pos is not None
    return Span(token.start_pos, token.end_pos)


def _end(tokens: Sequence[Token]) -> Token:
    from lark import Token

    return Token.new_borrow_pos(END, "", tokens[-1]) if tokens else Token(END, "", 0, 1, 1)


@cache
def _parser(grammar: str) -> Lark:
    from lark import Lark

    text = read_data(f"grammar/{grammar}")
    return Lark(text, parser="lalr", lexer="basic", start=_starts(text), maybe_placeholders=True)


@cache
def _lexer(grammar: str) -> Lark:
    from lark import Lark

    text = read_data(f"grammar/{grammar}")
    return Lark(text, parser=None, lexer="basic", start=_starts(text))


def _starts(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.startswith("// start: ")]
    assert len(lines) == 1, "a grammar names its start rules in one `// start:` line"
    return lines[0].removeprefix("// start: ").split()
