"""What day a written date names, when it names exactly one."""

from __future__ import annotations

import re
from datetime import date

_EPOCH = date(1970, 1, 1).toordinal()
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MONTH = r"([A-Za-z]{3,9})\.?"
_ASIDE = re.compile(r"\s*[(\[{].*?[)\]}]\s*")
_TIME = re.compile(r"[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?$")
_CLOCK = re.compile(r"^\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]\.?m\.?)?,?\s+(?:on\s+)?", re.IGNORECASE)
_WEEKDAY = re.compile(r"^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+", re.IGNORECASE)

_YMD = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_DMY_WORDS = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)?[-\s.]+(?:of\s+)?{_MONTH}[-\s,]+(\d{{4}})")
_MDY_WORDS = re.compile(rf"{_MONTH}[-\s]+(\d{{1,2}})(?:st|nd|rd|th)?,?[-\s]+(\d{{4}})")
_YMD_WORDS = re.compile(rf"(\d{{4}})[-\s]+{_MONTH}[-\s]+(\d{{1,2}})")
_NUMBERS = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})")


def exact_day(written: str) -> date | None:
    """The one calendar day a text names, or None: a month, a year, several days, or a day that could be two.

    ``03/04/2024`` is either of two days and so is none; ``12/16/2024`` can only be one. A remark in brackets
    and a time of day are left out.
    """
    text = _WEEKDAY.sub("", _CLOCK.sub("", _ASIDE.sub(" ", written).strip()))
    text = _TIME.sub("", text).strip().rstrip(".,;")
    for pattern, order in (
        (_YMD, "y_md"),
        (_COMPACT, "ymd"),
        (_DMY_WORDS, "dmy"),
        (_MDY_WORDS, "mdy"),
        (_YMD_WORDS, "ymd"),
    ):
        found = pattern.fullmatch(text)
        if found:
            parts = dict(zip(order, found.groups(), strict=True))
            return _day(parts["y"], parts["m"], parts["d"])
    found = _NUMBERS.fullmatch(text)
    if found:
        first, year, second = found[1], found[4], found[3]
        readings = [day for day in (_day(year, second, first), _day(year, first, second)) if day is not None]
        return readings[0] if len(set(readings)) == 1 else None
    return None


def said_date(written: str) -> tuple[str, int | None]:
    """ISO form and day number of an exact date; else the text as written, in single spaces, and None."""
    day = exact_day(written)
    if day is None:
        return " ".join(written.split()), None
    return day.isoformat(), day.toordinal() - _EPOCH


def _day(year: str, month: str, day: str) -> date | None:
    number = int(month) if month.isdigit() else _month(month)
    try:
        return date(int(year), number, int(day))
    except ValueError:
        return None


def _month(word: str) -> int:
    low = word.lower()
    if low in _NAMES:
        return _NAMES.index(low) + 1
    if low == "sept":
        return 9
    return _MONTHS.index(low) + 1 if low in _MONTHS else 0
