"""What a text is made of: running words, headings, and the lines they stand on."""

from __future__ import annotations

from dataclasses import dataclass, field

from contextmesh.ingest.flow import BOILERPLATE, ITEM, PROSE, Flow


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading's level (1 outermost), its words, its 1-based line."""

    level: int
    words: str
    line: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Flows in order with the 1-based line each begins on, and headings in order."""

    flows: tuple[Flow, ...]
    lines: tuple[int, ...]
    headings: tuple[Heading, ...] = ()

    def under(self, heading: Heading) -> tuple[Flow, ...]:
        """The flows between a heading and the next heading of any level."""
        later = [h.line for h in self.headings if h.line > heading.line]
        end = later[0] if later else None
        return tuple(
            flow
            for flow, line in zip(self.flows, self.lines, strict=True)
            if line > heading.line and (end is None or line < end)
        )


class LineTable:
    """Offsets of the lines of a text; lines end at ``\\n``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def __len__(self) -> int:
        return len(self._starts)

    def bounds(self, line: int) -> tuple[int, int]:
        """Half-open range of a 1-based line, without its newline; an empty range past the end."""
        if line > len(self._starts):
            return len(self.text), len(self.text)
        start = self._starts[line - 1]
        return start, self._starts[line] - 1 if line < len(self._starts) else len(self.text)


@dataclass(slots=True)
class LayoutBuilder:
    """Collects flows and headings; what stands in a section of boilerplate is marked so."""

    flows: list[Flow] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    _dull: list[int] = field(default_factory=list)

    def role(self, *, item: bool) -> str:
        if self._dull:
            return BOILERPLATE
        return ITEM if item else PROSE

    def add(self, flow: Flow, line: int) -> None:
        if flow.plain:
            self.flows.append(flow)
            self.lines.append(line)

    def heading(self, level: int, words: str, line: int, *, dull: bool) -> None:
        self.headings.append(Heading(level, words, line))
        while self._dull and self._dull[-1] >= level:
            self._dull.pop()
        if dull:
            self._dull.append(level)

    def build(self) -> Layout:
        return Layout(tuple(self.flows), tuple(self.lines), tuple(self.headings))
