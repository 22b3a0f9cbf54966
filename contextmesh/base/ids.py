"""Ids from contents: a readable slug and the start of a digest, which grows when another thing owns the id."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator

_OUTSIDE = re.compile(r"[^a-z0-9]+")
_OUTSIDE_ANY_SCRIPT = re.compile(r"[\W_]+")
BODY = 40
DIGITS = (6, 10, 16, 40)
AUTO_DECISION = "decision:auto"


def slug(text: str, prefix: str = "", *, digits: int = DIGITS[0], scripts: bool = False) -> str:
    """``prefix:body-digest``.

    The body is the lower-cased text with each run outside a-z0-9 as one hyphen, at most 40 characters;
    the digest is the start of the SHA-1 of the text as given. With ``scripts`` a text without Latin
    letters or digits keeps letters of its own script in the body.
    """
    body = _OUTSIDE.sub("-", text.lower()).strip("-")[:BODY]
    if not body and scripts:
        body = _OUTSIDE_ANY_SCRIPT.sub("-", text.lower()).strip("-")[:BODY]
    digest = hashlib.sha1(text.encode("utf-8"), usedforsecurity=False).hexdigest()[:digits]
    stem = f"{body}-{digest}" if body else digest
    return f"{prefix}:{stem}" if prefix else stem


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
