"""Record to facts: the only writer of every input relation that describes the graph.

Attributes that become facts, beside ``carries`` for the name of each:

===================== ============== ==========================================================
attribute             on             facts
===================== ============== ==========================================================
``retrieved_at``      source         an ISO date or date-time → ``dated``; a month or year → ``dated_within``;
                                     other text with a figure in it → ``imprecise_date``
``justifications``    any kind       ``[[ground, …], …]`` → ``justification``, ``premise``
``record_key``        decision       text → ``record_key``
``refers``            decision       ``{relation: [key, …]}`` → ``refers``
``record_status``     decision       text → ``record_status``, lower-cased
``imprecise_date``    decision,      text → ``imprecise_date``
                      source
===================== ============== ==========================================================

The status and version of an assumption are never attributes of its node: the version stands in its
record and the status is derived, so a node of that kind carries both; a writer of files puts them back.
A value of another shape makes no fact: in a file of someone else the name may mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from contextmesh.base.dates import DAY, period_or_none
from contextmesh.datalog.ast import Row
from contextmesh.store.model import Edge, Node

Fact = tuple[str, Row]
Rows = dict[str, list[Row]]
"""Rows by relation."""

SOURCE = "source"
DECISION = "decision"
ASSUMPTION = "assumption"
EVIDENCE = "evidence"
CONTRADICTS = "contradicts"
SUPERSEDES = "supersedes"

JUSTIFICATIONS = "justifications"
RESERVED_IDS = "justification:"
BY_RECORD = ("status", "version")
RECORD_FIELDS = frozenset(
    ("id", "type", "label", "attrs", "provenance", "embedded", "embedding", "build", "walks", "pruned", "invalidated")
)
OPTIONAL_FIELDS = frozenset(("provenance", "embedding"))
ONE_EACH = (
    "node",
    "named",
    "born",
    "born_at_build",
    "provenance",
    "dated",
    "dated_within",
    "edge",
    "bound",
    "record_key",
    "carries",
)
"""Relations with one row for a record, or a few alike for many. Others may be stated, so nothing relies on it."""
CHECKS = ("new_node", "new_edge", "new_verdict")
"""Relations that hold only while a transaction is being checked."""
DATED = "dated"
"""The one relation of records that may be stated too: of what is no source a runner, say, may know the day."""
OF_RECORDS = frozenset(
    (
        *(
            "node",
            "named",
            "born",
            "born_at_build",
            "carries",
            "provenance",
            "pruned",
            "dated",
            "dated_within",
            "justification",
        ),
        *("premise", "record_key", "record_status", "imprecise_date", "refers", "edge", "bound", "verdict", "now"),
    )
)
"""Relations whose rows follow from the records and the verdicts."""

_EPOCH = date(1970, 1, 1).toordinal()
_EXACT_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def node_facts(node: Node, born: int, always: Sequence[str] = ()) -> Iterator[Fact]:
    """Every fact of one node; ``born`` is the transaction that first wrote it.

    ``always`` names the record fields that GRAPH.md asks for and every record has (`label`, say).
    """
    yield from identity_facts(node, born)
    yield from attribute_facts(node, always)


def identity_facts(node: Node, born: int) -> Iterator[Fact]:
    """The facts that every node has."""
    yield "node", (node.id, node.type)
    yield "named", (node.id, node.label)
    yield "born", (node.id, born)
    yield "born_at_build", (node.id, node.build)


def attribute_facts(node: Node, always: Sequence[str]) -> Iterator[Fact]:
    """The facts of a node that follow from what it carries."""
    for name in carried(node, always):
        yield "carries", (node.id, name)
    yield from _further_facts(node)


def facts_of_nodes(nodes: Mapping[str, Node], born: Mapping[str, int], seq: int, always: Sequence[str]) -> Rows:
    """The rows of ``node_facts`` by relation, for many; a node without a number in ``born`` is born at ``seq``."""
    typed: list[Row] = []
    named: list[Row] = []
    written: list[Row] = []
    built: list[Row] = []
    held: list[Row] = []
    found: Rows = {"node": typed, "named": named, "born": written, "born_at_build": built, "carries": held}
    for id, node in nodes.items():
        typed.append((id, node.type))
        named.append((id, node.label))
        written.append((id, born.get(id, seq)))
        built.append((id, node.build))
        held += [(id, name) for name in carried(node, always)]
        for relation, row in _further_facts(node):
            rows = found.get(relation)
            if rows is None:
                found[relation] = [row]
            else:
                rows.append(row)
    return {relation: rows for relation, rows in found.items() if rows}


def facts_of_edges(edges: Mapping[str, Edge], born: Mapping[str, int], seq: int) -> Rows:
    """The rows of ``edge_facts`` by relation, for many; an edge without a number in ``born`` is born at ``seq``."""
    rows: list[Row] = [(id, edge.src, edge.type, edge.dst) for id, edge in edges.items()]
    found: Rows = {
        "edge": rows,
        "born": [(id, born.get(id, seq)) for id in edges] if born else [(id, seq) for id in edges],
    }
    bound: list[Row] = [(id, edge.assumption_id) for id, edge in edges.items() if edge.assumption_id is not None]
    return found | {"bound": bound} if bound else found


def _further_facts(node: Node) -> Iterator[Fact]:
    """What not every node states."""
    if node.provenance is not None:
        yield "provenance", (node.id, node.provenance.source_id)
    if node.pruned:
        yield "pruned", (node.id,)
    if JUSTIFICATIONS in node.attrs:
        yield from _justification_facts(node)
    if node.type == SOURCE:
        yield from _date_facts(node)
    elif node.type == DECISION:
        yield from _record_facts(node)


def carried(node: Node, always: Sequence[str] = ()) -> list[str]:
    """The fields that a node carries; ``always`` as for ``node_facts``."""
    names = [name for name in node.attrs if name not in RECORD_FIELDS]
    if node.type == ASSUMPTION:
        names = [*(name for name in names if name not in BY_RECORD), *BY_RECORD]
    if node.provenance is not None:
        names.append("provenance")
    if node.embedding is not None:
        names.append("embedding")
    names += always
    return names


def edge_facts(edge: Edge, born: int) -> Iterator[Fact]:
    """Every fact of one edge."""
    yield "edge", (edge.id, edge.src, edge.type, edge.dst)
    yield "born", (edge.id, born)
    if edge.assumption_id is not None:
        yield "bound", (edge.id, edge.assumption_id)


def says_the_same(one: Edge, other: Edge) -> bool:
    """Whether two records of one edge, which keeps its ends, state the same facts."""
    return one.assumption_id == other.assumption_id


def verdict_fact(assumption: str, evidence: str, seq: int) -> Fact:
    return "verdict", (assumption, evidence, seq)


def now_fact(build: int) -> Fact:
    return "now", (build,)


def new_node(node: Node) -> Fact:
    return "new_node", (node.id, node.type)


def new_edge(edge: Edge) -> Fact:
    return "new_edge", (edge.id, edge.src, edge.type, edge.dst)


def new_verdict(assumption: str, evidence: str) -> Fact:
    return "new_verdict", (assumption, evidence)


def day_of(text: object) -> int | None:
    """Whole days since 1970-01-01 of an exact calendar date, else None."""
    if not isinstance(text, str) or not _EXACT_DAY.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        return None


def justification_id(node_id: str, number: int) -> str:
    """The name of a node's n-th justification, from 1; no node may have an id of this namespace."""
    return f"{RESERVED_IDS}{node_id}#{number}"


