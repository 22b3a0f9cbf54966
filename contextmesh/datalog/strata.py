"""Strata: an order of evaluation in which whatever is negated or aggregated is finished first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contextmesh.base.errors import Problem
from contextmesh.datalog.ast import Aggregate, Atom, Literal, Not, Rule
from contextmesh.datalog.fold import place


@dataclass(frozen=True, slots=True)
class Stratum:
    """Relations that depend on each other, or one alone, with the rules that derive them.

    ``recursive``: some rule of it reads a relation of it.
    """

    relations: tuple[str, ...]
    rules: tuple[Rule, ...]
    recursive: bool


@dataclass(frozen=True, slots=True)
class Edge:
    """A rule of ``head`` reads ``relation`` at ``literal``; ``word`` is empty for a positive reading."""

    head: str
    relation: str
    word: str
    literal: Literal


Graph = Mapping[str, Sequence[Edge]]


def reads(rules: Sequence[Rule]) -> Graph:
    """For each derived relation, what its rules read, in the order written."""
    graph: dict[str, list[Edge]] = {rule.head.relation: [] for rule in rules}
    for rule in rules:
        graph[rule.head.relation] += _edges(rule)
    return graph


def stratify(rules: Sequence[Rule]) -> tuple[Stratum, ...]:
    """Strata in evaluation order; the rules must have passed check_strata."""
    graph = reads(rules)
    groups = list(components(graph))
    number = {name: i for i, members in enumerate(groups) for name in members}
    own: list[list[Rule]] = [[] for _ in groups]
    for rule in rules:
        own[number[rule.head.relation]].append(rule)
    strata = []
    for i, members in enumerate(groups):
        recursive = any(number.get(edge.relation) == i for name in members for edge in graph[name])
        strata.append(Stratum(members, tuple(own[i]), recursive))
    return tuple(strata)


def check_strata(rules: Sequence[Rule]) -> list[Problem]:
    """A problem for each cycle through a negation or an aggregate, until each such literal of a cycle is shown."""
    graph = reads(rules)
    problems = []
    for members in components(graph):
        inside = dict.fromkeys(members)
        shown: dict[int, None] = {}
        for edge in (edge for name in members for edge in graph[name] if edge.word and edge.relation in inside):
            if id(edge) not in shown:
                cycle = [edge, *_path(graph, inside, edge.relation, edge.head)]
                shown.update(dict.fromkeys(id(step) for step in cycle))
                problems.append(_problem(cycle))
    return problems


def components(graph: Graph) -> Iterator[tuple[str, ...]]:
    """Strongly connected components, each after those it reads (Tarjan 1972, with a stack of its own)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_names: dict[str, None] = {}
    for root in graph:
        work = [(root, iter(graph[root]))] if root not in index else []
        while work:
            name, edges = work[-1]
            if name not in index:
                index[name] = low[name] = len(index)
                open_names[name] = None
            for edge in edges:
                to = edge.relation
                if to in graph and to not in index:
                    work.append((to, iter(graph[to])))
                    break
                if to in open_names:
                    low[name] = min(low[name], low[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    yield tuple(_pop_until(open_names, name))


def _pop_until(open_names: dict[str, None], name: str) -> list[str]:
    members = []
    while name in open_names:
        members.append(open_names.popitem()[0])
    return members[::-1]


def _edges(rule: Rule) -> Iterator[Edge]:
    head = rule.head.relation
    for literal in rule.body:
        match literal:
            case Atom():
                yield Edge(head, literal.relation, "", literal)
            case Not():
                yield Edge(head, literal.atom.relation, "not", literal)
            case Aggregate():
                for inner in literal.body:
                    if isinstance(inner, Atom | Not):
                        atom = inner if isinstance(inner, Atom) else inner.atom
                        yield Edge(head, atom.relation, f"{literal.kind} over", literal)


def _path(graph: Graph, inside: Mapping[str, None], start: str, goal: str) -> list[Edge]:
    """A shortest path of readings inside a component, over a negation rather than not: one cycle then tells of both."""
    came: dict[str, Edge | None] = {start: None}
    queue = deque([start])
    while queue and goal not in came:
        name = queue.popleft()
        for edge in sorted(graph[name], key=lambda e: not e.word):
            if edge.relation in inside and edge.relation not in came:
                came[edge.relation] = edge
                queue.append(edge.relation)
    path: list[Edge] = []
    step = came[goal]
    while step is not None:
        path.append(step)
        step = came[step.head]
    return path[::-1]


def _problem(cycle: Sequence[Edge]) -> Problem:
    words = [cycle[0].head]
    for edge in cycle:
        words += [f"{edge.word} {edge.relation}", edge.relation] if edge.word else [edge.relation]
    places = list(dict.fromkeys(p for edge in cycle if (p := place(edge.literal.at)) is not None))
    first = cycle[0]
    through = "a negation" if first.word == "not" else "an aggregate"
    return Problem(
        "not-stratified",
        f"{first.head} depends on itself through {through}: {' -> '.join(words)}",
        subject=first.head,
        fields=(("cycle", " -> ".join(words)),),
        where=places[0] if places else None,
        also=tuple(places[1:]),
        note="what is negated or aggregated must be finished first, so no order of evaluation exists",
        hint=f"conclude {first.relation} without reading {first.head}",
    )
