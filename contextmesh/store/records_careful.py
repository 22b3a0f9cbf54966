"""Lines of records read one field at a time, to say what is wrong with a file that the fast reader stumbled over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextmesh.base import fields
from contextmesh.base.canon import require_canonical
from contextmesh.base.errors import InputError
from contextmesh.base.fields import Fault, Row
from contextmesh.store.records_format import COLUMNS, KINDS, PROVENANCE, Header
from contextmesh.store.records_json import build_of, span_of
from contextmesh.store.records_vectors import FLOAT32


class Careful:
    """Takes the values of lines in order; raises Fault at the first thing that is wrong."""

    def __init__(self, header: Header, vectors: int) -> None:
        self._header = header
        self._vectors = vectors
        self._used = 0
        self._counts = dict.fromkeys(KINDS, 0)
        self._ids: dict[str, int] = {}
        self._seen: dict[str, dict[object, None]] = {kind: {} for kind in KINDS}

    def take(self, value: object) -> None:
        """The value of one line."""
        if not isinstance(value, list) or len(value) != 2 or not isinstance(value[1], list):
            raise Fault("wrong-type", "must be a kind and its rows")
        kind = fields.word({"0": value[0]}, "0", KINDS)
        later = KINDS[KINDS.index(kind) + 1 :]
        if any(self._counts[name] for name in later):
            raise Fault("out-of-order", f"holds {kind} after rows of a later kind")
        columns = COLUMNS[kind]
        for row in value[1]:
            index = self._counts[kind]
            try:
                if not isinstance(row, list) or len(row) != len(columns):
                    raise Fault("wrong-type", f"must be a list of {len(columns)} values")
                getattr(self, f"_{kind}")(dict(zip(columns, row, strict=True)))
            except Fault as fault:
                raise fault.under(kind, index) from None
            self._counts[kind] += 1

    def end(self) -> None:
        """Nothing is missing."""
        for kind, said in zip(KINDS, self._header.counts, strict=True):
            if self._counts[kind] != said:
                message = f"says {said} {kind}, and {self._counts[kind]} follow"
                raise Fault("count-differs", message, ("counts", kind))
        size = self._used * (self._header.width or 0) * FLOAT32
        if size != self._vectors:
            message = f"need {size} bytes in the file of vectors, which has {self._vectors}"
            raise Fault("vectors-differ", message, ("nodes",))

    # -- one method a kind ------------------------------------------------------------------------

    def _nodes(self, row: Row) -> None:
        id = self._fresh("nodes", fields.text(row, "id", empty=False))
        self._word(row, "type")
        fields.text(row, "label")
        attrs = fields.mapping(row, "attrs")
        try:
            require_canonical(attrs)
        except InputError as error:
            raise Fault("too-deep", error.problem.message, ("attrs",), subject=id) from None
        if row["provenance"] is not None:
            self._provenance(row["provenance"])
        self._vector(row)
        build_of(row, "build", self._header.build)
        fields.flag(row, "pruned")
        fields.whole(row, "born", most=self._header.seq)
        fields.whole(row, "walks")
        self._ids[id] = len(self._ids)

    def _provenance(self, value: object) -> None:
        try:
            if not isinstance(value, list) or len(value) != len(PROVENANCE):
                raise Fault("wrong-type", f"must be null or a list of {len(PROVENANCE)} values")
            row = dict(zip(PROVENANCE, value, strict=True))
            if not isinstance(row["source_id"], str):
                self._number(row, "source_id")
            if row["span"] is not None:
                span_of(row)
            self._word(row, "extractor")
            checks = fields.array(row, "checks")
            for index, check in enumerate(checks):
                self._word({"checks": check}, "checks", index)
            build_of(row, "recorded_at_build", self._header.build)
        except Fault as fault:
            raise fault.under("provenance") from None

    def _vector(self, row: Row) -> None:
        value, width = row["vector"], self._header.width
        if value == 0 and type(value) is int:
            return
        if width is None:
            raise Fault("embedding-size", "is a vector, and the header names no width", ("vector",))
        if value == 1 and type(value) is int:
            self._used += 1
            if self._used * width * FLOAT32 > self._vectors:
                raise Fault("vectors-differ", "is not in the file of vectors, which ends before", ("vector",))
            return
        numbers = fields.array(row, "vector")
        for index, number in enumerate(numbers):
            try:
                fields.finite(number)
            except Fault as fault:
                raise fault.under("vector", index) from None
        if len(numbers) != width:
            raise Fault("embedding-size", f"has {len(numbers)} numbers, and the header says {width}", ("vector",))

    def _edges(self, row: Row) -> None:
        id = self._fresh("edges", fields.text(row, "id", empty=False))
        self._number(row, "src")
        self._word(row, "type")
        self._number(row, "dst")
        self._number(row, "assumption_id", null=True)
        self._numbers(row, "evidence_ids")
        weight = fields.number(row, "weight")
        if weight <= 0:
            raise Fault("out-of-range", f"must be above zero, and is {weight}", ("weight",), subject=id)
        build_of(row, "build", self._header.build)
        fields.whole(row, "born", most=self._header.seq)
        fields.whole(row, "traversals")

    def _assumptions(self, row: Row) -> None:
        self._fresh("assumptions", self._number(row, "id"))
        fields.text(row, "statement")
        fields.whole(row, "version", least=1)
        fields.text(row, "created_by")
        build_of(row, "created_at_build", self._header.build)
        self._number(row, "supersedes", null=True)
        self._number(row, "superseded_by", null=True)
        if row["rejected_at_build"] is not None:
            build_of(row, "rejected_at_build", self._header.build)
        self._numbers(row, "evidence_ids")

    def _verdicts(self, row: Row) -> None:
        self._number(row, "assumption")
        self._number(row, "evidence")
        fields.whole(row, "seq", most=self._header.seq)

    def _facts(self, row: Row) -> None:
        fields.text(row, "relation")
        for index, term in enumerate(fields.array(row, "terms")):
            if isinstance(term, bool) or not isinstance(term, str | int):
                raise Fault("not-a-term", "must be text or a whole number", ("terms", index))
        fields.whole(row, "seq", most=self._header.seq)
        fields.flag(row, "stands")

    def _older(self, row: Row) -> None:
        fields.whole(row, "until")
        fields.word(row, "kind", ("node", "edge"))
        fields.flag(row, "same_vector")

    def _transactions(self, row: Row) -> None:
        fields.whole(row, "seq")
        fields.text(row, "kind")
        fields.text_or_none(row, "day")
        fields.whole(row, "build")

    # -- parts ------------------------------------------------------------------------------------

    def _fresh(self, kind: str, id: Any) -> Any:
        if id in self._seen[kind]:
            shown = fields.shown(id)
            raise Fault("two-identities", f"is {shown}, which another row has", ("id",), subject=str(id))
        self._seen[kind][id] = None
        return id

    def _number(self, row: Row, key: str, *, null: bool = False) -> int | None:
        if null and row[key] is None:
            return None
        return self._known(fields.whole(row, key), (key,))

    def _numbers(self, row: Row, key: str) -> None:
        for index, value in enumerate(fields.array(row, key)):
            try:
                self._known(fields.whole({"n": value}, "n"), ())
            except Fault as fault:
                raise Fault(fault.code, fault.message, (key, index)) from None

    def _known(self, number: int, path: tuple[str, ...]) -> int:
        if number >= len(self._ids):
            raise Fault("unknown-id", f"is {number}, and {len(self._ids)} nodes stand before", path)
        return number

    def _word(self, row: Row, key: str, index: int | None = None) -> None:
        number, words = fields.whole(row, key), self._header.words
        if number >= len(words):
            path: Sequence[str | int] = (key,) if index is None else (key, index)
            raise Fault("unknown-word", f"is {number}, and the table has {len(words)} words", tuple(path))
