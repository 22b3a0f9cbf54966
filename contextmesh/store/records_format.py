r"""``contextmesh.records`` version 1: a header, then lines of up to a thousand rows of one kind, in a fixed order.

============= =====================================================================================================
kind          columns of a row
============= =====================================================================================================
nodes         id, type*, label, attrs, provenance, vector, build, pruned, born, walks
edges         id, from**, type*, to**, assumption**, evidence**, weight, build, born, traversals
assumptions   id**, statement, version, created_by, created_at_build, supersedes**, superseded_by**,
              rejected_at_build, evidence**
verdicts      assumption**, evidence**, transaction
facts         relation, terms, transaction that stated it, whether it still stands
older         transaction that replaced it, "node" or "edge", the record, whether its vector is the newest record's
transactions  number, kind, day, build
============= =====================================================================================================

\* the number of a word in the header's table; ``**`` the number of a node, counted from 0 (or null where it may be).
A provenance is null or source, span, extractor*, checks*, build; its source is the number of an earlier node, or an id.
A vector is 0 (none), 1 (the next row of the file of vectors) or the numbers themselves, when float32 cannot hold them.
Nothing that rules conclude stands in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from contextmesh.base import fields
from contextmesh.base.errors import Problem, SnapshotError, Where
from contextmesh.base.fields import Fault, Path, path_text
from contextmesh.base.strict import parse

SCHEMA = "contextmesh.records"
VERSION = 1
CHUNK = 1000
KINDS = ("nodes", "edges", "assumptions", "verdicts", "facts", "older", "transactions")
HEADER = ("schema", "version", "build", "seq", "begins", "first_build", "width", "words", "counts")

NODE = ("id", "type", "label", "attrs", "provenance", "vector", "build", "pruned", "born", "walks")
PROVENANCE = ("source_id", "span", "extractor", "checks", "recorded_at_build")
EDGE = ("id", "src", "type", "dst", "assumption_id", "evidence_ids", "weight", "build", "born", "traversals")
ASSUMPTION = (
    *("id", "statement", "version", "created_by", "created_at_build"),
    *("supersedes", "superseded_by", "rejected_at_build", "evidence_ids"),
)
VERDICT = ("assumption", "evidence", "seq")
FACT = ("relation", "terms", "seq", "stands")
OLDER = ("until", "kind", "record", "same_vector")
TRANSACTION = ("seq", "kind", "day", "build")
COLUMNS = dict(zip(KINDS, (NODE, EDGE, ASSUMPTION, VERDICT, FACT, OLDER, TRANSACTION), strict=True))


@dataclass(frozen=True, slots=True)
class Header:
    """What the first line says.

    Attributes:
        build, seq: the build and the last transaction.
        begins, first_build: the transaction from which on the past is told apart, and its build.
        width: how many numbers a row of the file of vectors has, None when no node has one there.
        words: types of nodes and edges, extractors and checks.
        counts: how many rows of each kind follow.
    """

    build: int
    seq: int
    begins: int
    first_build: int
    width: int | None
    words: tuple[str, ...]
    counts: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "build": self.build,
            "seq": self.seq,
            "begins": self.begins,
            "first_build": self.first_build,
            "width": self.width,
            "words": list(self.words),
            "counts": dict(zip(KINDS, self.counts, strict=True)),
        }


class Suspect(Exception):
    """The fast reader met something; the careful one says what and where."""


def read_header(line: bytes, name: str) -> Header:
    """Raises SnapshotError with what is wrong."""
    document = parse(line, name, refusal=SnapshotError)
    try:
        row = fields.record(document.value, HEADER)
        fields.header(row, SCHEMA, (VERSION,))
        counts = fields.record(row["counts"], KINDS)
        width = fields.whole(row, "width", least=1) if row["width"] is not None else None
        seq, build = fields.whole(row, "seq"), fields.whole(row, "build")
        return Header(
            build,
            seq,
            fields.whole(row, "begins", most=seq),
            fields.whole(row, "first_build", most=build),
            width,
            fields.texts(row, "words"),
            tuple(fields.whole(counts, kind) for kind in KINDS),
        )
    except Fault as fault:
        raise refused(name, 1, fault) from None


def lines_of(data: bytes, name: str) -> Iterator[tuple[int, bytes]]:
    """The lines with their numbers from 1.

    Raises:
        SnapshotError: ``cut-off``: the last line does not end.
    """
    start, number = 0, 0
    while start < len(data):
        number += 1
        end = data.find(b"\n", start)
        if end < 0:
            message = f"{name} ends within line {number}"
            raise SnapshotError(Problem("cut-off", message, subject=name, where=Where(name, number)))
        yield number, data[start:end]
        start = end + 1


def kind_of(line: bytes) -> str:
    """The kind of rows that a line seems to hold.

    Raises:
        Suspect: it does not start like a line of rows.
    """
    end = line.find(b'"', 2, 20)
    if line[:2] != b'["' or end < 0:
        raise Suspect
    return line[2:end].decode("ascii", "replace")


def refused(name: str, line: int | None, fault: Fault, *, under: Path = ()) -> SnapshotError:
    """A fault found in a line, as the refusal of its file."""
    path = path_text(under + fault.path)
    return SnapshotError(
        Problem(
            fault.code,
            f"{path} {fault.message}",
            subject=fault.subject or path,
            fields=(("file", name), ("path", path), *fault.fields),
            where=Where(name, line),
            note=fault.note,
            hint=fault.hint,
        )
    )


class Places:
    """In which line a row of a kind stands."""

    def __init__(self) -> None:
        self._lines: dict[str, list[tuple[int, int]]] = {kind: [] for kind in KINDS}

    def add(self, kind: str, first: int, line: int) -> None:
        """The rows from ``first`` on stand in this line."""
        self._lines[kind].append((first, line))

    def line_of(self, path: Path) -> int | None:
        """The line of what a path of kind and index leads to."""
        if len(path) < 2 or not isinstance(path[0], str) or not isinstance(path[1], int):
            return None
        at = path[1]
        return next((line for first, line in reversed(self._lines.get(path[0], [])) if first <= at), None)


def chunks(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), CHUNK):
        yield rows[start : start + CHUNK]