def stated_justifications(node: Node) -> tuple[tuple[str, ...], ...]:
    """The sets of grounds a node states, or nothing when the attribute has another shape."""
    value = node.attrs.get(JUSTIFICATIONS)
    if not isinstance(value, list | tuple):
        return ()
    for grounds in value:
        if not isinstance(grounds, list | tuple) or not all(isinstance(g, str) for g in grounds):
            return ()
    return tuple(tuple(grounds) for grounds in value)


def _date_facts(node: Node) -> Iterator[Fact]:
    imprecise, written = (node.attrs.get(name) for name in ("imprecise_date", "retrieved_at"))
    period = period_or_none(written)
    if isinstance(imprecise, str):
        yield "imprecise_date", (node.id, imprecise)
    elif period is None and isinstance(written, str) and any(char.isdigit() for char in written):
        yield "imprecise_date", (node.id, written)
    if period is None:
        return
    first, last = period.first // DAY, (period.end - 1) // DAY
    yield ("dated", (node.id, first)) if first == last else ("dated_within", (node.id, first, last))


def _justification_facts(node: Node) -> Iterator[Fact]:
    for number, grounds in enumerate(stated_justifications(node), start=1):
        name = justification_id(node.id, number)
        yield "justification", (name, node.id)
        for ordinal, ground in enumerate(dict.fromkeys(grounds), start=1):
            yield "premise", (name, ordinal, ground)


def _record_facts(node: Node) -> Iterator[Fact]:
    attrs = node.attrs
    key, status, imprecise = (attrs.get(name) for name in ("record_key", "record_status", "imprecise_date"))
    if isinstance(key, str):
        yield "record_key", (node.id, key)
    if isinstance(status, str):
        yield "record_status", (node.id, status.lower())
    if isinstance(imprecise, str):
        yield "imprecise_date", (node.id, imprecise)
    refers = attrs.get("refers")
    if isinstance(refers, dict):
        for relation, keys in refers.items():
            if isinstance(keys, list | tuple):
                for name in dict.fromkeys(k for k in keys if isinstance(k, str)):
                    yield "refers", (node.id, relation, name)
