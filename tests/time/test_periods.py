"""Dates as stretches of time, and their order."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.base.dates import DAY, day_text, instant_text, period_or_none, read_period
from contextmesh.base.errors import InputError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.dates())
def test_a_day_is_the_day_of_the_calendar(day: date) -> None:
    period = read_period(day)

    assert day_text(period.first_day) == day_text(period.last_day) == day.isoformat()
    assert read_period(day.isoformat()[:7]).first <= period.first
    assert period.end <= read_period(day.isoformat()[:7]).end <= read_period(day.isoformat()[:4]).end


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)), st.integers(-23 * 60, 23 * 60))
def test_an_offset_moves_an_instant_and_nothing_else(at: datetime, minutes: int) -> None:
    sign = "-" if minutes < 0 else "+"
    written = f"{at.isoformat(timespec='seconds')}{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    wanted = at.replace(microsecond=0, tzinfo=UTC) - timedelta(minutes=minutes) - EPOCH

    assert read_period(written).first == wanted // timedelta(microseconds=1)
    assert read_period(written).end - read_period(written).first == 1_000_000


def test_stretches_are_ordered_by_when_they_end_then_by_when_they_begin() -> None:
    texts = ["2024", "2024-12-31", "2024-12", "2024-12-31T23:59Z", "2024-12-31T23:59:59", "2024-03", "2024-03-31"]

    assert [period.text for period in sorted(map(read_period, texts), key=lambda p: p.key)] == [
        "2024-03", "2024-03-31", "2024", "2024-12", "2024-12-31", "2024-12-31T23:59Z", "2024-12-31T23:59:59"
    ]  # fmt: skip
    assert read_period("2024-03-31") < read_period("2024")


def test_only_a_time_without_an_offset_is_assumed_to_be_utc() -> None:
    assert read_period("2024-01-01T10:00").assumed_utc
    assert not read_period("2024-01-01T10:00Z").assumed_utc
    assert not read_period("2024-01-01").assumed_utc


_EDGES = st.sampled_from([date(1, 1, 1), date(1, 1, 2), date(9999, 12, 30), date(9999, 12, 31)])
_CLOCKS = st.sampled_from(["", "T00:00", "T00:00:00", "T12:30:15.5", "T23:59", "T23:59:59.999999"])
_OFFSETS = st.sampled_from(["", "Z", "+00:01", "-00:01", "+14:00", "-14:00", "+23:59", "-23:59"])


@given(_EDGES, _CLOCKS, _OFFSETS)
def test_a_date_at_the_edge_of_the_calendar_is_in_it_or_refused(day: date, clock: str, offset: str) -> None:
    written = day.isoformat() + (clock + offset if clock else "")
    try:
        period = read_period(written)
    except InputError as refused:
        assert refused.code == "impossible-date"
        assert offset.startswith("+" if day.year == 1 else "-")
        return
    assert read_period(date.min).first <= period.first < period.end <= read_period(date.max).end
    for told in (period.first_day, period.last_day):
        assert len(day_text(told)) == len("2024-03-01")
    assert instant_text(period.first) >= "0001-01-01"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2023-02-29", "impossible-date"),
        ("2024-13", "impossible-date"),
        ("2024-00", "impossible-date"),
        ("2024-00-00", "impossible-date"),
        ("2024-03-00", "impossible-date"),
        ("0001-01-01T00:00:00+14:00", "impossible-date"),
        ("9999-12-31T23:59:59-00:01", "impossible-date"),
        ("0000", "impossible-date"),
        ("2024-01-01T24:00", "impossible-date"),
        ("2024-01-01T10:00+24:00", "impossible-date"),
        ("01/02/2024", "not-a-date"),
        ("", "not-a-date"),
        ("20240101", "not-a-date"),
        ("٢٠٢٤", "not-a-date"),
    ],
)
def test_what_names_no_time_is_refused(text: str, code: str) -> None:
    with pytest.raises(InputError) as refused:
        read_period(text)
    assert refused.value.code == code
    assert period_or_none(text) is None


def test_an_instant_is_written_in_utc() -> None:
    assert instant_text(read_period("2024-01-01T00:30:00+02:00").first) == "2023-12-31T22:30:00Z"
    assert instant_text(DAY) == "1970-01-02"
