"""The graph as it stood: by when it learned something, by when its sources say it, or by both bounds at once.

Two clocks, never mixed in one bound. *Processing time* says when this graph learned a fact: the number of the
transaction, and the date of the commit where the deployment supplies one. *Source time* says when the sources say it:
what is ``known`` in ``rules/time.dl``. A view holds the facts known by then, and the same rules over them.

Within a view everything stands in the order of insertion, which every file keeps. So two writes of one commit, and two
sources of one day, have the same order before and after each reload.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from contextmesh.base.dates import DAY, Period, day_text, read_period
from contextmesh.base.errors import InputError, Problem
from contextmesh.graph.history import History
from contextmesh.graph.pruned_then import with_marks
from contextmesh.graph.source_time import known_by
from contextmesh.graph.then import PastGraph, PastStore

if TYPE_CHECKING:
    from contextmesh.graph.graph import ContextGraph
    from contextmesh.store.model import Node

KEPT = 8
"""How many views are kept; the one used longest ago goes first."""

BY_TRANSACTION, BY_COMMIT = "transaction", "commit date"

_EARLIER_HINT = (
    "give that date or a later one, or none, which leaves the commit undated; a date given by mistake stays: ask by @N"
)

NO_COMMIT_DATES = "no commit of this graph is dated, so a date is read as the date of sources"

NOT_DATED = "the last transactions bear no date, and are left out: {count}"

When = str | date

_NUMBERED = re.compile(r"@(\d{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a view is bounded by.

    Attributes:
        seq: the last transaction that counts.
        day: the last day of source time that counts, or None for all of them.
        learned_by: the clock that ``seq`` was read from, None when learning is not bounded.
        notes: what a reader must know of how the bounds were read.
        as_of, valid_at: what was asked for, as it was written.
    """

    seq: int
    day: int | None = None
    learned_by: str | None = None
    notes: tuple[str, ...] = ()
    as_of: str | None = None
    valid_at: str | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """A graph of then.

    Attributes:
        graph: read only; later writes to the graph of now do not reach it.
        undated: nodes learned by then that no source dates; a bound of source time leaves them out, and says so.
        later: how many nodes learned by then belong to a later day of source time.
    """

    graph: PastGraph
    bounds: Bounds
    undated: tuple[str, ...] = ()
    later: int = 0

    def as_json(self) -> dict[str, object]:
        """The bounds as commands print them, under ``bounds``."""
        day = self.bounds.day
        return {
            "as_of": self.bounds.as_of,
            "valid_at": self.bounds.valid_at,
            "transaction": self.bounds.seq,
            "learned_by": self.bounds.learned_by,
            "source_day": None if day is None else day_text(day),
            "undated": len(self.undated),
            "later": self.later,
            "notes": list(self.bounds.notes),
        }

    def as_text(self) -> str:
        """One line on what was asked of, and a line for each note."""
        parts = []
        if self.bounds.learned_by is not None:
            parts.append(f"as learned by transaction {self.bounds.seq}")
        if self.bounds.day is not None:
            left = f"{self.later} later and {len(self.undated)} undated nodes left out"
            parts.append(f"as sources of {day_text(self.bounds.day)} or before have it; {left}")
        return "\n".join([f"({'; '.join(parts)})", *(f"({note})" for note in self.bounds.notes)])


