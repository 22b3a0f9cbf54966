"""Constants as they are written: bare symbols, quoted texts and their escapes, numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contextmesh.datalog.ast import Value

_BARE = re.compile(r"(?!not\b)[a-z][A-Za-z0-9_]*", re.ASCII)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|(.))")
_SHORT = {'"': '"', "'": "'", "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
_LONG = {value: f"\\{key}" for key, value in _SHORT.items()}
_SPECIAL = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]')


@dataclass(frozen=True, slots=True)
class BadEscape:
    """An escape that means nothing; ``at`` counts from the opening quote."""

    at: int
    escape: str


def unquote(quoted: str) -> str | BadEscape:
    """The text between the quotes, its escapes replaced."""
    parts: list[str] = []
    end = len(quoted) - 1
    at = 1
    while (slash := quoted.find("\\", at, end)) >= 0:
        parts.append(quoted[at:slash])
        found = _ESCAPE.match(quoted, slash, end)
        character = _meant(found) if found else None
        if found is None or character is None:
            return BadEscape(slash, found[0] if found else "\\")
        parts.append(character)
        at = found.end()
    parts.append(quoted[at:end])
    return "".join(parts)


def _meant(found: re.Match[str]) -> str | None:
    if found[3] is not None:
        return _SHORT.get(found[3])
    code = int(found[1] or found[2], 16)
    return None if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF else chr(code)


def write_value(value: Value) -> str:
    """A constant as the grammar reads it: bare where that is possible, else in quotes."""
    if isinstance(value, int):
        return str(value)
    return value if _BARE.fullmatch(value) else quote(value)


def quote(text: str) -> str:
    """A text in double quotes."""
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    return _LONG.get(found[0]) or f"\\u{ord(found[0]):04x}"
