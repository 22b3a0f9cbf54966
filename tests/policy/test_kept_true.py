"""The shipped rules under a history, event by event: the engine says what the definition says of the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given, settings

from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.policy.contract import OUTPUTS
from tests.laws.worlds import WHOLE, World, dense_grounds, dense_histories, program_of, replay, world_of

FILES = (*WHOLE, "asks.dl", "redaction.dl")


@settings(max_examples=25, deadline=None)
@given(dense_histories, dense_grounds)
def test_what_is_kept_true_event_by_event_is_what_follows_from_the_whole(
    history: Sequence[tuple[object, ...]], stated: Mapping[str, Sequence[Sequence[str]]]
) -> None:
    world = world_of((), stated)
    program = program_of(*FILES)
    engine = Engine(program, world.facts)
    before = {name: set(engine.rows(name)) for name in OUTPUTS}
    known: dict[str, set[Row]] = {name: set(rows) for name, rows in world.facts.items()}
    for event in history:
        replay(world, [event])
        new = {name: [row for row in rows if row not in known.get(name, ())] for name, rows in world.facts.items()}
        for name, rows in new.items():
            known.setdefault(name, set()).update(rows)
        delta = engine.apply(Delta.of(added={name: rows for name, rows in new.items() if rows}), report=tuple(OUTPUTS))
        for name in OUTPUTS:
            before[name] = (before[name] - set(delta.minus(name))) | set(delta.plus(name))
    rows = world.rows(*FILES)
    assert before == {name: rows[name] for name in OUTPUTS}


def test_a_write_reads_neither_what_is_live_nor_what_is_healthy() -> None:
    """Legality is far below everything else, so a write costs what it writes."""
    program = program_of(*FILES)
    needed = {"violation"}
    todo = ["violation"]
    while todo:
        relation = todo.pop()
        for rule in program.rules:
            if rule.head.relation == relation:
                for literal in rule.body:
                    atom = getattr(literal, "atom", literal)
                    name = getattr(atom, "relation", None)
                    if name is not None and name not in needed:
                        needed.add(name)
                        todo.append(name)
    derived = {name for name in needed if program.stratum_of[name] >= 0}
    assert derived == {"violation", "disproved", "older"}


def test_a_rejection_without_stated_justifications_asks_nothing_about_them() -> None:
    world = World()
    world.nodes("assumption", "a")
    world.nodes("decision", "d")
    world.edge("d", "depends_on", "a")
    world.reject("a")
    rows = world.rows()
    for name in ("doubted", "link", "leans", "obstacle", "numbered", "cleared", "saved", "suspect"):
        assert rows[name] == set(), name
