"""Whether a value in front is expected to name one row is a matter of bytes: no row, order or delta depends on it."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import INPUTS, changed, changes_for, facts_for, programs

from contextmesh.base.source import Source
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import MANY, Delta
from contextmesh.datalog.functional import functional
from contextmesh.datalog.program import Program, build_program
from contextmesh.lang.rules import parse_rules

SLOW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


class Both:
    """Two engines of one program: one that expects no keys, and one that expects them everywhere."""

    def __init__(self, program: Program, facts: Any) -> None:
        self.engines = (Engine(program, facts), Engine(program, facts, keyed=tuple(program.declarations)))
        self.names = tuple(program.declarations)

    def apply(self, delta: Delta) -> None:
        plain, keyed = (engine.apply(delta) for engine in self.engines)
        assert {n: sorted(rows, key=repr) for n, rows in plain.added.items()} == {
            n: sorted(rows, key=repr) for n, rows in keyed.added.items()
        }
        assert {n: sorted(rows, key=repr) for n, rows in plain.dropped.items()} == {
            n: sorted(rows, key=repr) for n, rows in keyed.dropped.items()
        }

    def check(self) -> None:
        for name in self.names:
            plain, keyed = (engine.read(name) for engine in self.engines)
            rows, shown = list(plain.scan()), list(keyed.scan())
            assert len(plain) == len(keyed) == len(shown)
            assert sorted(shown, key=repr) == sorted(rows, key=repr)
            assert all(map(keyed.holds, rows))
            if name in INPUTS:
                assert shown == rows
            for column in range(keyed.arity):
                for value in (0, 1, 2, "a", "nothing"):
                    pattern = [value if at == column else None for at in range(keyed.arity)]
                    assert list(keyed.match(pattern)) == [row for row in shown if row[column] == value]

    def state(self) -> list[Any]:
        """Every relation in order, with what stands in its table."""
        return [(list(r.scan()), sorted(map(repr, r.rows))) for e in self.engines for r in e.relations.values()]


@SLOW
@given(st.data())
def test_rows_their_order_and_deltas_are_the_same_with_keys_and_without(data: st.DataObject) -> None:
    program = data.draw(programs(5))
    facts = data.draw(facts_for(program))
    both = Both(program, facts)
    both.check()
    for _ in range(data.draw(st.integers(1, 3))):
        delta = data.draw(changes_for(program, facts))
        facts = changed(facts, delta)
        both.apply(delta)
        both.check()


@SLOW
@given(st.data())
def test_a_trial_over_keys_that_is_let_go_leaves_rows_order_and_tables_as_they_were(data: st.DataObject) -> None:
    program = data.draw(programs(4))
    facts = data.draw(facts_for(program))
    both = Both(program, facts)
    for _ in range(data.draw(st.integers(0, 2))):
        delta = data.draw(changes_for(program, facts))
        facts = changed(facts, delta)
        both.apply(delta)
    both.check()
    before = both.state()
    plain, keyed = both.engines
    with plain.trial() as one, keyed.trial() as other:
        inside = facts
        for _ in range(data.draw(st.integers(1, 3))):
            delta = data.draw(changes_for(program, inside))
            inside = changed(inside, delta)
            both.apply(delta)
            both.check()
        if data.draw(st.booleans()):
            one.keep()
            other.keep()
            facts, before = inside, []
    if before:
        assert both.state() == before
    both.check()
    both.apply(data.draw(changes_for(program, facts)))
    both.check()


RULES = """
    input says(id, word).   input edge(id, from, type, to).
    loud(X) :- says(X, W), W = shout.
    near(X, W) :- edge(_, X, knows, Y), says(Y, W).
    told(L, W) :- edge(L, _, _, Y), says(Y, W).
    mute(X) :- edge(_, X, _, _), not says(X, _).
