"""A store to the lines of its records: rows by number, in the order of insertion, the same bytes in every process."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from contextmesh.base.canon import canonical, require_canonical
from contextmesh.base.errors import Problem, SnapshotError
from contextmesh.store.model import Assumption, Edge, Node, Provenance
from contextmesh.store.records_agree import disagreement
from contextmesh.store.records_format import KINDS, Header, chunks
from contextmesh.store.records_json import edge_to_json, node_to_json, require_writable
from contextmesh.store.records_vectors import packed

if TYPE_CHECKING:
    from contextmesh.store.records_past import Chronicle
    from contextmesh.store.store import Store

Row = list[Any]


class Writer:
    """The rows of one store; ``vectors`` fills as its nodes are written.

    Raises, when made:
        SnapshotError: ``unwritable-record``: a reader would refuse it; nothing is written that cannot be read.
        InputError: not-canonical.
    """

    def __init__(self, store: Store, chronicle: Chronicle) -> None:
        self._store, self._chronicle = store, chronicle
        self.words: dict[str, int] = {}
        self.width: int | None = None
        self.vectors: list[bytes] = []
        self.number = {id: number for number, id in enumerate(store.nodes)}
        self.born = {str(id): seq for id, seq in store.engine.rows("born")}
        self.rows: dict[str, list[Row]] = {
            "nodes": [self._node(node) for node in store.nodes.values()],
            "edges": [self._edge(edge) for edge in store.edges.values()],
            "assumptions": [self._assumption(record) for record in store.assumptions.values()],
            "verdicts": self._verdicts(),
            "facts": [[*_fact(fact), seq, store.engine.holds(*fact)] for fact, seq in chronicle.stated],
            "older": [self._older(until, record) for until, record in chronicle.older],
            "transactions": [[c.seq, c.kind, c.day, c.build] for c in chronicle.commits],
        }
        fault = disagreement(store.nodes, store.edges, store.assumptions, _verdicts_of(store, self._stated))
        if fault is not None:
            message = f"{fault.subject} {fault.message}"
            raise SnapshotError(Problem("unwritable-record", message, subject=fault.subject, note=_WHY))

    def to_bytes(self) -> bytes:
        store, chronicle = self._store, self._chronicle
        counts = tuple(len(self.rows[kind]) for kind in KINDS)
        past = (chronicle.begins, chronicle.build)
        header = Header(store.build, store.seq, *past, self.width, tuple(self.words), counts)
        lines = [canonical(header.to_json())]
        for kind in KINDS:
            lines += [f'["{kind}",{_compact(rows)}]' for rows in chunks(self.rows[kind])]
        lines.append("")
        try:
            return "\n".join(lines).encode("utf-8")
        except UnicodeEncodeError:
            for rows in self.rows.values():
                require_canonical(rows)
            raise AssertionError("text that is canonical can be encoded") from None

    # -- one method a kind ------------------------------------------------------------------------

    def _node(self, node: Node) -> Row:
        require_writable(node, self._store.build)
        if node.attrs:
            require_canonical(node.attrs)
        return [
            node.id,
            self._word(node.type),
            node.label,
            dict(node.attrs),
            None if node.provenance is None else self._provenance(node.provenance, self.number[node.id]),
            self._vector(node),
            node.build,
            node.pruned,
            self.born[node.id],
            self._store.walks.get(node.id, 0),
        ]

    def _provenance(self, provenance: Provenance, here: int) -> Row:
        source = self.number.get(provenance.source_id, here)
        return [
            source if source < here else provenance.source_id,
            provenance.span,
            self._word(provenance.extractor),
            [self._word(check) for check in provenance.checks],
            provenance.recorded_at_build,
        ]

    def _vector(self, node: Node) -> int | list[float]:
        if node.embedding is None:
            return 0
        self.width = self.width or len(node.embedding)
        if len(node.embedding) != self.width:
            message = f"{node.id} has an embedding of {len(node.embedding)} numbers, and others have {self.width}"
            raise SnapshotError(Problem("unwritable-record", message, subject=node.id, note=_WHY))
        row = packed(node.embedding)
        if row is None:
            return list(node.embedding)
        self.vectors.append(row)
        return 1

    def _edge(self, edge: Edge) -> Row:
        if not 0 < edge.weight < float("inf") or not 0 <= edge.build <= self._store.build:
            require_writable(edge, self._store.build)
        number = self.number
        return [
            edge.id,
            number[edge.src],
            self._word(edge.type),
            number[edge.dst],
            None if edge.assumption_id is None else self._number(edge.id, edge.assumption_id),
            [self._number(edge.id, id) for id in edge.evidence_ids] if edge.evidence_ids else (),
            float(edge.weight),
            edge.build,
            self.born[edge.id],
            self._store.traversals.get(edge.id, 0),
        ]

    def _assumption(self, record: Assumption) -> Row:
        require_writable(record, self._store.build)
        older, newer = record.supersedes, record.superseded_by
        return [
            self._number(record.id, record.id),
            record.statement,
            record.version,
            record.created_by,
            record.created_at_build,
            None if older is None else self._number(record.id, older),
            None if newer is None else self._number(record.id, newer),
            record.rejected_at_build,
            [self._number(record.id, id) for id in record.evidence_ids],
        ]

    def _verdicts(self) -> list[Row]:
        return [[self._number(a, a), self._number(a, e), seq] for a, e, seq in _verdicts_of(self._store, self._stated)]

    @property
    def _stated(self) -> dict[object, None]:
        return {row: None for (name, row), _ in self._chronicle.stated if name == "verdict"}

    def _older(self, until: int, record: Node | Edge) -> Row:
        if isinstance(record, Edge):
            return [until, "edge", edge_to_json(record), False]
        newest = self._store.nodes[record.id].embedding
        same = record.embedding is not None and record.embedding == newest
        row = node_to_json(record)
        return [until, "node", {**row, "embedding": None} if same else row, same]

    def _number(self, id: str, other: str) -> int:
        found = self.number.get(other)
        if found is None:
            message = f"{id} names {other}, which is no node here"
            raise SnapshotError(Problem("unwritable-record", message, subject=id, note=_WHY))
        return found

    def _word(self, word: str) -> int:
        return self.words.setdefault(word, len(self.words))


def _verdicts_of(store: Store, without: Mapping[object, None]) -> list[tuple[str, str, int]]:
    rows = store.engine.rows("verdict")
    return [(str(row[0]), str(row[1]), seq) for row in rows if isinstance(seq := row[2], int) and row not in without]


def _fact(fact: tuple[str, Iterable[Any]]) -> tuple[str, list[Any]]:
    name, row = fact
    require_canonical([*row])
    return name, [*row]


def _compact(rows: Sequence[Row]) -> str:
    return json.dumps(rows, allow_nan=False, separators=(",", ":"), ensure_ascii=False)


_WHY = "a file with it would be refused when it is read"
