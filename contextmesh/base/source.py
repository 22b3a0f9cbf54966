"""A named text, places in it, and a problem shown with its line and a caret."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from contextmesh.base.errors import Problem, Refusal, Where


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of character offsets in a Source."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A text with the name its user knows it by. Lines end at ``\\n``."""

    name: str
    text: str
    _starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        object.__setattr__(self, "_starts", starts)

    def line(self, number: int) -> str:
        """The 1-based line, without its newline."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def where(self, span: Span) -> Where:
        """The place of a span; the caret is cut at the end of its first line."""
        number = bisect_right(self._starts, span.start)
        column = span.start - self._starts[number - 1] + 1
        text = self.line(number)
        width = max(1, min(span.end - span.start, len(text) - column + 1))
        return Where(self.name, number, column, width, text)


def render_problem(problem: Problem, kind: str = "error") -> str:
    """A problem as text: place, code, message, the line with a caret, note, hint. No trailing newline.

    Args:
        kind: ``error``, or ``warning`` for what is said and not refused.
    """
    head = f"{kind}[{problem.code}]: {problem.message}"
    if problem.where is not None:
        head = f"{problem.where}: {head}"
    lines = [head]
    for place in (problem.where, *problem.also):
        if place is not None and place.text is not None:
            if place is not problem.where:
                lines.append(f"  at {place}")
            lines.extend(_caret(place))
    if problem.note:
        lines.append(f"  note: {problem.note}")
    if problem.hint:
        lines.append(f"  hint: {problem.hint}")
    return "\n".join(lines)


def render_refusal(refusal: Refusal) -> str:
    """All problems of a refusal, a blank line between two."""
    return "\n\n".join(render_problem(p) for p in refusal.problems)


def _caret(place: Where) -> list[str]:
    if place.text is None or place.line is None:
        return []
    number = str(place.line)
    shown = "".join(" " if c == "\t" else c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in place.text)
    column = place.column or 1
    start = max(0, column - 61)
    cut = shown[start : start + 120]
    before = column - 1 - start
    return [
        f"  {number} | {cut}",
        f"  {' ' * len(number)} | {' ' * before}{'^' * max(1, min(place.width, 120 - before))}",
    ]