"""


def engine_of(facts: dict[str, list[Row]], *keyed: str) -> Engine:
    return Engine(build_program([parse_rules(Source("r.dl", RULES))], standalone=True), facts, keyed=keyed)


def test_a_row_that_takes_the_place_of_another_one_of_its_key_stands_at_the_end_and_is_plain_again() -> None:
    engine = engine_of({"says": [("a", "x"), ("b", "y"), ("c", "z")], "edge": []}, "says")
    engine.apply(Delta.of(added={"says": [("a", "shout"), ("b", "shout")]}, dropped={"says": [("a", "x"), ("b", "y")]}))

    assert engine.rows("says") == (("c", "z"), ("a", "shout"), ("b", "shout"))
    assert engine.rows("loud") == (("a",), ("b",))
    assert engine.read("says").rows == {"c": "z", "a": "shout", "b": "shout"}


def test_keys_of_the_same_few_rows_share_what_stands_for_them_until_one_of_them_changes() -> None:
    names = [f"n{i}" for i in range(9)]
    engine = engine_of({"says": [(name, word) for name in names for word in ("x", "y")], "edge": []}, "says")
    relation = engine.read("says")

    assert len({id(entry) for entry in relation.rows.values()}) == 1
    with engine.trial():
        engine.apply(Delta.of(added={"says": [("n3", "shout")]}, dropped={"says": [("n4", "x"), ("n8", "y")]}))
        assert engine.match("says", ("n3", None)) == (("n3", "x"), ("n3", "y"), ("n3", "shout"))
        assert engine.match("says", (None, "x")) == tuple((name, "x") for name in names if name != "n4")
        assert engine.rows("says")[-2:] == (("n8", "x"), ("n3", "shout"))
        assert (engine.rows("loud"), len(relation)) == ((("n3",),), 17)
    assert engine.rows("says") == tuple((name, word) for name in names for word in ("x", "y"))
    assert len({id(entry) for entry in relation.rows.values()}) == 1


def test_a_relation_whose_keys_are_none_takes_the_general_shape_and_everything_is_as_before() -> None:
    count = 2 * MANY
    edges: list[Row] = [(f"e{i}", f"n{i}", "knows", f"n{i + 1}") for i in range(count)]
    words: list[Row] = [(f"n{i}", f"w{i % 7}") for i in range(count)]
    more: list[Row] = [(f"n{i}", f"v{i % 5}") for i in range(0, count, 2)]
    keyed, plain = (engine_of({"says": [], "edge": []}, *names) for names in (("says", "edge"), ()))
    shapes = []
    for step in ({"edge": edges, "says": words}, {"says": more}, {"says": [("n1", "shout")]}):
        told = [engine.apply(Delta.of(added=step)) for engine in (keyed, plain)]
        shapes.append((keyed.read("says").shape, keyed.read("edge").shape))

        assert told[0] == told[1]
        for name in keyed.program.declarations:
            assert keyed.rows(name) == plain.rows(name)
        assert keyed.match("says", (None, "v3")) == plain.match("says", (None, "v3"))

    assert shapes == [("pairs", "keyed"), ("rows", "keyed"), ("rows", "keyed")]


def test_a_relation_is_guessed_to_have_keys_where_each_of_its_rules_settles_the_rest_of_a_row() -> None:
    program = build_program(
        [
            parse_rules(
                Source(
                    "r.dl",
                    """
                    input born(id, day).   input read(id, source).   input edge(from, to).
                    own(X, D) :- born(X, D).
                    own(X, D + 1) :- read(X, S), born(S, D).
                    all(X, Y) :- edge(X, Y).
                    latest(X, D) :- edge(X, _), D = max { E : edge(X, Y), born(Y, E) }.
                    latest(X, none) :- edge(X, X).
                    level(X, 0) :- born(X, _).
                    level(X, I + 1) :- level(X, I), I < 3.
                    of(D, X) :- born(X, D).
                    """,
                )
            )
        ],
        standalone=True,
    )

    assert list(functional(program, ("born", "read", "elsewhere"))) == ["born", "read", "own", "latest"]
