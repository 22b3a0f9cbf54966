"""One block's plain words, each character tied to its place in the document's text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

# White space, control characters, and what is invisible or turns text around: all one space in a label.
BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+")

PROSE, ITEM, BOILERPLATE, TURN = "prose", "item", "boilerplate", "turn"


@dataclass(frozen=True, slots=True)
class Mark:
    """A range of the plain words that the layout set apart: ``code`` or ``link``."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Flow:
    """Running words of one paragraph, list item or row.

    Attributes:
        plain: the words, without mark-up, white space single.
        pieces: ``(plain offset, source start, source end, exact)`` in order; in an exact piece each
            character of the plain words is one character of the source, else the piece stands for the whole range.
        role: prose, item, turn (one speaker's words), or boilerplate (a section nobody asserts anything in).
        marks: ranges set apart by the layout.
        about: names the words are about though they may not say so: the term of a definition.
    """

    plain: str
    pieces: tuple[tuple[int, int, int, bool], ...]
    role: str = PROSE
    marks: tuple[Mark, ...] = ()
    about: tuple[str, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The half-open range of the source that holds ``plain[start:end]``; the range must not be empty."""
        assert 0 <= start < end <= len(self.plain)
        first = self._piece(start)
        last = self._piece(end - 1)
        begin = first[1] + (start - first[0]) if first[3] else first[1]
        finish = last[1] + (end - last[0]) if last[3] else last[2]
        return begin, finish

    def _piece(self, at: int) -> tuple[int, int, int, bool]:
        return self.pieces[bisect_right(self.pieces, at, key=lambda piece: piece[0]) - 1]


class FlowBuilder:
    """Collects pieces of one flow in order."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._pieces: list[tuple[int, int, int, bool]] = []
        self._length = 0
        self._spaced = True
        self._marks: list[Mark] = []

    def __len__(self) -> int:
        return self._length

    def exact(self, text: str, at: int) -> None:
        """Source characters that stand at ``at``; runs of white space become one space."""
        done = 0
        for blank in BLANK.finditer(text):
            self._add(text[done : blank.start()], at + done, at + blank.start(), exact=True)
            self.space(at + blank.start(), at + blank.end())
            done = blank.end()
        self._add(text[done:], at + done, at + len(text), exact=True)

    def mapped(self, text: str, start: int, end: int) -> None:
        """Words that the source writes otherwise, as mark-up between ``start`` and ``end``."""
        cleaned = BLANK.sub(" ", text)
        if self._spaced:
            cleaned = cleaned.lstrip(" ")
        self._add(cleaned, start, end, exact=False)

    def space(self, start: int, end: int) -> None:
        """One space, unless the words end in one already."""
        if not self._spaced:
            self._add(" ", start, end, exact=end - start == 1)

    def mark(self, kind: str, start: int, end: int) -> None:
        """Remember a range of the plain words."""
        if end > start:
            self._marks.append(Mark(kind, start, end))

    def build(self, role: str = PROSE, about: Sequence[str] = ()) -> Flow:
        plain = "".join(self._words).rstrip(" ")
        marks = tuple(Mark(m.kind, m.start, min(m.end, len(plain))) for m in self._marks if m.start < len(plain))
        return Flow(plain, tuple(self._pieces), role, marks, tuple(about))

    def _add(self, text: str, start: int, end: int, *, exact: bool) -> None:
        if text:
            self._pieces.append((self._length, start, end, exact))
            self._words.append(text)
            self._length += len(text)
            self._spaced = text.endswith(" ")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a block without indent and markers, joined by ``\\n``, and where each began."""

    raw: str
    starts: tuple[int, ...]
    places: tuple[int, ...]

    @classmethod
    def of(cls, lines: Sequence[tuple[str, int]]) -> Lines:
        """Lines with the source offset of each one's first character."""
        starts, at = [], 0
        for line, _ in lines:
            starts.append(at)
            at += len(line) + 1
        return cls("\n".join(line for line, _ in lines), tuple(starts), tuple(place for _, place in lines))

    def place(self, offset: int) -> int:
        """The source offset of a raw offset (an end offset maps to just after its line)."""
        row = max(bisect_right(self.starts, offset) - 1, 0)
        return self.places[row] + offset - self.starts[row]

    def each(self, start: int, end: int) -> list[tuple[str, int]]:
        """The source runs of ``raw[start:end]``, one a line, each with its offset."""
        runs = []
        at = start
        while at < end:
            stop = self.raw.find("\n", at, end)
            stop = end if stop < 0 else stop
            if stop > at:
                runs.append((self.raw[at:stop], self.place(at)))
            at = stop + 1
        return runs


def find_line(wanted: str, text: str, start: int, end: int) -> tuple[str, int] | None:
    """A parser's line as ``text[start:end]`` writes it, with its offset; tabs may have become spaces."""
    words = wanted.split()
    if not words:
        return None
    stripped = wanted.strip()
    at = text.find(stripped, start, end)
    if at >= 0:
        return stripped, at
    found = re.compile(r"[ \t]+".join(re.escape(word) for word in words)).search(text, start, end)
    return (found[0], found.start()) if found else None
