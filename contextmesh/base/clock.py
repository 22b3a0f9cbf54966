"""The one question that a surface asks of the machine's clock: whether a date that was given is still to come."""

from __future__ import annotations

from datetime import UTC, datetime

from contextmesh.base.dates import DAY, day_text, read_period
from contextmesh.base.errors import InputError, Problem


def require_come(text: str) -> str:
    """A date of a commit, as it was given; a day is over nowhere before tomorrow, so tomorrow may be named.

    A commit cannot be dated before the last one, so a slip such as 2035 would hold the session there for years.

    Raises:
        InputError: ``not-a-date``, ``impossible-date``; ``commit-date-ahead``: it begins later than tomorrow, in UTC.
    """
    period = read_period(text)
    today = (datetime.now(UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days
    if period.first >= (today + 2) * DAY:
        message = f"a commit cannot be dated {period.text}: by the clock of this machine it is {day_text(today)}"
        hint = "correct the date or the clock; without a date the commit is undated"
        raise InputError(Problem("commit-date-ahead", message, subject=period.text, hint=hint))
    return text
