"""Why a node fell, read from the derivation of its ``fell`` row: labels of rules become the words between nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Derivation, Engine
from contextmesh.store.model import Node
from contextmesh.store.receipt import SHOWN, Chain
from contextmesh.store.relations import ASSUMPTION

_HOLE = re.compile(r"\{(\w+)\}")


def chains(engine: Engine, fell: Iterable[Row], label_of: Callable[[str], str]) -> dict[str, Chain]:
    """The chain of each row of ``fell(id, root)``; a node with several roots keeps its first.

    ``label_of`` gives the words for a node. Chains that pass through one row share its part.
    """
    known: dict[tuple[str, Row], Chain] = {}
    found: dict[str, Chain] = {}
    for row in fell:
        name = str(row[0])
        if name in found:
            continue
        derivation = engine.explain("fell", row)
        if derivation is not None:
            found[name] = _chain(derivation, str(row[1]), label_of, known)
    return found


def words_for(node: Node) -> str:
    """How a chain names a node: an assumption by its kind and the start of its statement, others by their label."""
    short = " ".join(node.label[:SHOWN].split())
    return f"assumption({short})" if node.type == ASSUMPTION else short


def _chain(
    derivation: Derivation, root: str, label_of: Callable[[str], str], known: dict[tuple[str, Row], Chain]
) -> Chain:
    """Down to the root or to a row already told, then up again, a step for each change of node."""
    path: list[Derivation] = []
    here: Derivation | None = derivation
    while here is not None and (here.relation, here.row) not in known:
        path.append(here)
        here = _carrier(here, root)
    chain = known[here.relation, here.row] if here is not None else Chain(label_of(root))
    node = str(here.row[0]) if here is not None else root
    for step in reversed(path):
        own = str(step.row[0])
        if own != node:
            chain = Chain(label_of(own), _connector(step, node), chain)
            node = own
        known[step.relation, step.row] = chain
    return chain


def _carrier(step: Derivation, root: str) -> Derivation | None:
    """The premise through which failure came: a derived row of the shape (node, root), of the same relation first."""
    able = [p for p in step.premises if p.rule is not None and len(p.row) == 2 and p.row[1] == root]
    return next((p for p in able if p.relation == step.relation), able[0] if able else None)


def _connector(step: Derivation, before: str) -> str:
    """The words of the rule's label without the two nodes they stand between."""
    label = step.rule.label if step.rule is not None else None
    if label is None:
        return "<-"
    if label.words is None:
        return f"<-{label.name}-"
    ends = (step.row[0], before)

    def fill(hole: re.Match[str]) -> str:
        value = step.binding.get(hole[1])
        return "" if value is None or value in ends else str(value)

    return " ".join(_HOLE.sub(fill, label.words).split()) or f"<-{label.name}-"