class Timeline:
    """The past of one graph; follows it from when it is made, or goes on with a history that was kept over a reload.

    Args:
        history: of this graph's store, and of nobody else's timeline.
    """

    def __init__(self, graph: ContextGraph, history: History | None = None) -> None:
        self._graph = graph
        self._history = history if history is not None else History(graph.store)
        self._runs: list[tuple[Period, int]] = []
        self._read = 0
        self._views: dict[tuple[int, int | None], Past] = {}

    @property
    def history(self) -> History:
        """What a file keeps of the past: its ``chronicle``."""
        return self._history

    # ---- the clocks -------------------------------------------------------------------------------

    def commits_on(self, when: When) -> None:
        """Date the transactions that follow, until another date is given. The clock is the deployment's.

        A graph that was opened anew goes on undated until it is told a date: nobody but the deployment knows one.

        Raises:
            InputError: as ``date_to_come``.
        """
        self._history.day = self.date_to_come(when)

    def date_to_come(self, when: When) -> str:
        """The date as the next commit may bear it; nothing is dated by it.

        Raises:
            InputError: ``not-a-date``, ``impossible-date``; ``earlier-commit``: time would run backwards.
        """
        period = read_period(when)
        runs = self._runs_of_commits()
        if runs and period < runs[-1][0]:
            message = f"transactions are dated {runs[-1][0].text} already, and {period.text} is before that"
            raise InputError(Problem("earlier-commit", message, subject=period.text, hint=_EARLIER_HINT))
        return period.text

    def commit_date(self, seq: int) -> str | None:
        """The date of a transaction's commit as it was supplied, or None; of the next one, the date in force."""
        commits = self._history.commits
        place = bisect_left(commits, seq, key=lambda commit: commit.seq)
        if place < len(commits):
            return commits[place].day if commits[place].seq == seq else None
        return self._history.day if seq > self._history.begins else None

    def _dated(self) -> list[tuple[Period, int]]:
        """The same, and everything that stands was there by the date in force; a date nothing bears is none."""
        runs = self._runs_of_commits()
        if self._history.day is None or not runs:
            return runs
        in_force = read_period(self._history.day)
        return runs if in_force < runs[-1][0] else [*runs, (in_force, self._graph.store.seq)]

    def _runs_of_commits(self) -> list[tuple[Period, int]]:
        """Each date of a commit with the last transaction that was there by then, in order.

        A transaction without a date stands between two that have one, so it was there by the later of them.
        """
        commits, runs = self._history.commits, self._runs
        for place in range(self._read, len(commits)):
            day, seq = commits[place].day, commits[place].seq
            if day is None:
                continue
            last = runs[-1][0] if runs else None
            period = last if last is not None and last.text == day else read_period(day)
            if last is not None and not last < period:
                runs[-1] = (last, seq)  # what another writer dated earlier came here no earlier than what is here
            else:
                runs.append((period, seq))
        self._read = len(commits)
        return runs

    # ---- views ------------------------------------------------------------------------------------

    def at(self, as_of: When | int | None = None, *, valid_at: When | None = None) -> Past:
        """The graph as learned by ``as_of`` (a date, or a transaction: 12 or "@12"), of what was so by ``valid_at``.

        A date of learning is compared with commit dates. Where the deployment never supplied one, this graph cannot
        say when it learned anything, and the date alone is read in source time; the bounds of the view say so.

        Raises:
            InputError: ``not-a-date``, ``impossible-date``, ``future-date``, ``no-dates``, ``no-commit-dates``,
                ``before-history``, ``no-bound``.
        """
        return self.view(self.bounds(as_of, valid_at=valid_at))

    def view(self, bounds: Bounds) -> Past:
        """The graph within bounds; kept, so that it is made once."""
        key = (bounds.seq, bounds.day)
        past = self._views.pop(key, None)
        if past is None:
            past = self._learned(bounds) if bounds.day is None else self._so_by(bounds, bounds.day)
        self._views[key] = past
        while len(self._views) > KEPT:
            del self._views[next(iter(self._views))]
        return past if past.bounds == bounds else replace(past, bounds=bounds)

    def bounds(self, as_of: When | int | None = None, *, valid_at: When | None = None) -> Bounds:
        """What a view would be bounded by; see ``at``."""
        if as_of is None and valid_at is None:
            raise InputError(Problem("no-bound", "no date bounds the view", hint="give a date to look back to"))
        seq, learned_by, day = self._graph.store.seq, None, None
        valid = None if valid_at is None else read_period(valid_at)
        notes = () if valid is None else _utc_note(valid)
        learned_end: int | None = None
        number = _number(as_of)
        if number is not None:
            seq, learned_by = self._transaction(number), BY_TRANSACTION
        elif isinstance(as_of, str) and as_of.lstrip().startswith("@"):
            hint = f"the number of a transaction is written like @{max(1, self._history.begins)}"
            raise InputError(Problem("not-a-date", f"{as_of!r} is no transaction", subject=as_of, hint=hint))
        elif as_of is not None:
            assert not isinstance(as_of, int), "that is a number"
            period = read_period(as_of)
            notes = (*_utc_note(period), *notes)
            if dated := self._dated():
                seq, learned_by = self._commit(period, dated), BY_COMMIT
                learned_end = min(period.end, dated[-1][0].end)
                if period.end >= dated[-1][0].end and seq < self._graph.store.seq:
                    notes = (*notes, NOT_DATED.format(count=self._graph.store.seq - seq))
            elif valid is None:
                day = self._source_day(period, seq, None)
                notes = (*notes, NO_COMMIT_DATES)
            else:
                hint = "leave one of the two dates out, or bound learning by the number of a transaction: @1"
                raise InputError(Problem("no-commit-dates", NO_COMMIT_DATES, subject=period.text, hint=hint))
        if valid is not None:
            day = self._source_day(valid, seq, learned_end)
        return Bounds(seq, day, learned_by, notes, *(None if w is None else str(w) for w in (as_of, valid_at)))

    def _transaction(self, seq: int) -> int:
        begins, last = self._history.begins, self._graph.store.seq
        if seq > last:
            message = f"transaction {seq} is not yet written; the last is {last}"
            hint = f"ask of @{begins} to @{last}, or leave the bound out to ask about now"
            raise InputError(Problem("future-date", message, subject=str(seq), hint=hint))
        if seq < begins:
            message = f"transaction {seq} is before {begins}, and what was learned until then is one state"
            raise InputError(Problem("before-history", message, subject=str(seq), hint=f"ask from @{begins} on"))
        return seq

    def _commit(self, period: Period, dated: list[tuple[Period, int]]) -> int:
        _require_past(period, dated[-1][0].end)
        count = bisect_right(dated, period.end, key=lambda run: run[0].end)
        if not count:
            first = dated[0][0].text
            message = f"no commit is dated {period.text} or before; the first is dated {first}"
            number = f"bound learning by the number of a transaction, from @{self._history.begins} on"
            hint = f"{number}, or ask what sources of that day say: `--valid-at {period.text}`"
            raise InputError(Problem("before-history", message, subject=period.text, hint=hint))
        return dated[count - 1][1]

    def _source_day(self, period: Period, seq: int, learned_end: int | None) -> int:
        """The last day of a bound of source time.

        Nothing after the latest date that was known within the bound of learning is past: a date of a source that was
        learned by then, or the date of learning itself. So a refusal tells nothing of what was learned later.

        Args:
            learned_end: where the bound of learning ends, None to take it from the commits up to ``seq``.
        """
        store = self._graph.store
        engine = (store if seq == store.seq else self.view(Bounds(seq)).graph.store).engine
        dates = (*engine.rows("dated"), *engine.rows("dated_within"))
        days = [row[-1] for row in dates if isinstance(row[-1], int)]
        if not days:
            message = "no source of this graph is dated, so it has no past in source time"
            raise InputError(Problem("no-dates", message, subject=period.text, hint="date a source: `retrieved_at`"))
        if learned_end is None and self._runs_of_commits():
            commits = self._history.commits
            count = bisect_right(commits, seq, key=lambda commit: commit.seq)
            last = next((one.day for one in reversed(commits[:count]) if one.day is not None), None)
            learned_end = None if last is None else read_period(last).end
        _require_past(period, max((max(days) + 1) * DAY, learned_end or 0))
        return period.last_day

    def _learned(self, bounds: Bounds) -> Past:
        store, history, seq = self._graph.store, self._history, bounds.seq
        verdicts = [row for row in store.engine.rows("verdict") if isinstance(row[2], int) and row[2] <= seq]
        then = PastStore(
            store,
            history.nodes(seq),
            history.edges(seq),
            verdicts=verdicts,
            stated=history.stated(seq),
            beside=lambda: history.stated(store.seq),
            build=history.build(seq),
            seq=seq,
        )
        return Past(PastGraph(store=then), bounds)

    def _so_by(self, bounds: Bounds, day: int) -> Past:
        store = self._graph.store
        if bounds.seq != store.seq:
            store = self.view(Bounds(bounds.seq, learned_by=BY_TRANSACTION)).graph.store
        selected = known_by(store, day)
        # Of what no record stands for only a date says when it was so.
        beside = self._history.stated(bounds.seq)
        stated = [fact for fact in beside if fact[0] == "dated" and fact[1][0] in selected.nodes]

        def made(nodes: dict[str, Node]) -> PastStore:
            return PastStore(
                store,
                nodes,
                selected.edges,
                verdicts=store.engine.rows("verdict"),
                stated=stated,
                beside=lambda: self._history.stated(store.seq),
                build=store.build,
                seq=bounds.seq,
            )

        then = with_marks(store, selected.nodes, made)
        return Past(PastGraph(store=then), bounds, selected.undated, selected.later)


def _number(as_of: When | int | None) -> int | None:
    """The transaction that is named by its number, in text with an @ before it, for 2024 alone is a year."""
    if not isinstance(as_of, str):
        return as_of if isinstance(as_of, int) else None
    found = _NUMBERED.fullmatch(as_of.strip())
    return None if found is None else int(found[1])


def _require_past(period: Period, end: int) -> None:
    """A day is not over everywhere at once, so the day after the last one is still in reach."""
    if period.first > end + DAY:
        last = day_text(end // DAY - 1) if end % DAY == 0 else day_text(end // DAY)
        message = f"{period.text} is after everything this graph knows of; the last date here is {last}"
        raise InputError(
            Problem("future-date", message, subject=period.text, hint="leave the date out to ask about now")
        )


def _utc_note(period: Period) -> tuple[str, ...]:
    return (f"{period.text} names no offset and is read as UTC",) if period.assumed_utc else ()
