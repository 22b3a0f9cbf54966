"""Ways to bend one value of a JSON document: gone, renamed, of another type, too big, too deep, another's, moved."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

Path = tuple[str | int, ...]
LONG = 200_000
"""Characters of a very long text, and brackets of a very deep value."""

_ID = re.compile(r"[a-z_]+:.")


class Raw(str):
    """JSON text that stands in a document as it is, valid or not."""

    __slots__ = ()


class Pairs(list[tuple[str, Any]]):
    """An object whose keys may repeat."""

    __slots__ = ()


class Unfit(Exception):
    """This way means nothing at this place."""


def written(value: Any) -> str:
    """Compact JSON text with sorted keys, ``Raw`` and ``Pairs`` as they stand."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{written(item)}" for key, item in value) + "}"
    if isinstance(value, dict):
        return written(Pairs(sorted(value.items())))
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def places(tree: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every value but the outermost, containers before what they hold."""
    if path:
        yield path
    steps: Any = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, member in steps:
        yield from places(member, (*path, step))


@dataclass(frozen=True, slots=True)
class Spot:
    """One value of a document.

    Attributes:
        tree: the document, which a change alters.
        dice: for what a way leaves open.
    """

    tree: Any
    path: Path
    dice: Random

    @property
    def parent(self) -> Any:
        inner = self.tree
        for step in self.path[:-1]:
            inner = inner[step]
        return inner

    @property
    def value(self) -> Any:
        return self.parent[self.path[-1]]

    def put(self, value: Any) -> None:
        self.parent[self.path[-1]] = value

    def container(self, kind: type) -> Any:
        """The list or object it stands in; Raises Unfit when it is of another kind."""
        if not isinstance(self.parent, kind):
            raise Unfit
        return self.parent

    def replace_parent(self, value: Any) -> None:
        if len(self.path) < 2:
            raise Unfit
        Spot(self.tree, self.path[:-1], self.dice).put(value)

    def one_of(self, found: list[Any]) -> Any:
        if not found:
            raise Unfit
        return deepcopy(self.dice.choice(found))

    def others(self) -> list[Any]:
        """Values of the same type elsewhere in the document, other than this one."""
        mine, text = self.value, written(self.value)
        found = (Spot(self.tree, path, self.dice).value for path in places(self.tree))
        return [value for value in found if type(value) is type(mine) and written(value) != text]


Way = Callable[[Spot], object]


def _set(value: Any) -> Way:
    return lambda spot: spot.put(value)


def _removed(spot: Spot) -> None:
    del spot.parent[spot.path[-1]]


def _renamed(change: Callable[[str], str]) -> Way:
    def way(spot: Spot) -> None:
        parent = spot.container(dict)
        key = spot.path[-1]
        parent[change(str(key))] = parent.pop(key)

    return way


def _added(spot: Spot) -> None:
    spot.container(dict)["surprise"] = spot.value


def _twice(other: bool) -> Way:
    def way(spot: Spot) -> None:
        parent, key = spot.container(dict), str(spot.path[-1])
        again = spot.one_of(spot.others()) if other else spot.value
        pairs = [(name, value) for name, value in sorted(parent.items())]
        at = [name for name, _ in pairs].index(key)
        spot.replace_parent(Pairs([*pairs[: at + 1], (key, again), *pairs[at + 1 :]]))

    return way


def _changed(kind: type, change: Callable[[Any], Any]) -> Way:
    def way(spot: Spot) -> None:
        if type(spot.value) is not kind:
            raise Unfit
        made = change(spot.value)
        if written(made) == written(spot.value):
            raise Unfit
        spot.put(made)

    return way


def _number(text: str) -> Way:
    def way(spot: Spot) -> None:
        if spot.value is not None and type(spot.value) not in (int, float, bool):
            raise Unfit
        if written(spot.value) == text:
            raise Unfit
        spot.put(Raw(text))

    return way


def _text(text: str) -> Way:
    def way(spot: Spot) -> None:
        if spot.value is not None and type(spot.value) is not str:
            raise Unfit
        spot.put(Raw(text))

    return way


def _nested(opening: str, closing: str, levels: int) -> Way:
    return _set(Raw(opening * levels + "0" + closing * levels))


def _swapped(spot: Spot) -> None:
    items, at = spot.container(list), int(spot.path[-1])
    if at + 1 >= len(items):
        raise Unfit
    items[at], items[at + 1] = items[at + 1], items[at]


def _repeated(spot: Spot) -> None:
    items, at = spot.container(list), int(spot.path[-1])
    items.insert(at, items[at])


def _link(spot: Spot) -> None:
    if not isinstance(spot.value, str) or not _ID.match(spot.value):
        raise Unfit
    spot.put(spot.one_of([value for value in spot.others() if _ID.match(value)]))


def _hex(text: str) -> str:
    return f"{text[:-1]}{'0' if text[-1:] != '0' else '1'}"


WAYS: dict[str, dict[str, Way]] = {
    "gone": {"removed": _removed},
    "key": {
        "renamed": _renamed(lambda key: f"{key}s"),
        "in capitals": _renamed(str.upper),
        "with a letter beyond ASCII": _renamed(lambda key: f"{key}\u0301"),
        "added": _added,
        "twice": _twice(other=False),
        "twice, another value": _twice(other=True),
    },
    "type": {
        "null": _set(None),
        "true": _set(True),
        "text": _set("entity"),
        "whole number": _set(1),
        "fraction": _set(0.5),
        "array": _set([]),
        "object": _set({}),
        "in an array": lambda spot: spot.put([spot.value]),
        "in an object": lambda spot: spot.put({"value": spot.value}),
        "as text": lambda spot: spot.put(written(spot.value)),
    },
    "number": {
        "next": _changed(int, lambda value: value + 1),
        "before": _changed(int, lambda value: value - 1),
        "negated": _changed(float, lambda value: -value),
        "turned": _changed(bool, lambda value: not value),
        "zero": _number("0"),
        "minus zero": _number("-0"),
        "minus one": _number("-1"),
        "as a fraction": _number("1.0"),
        "2^31": _number(str(2**31)),
        "2^53 + 1": _number(str(2**53 + 1)),
        "2^63": _number(str(2**63)),
        "2^64": _number(str(2**64)),
        "10^30": _number(str(10**30)),
        "10^400": _number("1" + "0" * 400),
        "10^5000": _number("1" + "0" * 5000),
        "1e308": _number("1e308"),
        "1e400": _number("1e400"),
        "1e-400": _number("1e-400"),
        "NaN": _number("NaN"),
        "infinity": _number("-Infinity"),
        "01": _number("01"),
    },
    "text": {
        "empty": _text('""'),
        "blank": _text('" \\t"'),
        "longer": _changed(str, lambda text: f"{text} "),
        "shorter": _changed(str, lambda text: text[:-1]),
        "in capitals": _changed(str, str.upper),
        "decomposed": _changed(str, lambda text: unicodedata.normalize("NFD", f"{text}é")),
        "last sign": _changed(str, _hex),
        "very long": _text(json.dumps("a " * (LONG // 2))),
        "half a pair": _text('"\\ud83d"'),
        "a pair turned round": _text('"\\ude00\\ud83d"'),
        "NUL": _text('"a\\u0000b"'),
        "control sign": _text('"a\\u001b[31mb"'),
        "raw control sign": _text('"a\x1bb"'),
        "two lines": _text('"a\\nb"'),
        "right to left": _text('"\\u202eabc"'),
        "path": _text('"../../etc/passwd"'),
        "not closed": _text('"a'),
    },
    "nesting": {
        "60 arrays": _nested("[", "]", 60),
        "70 arrays": _nested("[", "]", 70),
        "very many arrays": _nested("[", "]", LONG),
        "very many objects": _nested('{"a":', "}", LONG),
        "not closed": _set(Raw("[" * LONG)),
    },
    "other": {
        "of the same type": lambda spot: spot.put(spot.one_of(spot.others())),
        "id of another": _link,
    },
    "order": {"swapped with the next": _swapped, "repeated": _repeated},
}
"""By family, then by name."""
