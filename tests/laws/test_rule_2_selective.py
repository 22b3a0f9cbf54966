"""GRAPH.md rule 2: failure travels along the marked edges, in the marked direction, and no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given

from tests.laws.worlds import (
    Evaluate,
    World,
    dense_grounds,
    dense_histories,
    evaluators,
    patient,
    plain_histories,
    replay,
    stated_grounds,
    world_of,
)

History = Sequence[tuple[object, ...]]
Stated = Mapping[str, Sequence[Sequence[str]]]
both = pytest.mark.parametrize("evaluate", evaluators())


class ByHand:
    """The blast radius by breadth-first search, a rejection after the other; no rule is used."""

    def __init__(self, world: World) -> None:
        self.kind = dict(world.facts["node"])
        self.steps: dict[str, list[tuple[str, str]]] = {}
        direction = dict(world.facts["propagates"])
        for name, src, kind, dst in world.facts.get("edge", []):
            if direction.get(kind) == "backward":
                self.steps.setdefault(dst, []).append((name, src))
            elif direction.get(kind) == "forward":
                self.steps.setdefault(src, []).append((name, dst))
        self.bound = dict(world.facts.get("bound", []))
        self.rejected = {a: seq for a, _, seq in world.facts.get("verdict", [])}
        self.ways: dict[str, list[list[str]]] = {}
        premises = world.facts.get("premise", [])
        for way, name in world.facts.get("justification", []):
            grounds = [ground for w, _, ground in premises if w == way]
            if grounds:
                self.ways.setdefault(name, []).append(grounds)

    def carries(self, edge: str, seq: int) -> bool:
        assumption = self.bound.get(edge)
        return self.rejected.get(assumption, seq) >= seq

    def blast(self, root: str) -> set[str]:
        seq = self.rejected[root]
        reached, todo = {root}, [root]
        while todo:
            for edge, name in self.steps.get(todo.pop(0), []):
                if name not in reached and self.kind[name] != "assumption" and self.carries(edge, seq):
                    reached.add(name)
                    todo.append(name)
        return reached

    def fallen_rows(self) -> set[tuple[str, str]]:
        return {(name, root) for root in self.rejected for name in self.blast(root)}

    # -- with stated justifications: a simulation over time ---------------------------------------

    def fallen(self) -> set[str]:
        down: set[str] = set()
        for seq in (0, *sorted(self.rejected.values())):
            down |= {a for a, at in self.rejected.items() if at <= seq}
            down |= set(self.ways) - self.supported(down, seq) if seq == 0 else set()
            self.spread(down, seq)
        return down

    def spread(self, down: set[str], seq: int) -> None:
        before = -1
        while before != len(down):
            before = len(down)
            for name in list(down):
                for edge, other in self.steps.get(name, []):
                    if self.kind[other] != "assumption" and other not in self.ways and self.carries(edge, seq):
                        down.add(other)
            down |= {name for name in self.ways if name not in down} - self.supported(down, seq)

    def supported(self, down: set[str], seq: int) -> set[str]:
        """The stated nodes that stand without leaning on themselves."""
        found: set[str] = set()
        before = -1
        while before != len(found):
            before = len(found)
            for name, ways in self.ways.items():
                if name not in down and any(all(self.holds(g, down, found, seq) for g in way) for way in ways):
                    found.add(name)
        return found

    def holds(self, ground: str, down: set[str], found: set[str], seq: int) -> bool:
        seen, todo = {ground}, [ground]
        while todo:
            name = todo.pop()
            if name in down or (name in self.ways and name not in found):
                return False
            if name in self.ways or self.kind[name] == "assumption":
                continue
            for below, steps in self.steps.items():
                for edge, other in steps:
                    if other == name and below not in seen and self.carries(edge, seq):
                        seen.add(below)
                        todo.append(below)
        return True


@both
@patient
@given(plain_histories)
def test_what_falls_is_the_breadth_first_blast_radius(evaluate: Evaluate, history: History) -> None:
    world = world_of(history)
    assert world.rows(evaluate=evaluate)["fell"] == ByHand(world).fallen_rows()


@both
@patient
@given(plain_histories, plain_histories, stated_grounds)
def test_what_fell_never_stands_up_when_facts_are_appended(
    evaluate: Evaluate, before: History, after: History, stated: Stated
) -> None:
    world = world_of(before, stated)
    then = world.rows(evaluate=evaluate)["fell"]
    replay(world, after)
    assert then <= world.rows(evaluate=evaluate)["fell"]


@both
@patient
@given(dense_histories, dense_grounds)
def test_with_stated_justifications_the_same_falls_as_in_a_simulation(
    evaluate: Evaluate, history: History, stated: Stated
) -> None:
    world = world_of(history, stated)
    assert {row[0] for row in world.rows(evaluate=evaluate)["fell"]} == ByHand(world).fallen()
