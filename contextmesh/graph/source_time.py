"""What of a graph was so by a day, as its sources date it: the only reader of ``known`` that selects records.

A node counts from the day it is ``known`` (``rules/time.dl``), an edge from the day both its ends are, and whatever no
source dates is left out and told. So a supersession counts from the later date of the two records: a record whose
successor bears an earlier date is superseded from the day it appears; one that replaces several takes each from its own
date on; one replaced by several is superseded from the first of them on.

A text may have been amended after the date it bears. What names a record is no older than that record, so a claim that
mentions one of a later day counts from that day; and a header that names its successor had, before that day, neither
the reference nor the status that goes with it. Of a record that counts, ``attrs_then`` says what it said by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from contextmesh.graph.attrs_then import STATUS, Header, nodes_then
from contextmesh.graph.facts_then import FEW, copy_of, less
from contextmesh.graph.fingerprints_then import fingerprints_then
from contextmesh.store.model import Edge, Node

if TYPE_CHECKING:
    from contextmesh.datalog.ast import Row
    from contextmesh.store.store import Store

CLAIM, ENTITY, MENTIONS = "claim", "entity", "mentions"


@dataclass(frozen=True, slots=True)
class Selected:
    """Records of then, in the order of insertion.

    Attributes:
        undated: ids of nodes left out because no source dates them.
        later: how many nodes were left out because they belong to a later day.
    """

    nodes: dict[str, Node]
    edges: dict[str, Edge]
    undated: tuple[str, ...]
    later: int


def known_days(store: Store) -> dict[str, int]:
    """The first day of source time on which each dated node counts."""
    engine = store.engine
    rows = cast("Iterable[tuple[str, object]]", engine.read("known").scan())
    days = {id: day for id, day in rows if isinstance(day, int)}
    names = _days_of_names(store, days)
    for id, day in names.items():
        if days.get(id, day) < day:
            days[id] = day
    for _, src, _, dst in engine.match("edge", (None, None, MENTIONS, None)) if names else ():
        named = names.get(str(dst))
        if named is not None and named > days.get(str(src), named) and store.nodes[str(src)].type == CLAIM:
            days[str(src)] = named
    for id, named in _amended(store, days):
        if named is None:
            days.pop(id, None)
        elif named > days.get(id, named):
            days[id] = named
    return days


def known_by(store: Store, day: int) -> Selected:
    """The records that count by the end of a day; changes nothing."""
    days = known_days(store)
    dateless = store.nodes.keys() - days.keys()
    gone = dict.fromkeys(id for id in store.nodes if id in dateless) if dateless else {}
    undated = tuple(gone)
    gone.update((id, None) for id, on in days.items() if on > day and id in store.nodes)
    kept = less(store.nodes, gone)
    nodes = kept.copy()
    nodes.update(nodes_then(store, kept, gone, _headers_of(store, days, day)))
    edges, cut = _edges_among(store, kept, gone)
    nodes.update(fingerprints_then(store, nodes, edges, cut))
    return Selected(nodes, edges, undated, len(gone) - len(undated))


def _edges_among(
    store: Store, kept: Mapping[str, Node], gone: Mapping[str, None]
) -> tuple[dict[str, Edge], dict[str, None]]:
    """The edges of nodes that count, as they were, and where those that do not lead from."""
    if not gone:
        return copy_of(store.edges), {}
    out = dict(_edges_of(store, gone))
    edges = less(store.edges, dict.fromkeys(out))
    for edge in [edge for edge in edges.values() if edge.evidence_ids or edge.assumption_id]:
        edges[edge.id] = _edge_then(edge, kept)
    return edges, dict.fromkeys(out.values())


def _edges_of(store: Store, gone: Mapping[str, None]) -> Iterator[tuple[str, str]]:
    """Each edge at nodes that do not count, with where it leads from; of a few nodes by their indexes."""
    match, edges = store.engine.match, store.engine.read("edge")
    if len(gone) * FEW > len(store.nodes):
        rows: Iterable[Row] = (row for row in edges.scan() if row[1] in gone or row[3] in gone)
    else:
        rows = (
            row
            for id in gone
            for row in (*match("edge", (None, id, None, None)), *match("edge", (None, None, None, id)))
        )
    return ((str(row[0]), str(row[1])) for row in rows)


def _days_of_names(store: Store, days: Mapping[str, int]) -> dict[str, int]:
    """For each entity that is called as a dated record is: the first day of such a record."""
    keys: dict[str, int] = {}
    for id, key in store.engine.rows("record_key"):
        day = days.get(str(id))
        if day is not None:
            keys[str(key)] = min(day, keys.get(str(key), day))
    if not keys:
        return {}
    found = {}
    for id, _ in store.engine.match("node", (None, ENTITY)):
        day = keys.get(_as_key(store.nodes[str(id)].label))
        if day is not None:
            found[str(id)] = day
    return found


def _amended(store: Store, days: Mapping[str, int]) -> Iterator[tuple[str, int | None]]:
    """Claims of a header that say what it says since it names a successor, with the day of that one if it has one.

    They are the claim that states its status, and the one that names the successor. A successor without a date, or
    one that is no record here, leaves them undated: all that is certain is that they came after the header's date.
    """
    for record, keys in _successors(store).items():
        node = store.nodes[record]
        word = node.attrs.get(STATUS)
        ending = f" {word.casefold()}." if isinstance(word, str) and word else None
        dated = [days[id] for _, ids in keys for id in ids if id in days]
        unknown = {key: None for key, ids in keys if not any(id in days for id in ids)}
        for edge in store.engine.match("edge", (None, record, "derived_from", None)):
            claim = store.nodes[str(edge[3])]
            if not _of_one_reading(claim, node):
                continue
            if ending is not None and claim.label.casefold().endswith(ending):
                yield claim.id, min(dated, default=None)
            elif unknown and any(key in unknown for key in _names_in(store, claim)):
                yield claim.id, None


def _names_in(store: Store, claim: Node) -> Iterator[str]:
    """What a claim mentions, spelt as keys of records are."""
    for edge in store.engine.match("edge", (None, claim.id, MENTIONS, None)):
        yield _as_key(store.nodes[str(edge[3])].label)


def _as_key(label: str) -> str:
    return "-".join(label.casefold().split())


def _of_one_reading(claim: Node, record: Node) -> bool:
    """Whether the reader of a record's header read the claim in it."""
    read, own = claim.provenance, record.provenance
    return read is not None and own is not None and (read.source_id, read.extractor) == (own.source_id, own.extractor)


