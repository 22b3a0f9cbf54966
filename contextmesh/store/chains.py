"""Why nodes fell, in bulk: every use of a rule that carried failure, as rows of one query, and the shortest way back.

A rule carries failure when its head is ``r(X, A)`` and its body holds ``s(Y, A)``, both derived, beginning with
``fell(X, A)``; its label is what is said between Y and X. The uses are found by the engine, as a question made of
the rules themselves, so the words follow whatever rules are in force.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from contextmesh.base.source import Source
from contextmesh.datalog.ast import Atom, Compared, Const, Query, Row, Rule, Value, Var
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.program import Program
from contextmesh.store.model import Node
from contextmesh.store.receipt import SHOWN, Chain
from contextmesh.store.relations import ASSUMPTION

FELL = "fell"
UNTOLD = "…"
"""Stands between root and node when no rule that carries failure has the shape above."""

_HOLE = re.compile(r"\{(\w+)\}")


def chains(engine: Engine, fell: Iterable[Row], label_of: Callable[[str], str]) -> dict[str, Chain]:
    """The shortest chain of each row of ``fell(id, root)``, by node; a node with several roots keeps its first.

    ``label_of`` gives the words for a node. Chains that go the same way share their parts.

    Raises:
        LimitReached: there are more uses of rules than the engine's limits allow.
    """
    by_root: dict[str, list[str]] = {}
    seen: dict[str, None] = {}
    for node, root in fell:
        if str(node) not in seen:
            seen[str(node)] = None
            by_root.setdefault(str(root), []).append(str(node))
    found: dict[str, Chain] = {}
    for root, nodes in by_root.items():
        told = _from_root(engine, root, label_of)
        start = Chain(label_of(root))
        for node in nodes:
            found[node] = told.get(node) or start.then(UNTOLD, label_of(node))
    return found


def words_for(node: Node) -> str:
    """How a chain names a node: an assumption by its kind and the start of its statement, others by their label."""
    short = " ".join(node.label[:SHOWN].split())
    return f"assumption({short})" if node.type == ASSUMPTION else short


@dataclass(frozen=True, slots=True)
class _Step:
    """One rule that carries failure, and where in a row of the question the parts of a use stand."""

    rule: Rule
    head: str
    carrier: str
    names: tuple[str, ...]

    def via(self, node: str, before: str, values: tuple[Value, ...]) -> str:
        """The words of the label without the two nodes they stand between."""
        label = self.rule.label
        if label is None:
            return "<-"
        binding = dict(zip(self.names, values, strict=False))

        def fill(hole: re.Match[str]) -> str:
            value = binding.get(hole[1])
            return "" if value is None or value in (node, before) else str(value)

        words = _HOLE.sub(fill, label.words) if label.words is not None else ""
        return " ".join(words.split()) or f"<-{label.name}-"


_Place = tuple[str, str]
"""A relation and a node: a row ``relation(node, root)``."""


_Use = tuple[_Step, str, tuple[Value, ...]]
"""A rule, the node it brought failure to, and the values of its label."""


def _from_root(engine: Engine, root: str, label_of: Callable[[str], str]) -> Mapping[str, Chain]:
    """Chains of everything that fell with one root: breadth first over uses of rules, those within a node free."""
    steps, question, asked = _question(engine.program)
    use_of: dict[_Place, list[_Use]] = {}
    for row in engine.query(asked(root, question), engine.limits).rows:
        number = row[0]
        assert isinstance(number, int), "put there as one"
        rule = steps[number]
        use_of.setdefault((rule.carrier, str(row[2])), []).append((rule, str(row[1]), row[3:]))
    relations = dict.fromkeys([FELL, *(name for step in steps for name in (step.head, step.carrier))])
    roots = [(name, root) for name in relations if engine.holds(name, (root, root))]
    reached: dict[_Place, Chain] = dict.fromkeys(roots, Chain(label_of(root)))
    queue: deque[tuple[_Place, _Use]] = deque()

    def follow(place: _Place) -> None:
        for use in use_of.get(place, ()):
            (queue.appendleft if use[1] == place[1] else queue.append)((place, use))

    for place in roots:
        follow(place)
    while queue:
        before, (step, node, values) = queue.popleft()
        place = (step.head, node)
        if place not in reached:
            chain = reached[before]
            free = node == before[1]
            reached[place] = chain if free else chain.then(step.via(node, before[1], values), label_of(node))
            follow(place)
    return {node: chain for (name, node), chain in reached.items() if name == FELL}


_Asked = Callable[[str, Query], Query]


@lru_cache(maxsize=16)
def _question_of(rules: tuple[Rule, ...], derived: tuple[str, ...]) -> tuple[tuple[_Step, ...], Query]:
    """The rules that carry failure, and a question whose rows are their uses: number, node, node before, values."""
    steps = _steps(rules, derived)
    width = max((len(step.names) for step in steps), default=0)
    name = "use"
    while name in derived:
        name += "_"
    columns = ("Number", "Node", "Before", *(f"Value{i}" for i in range(width)))
    own = tuple(_local(name, number, step, width) for number, step in enumerate(steps))
    goal = Atom(name, tuple(Var(column) for column in columns))
    return steps, Query(Source("<why>", ""), (goal,), columns, own)


def _question(program: Program) -> tuple[tuple[_Step, ...], Query, _Asked]:
    steps, question = _question_of(program.rules, tuple(program.declarations))

    def asked(root: str, query: Query) -> Query:
        rules = tuple(
            Rule(rule.head, (Compared("=", step.rule.head.terms[1], Const(root)), *rule.body))
            for rule, step in zip(query.rules, steps, strict=True)
        )
        return Query(query.source, query.body, query.columns, rules)

    return steps, question, asked


def _steps(rules: tuple[Rule, ...], declared: tuple[str, ...]) -> tuple[_Step, ...]:
    heads = dict.fromkeys(rule.head.relation for rule in rules)
    steps: list[_Step] = []
    todo = [FELL]
    for relation in todo:
        for rule in rules:
            carrier = _carrier(rule, heads) if rule.head.relation == relation else None
            if carrier is None:
                continue
            steps.append(_Step(rule, relation, carrier.relation, _label_names(rule)))
            if carrier.relation not in todo:
                todo.append(carrier.relation)
    return tuple(steps)


def _carrier(rule: Rule, heads: Mapping[str, None]) -> Atom | None:
    """The literal ``s(Y, A)`` of a rule for ``r(X, A)``; one of the same relation first."""
    terms = rule.head.terms
    if len(terms) != 2 or not all(isinstance(term, Var) for term in terms):
        return None
    able = [
        part
        for part in rule.body
        if isinstance(part, Atom)
        and part.relation in heads
        and len(part.terms) == 2
        and isinstance(part.terms[0], Var)
        and part.terms[1] == terms[1]
    ]
    return next((part for part in able if part.relation == rule.head.relation), able[0] if able else None)


def _local(name: str, number: int, step: _Step, width: int) -> Rule:
    """``use(number, X, Y, values …) :- body`` for one rule."""
    heads = {step.carrier: None}
    carrier = _carrier(step.rule, heads)
    assert carrier is not None, "a step has one"
    values = [Var(name) for name in step.names]
    padding = [Const("")] * (width - len(values))
    head = Atom(name, (Const(number), step.rule.head.terms[0], carrier.terms[0], *values, *padding))
    return Rule(head, step.rule.body)


def _label_names(rule: Rule) -> tuple[str, ...]:
    words = rule.label.words if rule.label is not None else None
    return tuple(dict.fromkeys(_HOLE.findall(words or "")))
