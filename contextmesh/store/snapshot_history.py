"""When things happened, as far as a graph file says it: its edges stand in the order in which they were written.

A file does not number its transactions. Edges get numbers in array order, and a rejection takes the number of the
``contradicts`` edge that is its witness. Where that is not what happened, because the evidence had been there before
the verdict, the file of this writer says so in an attribute (``rejected_after``), and for a file of another writer
the end of the build of the rejection is tried.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from contextmesh.base.fields import Fault
from contextmesh.store.model import Assumption
from contextmesh.store.relations import CONTRADICTS, EVIDENCE, SUPERSEDES
from contextmesh.store.snapshot_rows import REJECTED_AFTER, Rows
from contextmesh.store.store import Store

Place = tuple[int, int]
"""How many edges were there, and how many rejections had come at that point."""


@dataclass(frozen=True, slots=True)
class Witness:
    """The evidence of a rejection, and the index of its ``contradicts`` edge."""

    assumption: str
    evidence: str
    edge: int


@dataclass(frozen=True, slots=True)
class History:
    """Places of the rejections among the edges."""

    witnesses: tuple[Witness, ...]
    places: Mapping[str, Place]

    def numbers(self, rows: Rows) -> tuple[dict[str, int], dict[str, int]]:
        """Transaction numbers: of each edge, and of each rejection by assumption. Nodes came before every edge."""
        stride = 1 + max((turn for _, turn in self.places.values()), default=0)
        born = {edge.id: (index + 1) * stride for index, edge in enumerate(rows.edges)}
        return born, {assumption: after * stride + turn for assumption, (after, turn) in self.places.items()}


def stated_history(rows: Rows) -> History:
    """As the order of the file says it, and where the file says more, as it says.

    Raises:
        Fault: a stated place beyond the edges of the file.
    """
    witnesses = _witnesses(rows)
    places: dict[str, Place] = {}
    for witness in witnesses:
        after, turn = rows.turns.get(witness.assumption, (witness.edge + 1, 0))
        if not witness.edge < after <= len(rows.edges):
            index = next(i for i, node in enumerate(rows.nodes) if node.id == witness.assumption)
            message = f"must be after the evidence and within the {len(rows.edges)} edges of the file"
            raise Fault("out-of-range", message, ("nodes", index, "attrs", REJECTED_AFTER), subject=witness.assumption)
        if turn > len(witnesses):
            turn = len(witnesses)
        places[witness.assumption] = (after, turn)
    return History(witnesses, places)


def late_places(rows: Rows, history: History) -> dict[str, Place]:
    """For each rejection without a stated place: the end of its build, in the order of the witnesses."""
    rejected_at = {record.id: record.rejected_at_build for record in rows.assumptions}
    turns: dict[int, int] = {}
    late: dict[str, Place] = {}
    for witness in sorted(history.witnesses, key=lambda w: w.edge):
        if witness.assumption in rows.turns:
            continue
        build = rejected_at[witness.assumption]
        assert build is not None
        ends = [index + 1 for index, edge in enumerate(rows.edges) if edge.build <= build]
        after = max(witness.edge + 1, max(ends, default=0))
        late[witness.assumption] = (after, turns.get(after, 0))
        turns[after] = turns.get(after, 0) + 1
    return late


def unsaid_places(store: Store) -> dict[str, Place]:
    """The places of rejections that the order of the edges does not say: what the writer must add."""
    at = {str(row[0]): row[1] for row in store.engine.rows("rejected") if isinstance(row[1], int)}
    if not at:
        return {}
    order = {id: index for index, id in enumerate(store.edges)}
    born = [0] * len(order)
    for name, seq in store.engine.rows("born"):
        if name in order and isinstance(seq, int):
            born[order[str(name)]] = seq
    assert all(one <= other for one, other in pairwise(born)), "edges stand in the order in which they were born"
    after = {assumption: bisect_right(born, seq) for assumption, seq in at.items()}
    kinds = [edge.type for edge in store.edges.values()]
    unsaid: dict[str, Place] = {}
    for assumption, seq in at.items():
        witness = _witness_edge(store, assumption, order)
        turn = len({at[other] for other in at if after[other] == after[assumption] and at[other] < seq})
        # A replacement is written with the verdict, after the evidence: that much the order may leave open.
        between = kinds[witness + 1 : after[assumption]]
        came_with_it = born[witness] == seq and set(between) <= {SUPERSEDES}
        if turn or (between and not came_with_it):
            unsaid[assumption] = (after[assumption], turn)
    return unsaid


def _witness_edge(store: Store, assumption: str, order: Mapping[str, int]) -> int:
    record = store.assumptions[assumption]
    found = [
        (str(row[1]), order[str(row[0])])
        for row in store.engine.match("edge", (None, None, CONTRADICTS, assumption))
        if store.nodes[str(row[1])].type == EVIDENCE
    ]
    return _chosen(record, found)[1]


def _witnesses(rows: Rows) -> tuple[Witness, ...]:
    """The evidence of each assumption that the file calls rejected; one without any is left to the rules to refuse."""
    rejected = {r.id: r for r in rows.assumptions if rows.said_status[r.id] == "rejected"}
    kinds = {node.id: node.type for node in rows.nodes}
    found: dict[str, list[tuple[str, int]]] = {}
    for index, edge in enumerate(rows.edges):
        if edge.type == CONTRADICTS and edge.dst in rejected and kinds.get(edge.src) == EVIDENCE:
            found.setdefault(edge.dst, []).append((edge.src, index))
    return tuple(Witness(id, *_chosen(record, found[id])) for id, record in rejected.items() if id in found)


def _chosen(record: Assumption, found: list[tuple[str, int]]) -> tuple[str, int]:
    """Of several pieces of evidence the one the record names last, else the one that came last."""
    rank = {evidence: place for place, evidence in enumerate(record.evidence_ids)}
    return max(found, key=lambda pair: (rank.get(pair[0], -1), pair[1]))
