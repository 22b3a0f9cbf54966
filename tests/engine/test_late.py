"""Facts that are made when they are first looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import changed, changes_for, facts_for, programs

from contextmesh.base.source import Source
from contextmesh.datalog import rows_less
from contextmesh.datalog.ast import Row, Value
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.index import count_of, first_of
from contextmesh.datalog.program import build_program
from contextmesh.datalog.table import PAIRS, ByKey, Groups
from contextmesh.lang.rules import parse_rules

SLOW = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@SLOW
@given(st.data())
def test_an_engine_over_late_facts_is_the_engine_over_the_facts(data: st.DataObject) -> None:
    program = data.draw(programs())
    facts = data.draw(facts_for(program))
    base = [name for name in facts if program.stratum_of[name] < 0 and name not in dict(program.facts)]
    late: dict[str, Callable[[], Iterable[Row]]] = {name: lambda rows=facts[name]: rows for name in base}  # type: ignore[misc]
    one = Engine(program, facts)
    other = Engine(program, {name: rows for name, rows in facts.items() if name not in late}, late=late)
    delta = data.draw(changes_for(program, facts))
    for name in data.draw(st.lists(st.sampled_from(sorted(program.declarations)), max_size=3)):
        assert other.rows(name) == one.rows(name)

    with other.trial():
        assert other.apply(delta) == one.apply(delta)
        assert [other.rows(name) for name in program.declarations] == [one.rows(name) for name in program.declarations]
    one = Engine(program, facts)
    assert [other.rows(name) for name in program.declarations] == [one.rows(name) for name in program.declarations]


@SLOW
@given(st.data())
def test_an_engine_over_the_rows_of_another_less_some_keys_is_the_engine_over_those_rows(data: st.DataObject) -> None:
    program = data.draw(programs(4))
    facts = data.draw(facts_for(program))
    base = [name for name in facts if program.stratum_of[name] < 0 and name not in dict(program.facts)]
    expected = [data.draw(st.sampled_from([tuple(program.declarations)] * 3 + [()])) for _ in range(2)]
    origin = Engine(program, facts, keyed=expected[0])
    delta = data.draw(changes_for(program, facts))
    facts = changed(facts, delta)
    given_too = {name: rows for name, rows in facts.items() if name not in base}
    gone = dict.fromkeys(data.draw(st.lists(st.sampled_from([0, 1, 2, "a"]), max_size=2)))
    with origin.trial() as trial:
        origin.apply(delta)
        if data.draw(st.booleans()):
            trial.keep()
        rows = {name: [row for row in origin.rows(name) if row[0] not in gone] for name in base}
        late = {name: partial(origin.read(name).less, gone) for name in base}
        copied = Engine(program, given_too, late=late, keyed=expected[1])
        with patch.object(rows_less, "FEW", data.draw(st.sampled_from([0, rows_less.FEW]))):
            assert [list(copied.read(name).scan()) for name in base] == [rows[name] for name in base]
    before = [origin.rows(name) for name in base]

    plain = Engine(program, {**given_too, **rows})
    again = data.draw(changes_for(program, {**given_too, **rows}))
    for engine in (plain, copied):
        engine.apply(again)
    for name in program.declarations:
        assert sorted(map(repr, copied.rows(name))) == sorted(map(repr, plain.rows(name)))
    assert [origin.rows(name) for name in base] == before


def test_a_copy_less_some_keys_goes_its_own_way_where_keys_share_what_stands_under_them() -> None:
    program = build_program(
        [parse_rules(Source("r.dl", "input says(id, word).\nloud(X) :- says(X, b)."))], standalone=True
    )
    spoken: list[Row] = [(x, w) for x in "pqrsuvwxyz" for w in "ab"] + [("t", "a")]
    origin = Engine(program, {"says": spoken}, keyed=["says"])
    gone = {"q": None, "nobody": None}
    copied = Engine(program, late={"says": lambda: origin.read("says").less(gone)}, keyed=["says"])
    left = tuple(row for row in spoken if row[0] != "q")
    assert copied.rows("says") == left and copied.count("says") == len(left)
    assert copied.rows("loud") == tuple((x,) for x in "prsuvwxyz")

    copied.apply(Delta.of(added={"says": [("q", "b"), ("t", "b")]}, dropped={"says": [("r", "b"), ("s", "a")]}))
    assert copied.rows("loud") == tuple((x,) for x in "psuvwxyzqt")
    assert set(copied.rows("says")) == {*left, ("q", "b"), ("t", "b")} - {("r", "b"), ("s", "a")}
    assert origin.rows("says") == tuple(spoken) and origin.rows("loud") == tuple((x,) for x in "pqrsuvwxyz")


def test_what_nobody_reads_is_never_made() -> None:
    rules = "input near(a, b).\ninput far(a).\nrelation both(a).\nboth(X) :- near(X, _), far(X).\n"
    program = build_program([parse_rules(Source("r.dl", rules))])
    made: list[str] = []

    def rows(name: str, row: Row) -> Callable[[], Iterable[Row]]:
        return lambda: made.append(name) or [row]  # type: ignore[func-returns-value]

    engine = Engine(program, late={"near": rows("near", (1, 2)), "far": rows("far", (1,))})
    assert made == []
    assert engine.match("near", (1, None)) == ((1, 2),)
    assert made == ["near"]
    assert engine.rows("both") == ((1,),)
    assert made == ["near", "far"]


def test_the_first_rows_of_a_key_and_their_number_are_read_without_the_rest() -> None:
    program = build_program([parse_rules(Source("r.dl", "input near(a, b).\n"))])
    engine = Engine(program, {"near": [(at % 3, at) for at in range(100)]})
    buckets = engine.read("near").reader(0).buckets
    for most in (1, 5, 50):
        assert first_of(buckets[1], most) == tuple(engine.match("near", (1, None)))[:most]
    assert [count_of(buckets[a]) for a in (0, 1)] == [34, 33]
    engine.apply(Delta(added={"near": [(8, 0)]}))
    assert (first_of(buckets[8], 3), count_of(buckets[8])) == (((8, 0),), 1)


PAIRED = build_program([parse_rules(Source("p.dl", "input p(x, y). output q(y). q(Y) :- p(X, Y), p(Y, _)."))])
values = st.sampled_from(["a", "b", "c", 1])


@SLOW
@given(
    st.dictionaries(values, st.lists(values, min_size=1, max_size=3, unique=True).map(tuple)),
    st.lists(st.tuples(st.booleans(), st.lists(st.tuples(values, values), max_size=4)), max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_rows_given_by_their_keys_are_the_rows_given_one_by_one(
    groups: dict[Value, tuple[Value, ...]], changes: list[tuple[bool, list[Row]]], one_each: bool, keyed: bool
) -> None:
    single: dict[Value, Value] = {key: several[0] for key, several in groups.items()}
    given: Collection[Row] = ByKey(single, PAIRS) if one_each else Groups(groups)
    keys = ("p",) if keyed else ()
    plain, other = Engine(PAIRED, {"p": list(given)}, keyed=keys), Engine(PAIRED, late={"p": lambda: given}, keyed=keys)
    for added, rows in [(True, []), *changes]:
        delta = Delta.of(added={"p": rows}) if added else Delta.of(dropped={"p": rows})

        assert other.apply(delta) == plain.apply(delta)
        assert [other.rows(name) for name in "pq"] == [plain.rows(name) for name in "pq"]
        assert [other.match("p", (key, None)) for key in groups] == [plain.match("p", (key, None)) for key in groups]
    assert len(given) == len(list(given)) and all(row in given for row in given)


JOINED = build_program(
    [parse_rules(Source("r.dl", "input a(x). input b(x). input c(x). output j(x). j(X) :- a(X), b(X), c(X)."))]
)


def test_a_rule_that_joins_an_empty_relation_leaves_the_others_unmade_until_it_changes() -> None:
    made: list[str] = []

    def give(name: str) -> Callable[[], Iterable[Row]]:
        return lambda: made.append(name) or [(1,)]  # type: ignore[func-returns-value]

    engine = Engine(JOINED, {"a": []}, late={"b": give("b"), "c": give("c")})
    assert engine.rows("j") == () and made == []

    with engine.trial():
        engine.apply(Delta.of(added={"a": [(1,)]}))
        assert engine.rows("j") == ((1,),) and made == ["b", "c"]
    assert engine.rows("j") == ()
    engine.apply(Delta.of(added={"a": [(1,), (2,)]}))
    assert engine.rows("j") == ((1,),)
