"""The key by which one decision record names another, from what people write."""

from __future__ import annotations

import re

_OUTSIDE = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"(?<![\w.])(\d{1,6})(?![\w.]*\d)")
_NAMED = re.compile(r"\b([A-Za-z]{2,8})[\s_-]*#?\s*0*(\d{1,6})\b")
_STEM_NUMBER = re.compile(r"^(?:[a-z]{2,8}[-_ ]?)?0*(\d{1,5})(?:[-_. ]|$)", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_STEM_DATE = re.compile(r"^\d{4}[-_]?\d{2}[-_]?\d{2}(?:[-_]|$)")
_LINK_FILE = re.compile(r"([^/\\()#?]+)\.(?:md|markdown|rst|txt|adoc|html?)\b", re.IGNORECASE)


def numbered_key(series: str, number: str | int) -> str:
    """``pep-245``: lower case, a hyphen, no leading zeros."""
    return f"{series.lower()}-{int(number)}"


def stem_key(stem: str) -> str:
    """The key of a decision record kept in a file of this name (without its suffix).

    ``0007-use-postgres`` and ``adr-007`` give ``adr-7``; ``2023-07-05-chat`` gives ``adr-2023-07-05-chat``.
    """
    stem = stem.strip()
    if _STEM_DATE.match(stem) is None:
        number = stem_number(stem)
        if number is not None:
            return numbered_key("adr", number)
    words = _OUTSIDE.sub("-", stem.lower()).strip("-")
    return words if words.startswith("adr-") else f"adr-{words}"


def stem_number(stem: str) -> int | None:
    """The number a file name gives a record, or None."""
    found = None if _STEM_DATE.match(stem) else _STEM_NUMBER.match(stem)
    return int(found[1]) if found is not None and not _YEAR.fullmatch(found[1]) else None


def numbered_name(key: str, written: str) -> str:
    """``ADR 7`` for a key that is a series and a number, else the name as it was written."""
    series, _, number = key.rpartition("-")
    return f"{series.upper()} {number}" if number.isdigit() and series.isalpha() else written


def stem_words(stem: str) -> str:
    """A title made from a file name: ``2023-07-20-fe-server-rendering`` gives ``fe server rendering``."""
    rest = _STEM_DATE.sub("", stem)
    if rest == stem:
        rest = re.sub(r"^(?:adr[-_ ]?)?\d{1,5}[-_. ]+", "", stem, flags=re.IGNORECASE)
    return " ".join(re.split(r"[-_\s]+", rest)).strip() or stem


def link_stem(target: str) -> str:
    """The file a link leads to, without folder and suffix; "" when it leads to no document."""
    found = _LINK_FILE.search(target.split("#")[0])
    return found[1] if found and "://" not in target else ""


def numbers_in(value: str) -> list[int]:
    """The numbers a header field lists: ``256, 257`` or ``PEP 256``."""
    return [int(number) for number in _NUMBER.findall(re.sub(r"[A-Za-z]{2,8}[-_#\s]*(?=\d)", " ", value))]


def named_in(value: str) -> list[tuple[str, int]]:
    """Numbered records a text names: ``ADR-0007`` gives ``("adr", 7)``."""
    return [(series.lower(), int(number)) for series, number in _NAMED.findall(value)]
