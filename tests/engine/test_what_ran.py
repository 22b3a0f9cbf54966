"""The engine evaluates what a change reaches and nothing else: asserted from what it says it did."""

from __future__ import annotations

from collections.abc import Mapping

from contextmesh.base.source import Source
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Delta, Engine
from contextmesh.datalog.events import Derived, Evaluated, Event, Unchanged, Withdrawn
from contextmesh.datalog.program import build_program
from contextmesh.lang.rules import parse_rules

RULES = """
    input edge(from, to).
    input mark(node).
    input noise(word).
    relation path(from, to).
    relation marked(node).
    output quiet(node).
    output loud(word).
    path(X, Y) :- edge(X, Y).
    path(X, Z) :- path(X, Y), edge(Y, Z).
    marked(X) :- mark(X), path(X, _).
    quiet(X) :- edge(X, _), not marked(X).
    loud(W) :- noise(W), not mark(W).
"""


class Heard:
    """An engine and what it told since it was last asked."""

    def __init__(self, facts: Mapping[str, list[Row]], rules: str = RULES) -> None:
        self.events: list[Event] = []
        program = build_program([parse_rules(Source("r.dl", rules))])
        self.engine = Engine(program, facts, listener=self.events.append)

    def took(self) -> list[Event]:
        taken = list(self.events)
        self.events.clear()
        return taken

    def ran(self) -> list[str]:
        return [f"{e.relations[0]} {e.how}" for e in self.took() if isinstance(e, Evaluated)]


FACTS: dict[str, list[Row]] = {"edge": [(1, 2), (2, 3)], "mark": [(2,)], "noise": [("x",)]}


def test_nothing_is_evaluated_until_it_is_read() -> None:
    heard = Heard(FACTS)

    assert heard.ran() == []
    heard.engine.rows("edge")
    assert heard.ran() == []
    heard.engine.rows("marked")
    assert heard.ran() == ["path whole", "marked whole"]
    heard.engine.rows("marked")
    assert heard.ran() == []


def test_the_first_full_report_evaluates_each_stratum_once() -> None:
    heard = Heard(FACTS)
    heard.engine.apply(Delta())

    assert sorted(heard.ran()) == ["loud whole", "marked whole", "path whole", "quiet whole"]


def test_a_change_runs_the_strata_that_read_it_and_stops_where_nothing_changes() -> None:
    heard = Heard(FACTS)
    heard.engine.apply(Delta())
    heard.took()
    heard.engine.apply(Delta.of(added={"edge": [(3, 4)]}))

    assert heard.took() == [
        Evaluated(("path",), "delta"),
        Derived("path", ((3, 4), (2, 4), (1, 4))),
        Evaluated(("marked",), "delta"),
        Unchanged(("marked",)),
        Evaluated(("quiet",), "delta"),
        Derived("quiet", ((3,),)),
    ]


def test_an_edge_that_was_redundant_wakes_nothing_above_its_paths() -> None:
    heard = Heard({**FACTS, "edge": [(1, 2), (2, 3), (1, 3)]})
    heard.engine.apply(Delta())
    heard.took()
    told = heard.engine.apply(Delta.of(dropped={"edge": [(1, 3)]}))

    assert told == Delta.of(dropped={"edge": [(1, 3)]})
    assert heard.took() == [
        Evaluated(("path",), "delta"),
        Unchanged(("path",)),
        Evaluated(("quiet",), "delta"),
        Unchanged(("quiet",)),
    ]


def test_what_falls_is_told_as_withdrawn() -> None:
    heard = Heard(FACTS)
    heard.engine.apply(Delta())
    heard.took()
    heard.engine.apply(Delta.of(dropped={"mark": [(2,)]}))

    assert heard.took() == [
        Evaluated(("marked",), "delta"),
        Withdrawn("marked", ((2,),)),
        Evaluated(("quiet",), "delta"),
        Derived("quiet", ((2,),)),
        Evaluated(("loud",), "delta"),
        Unchanged(("loud",)),
    ]


def test_a_row_that_was_there_or_was_not_changes_nothing() -> None:
    heard = Heard(FACTS)
    heard.engine.apply(Delta())
    heard.took()

    assert not heard.engine.apply(Delta.of(added={"edge": [(1, 2)]}, dropped={"mark": [(9,)]}))
    assert heard.took() == []


def test_a_report_of_one_relation_leaves_the_rest_for_later_and_later_takes_the_net() -> None:
    heard = Heard(FACTS)
    heard.engine.apply(Delta())
    heard.took()
    heard.engine.apply(Delta.of(added={"edge": [(3, 4)]}), report=("loud",))
    heard.engine.apply(Delta.of(dropped={"edge": [(3, 4)]}), report=("loud",))
    heard.engine.apply(Delta.of(added={"noise": [("y",)]}), report=("loud",))

    assert heard.ran() == ["loud delta"]
    assert heard.engine.rows("quiet") == ((1,),)
    assert heard.took()[:2] == [Evaluated(("path",), "delta"), Unchanged(("path",))]


def test_a_trial_of_some_relations_runs_no_others_and_is_free_to_let_go() -> None:
    heard = Heard(FACTS)
    heard.engine.apply(Delta())
    heard.took()
    with heard.engine.trial(wanted=("path",)) as trial:
        trial.apply(Delta.of(added={"edge": [(3, 4)]}))

    assert heard.ran() == ["path delta"]
    assert heard.engine.rows("quiet") == ((1,),)
    assert heard.ran() == []


def test_readers_left_far_behind_are_brought_along_before_the_log_grows_beyond_the_rows() -> None:
    heard = Heard(FACTS)
    heard.engine.apply(Delta())
    heard.took()
    for number in range(60):
        rows = [(1000 + i, number) for i in range(100)]
        heard.engine.apply(Delta.of(added={"edge": rows}), report=("loud",))
        heard.engine.apply(Delta.of(dropped={"edge": rows}), report=("loud",))

    assert len(heard.engine.relations["edge"].log) < 6000
    assert "path delta" in heard.ran()
