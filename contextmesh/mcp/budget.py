"""How much an answer may cost its reader: pages that fit, and long texts cut, both said."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

BYTES = 5_600
"""Of the JSON of an answer: about 2,000 tokens of a current model, in any script."""

MARK = "…"
_STEPS = ((2_000, 100, 8), (600, 40, 8), (240, 20, 6), (120, 10, 5), (80, 6, 4), (48, 3, 3))
"""Characters of a text, members of a list or object, and depth, tried in turn."""


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size(value: object) -> int:
    """Bytes of the compact JSON."""
    return len(compact(value).encode("utf-8"))


class Rows:
    """Rows made when they are shown: a hub has more edges than anyone reads."""

    def __init__(self, count: int, make: Callable[[int], Any]) -> None:
        self.count = count
        self.make = make

    @classmethod
    def of(cls, rows: Sequence[Any]) -> Rows:
        return cls(len(rows), rows.__getitem__)


def page(
    head: Mapping[str, Any], key: str, rows: Rows, *, start: int = 0, limit: int, most: int = BYTES
) -> dict[str, Any]:
    """The head with as many rows under ``key`` as asked for and as fit, and ``next``: where to go on, or None.

    ``cut`` is there, and true, when texts or lists inside were shortened.
    """
    small_head, cut = shrunk(dict(head), most // 2)
    document: dict[str, Any] = small_head
    used = size(document) + size(key) + 40
    shown: list[Any] = []
    for at in range(start, min(rows.count, start + limit)):
        small, shortened = shrunk(rows.make(at), most // 4)
        cost = size(small) + 1
        if shown and used + cost > most:
            break
        shown.append(small)
        used += cost
        cut = cut or shortened
    end = start + len(shown)
    document[key] = shown
    document["next"] = str(end) if end < rows.count else None
    if cut:
        document["cut"] = True
    return document


def bounded(document: Mapping[str, Any], most: int = BYTES) -> dict[str, Any]:
    """A document without pages, cut to what fits; ``cut`` says so."""
    small, cut = shrunk(dict(document), most - 12)
    assert isinstance(small, dict), "a document stays one"
    return {**small, "cut": True} if cut else small


def noted(document: Mapping[str, Any], notes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A bounded document, with ``notes`` on what was done beside it where there are any."""
    return bounded({**document, "notes": list(notes)} if notes else document)


def shrunk(value: Any, most: int) -> tuple[Any, bool]:
    """The value with its longest parts cut until it fits, and whether anything was; the outermost keys all stay."""
    if size(value) <= most:
        return value, False
    small = value
    for texts, members, depth in _STEPS:
        small = _cut(value, texts, members, depth, outermost=True)
        if size(small) <= most:
            break
    return small, True


def _cut(value: Any, texts: int, members: int, depth: int, *, outermost: bool = False) -> Any:
    if isinstance(value, str):
        return value if len(value) <= texts else value[: texts - 1] + MARK
    if isinstance(value, Mapping):
        if depth == 0:
            return MARK
        kept = list(value.items()) if outermost else list(value.items())[:members]
        return {_cut(k, texts, members, depth): _cut(v, texts, members, depth - 1) for k, v in kept}
    if isinstance(value, list | tuple):
        if depth == 0:
            return MARK
        return [_cut(member, texts, members, depth - 1) for member in value[:members]]
    return value
