"""Why nodes fell, in bulk: the shortest way back over the uses of rules that carried failure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping

from contextmesh.datalog.ast import Row, Value
from contextmesh.datalog.engine import Engine
from contextmesh.store.model import Node
from contextmesh.store.receipt import SHOWN, Chain
from contextmesh.store.relations import ASSUMPTION
from contextmesh.store.uses import FELL, Uses, uses

Places = list[tuple[dict[Value, Chain], dict[Value, list[Row]] | None]]
"""For a relation and its copies: the chains of what was reached in it, and the uses that lead on from there."""

UNTOLD = "…"
"""Stands between root and node when no rule that carries failure has the shape that ``uses`` knows."""


class Reasons:
    """What one state of the engine says about why nodes fell; put into words when first asked for.

    Raises:
        LimitReached: there are more uses of rules than the engine's limits allow.
    """

    __slots__ = ("_nodes", "_uses")

    def __init__(self, engine: Engine, fell: Iterable[Row]) -> None:
        """Reads the engine once; ``fell`` are the rows ``fell(id, root)`` to give a reason for."""
        self._nodes: dict[str, list[Value]] = {}
        seen: dict[Value, None] = {}
        for node, root in fell:
            if node not in seen:
                seen[node] = None
                self._nodes.setdefault(str(root), []).append(node)
        self._uses = {root: uses(engine, root) for root in self._nodes}

    def chains(self, label_of: Callable[[str], str]) -> dict[str, Chain]:
        """The shortest chain of each node; a node with several roots keeps its first.

        ``label_of`` gives the words for a node. Chains that go the same way share their parts.
        """
        found: dict[str, Chain] = {}
        for root, nodes in self._nodes.items():
            told = _from_root(self._uses[root], root, label_of)
            start = Chain(label_of(root))
            for node in nodes:
                found[str(node)] = told.get(node) or start.then(UNTOLD, label_of(str(node)))
        return found


def chains(engine: Engine, fell: Iterable[Row], label_of: Callable[[str], str]) -> dict[str, Chain]:
    """The chains of ``Reasons``, at once.

    Raises:
        LimitReached: as ``Reasons``.
    """
    return Reasons(engine, fell).chains(label_of)


def words_for(node: Node) -> str:
    """How a chain names a node: an assumption by its kind and the start of its statement, others by their label."""
    short = " ".join(node.label[:SHOWN].split())
    return f"assumption({short})" if node.type == ASSUMPTION else short


def _from_root(found: Uses, root: str, label_of: Callable[[str], str]) -> Mapping[Value, Chain]:
    """Chains of everything that fell with one root: breadth first over uses of rules, those within a node free."""
    reached: dict[str, dict[Value, Chain]] = {name: {} for name in found.relations}
    onwards = found.onwards()
    places = {
        name: [(reached[other], onwards.get(other)) for other in _with_copies(name, found.copies)] for name in reached
    }
    told = [(step.via, reached[step.carrier], reached[step.head], places[step.head]) for step in found.steps]
    queue: deque[Row] = deque()

    def reach(at: Places, node: Value, chain: Chain) -> None:
        for there, onward in at:
            if node not in there:
                there[node] = chain
                if onward is not None:
                    for use in onward.get(node, ()):
                        (queue.appendleft if use[1] == node else queue.append)(use)

    start = Chain(label_of(root))
    for relation in found.roots:
        reach(places[relation], root, start)
    while queue:
        use = queue.popleft()
        node, before = use[1], use[2]
        via, carrying, carried, at = told[use[0]]  # type: ignore[index]
        if node not in carried:
            chain = carrying[before]
            if node != before:
                chain = Chain(label_of(str(node)), via(use), chain, chain.length + 1, chain.root or chain)
            reach(at, node, chain)
    return reached[FELL]


def _with_copies(name: str, copies: Mapping[str, tuple[str, ...]]) -> list[str]:
    """A relation and those that hold whatever it does, each once, a copy of a copy right after it."""
    found: list[str] = []
    todo = [name]
    while todo:
        one = todo.pop()
        if one not in found:
            found.append(one)
            todo += reversed(copies.get(one, ()))
    return found
