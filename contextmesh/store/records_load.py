"""Lines of records to a store, fast: decoded in C, records made at once, facts made when a relation is looked at.

Nothing here says what is wrong with a file: whatever is odd is a ``Suspect``, and the careful reader finds it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from contextmesh.base.canon import INNER_DEPTH
from contextmesh.base.errors import InputError
from contextmesh.base.ids import EdgeIds
from contextmesh.base.strict import parse
from contextmesh.datalog.limits import Limits
from contextmesh.policy import Policy
from contextmesh.store.bulk import Records, store_over
from contextmesh.store.edges import EdgeRecords, More
from contextmesh.store.model import NO_ATTRS, Assumption, Node, Provenance, unfrozen
from contextmesh.store.records_codec import Rows, decode, raw
from contextmesh.store.records_format import KINDS, Header, Places, Suspect
from contextmesh.store.records_vectors import FLOAT32, Vector
from contextmesh.store.relations import Fact
from contextmesh.store.store import Store

_Node, _Provenance = unfrozen(Node), unfrozen(Provenance)


_EXACT = 2**53
"""Below it every whole number is a double."""

_DOUBLES = {"nodes": 5, "edges": 6}
"""Columns in which a whole number becomes a double: a vector, a weight."""


@dataclass(slots=True)
class Loaded:
    """What the lines hold, as records.

    Attributes:
        born: the transaction that first wrote each node, then each edge, in their order.
        facts: stated facts with the transaction that stated them and whether they still stand.
        older: bytes of older records, undecoded.
        wrong_id: the first edge whose id its ends and type do not give, if any; not looked for when ``verified``.
    """

    header: Header
    verified: bool
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: EdgeRecords = field(default_factory=EdgeRecords)
    assumptions: dict[str, Assumption] = field(default_factory=dict)
    born: list[int] = field(default_factory=list)
    born_edges: list[int] = field(default_factory=list)
    walks: dict[str, int] = field(default_factory=dict)
    traversals: dict[str, int] = field(default_factory=dict)
    verdicts: list[tuple[str, str, int]] = field(default_factory=list)
    facts: list[tuple[Fact, int, bool]] = field(default_factory=list)
    older: list[tuple[int, str, bytes, bool]] = field(default_factory=list)
    transactions: list[tuple[int, str, str | None, int]] = field(default_factory=list)
    places: Places = field(default_factory=Places)
    ids: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    vectors: memoryview = field(default_factory=lambda: memoryview(b""))
    vector: int = 0
    wrong_id: int | None = None
    edge_ids: EdgeIds | None = None
    made: Records | None = None

    def take(self, kind: str, line: bytes, number: int) -> None:
        """The rows of one line.

        Raises:
            Suspect: something is odd about it.
        """
        rows = decode(kind, line)
        if kind in _DOUBLES and not self.verified:
            _require_exact(line, rows, _DOUBLES[kind])
        at = self.counts[kind]
        if any(self.counts[later] for later in KINDS[KINDS.index(kind) + 1 :]):
            raise Suspect
        self.places.add(kind, at, number)
        self.counts[kind] = at + len(rows)
        try:
            getattr(self, f"_take_{kind}")(rows)
        except IndexError:
            raise Suspect from None
        if kind in _DISTINCT and len(getattr(self, kind)) != at + len(rows):
            raise Suspect

    def end(self) -> None:
        """Raises Suspect unless everything is there that the header counts."""
        used = self.vector * (self.header.width or 0) * FLOAT32
        if tuple(self.counts.values()) != self.header.counts or used != len(self.vectors):
            raise Suspect

    @property
    def records(self) -> Records:
        """All of them; one value, which keeps the rows that were made of it."""
        if self.made is None:
            self.made = Records(self.nodes, self.edges, self.assumptions, self.born, self.born_edges, self.verdicts)
        return self.made

    # -- one method a kind ------------------------------------------------------------------------

    def _take_nodes(self, rows: Rows) -> None:
        nodes, ids, words, walks = self.nodes, self.ids, self.header.words, self.walks
        known = self._attributes([raw(row[3]) for row in rows])
        for (id, kind, label, _, origin, vector, build, pruned, _, walked), attrs in zip(rows, known, strict=True):
            provenance = None
            if origin is not None:
                source, span, extractor, checks, recorded = origin
                source = source if source.__class__ is str else ids[source]
                named = tuple(words[check] for check in checks) if checks else ()
                provenance = _Provenance(source, span, words[extractor], named, recorded)
                provenance.__class__ = Provenance
            embedding = None if vector == 0 else self._vector(vector)
            carried = attrs or NO_ATTRS
            nodes[id] = made = _Node(id, words[kind], label, carried, provenance, embedding, build, pruned)
            made.__class__ = Node
            ids.append(id)
            if walked:
                walks[id] = walked
        self.born += [row[8] for row in rows]
        if not self.verified:
            self._require_before(max(row[6] for row in rows), max(row[8] for row in rows))
            self._require_before(max((row[4][4] for row in rows if row[4] is not None), default=0), 0)
            if any(row[4] is not None and row[4][1] is not None and row[4][1][0] > row[4][1][1] for row in rows):
                raise Suspect

    def _take_edges(self, rows: Rows) -> None:
        if not rows:
            return
        ids, words = self.ids, self.header.words
        names, sources, kinds, targets, bound, seen, weights, builds, born, walked = zip(*rows, strict=True)
        beside = list(zip(bound, seen, weights, builds, strict=True))
        more = {one: self._more_of(one) for one in dict.fromkeys(beside)}
        ends = [(id, ids[a], words[k], ids[b]) for id, a, k, b in zip(names, sources, kinds, targets, strict=True)]
        self.edges.add(ends, {words[kind]: times for kind, times in Counter(kinds).items()}, more, beside)
        if any(walked):
            self.traversals |= {id: times for id, times in zip(names, walked, strict=True) if times}
        self.born_edges += born
        if not self.verified:
            self._require_before(0, max(born))
            if self.wrong_id is None:
                self._compare_ids(names, rows)

    def _more_of(self, found: tuple[Any, ...]) -> More:
        """What the records of edges have beside their rows, of what a line says of it."""
        bound, seen, weight, build = found
        if not self.verified:
            self._require_before(build, 0)
            if not isfinite(weight):
                raise Suspect
        ids = self.ids
        return (None if bound is None else ids[bound], tuple(ids[one] for one in seen), weight, build)

    def _take_assumptions(self, rows: Rows) -> None:
        ids = self.ids
        for number, statement, version, by, created, older, newer, rejected, seen in rows:
            id = ids[number]
            pair = (None if older is None else ids[older], None if newer is None else ids[newer])
            witnesses = tuple(ids[one] for one in seen)
            self.assumptions[id] = Assumption(id, statement, version, by, created, *pair, rejected, witnesses)
            self._require_before(max(created, rejected or 0), 0)

    def _take_verdicts(self, rows: Rows) -> None:
        for assumption, evidence, seq in rows:
            self._require_before(0, seq)
            self.verdicts.append((self.ids[assumption], self.ids[evidence], seq))

    def _take_facts(self, rows: Rows) -> None:
        for name, terms, seq, stands in rows:
            self._require_before(0, seq)
            self.facts.append(((name, tuple(terms)), seq, stands))

    def _take_older(self, rows: Rows) -> None:
        self.older += [(until, kind, raw(record), same) for until, kind, record, same in rows]

    def _take_transactions(self, rows: Rows) -> None:
        self.transactions += rows

    # -- parts ------------------------------------------------------------------------------------

    def _compare_ids(self, names: Sequence[str], rows: Rows) -> None:
        """Every node stands before the first edge."""
        if self.edge_ids is None:
            self.edge_ids = EdgeIds(self.ids, self.header.words)
        wrong = self.edge_ids.first_wrong(names, rows)
        if wrong is not None:
            self.wrong_id = len(self.born_edges) - len(rows) + wrong

    def _require_before(self, build: int, seq: int) -> None:
        if build > self.header.build or seq > self.header.seq:
            raise Suspect

    def _attributes(self, texts: list[bytes]) -> list[dict[str, Any]]:
        """All of a line at once; without verification strictly: no duplicate key, bounded depth and numbers."""
        whole = b"[" + b",".join(texts) + b"]"
        if self.verified:
            known: list[dict[str, Any]] = json.loads(whole)
            return known
        try:
            known = parse(whole, "", depth=INNER_DEPTH + 1, refusal=InputError).value
        except InputError:
            raise Suspect from None
        if any(attrs.__class__ is not dict for attrs in known):
            raise Suspect
        return known

    def _vector(self, vector: int | list[float]) -> Vector | tuple[float, ...]:
        width = self.header.width
        if width is None:
            raise Suspect
        if isinstance(vector, list):
            if len(vector) != width or not all(map(isfinite, vector)):
                raise Suspect
            return tuple(vector)
        start = self.vector * width * FLOAT32
        self.vector += 1
        if start + width * FLOAT32 > len(self.vectors):
            raise Suspect
        return Vector(self.vectors[start : start + width * FLOAT32])


_DISTINCT = ("nodes", "edges", "assumptions")


def store_of(loaded: Loaded, policy: Policy, limits: Limits | None) -> Store:
    """A store over the records."""
    stated = [fact for fact, _, stands in loaded.facts if stands]
    header = loaded.header
    store = store_over(loaded.records, policy, limits, stated=stated, build=header.build, seq=header.seq)
    store.walks.update(loaded.walks)
    store.traversals.update(loaded.traversals)
    return store


def _require_exact(line: bytes, rows: Rows, column: int) -> None:
    """Raises Suspect for a whole number that the decoder rounded, as no double is exactly it."""
    columns = (value if isinstance(value, list) else (value,) for value in (row[column] for row in rows))
    if all(-_EXACT < number < _EXACT for numbers in columns for number in numbers):
        return
    for row in json.loads(line)[1]:
        numbers = row[column] if isinstance(row[column], list) else [row[column]]
        if any(isinstance(number, int) and float(number) != number for number in numbers):
            raise Suspect
