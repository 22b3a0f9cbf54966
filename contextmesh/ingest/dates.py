"""What day a written date names, when it names exactly one."""

from __future__ import annotations

import re
from datetime import date, timedelta

_EPOCH = date(1970, 1, 1).toordinal()
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MONTH = r"([A-Za-z]{3,9})\.?"
_ASIDE = re.compile(r"\s*[(\[{].*?[)\]}]\s*")
_TIME = re.compile(
    r"[T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2}(?:\.\d+)?)?\s*"
    r"(?:Z|UTC|GMT|(?P<sign>[+-])(?P<hours>\d{2}):?(?P<minutes>\d{2}))?$"
)
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
    and a time of day are left out; with an offset, it is the day that it then was in UTC.
    """
    text = _WEEKDAY.sub("", _CLOCK.sub("", _ASIDE.sub(" ", written).strip()))
    time = _TIME.search(text)
    day = _day_of(text[: time.start()] if time else text)
    return day if day is None or time is None or not time["sign"] else _in_utc(day, time)


def _in_utc(day: date, time: re.Match[str]) -> date | None:
    """The day in UTC of a time with an offset; None when there is no such time, or no such day."""
    hour, minute, hours, minutes = (int(time[name]) for name in ("hour", "minute", "hours", "minutes"))
    if hour > 23 or hours > 23 or minute > 59 or minutes > 59:
        return None
    offset = (hours * 60 + minutes) * (-1 if time["sign"] == "-" else 1)
    try:
        return day + timedelta(days=(hour * 60 + minute - offset) // (24 * 60))
    except OverflowError:
        return None


def _day_of(written: str) -> date | None:
    text = written.strip().rstrip(".,;")
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
