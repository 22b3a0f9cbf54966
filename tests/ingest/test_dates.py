"""A written date is a day only when it names exactly one."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.base.dates import day_text, read_period
from contextmesh.ingest.dates import exact_day, said_date

ONE_DAY = [
    ("13-Jun-2000", "2000-06-13"),
    ("2000-06-13", "2000-06-13"),
    ("2024/01/02", "2024-01-02"),
    ("20240102", "2024-01-02"),
    ("June 13, 2000", "2000-06-13"),
    ("Sept. 4, 1981", "1981-09-04"),
    ("13 June 2000", "2000-06-13"),
    ("5th of May 2020", "2020-05-05"),
    ("2003-Mar-04", "2003-03-04"),
    ("Tue, 5 Mar 2019", "2019-03-05"),
    ("12/16/2024", "2024-12-16"),
    ("16.12.2024", "2024-12-16"),
    ("04/04/2024", "2024-04-04"),
    ("2022-10-05 (updated 2023-07-12)", "2022-10-05"),
    ("1:56 pm on 8 May, 2023", "2023-05-08"),
    ("2024-01-03T22:31:36Z", "2024-01-03"),
    ("2024-01-03 22:31:36.5 +02:00", "2024-01-03"),
    ("2024-01-03T00:30+02:00", "2024-01-02"),
    ("Wed, 3 Jan 2024 23:30:00 -0500", "2024-01-04"),
    ("2024-02-29T23:30:00 GMT", "2024-02-29"),
]
NO_DAY = [
    "",
    "2003",
    "2022-09",
    "Jun 2000",
    "03/04/2024",
    "30-Feb-2000",
    "2023-07-2i",
    "2026-04-27, 2023-07-03",
    "soon",
    "2024-01-03T24:30+02:00",
    "2024-01-03T10:30+25:00",
    "9999-12-31T23:30-01:00",
    "0001-01-01T00:30+01:00",
]


@pytest.mark.parametrize(("written", "iso"), ONE_DAY)
def test_a_date_that_names_one_day_is_that_day(written: str, iso: str) -> None:
    assert said_date(written) == (iso, (date.fromisoformat(iso) - date(1970, 1, 1)).days)


@pytest.mark.parametrize("written", NO_DAY)
def test_a_date_that_names_no_single_day_is_kept_as_written(written: str) -> None:
    assert said_date(written) == (written, None)


@given(st.dates(min_value=date(1000, 1, 1)), st.sampled_from(["%d-%b-%Y", "%Y-%m-%d", "%B %d, %Y", "%d %B %Y"]))
def test_a_day_is_read_back_from_every_unambiguous_form(day: date, form: str) -> None:
    assert exact_day(day.strftime(form)) == day


@given(st.dates(min_value=date(1000, 1, 1)))
def test_a_day_in_figures_is_exact_only_when_day_and_month_cannot_be_exchanged(day: date) -> None:
    found = exact_day(day.strftime("%d/%m/%Y"))

    assert found == (None if day.day <= 12 and day.day != day.month else day)


@given(st.text(max_size=40))
def test_any_text_is_a_date_or_none(text: str) -> None:
    exact_day(text)


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)), st.integers(-23 * 60, 23 * 60))
def test_a_time_with_an_offset_names_the_day_that_a_bound_of_it_stands_in(at: datetime, minutes: int) -> None:
    sign = "-" if minutes < 0 else "+"
    written = f"{at.isoformat(timespec='seconds')}{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"

    assert said_date(written)[0] == day_text(read_period(written).first_day)
