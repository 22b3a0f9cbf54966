"""Records that replace each other, read from their headers: which of them is current, a day before and a day after.

By day a record is current once it is dated, until the first record that replaces it is dated too. So one whose
successor bears an earlier date never is; one that replaces several takes each from its own date on; one that was split
falls with the first of its parts.
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from contextmesh.api import Mesh

Header = tuple[str, str]

HEADERS: dict[int, tuple[Header, ...]] = {
    1: (("Created", "04-May-1998"), ("Superseded-By", "2")),  # plain, told by both
    2: (("Created", "12-Apr-2003"), ("Replaces", "1"), ("Superseded-By", "3")),  # a chain
    3: (("Created", "28-Apr-2005"), ("Replaces", "2")),
    4: (("Created", "09-Jan-2002"), ("Superseded-By", "5")),  # its successor bears an earlier date
    5: (("Created", "22-Aug-2001"), ("Replaces", "4")),
    6: (("Created", "26-Oct-2000"), ("Superseded-By", "8")),  # two that one replaces
    7: (("Created", "06-Jun-2002"), ("Superseded-By", "8")),
    8: (("Created", "18-Jun-2009"), ("Replaces", "6, 7")),
    9: (("Created", "01-Mar-2001"),),  # split in two, told only by its parts
    10: (("Created", "01-Feb-2004"), ("Replaces", "9")),
    11: (("Created", "01-Feb-2006"), ("Replaces", "9")),
    12: (("Created", "05-May-2001"), ("Superseded-By", "13")),  # told only by the old one
    13: (("Created", "07-Jul-2001"),),
    14: (("Created", "31-May-2001"), ("Requires", "15")),  # what is required stays
    15: (("Created", "01-Jun-2001"),),
    16: (("Created", "03-Mar-2003"), ("Superseded-By", "17")),  # both of one day
    17: (("Created", "03-Mar-2003"), ("Replaces", "16")),
}

SUCCESSORS = {1: (2,), 2: (3,), 4: (5,), 6: (8,), 7: (8,), 9: (10, 11), 12: (13,), 16: (17,)}
PAIRS = [(old, new) for old, successors in SUCCESSORS.items() for new in successors] + [(15, 14)]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def created(number: int) -> date:
    day, month, year = dict(HEADERS[number])["Created"].split("-")
    return date(int(year), MONTHS.index(month) + 1, int(day))


def is_current(number: int, day: date) -> bool:
    return created(number) <= day and all(created(other) > day for other in SUCCESSORS.get(number, ()))


@pytest.fixture(scope="module")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Mesh:
    folder = tmp_path_factory.mktemp("records")
    for number, header in HEADERS.items():
        status = "Superseded" if number in SUCCESSORS else "Final"
        lines = [f"RFC: {number}", f"Title: Timetable of line {number}", f"Status: {status}"]
        lines += [f"{name}: {value}" for name, value in header]
        body = f"Abstract\n========\n\nThe timetable of line {number} is kept as a table of departures.\n"
        (folder / f"rfc-{number:04}.rst").write_text("\n".join([*lines, "", body]), encoding="utf-8")
    mesh = Mesh()
    mesh.ingest([Path(folder)])
    return mesh


@pytest.mark.parametrize(("old", "new"), PAIRS)
@pytest.mark.parametrize("days", [-1, 0, 1])
def test_of_two_records_the_one_is_current_that_the_dates_of_both_say(
    mesh: Mesh, old: int, new: int, days: int
) -> None:
    day = created(new) + timedelta(days=days)
    past = mesh.as_of(day.isoformat())
    current = {str(row[0]) for row in past.query("current(X)").rows}

    for number in (old, new):
        assert (f"decision:rfc-{number}" in current) == is_current(number, day), f"RFC {number} on {day}"


def test_the_plain_ones_of_the_table_are_what_anybody_would_say() -> None:
    for old, new in ((1, 2), (2, 3), (6, 8), (7, 8), (9, 10), (12, 13)):
        before, after = created(new) - timedelta(days=1), created(new) + timedelta(days=1)
        assert [is_current(number, before) for number in (old, new)] == [True, False]
        assert [is_current(number, after) for number in (old, new)] == [False, True]
    assert not any(is_current(4, created(number) + timedelta(days=days)) for number in (4, 5) for days in (-1, 0, 1))


def test_the_lineage_of_a_day_ends_with_what_was_there(mesh: Mesh) -> None:
    def told(day: str) -> list[str]:
        return [node.id for node, _, _ in mesh.as_of(day).lineage("RFC 1").steps]

    chain = ["decision:rfc-1", "decision:rfc-2", "decision:rfc-3"]
    assert [told(day) for day in ("2003-04-11", "2003-04-12", "2005-04-28")] == [chain[:1], chain[:2], chain]


@pytest.mark.parametrize(("old", "new"), PAIRS)
@pytest.mark.parametrize("days", [-1, 0, 1])
def test_a_question_of_a_day_for_what_replaced_a_record_is_answered_by_its_lineage_of_that_day(
    mesh: Mesh, old: int, new: int, days: int
) -> None:
    day = created(new) + timedelta(days=days)
    past = mesh.as_of(day.isoformat())
    successors = [f"decision:rfc-{other}" for other in SUCCESSORS.get(old, ()) if created(other) <= day]
    for question in ("What replaced RFC {}?", "Which RFC superseded RFC {}?", "What is the current version of RFC {}?"):
        answer = past.ask(question.format(old))
        if created(old) > day:
            assert answer.dead_end == "entity_unresolved"
            continue
        assert answer.answer is not None
        assert answer.answer.id in (successors or [f"decision:rfc-{old}"])
        if not successors:
            assert answer.detail.endswith("it is current.")
