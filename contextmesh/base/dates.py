"""Dates as people write them, as stretches of time with one defined order.

A year, a month and a day are stretches; a date-time names an instant, which is a stretch of the length of its last
written part (a minute, a second, a microsecond). Stretches are ordered by when they end, then by when they begin: what
is dated by a stretch is certain only once the stretch is over, so it is known by a bound exactly when it ends no later
than the bound does. Everything is counted in UTC. A date-time without an offset is read as UTC, and says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from contextmesh.base.errors import InputError, Problem

DAY = 86_400_000_000
"""Microseconds of a day; there are no leap seconds in the calendar of ISO dates."""

FORMS = "2024, 2024-03, 2024-03-01 or 2024-03-01T09:30:00+02:00"

_EPOCH = date(1970, 1, 1).toordinal()
_BEGIN, _END = (date.min.toordinal() - _EPOCH) * DAY, (date.max.toordinal() + 1 - _EPOCH) * DAY
_CALENDAR = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_CLOCK = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6}))?)?\s?(Z|[+-]\d{2}:?\d{2})?",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time; compare with ``<`` and sort by ``key``.

    Attributes:
        text: as it was written.
        first: its first microsecond since 1970-01-01T00:00Z.
        end: the first microsecond after it.
        assumed_utc: a time of day was written without an offset.
    """

    text: str
    first: int
    end: int
    assumed_utc: bool = False

    @property
    def key(self) -> tuple[int, int]:
        """What orders stretches: the end, then the beginning."""
        return (self.end, self.first)

    def __lt__(self, other: Period) -> bool:
        return self.key < other.key

    @property
    def first_day(self) -> int:
        """The day it begins in, as whole days since 1970-01-01."""
        return self.first // DAY

    @property
    def last_day(self) -> int:
        """The last whole day that is over when it ends, as whole days since 1970-01-01."""
        return self.end // DAY - 1


def read_period(value: str | date) -> Period:
    """The stretch that a text, a ``date`` or a ``datetime`` names.

    Raises:
        InputError: ``not-a-date``: in no known form; ``impossible-date``: in a form, and no such day or time exists.
    """
    text = value if isinstance(value, str) else value.isoformat()
    text = text.strip()
    found = _CALENDAR.fullmatch(text)
    if found:
        return _calendar(text, found)
    found = _CLOCK.fullmatch(text)
    if found:
        return _clock(text, found)
    hint = f"write it as {FORMS}"
    raise InputError(Problem("not-a-date", f"{text!r} is no date", subject=text, hint=hint))


def period_or_none(value: object) -> Period | None:
    """The stretch a stored text names, or None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        return read_period(value)
    except InputError:
        return None


def day_text(day: int) -> str:
    """The ISO form of whole days since 1970-01-01; the day before year 1, which no date names, is 0000-12-31."""
    if day + _EPOCH == 0:
        return "0000-12-31"
    return date.fromordinal(day + _EPOCH).isoformat()


def instant_text(instant: int) -> str:
    """The ISO form, in UTC, of microseconds since 1970-01-01T00:00Z; a bare day for a midnight."""
    day, rest = divmod(instant, DAY)
    if not rest:
        return day_text(day)
    seconds, micros = divmod(rest, 1_000_000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{day_text(day)}T{clock}{f'.{micros:06}' if micros else ''}Z"


def _calendar(text: str, found: re.Match[str]) -> Period:
    year, month, day = (None if part is None else int(part) for part in found.groups())
    assert year is not None, "every form begins with a year"
    try:
        first = date(year, 1 if month is None else month, 1 if day is None else day).toordinal()
    except ValueError as error:
        raise _impossible(text, error) from None
    if day is not None:
        after = first + 1
    elif month is not None:
        after = date(year, month + 1, 1).toordinal() if month < 12 else date(year, 12, 31).toordinal() + 1
    else:
        after = date(year, 12, 31).toordinal() + 1
    return Period(text, (first - _EPOCH) * DAY, (after - _EPOCH) * DAY)


def _clock(text: str, found: re.Match[str]) -> Period:
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    micros = (found[7] or "").ljust(6, "0")
    try:
        at = datetime(year, month, day, hour, minute, second, int(micros))
    except ValueError as error:
        raise _impossible(text, error) from None
    offset = _offset(text, found[8])
    of_day = ((at.hour * 60 + at.minute) * 60 + at.second) * 1_000_000 + at.microsecond
    first = (at.date().toordinal() - _EPOCH) * DAY + of_day - (offset or 0) * 60_000_000
    length = 60_000_000 if found[6] is None else 1_000_000 if found[7] is None else 1
    if first < _BEGIN or first + length > _END:
        raise _impossible(text, "in UTC that is not in the years 1 to 9999")
    return Period(text, first, first + length, assumed_utc=offset is None)


def _offset(text: str, written: str | None) -> int | None:
    """Minutes east of UTC."""
    if written is None:
        return None
    if written in ("Z", "z"):
        return 0
    hours, minutes = int(written[1:3]), int(written[-2:])
    if hours > 23 or minutes > 59:
        raise _impossible(text, f"an offset of {written} does not exist")
    return (hours * 60 + minutes) * (-1 if written[0] == "-" else 1)


def _impossible(text: str, why: object) -> InputError:
    message = f"{text!r} names no day or time that exists"
    return InputError(Problem("impossible-date", message, subject=text, note=str(why), hint=f"write it as {FORMS}"))
