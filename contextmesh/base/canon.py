"""Canonical JSON text and its SHA-256: what every digest of the formats is taken over."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from contextmesh.base.errors import InputError, Problem


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
    require_canonical(value)
    return json.dumps(value, sort_keys=True, allow_nan=False, indent=2, ensure_ascii=False) + "\n"


def digest(value: object, *, spaced: bool = False) -> str:
    """SHA-256 of the canonical UTF-8 bytes, lowercase hex."""
    return hashlib.sha256(canonical(value, spaced=spaced).encode("utf-8")).hexdigest()


def require_canonical(value: object) -> None:
    """Raises InputError naming the path of the first value that JSON cannot carry exactly."""
    stack: list[tuple[str, Any, int]] = [("$", value, 0)]
    while stack:
        path, item, depth = stack.pop()
        if item is None or isinstance(item, bool | int):
            continue
        if isinstance(item, float):
            if item != item or item in (float("inf"), float("-inf")):
                raise _bad(path, "a number that is not finite")
        elif isinstance(item, str):
            _require_text(path, item)
        elif isinstance(item, dict):
            if depth > 64:
                raise _bad(path, "nested deeper than 64")
            for key, member in item.items():
                if not isinstance(key, str):
                    raise _bad(path, f"a key that is not text: {key!r}")
                _require_text(path, key)
                stack.append((f"{path}.{key}", member, depth + 1))
        elif isinstance(item, list | tuple):
            if depth > 64:
                raise _bad(path, "nested deeper than 64")
            stack.extend((f"{path}[{i}]", member, depth + 1) for i, member in enumerate(item))
        else:
            raise _bad(path, f"a {type(item).__name__}")


def _require_text(path: str, text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _bad(path, "text with an unpaired surrogate") from None


def _bad(path: str, what: str) -> InputError:
    return InputError(Problem("not-canonical", f"{path} holds {what}, which JSON cannot carry exactly", subject=path))
