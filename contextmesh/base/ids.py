"""Ids from contents: a readable slug and the start of a digest, which grows when another thing owns the id."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_OUTSIDE_IN_LINES = re.compile(r"[^a-z0-9\n]+")
_INSIDE = b"abcdefghijklmnopqrstuvwxyz0123456789"
_APART = bytes(byte if byte in _INSIDE else ord(" ") for byte in range(256))
"""Each byte that an id keeps, and a space for every other: what stands between spaces is then joined."""

_OUTSIDE_ANY_SCRIPT = re.compile(r"[\W_]+")
BODY = 40
DIGITS = (6, 10, 16, 40)
AUTO_DECISION = "decision:auto"
EDGE = "edge"
_GROWN = DIGITS[-1] - DIGITS[0]


def slug(text: str, prefix: str = "", *, digits: int = DIGITS[0], scripts: bool = False) -> str:
    """``prefix:body-digest``.

    The body is the lower-cased text with each run outside a-z0-9 as one hyphen, at most 40 characters;
    the digest is the start of the SHA-1 of the text as given. With ``scripts`` a text without Latin
    letters or digits keeps letters of its own script in the body.
    """
    body = _body(text)[:BODY]
    if not body and scripts:
        body = _OUTSIDE_ANY_SCRIPT.sub("-", text.lower()).strip("-")[:BODY]
    digest = hashlib.sha1(text.encode("utf-8"), usedforsecurity=False).hexdigest()[:digits]
    stem = f"{body}-{digest}" if body else digest
    return f"{prefix}:{stem}" if prefix else stem


def _body(text: str) -> str:
    return b"-".join(text.lower().encode("utf-8").translate(_APART).split()).decode("ascii")


def grown(text: str, prefix: str, *, scripts: bool = False) -> Iterator[str]:
    """The ids a text may get, shortest first; the next is taken when another thing owns one."""
    for digits in DIGITS:
        yield slug(text, prefix, digits=digits, scripts=scripts)


def free_id(text: str, prefix: str, taken_by_another: Callable[[str], bool], *, scripts: bool = True) -> str:
    """The shortest grown id that no other thing owns.

    Raises:
        AssertionError: two texts share a whole SHA-1, which no input we can meet does.
    """
    for candidate in grown(text, prefix, scripts=scripts):
        if not taken_by_another(candidate):
            return candidate
    raise AssertionError(f"no free id for {text!r}")


def edge_key(src: str, type_: str, dst: str) -> str:
    """The text an edge id is made from."""
    return f"{src}|{type_}|{dst}"


class EdgeIds:
    """The ids of many edges that name their ends and types by number: what is made of one name is made once.

    The body of a ``slug`` of an ``edge_key`` is made of the bodies of the three, because what joins them is outside
    of them, and becomes one hyphen with all outside around it.
    """

    def __init__(self, names: Sequence[str], types: Sequence[str]) -> None:
        self._names, self._types = names, types
        self._last = _cleaned(names)
        self._first = [f"{body}-" if body else "" for body in self._last]
        self._between = [f"{body}-" if body else "" for body in _cleaned(types)]

    def longest(self, rows: Sequence[Sequence[Any]]) -> list[str]:
        """For each row its longest id, that with the whole digest; columns 1 to 3 are source, type and target."""
        names, types, first, between, last = self._names, self._types, self._first, self._between, self._last
        sha1 = hashlib.sha1
        bodies = [f"{first[row[1]]}{between[row[2]]}{last[row[3]]}".rstrip("-")[:BODY] for row in rows]
        keys = [f"{names[row[1]]}|{types[row[2]]}|{names[row[3]]}".encode() for row in rows]
        digests = [sha1(key, usedforsecurity=False).hexdigest() for key in keys]
        stems = zip(bodies, digests, strict=True)
        return [f"{EDGE}:{body}-{digest}" if body else f"{EDGE}:{digest}" for body, digest in stems]

    def first_wrong(self, ids: Sequence[str], rows: Sequence[Sequence[Any]]) -> int | None:
        """The index of the first id that its edge cannot have, its digest grown or not."""
        for index, (id, longest) in enumerate(zip(ids, self.longest(rows), strict=True)):
            if not longest.startswith(id) or len(id) < len(longest) - _GROWN:
                return index
        return None


def _cleaned(texts: Sequence[str]) -> list[str]:
    """The body of each, uncut."""
    if any("\n" in text for text in texts):
        return list(map(_body, texts))
    lines = _OUTSIDE_IN_LINES.sub("-", "\n".join(texts).lower()).split("\n")
    return [line.strip("-") for line in lines] if texts else []
