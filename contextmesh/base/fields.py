"""Exact fields of exact types: what a loader asks of each JSON object. A boolean is never a number here."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from math import isinf, isnan
from typing import Any

from contextmesh.base.errors import Field

Path = tuple[str | int, ...]
Row = Mapping[str, Any]
_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SHOWN = 60


class Fault(Exception):
    """One thing wrong with a value, and the path to it from the value that was checked."""

    def __init__(
        self,
        code: str,
        message: str,
        path: Path = (),
        *,
        subject: str | None = None,
        note: str | None = None,
        hint: str | None = None,
        fields: tuple[tuple[str, Field], ...] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = path
        self.subject = subject
        self.note = note
        self.hint = hint
        self.fields = fields

    def under(self, *path: str | int) -> Fault:
        """The same fault, seen from a value further out."""
        self.path = path + self.path
        return self


def path_text(path: Path) -> str:
    """``("nodes", 3, "attrs", "a b")`` as ``$.nodes[3].attrs["a b"]``."""
    parts = ["$"]
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _SIMPLE.match(step):
            parts.append(f".{step}")
        else:
            shown = step if len(step) <= _SHOWN else step[: _SHOWN - 1] + "…"
            parts.append(f'["{shown}"]')
    return "".join(parts)


def record(value: object, names: Sequence[str]) -> Row:
    """The object, when it has exactly these keys."""
    if not isinstance(value, dict):
        raise Fault("wrong-type", f"must be an object, and is {kind_of(value)}")
    if len(value) == len(names) and all(map(value.__contains__, names)):
        return value
    for name in value:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]}?" if near else None
            raise Fault("unknown-key", "is a key this format does not have", (name,), hint=hint)
    missing = [name for name in names if name not in value]
    raise Fault("missing-key", f"lacks {', '.join(missing)}", fields=(("missing", ", ".join(missing)),))


def text(row: Row, key: str, *, empty: bool = True) -> str:
    """A string; with ``empty=False`` not the empty one."""
    value = row[key]
    if not isinstance(value, str):
        raise _type(key, "text", value)
    if not value and not empty:
        raise Fault("out-of-range", "must not be empty", (key,))
    return value


def text_or_none(row: Row, key: str, *, empty: bool = True) -> str | None:
    """A string or null."""
    return None if row[key] is None else text(row, key, empty=empty)


def whole(row: Row, key: str, *, least: int = 0, most: int | None = None) -> int:
    """A whole number, no boolean, at least ``least``."""
    value = row[key]
    if not isinstance(value, int) or isinstance(value, bool):
        raise _type(key, "a whole number", value)
    if value < least:
        raise Fault("out-of-range", f"must be at least {least}, and is {shown(value)}", (key,))
    if most is not None and value > most:
        raise Fault("out-of-range", f"must be at most {most}, and is {shown(value)}", (key,))
    return value


def whole_or_none(row: Row, key: str, *, least: int = 0) -> int | None:
    """A whole number or null."""
    return None if row[key] is None else whole(row, key, least=least)


def flag(row: Row, key: str) -> bool:
    """true or false; no number stands for them."""
    value = row[key]
    if not isinstance(value, bool):
        raise _type(key, "true or false", value)
    return value


def number(row: Row, key: str) -> float:
    """A finite number as a double, no boolean."""
    try:
        return finite(row[key])
    except Fault as fault:
        raise fault.under(key) from None


def finite(value: object) -> float:
    """A finite number as a double that is exactly it, no boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Fault("wrong-type", f"must be a number, and is {kind_of(value)}")
    try:
        made = float(value)
    except OverflowError:
        raise Fault("huge-number", "is a number too big to keep") from None
    if isnan(made) or isinf(made):
        raise Fault("not-finite", "must be a finite number")
    if made != value:
        raise Fault("huge-number", "is a whole number with more digits than are kept", note=f"it would become {made!r}")
    return made


def array(row: Row, key: str) -> list[Any]:
    """An array, whatever is in it."""
    value = row[key]
    if not isinstance(value, list):
        raise _type(key, "an array", value)
    return value


def texts(row: Row, key: str) -> tuple[str, ...]:
    """An array of strings."""
    values = array(row, key)
    for index, value in enumerate(values):
        if not isinstance(value, str):
            raise Fault("wrong-type", f"must be text, and is {kind_of(value)}", (key, index))
    return tuple(values)


def mapping(row: Row, key: str) -> dict[str, Any]:
    """An object, whatever is in it."""
    value = row[key]
    if not isinstance(value, dict):
        raise _type(key, "an object", value)
    return value


def word(row: Row, key: str, words: Collection[str]) -> str:
    """One of a fixed set of words."""
    value = text(row, key)
    if value not in words:
        near = get_close_matches(value, list(words), n=1)
        hint = f"did you mean {near[0]}?" if near else None
        raise Fault("unknown-word", f"is {shown(value)}, and must be one of {', '.join(words)}", (key,), hint=hint)
    return value


def header(row: Row, schema: str, versions: Collection[int]) -> int:
    """The version of a container whose schema is the one expected."""
    if row["schema"] != schema:
        raise Fault("wrong-schema", f"is {shown(row['schema'])}, and must be {shown(schema)}", ("schema",))
    version = row["version"]
    if not isinstance(version, int) or isinstance(version, bool) or version not in versions:
        known = " or ".join(str(v) for v in versions)
        raise Fault("wrong-version", f"is {shown(version)}, and must be {known}", ("version",))
    return version


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    for kind, words in ((bool, "a truth value"), (int, "a whole number"), (float, "a fraction"), (str, "text")):
        if isinstance(value, kind):
            return words
    return "an object" if isinstance(value, dict) else "an array" if isinstance(value, list) else "no JSON value"


def shown(value: object) -> str:
    """A value as a message may show it: short, and on one line."""
    if isinstance(value, dict | list):
        return kind_of(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) >= 10**_SHOWN:
        return "a very large number"
    plain = repr(value)
    return plain if len(plain) <= _SHOWN else plain[: _SHOWN - 1] + "…"


def _type(key: str, wanted: str, value: object) -> Fault:
    return Fault("wrong-type", f"must be {wanted}, and is {kind_of(value)}", (key,))
