"""Canonical JSON text and its SHA-256: what every digest of the formats is taken over."""

from __future__ import annotations

import hashlib
import json
from json.encoder import encode_basestring as _quoted
from typing import Any

from contextmesh.base.errors import InputError, Problem

DEPTH = 64  # how deep a container may stand inside others in a file
INNER_DEPTH = DEPTH - 4  # … and in a value that will stand in a record of a file
SHALLOW = 4  # containers inside each other up to which most values are
DIGITS = 308  # of a whole number: what a double could still hold
_TOO_BIG = 10**DIGITS
_INFINITE = (float("inf"), float("-inf"))
_PLAIN = {None: "null", True: "true", False: "false"}


def canonical(value: object, *, spaced: bool = False) -> str:
    """JSON with sorted keys; compact and raw by default, or ``spaced``: default separators, ASCII escapes.

    The spaced form exists for decision fingerprints alone, whose format fixed it.

    Raises:
        InputError: a value that has no canonical form (set, bytes, non-string key, NaN, lone surrogate).
    """
    require_canonical(value)
    if spaced:
        return json.dumps(value, sort_keys=True, allow_nan=False)
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"), ensure_ascii=False)


def pretty(value: object) -> str:
    """The layout of every file of ours: sorted keys, two spaces, raw characters, one newline at the end."""
    return pretty_bytes(value).decode("utf-8")


def pretty_bytes(value: object) -> bytes:
    """``pretty`` in UTF-8. Checks while it writes: a graph file may hold millions of numbers.

    Raises:
        InputError: as ``canonical``.
    """
    pieces: list[str] = []
    try:
        _write(value, "\n", 0, pieces)
        pieces.append("\n")
        return "".join(pieces).encode("utf-8")
    except (_Suspect, UnicodeEncodeError):
        require_canonical(value, depth=DEPTH)
        raise AssertionError("the writer refused what the check accepts") from None


def digest(value: object, *, spaced: bool = False) -> str:
    """SHA-256 of the canonical UTF-8 bytes, lowercase hex."""
    return hashlib.sha256(canonical(value, spaced=spaced).encode("utf-8")).hexdigest()


def require_canonical(value: object, *, depth: int = INNER_DEPTH) -> None:
    """Raises InputError naming the path of the first value that JSON cannot carry exactly."""
    if _is_plain(value, SHALLOW):
        return
    stack: list[tuple[str, Any, int]] = [("$", value, 0)]
    while stack:
        path, item, level = stack.pop()
        if item is None or isinstance(item, bool):
            continue
        if isinstance(item, int):
            if abs(item) >= _TOO_BIG:
                raise _bad(path, f"a whole number of more than {DIGITS} digits")
        elif isinstance(item, float):
            if item != item or item in _INFINITE:
                raise _bad(path, "a number that is not finite")
        elif isinstance(item, str):
            _require_text(path, item)
        elif isinstance(item, dict):
            if level > depth:
                raise _bad(path, f"a value nested deeper than {depth}")
            for key, member in item.items():
                if not isinstance(key, str):
                    raise _bad(path, f"a key that is not text: {key!r}")
                _require_text(path, key)
                stack.append((f"{path}.{key}", member, level + 1))
        elif isinstance(item, list | tuple):
            if level > depth:
                raise _bad(path, f"a value nested deeper than {depth}")
            stack.extend((f"{path}[{i}]", member, level + 1) for i, member in enumerate(item))
        else:
            raise _bad(path, f"a {type(item).__name__}")


def _is_plain(value: Any, levels: int) -> bool:
    """Whether a value is canonical at first sight: ASCII text, common numbers, ``levels`` containers deep at most."""
    kind = value.__class__
    if kind is str:
        return bool(value.isascii())
    if value is None or kind is bool:
        return True
    if kind is int:
        return bool(-_TOO_BIG < value < _TOO_BIG)
    if kind is float:
        return bool(value - value == 0.0)
    if not levels:
        return False
    if kind is dict:
        for key in value:
            if key.__class__ is not str or not key.isascii():
                return False
        value = value.values()
    elif kind is not list and kind is not tuple:
        return False
    for member in value:
        if member.__class__ is str:
            if not member.isascii():
                return False
        elif not _is_plain(member, levels - 1):
            return False
    return True


class _Suspect(Exception):
    """The writer met what has no canonical form; ``require_canonical`` says what and where."""


def _write(value: Any, newline: str, depth: int, out: list[str]) -> None:
    """Recursion is bounded: nothing deeper than DEPTH is written."""
    if isinstance(value, str):
        out.append(_quoted(value))
    elif value is None:
        out.append("null")
    elif isinstance(value, bool):
        out.append("true" if value else "false")
    elif isinstance(value, int):
        if abs(value) >= _TOO_BIG:
            raise _Suspect
        out.append(int.__repr__(value))
    elif isinstance(value, float):
        if value != value or value in _INFINITE:
            raise _Suspect
        out.append(float.__repr__(value))
    elif isinstance(value, dict):
        _write_object(value, newline, depth, out)
    elif isinstance(value, list | tuple):
        _write_array(value, newline, depth, out)
    else:
        raise _Suspect


def _write_object(value: dict[Any, Any], newline: str, depth: int, out: list[str]) -> None:
    if depth > DEPTH or not all(isinstance(key, str) for key in value):
        raise _Suspect
    if not value:
        out.append("{}")
        return
    inner = newline + "  "
    lead = "{" + inner
    for key in sorted(value):
        member = value[key]
        plain = _PLAIN.get(member) if member is None or type(member) is bool else None
        if plain is not None:
            out.append(f"{lead}{_quoted(key)}: {plain}")
        elif type(member) is str:
            out.append(f"{lead}{_quoted(key)}: {_quoted(member)}")
        else:
            out.append(f"{lead}{_quoted(key)}: ")
            _write(member, inner, depth + 1, out)
        lead = "," + inner
    out.append(newline + "}")


def _write_array(value: list[Any] | tuple[Any, ...], newline: str, depth: int, out: list[str]) -> None:
    if depth > DEPTH:
        raise _Suspect
    if not value:
        out.append("[]")
        return
    inner = newline + "  "
    if all(type(member) is float for member in value):
        if any(member != member for member in value) or _INFINITE[0] in value or _INFINITE[1] in value:
            raise _Suspect
        out.append("[" + inner + ("," + inner).join(map(float.__repr__, value)))
    else:
        lead = "[" + inner
        for member in value:
            out.append(lead)
            _write(member, inner, depth + 1, out)
            lead = "," + inner
    out.append(newline + "]")


def _require_text(path: str, text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _bad(path, "text with an unpaired surrogate") from None


def _bad(path: str, what: str) -> InputError:
    return InputError(Problem("not-canonical", f"{path} holds {what}, which JSON cannot carry exactly", subject=path))
