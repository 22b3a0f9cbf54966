"""Reading JSON text step by step, without recursion: where it first breaks, and where a path stands in it.

The fast reader of ``strict`` says only *that* a text is no good; this one says where. It is run after a refusal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from contextmesh.base.source import Span

Path = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_+\-][A-Za-z0-9_+\-]*")
_INSIDE = r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+'
_TEXT = re.compile(f'"({_INSIDE})"')
_TEXT_START = re.compile(f'"{_INSIDE}')
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_PAIR = re.compile(r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HALF = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_PLAIN = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONSTANTS = ("true", "false", "null")


@dataclass(frozen=True, slots=True)
class Flaw:
    """The first thing wrong with a text, and where."""

    code: str
    message: str
    span: Span
    path: Path
    hint: str | None = None


@dataclass(slots=True)
class _Frame:
    """An open object or array: how far it has come."""

    closer: str
    keys: set[str] = field(default_factory=set)
    step: str | int = 0
    empty: bool = True


class _Broken(Exception):
    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.message)
        self.flaw = flaw


class Scanner:
    """One pass over a text. ``flaw()`` or ``span_of(path)``; make a new one for each question."""

    def __init__(self, text: str, *, depth: int, digits: int) -> None:
        self._text = text
        self._depth = depth
        self._digits = digits
        self._frames: list[_Frame] = []
        self._at = 0
        self._wanted: Path | None = None
        self._found: Span | None = None

    def flaw(self) -> Flaw | None:
        """The first flaw, or None when the text is one strict JSON document."""
        try:
            self._document()
        except _Broken as broken:
            return broken.flaw
        return None

    def span_of(self, path: Path) -> Span | None:
        """Where the value at ``path`` stands; a container's span is its opening bracket. None when there is none."""
        self._wanted = path
        try:
            self._document()
        except _Broken:
            return self._found
        return self._found

    # -- the document -------------------------------------------------------------------------

    def _document(self) -> None:
        self._skip()
        self._value()
        while self._frames and self._found is None:
            self._member()
        if self._found is not None:
            return
        self._skip()
        if self._at < len(self._text):
            raise self._broken("damaged-file", "goes on after the end of the document", 1)

    def _member(self) -> None:
        """One more member of the innermost container, or its end."""
        frame = self._frames[-1]
        self._skip()
        char = self._peek()
        if char == frame.closer:
            self._at += 1
            self._frames.pop()
            return
        if not frame.empty:
            if char != ",":
                raise self._broken("damaged-file", f"lacks a comma or {frame.closer}", 1)
            self._at += 1
            self._skip()
            if self._peek() == frame.closer:
                raise self._broken("damaged-file", f"has a comma before {frame.closer}", 1)
        if frame.closer == "}":
            self._key(frame)
        elif not frame.empty:
            assert isinstance(frame.step, int)
            frame.step += 1
        frame.empty = False
        self._value()

    def _key(self, frame: _Frame) -> None:
        start = self._at
        if self._peek() != '"':
            raise self._broken("damaged-file", "lacks a key in double quotes", 1)
        key = self._string()
        if key in frame.keys:
            frame.step = key
            raise _Broken(Flaw("duplicate-key", "is there twice in one object", Span(start, self._at), self._path()))
        frame.keys.add(key)
        frame.step = key
        self._skip()
        if self._peek() != ":":
            raise self._broken("damaged-file", "lacks a colon after the key", 1)
        self._at += 1
        self._skip()

    # -- values -------------------------------------------------------------------------------

    def _value(self) -> None:
        start = self._at
        char = self._peek()
        if char == "":
            raise self._broken("damaged-file", "ends before the document does", 1)
        if char in "{[":
            self._note(Span(start, start + 1))
            if len(self._frames) > self._depth:
                raise self._broken("too-deep", f"is nested deeper than {self._depth}", 1)
            self._at += 1
            self._frames.append(_Frame("}" if char == "{" else "]"))
            return
        if char == '"':
            self._string()
        elif char in "-0123456789":
            self._number()
        else:
            self._constant()
        self._note(Span(start, self._at))

    def _string(self) -> str:
        start = self._at
        match = _TEXT.match(self._text, start)
        if match is None:
            end = _TEXT_START.match(self._text, start)
            assert end is not None
            self._at = end.end()
            if self._at >= len(self._text):
                self._at = start
                raise self._broken("damaged-file", "has a text that never ends", 1)
            what = "a wrong escape" if self._text[self._at] == "\\" else "a raw control character"
            raise self._broken("damaged-file", f"has {what} in a text", 1)
        self._at = match.end()
        raw = match[1]
        half = _HALF.search(_PAIR.sub("", raw))
        if half is not None:
            at = start + 1 + max(raw.find(half[0]), 0)
            raise _Broken(Flaw("lone-surrogate", "has half of a surrogate pair", Span(at, at + 6), self._path()))
        return _unescaped(raw) if "\\" in raw else raw

    def _number(self) -> None:
        match = _NUMBER.match(self._text, self._at)
        if match is None:
            word = _WORD.match(self._text, self._at)
            if word is not None and word[0].strip("+-").lower() in ("infinity", "inf", "nan"):
                raise self._broken("not-finite", f"holds {word[0]}, which is no number", len(word[0]))
            raise self._broken("damaged-file", "has a minus without a number", 1)
        length = match.end() - self._at
        following = self._text[match.end() : match.end() + 1]
        if following and (following.isalnum() or following in "._"):
            raise self._broken("damaged-file", "has a number written in a way JSON does not allow", length + 1)
        if match[1] or match[2]:
            if float(match[0]) in (float("inf"), float("-inf")):
                raise self._broken("huge-number", "holds a number too big to keep", length)
        elif length - match[0].startswith("-") > self._digits:
            raise self._broken("huge-number", f"holds a whole number of more than {self._digits} digits", length)
        self._at = match.end()

    def _constant(self) -> None:
        word = _WORD.match(self._text, self._at)
        if word is not None and word[0] in _CONSTANTS:
            self._at = word.end()
            return
        if word is not None and word[0].strip("+-").lower() in ("nan", "infinity", "inf"):
            raise self._broken("not-finite", f"holds {word[0]}, which is no number", len(word[0]))
        raise self._broken("damaged-file", "has something that is no JSON value", len(word[0]) if word else 1)

    # -- small steps --------------------------------------------------------------------------

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        assert match is not None
        self._at = match.end()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _path(self) -> Path:
        return tuple(frame.step for frame in self._frames)

    def _note(self, span: Span) -> None:
        if self._wanted is not None and len(self._frames) == len(self._wanted) and self._path() == self._wanted:
            self._found = span

    def _broken(self, code: str, message: str, width: int) -> _Broken:
        return _Broken(Flaw(code, message, Span(self._at, self._at + width), self._path()))


def _unescaped(raw: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] is not None:
            return chr(int(match[1], 16))
        return _PLAIN.get(match[2], match[2])

    joined = _ESCAPE.sub(one, raw)
    return joined.encode("utf-16", "surrogatepass").decode("utf-16")
