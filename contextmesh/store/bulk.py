"""Many records to a store at once: the facts of a relation are made when it is first looked at, judged by the rules."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any

from contextmesh.base.errors import OntologyError, Problem
from contextmesh.datalog.ast import Row
from contextmesh.datalog.engine import Engine
from contextmesh.datalog.facts import Delta
from contextmesh.datalog.limits import Limits
from contextmesh.datalog.table import KEYED, PAIRS, ByKey, Groups
from contextmesh.policy import Policy
from contextmesh.store import relations
from contextmesh.store.edges import EdgeRecords
from contextmesh.store.model import Assumption, Node
from contextmesh.store.refusal import Wording
from contextmesh.store.store import LIMITS, Store

VIOLATION = "violation"
NEW = ("new_node", "new_edge")
"""Relations of what is judged, which has one row for a record."""

Give = Callable[[], Iterable[Row]]


@dataclass(frozen=True)
class Records:
    """Every record of a graph, in the order of insertion.

    Attributes:
        born, born_edges: the transaction that first wrote each node, and each edge, in their order.
        verdicts: assumption, evidence and the transaction of each disproof.
    """

    nodes: Mapping[str, Node]
    edges: EdgeRecords
    assumptions: Mapping[str, Assumption]
    born: Sequence[int]
    born_edges: Sequence[int]
    verdicts: Sequence[tuple[str, str, int]]

    @cached_property
    def typed(self) -> ByKey:
        """Each node with its type: the rows of ``node``, and all that is new when every record is."""
        return ByKey({id: node.type for id, node in self.nodes.items()}, PAIRS)

    @cached_property
    def joined(self) -> ByKey:
        """Each edge with its ends and type, likewise."""
        return ByKey(self.edges.by_id(), KEYED)


def store_over(
    records: Records,
    policy: Policy,
    limits: Limits | None,
    *,
    stated: Iterable[relations.Fact] = (),
    build: int,
    seq: int,
) -> Store:
    """A store over records that nothing has judged yet; nothing is evaluated.

    Raises:
        OntologyError: a stated fact that is no fact of an input relation.
    """
    store = Store(policy, limits=limits)
    facts: dict[str, Iterable[Row]] = {name: list(rows) for name, rows in policy.facts.items()}
    facts["now"] = [relations.now_fact(build)[1]]
    facts["verdict"] = list(records.verdicts)
    late = _late_facts(records, store.always_carried)
    said = dict.fromkeys(name for name, _ in policy.program.facts)
    for name in [name for name in late if name in said]:
        facts[name] = late.pop(name)()
    more: dict[str, list[Row]] = {}
    for name, row in stated:
        store.require_input(name, row)
        more.setdefault(name, []).append(row)
    for name, rows in more.items():
        if name in late:
            late[name] = partial(_then, late[name], rows)
        else:
            facts[name] = [*facts.get(name, ()), *rows]
    engine = Engine(policy.program, facts, limits=limits or LIMITS, late=late, keyed=(*relations.ONE_EACH, *NEW))
    store.take_over(records.nodes, records.edges, records.assumptions, engine, build=build, seq=seq)
    return store


def require_legal(store: Store, records: Records) -> None:
    """Judge every record and verdict as if it were new, in a trial that leaves nothing behind.

    Evidence may have been pruned after the verdict it was for, so it counts here as it stood then.

    Raises:
        OntologyError: every violation (the first 20); ``reserved-id``. LimitReached: it took too much.
    """
    for id in records.nodes:
        if id.startswith(relations.RESERVED_IDS):
            message = f"ids that start with `{relations.RESERVED_IDS}` name justifications"
            raise OntologyError(Problem("reserved-id", message, subject=id, hint="choose another id"))
    engine = store.engine
    checks: Mapping[str, Any] = {
        "new_node": records.typed,
        "new_edge": records.joined,
        "new_verdict": [row[:2] for row in records.verdicts],
    }
    pruned = [(evidence,) for _, evidence, _ in records.verdicts if records.nodes[evidence].pruned]
    with engine.trial(wanted=(VIOLATION,)):
        engine.apply(Delta(checks, {"pruned": list(dict.fromkeys(pruned))}), report=())
        if engine.count(VIOLATION):
            order = {name: place for place, name in enumerate((*records.nodes, *records.edges))}
            wording = Wording(engine, store.policy.ontology, records.nodes.get, records.edges)
            raise wording.refusal(list(engine.rows(VIOLATION)), order)


def _late_facts(records: Records, always: tuple[str, ...]) -> dict[str, Give]:
    """For each relation that records stand for, what makes its rows; what most commands read is made directly."""
    nodes = list(records.nodes.values())
    direct: dict[str, Give] = {
        "node": lambda: records.typed,
        "named": lambda: ByKey({node.id: node.label for node in nodes}, PAIRS),
        "born_at_build": lambda: ByKey({node.id: node.build for node in nodes}, PAIRS),
        "born": lambda: _born(records),
        "provenance": lambda: [(n.id, n.provenance.source_id) for n in nodes if n.provenance is not None],
        "carries": lambda: _carried(nodes, always),
        "pruned": lambda: [(node.id,) for node in nodes if node.pruned],
        "edge": lambda: records.joined,
        "bound": records.edges.bound,
    }
    return direct | {
        name: partial(_of_attributes, nodes, name, where, always) for name, where in _OF_ATTRIBUTES.items()
    }


def _born(records: Records) -> Iterable[Row]:
    """An id that a node and an edge have, which no rule allows, has two rows."""
    parts = zip(records.nodes, records.born, strict=True), zip(records.edges, records.born_edges, strict=True)
    if records.nodes.keys().isdisjoint(records.edges.keys()):
        return ByKey(dict(chain(*parts)), PAIRS)
    return chain(*parts)


def _carried(nodes: list[Node], always: tuple[str, ...]) -> Groups:
    """What each node carries; that is alike for many, and worked out once for those."""
    known: dict[Hashable, tuple[str, ...]] = {}
    found: dict[str, tuple[str, ...]] = {}
    for node in nodes:
        kind = (*node.attrs, node.type == relations.ASSUMPTION, node.provenance is None, node.embedding is None)
        names = known.get(kind)
        if names is None:
            names = known[kind] = tuple(dict.fromkeys(relations.carried(node, always)))
        if names:
            found[node.id] = names
    return Groups(found)


def _of_attributes(nodes: list[Node], name: str, where: Callable[[Node], bool], always: tuple[str, ...]) -> list[Row]:
    """The rows of one relation; asked only of the nodes that can have any."""
    some = (node for node in nodes if where(node))
    return [row for node in some for relation, row in relations.node_facts(node, 0, always) if relation == name]


def _stands_on(node: Node) -> bool:
    return relations.JUSTIFICATIONS in node.attrs


def _is_source(node: Node) -> bool:
    return node.type == relations.SOURCE


def _is_decision(node: Node) -> bool:
    return node.type == relations.DECISION


_OF_ATTRIBUTES: dict[str, Callable[[Node], bool]] = {
    **dict.fromkeys(("justification", "premise"), _stands_on),
    **dict.fromkeys(("dated", "dated_within"), _is_source),
    **dict.fromkeys(("record_key", "record_status", "refers"), _is_decision),
    "imprecise_date": lambda node: _is_source(node) or _is_decision(node),
}
"""Relations that follow from the attributes of nodes, and the nodes that can have rows in them."""


def _then(give: Give, rows: list[Row]) -> Iterator[Row]:
    yield from give()
    yield from rows