def _successors(store: Store) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """For each record whose header names what replaced it: each such key, and the records that bear it."""
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for record, key in store.engine.rows("names_successor"):
        bearers = tuple(str(row[0]) for row in store.engine.match("record_key", (None, key)))
        found.setdefault(str(record), []).append((str(key), bearers))
    return found


def _headers_of(store: Store, days: Mapping[str, int], day: int) -> dict[str, Header]:
    """For each record that names another of a later day: what its header did not say yet.

    What replaced it was not named before it was there, recorded here or not; any other name may be of something that
    is no record here, and stays.
    """
    successors = {(record, key) for record, keys in _successors(store).items() for key, _ in keys}
    here: dict[str, bool | None] = {}
    found: dict[str, dict[str, None]] = {}
    for row in store.engine.rows("refers"):
        record, key = str(row[0]), str(row[2])
        if key not in here:
            bearers = [str(bearer[0]) for bearer in store.engine.match("record_key", (None, key))]
            here[key] = any(days.get(id, day + 1) <= day for id in bearers) if bearers else None
        if not here[key] and (here[key] is False or (record, key) in successors):
            found.setdefault(record, {})[key] = None
    return {
        record: Header(unnamed, any((record, key) in successors for key in unnamed))
        for record, unnamed in found.items()
    }


def _edge_then(edge: Edge, kept: Mapping[str, Node]) -> Edge:
    evidence = tuple(id for id in edge.evidence_ids if id in kept)
    bound = edge.assumption_id if edge.assumption_id in kept else None
    if evidence == edge.evidence_ids and bound == edge.assumption_id:
        return edge
    return replace(edge, assumption_id=bound, evidence_ids=evidence)
