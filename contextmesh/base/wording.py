"""Counts in words: one thing is told in the singular, all other numbers in the plural."""

from __future__ import annotations

from collections.abc import Mapping

_UNCOUNTED = ("evidence", "live")
_SINGULAR = ("as", "is", "ss", "us")
_HISSING = ("s", "x", "ch", "sh")


def counted(number: int, noun: str) -> str:
    """``1 entry``, ``2 entries``, ``0 nodes``: a number and its noun, which is given in the singular."""
    return f"{number} {noun if number == 1 else plural(noun)}"


def counts(table: Mapping[str, int]) -> str:
    """A table of counts by noun as one line; its keys may stand in either number."""
    return ", ".join(counted(number, singular(noun)) for noun, number in table.items())


def plural(noun: str) -> str:
    """The plural of a noun."""
    if noun in _UNCOUNTED:
        return noun
    if noun.endswith("y") and noun[-2:-1] not in ("", *"aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(_HISSING) else f"{noun}s"


def singular(noun: str) -> str:
    """The singular of a plural that ``plural`` makes; any other word as it is."""
    if noun.endswith(_SINGULAR):
        return noun
    stems = (f"{noun[:-3]}y",) if noun.endswith("ies") else (noun[:-2], noun[:-1])
    return next((stem for stem in stems if stem and plural(stem) == noun), noun)
