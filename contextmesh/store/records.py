"""``contextmesh.records`` version 1: a store with its past, written exactly, and read as untrusted input, fast.

Opening reads lines, not facts: what a command does not ask for is never made (``python -m bench.opening``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contextmesh.base.collector import collector_paused
from contextmesh.base.errors import OntologyError, Problem, SnapshotError, Where
from contextmesh.base.fields import Fault
from contextmesh.store.heap import BULK
from contextmesh.store.records_check import find_flaw, judge, past_of
from contextmesh.store.records_format import Places, Suspect, kind_of, lines_of, read_header, refused
from contextmesh.store.records_load import Loaded, store_of
from contextmesh.store.records_write import Writer

if TYPE_CHECKING:
    from contextmesh.datalog.limits import Limits
    from contextmesh.policy import Policy
    from contextmesh.store.records_past import Chronicle
    from contextmesh.store.store import Store


def records_to_bytes(store: Store, chronicle: Chronicle) -> tuple[bytes, bytes | None]:
    """The file of records, and the file of vectors (float32, little-endian, in the order of the nodes that have one
    there), or None when no node has one.

    A vector that float32 cannot hold exactly stands in the record as it is.

    Args:
        chronicle: the past of the store, from ``History.chronicle``.

    Raises:
        SnapshotError: ``unwritable-record``: a reader would refuse it. InputError: not-canonical.
            Nothing is written that cannot be read.
    """
    with collector_paused():
        writer = Writer(store, chronicle)
        return writer.to_bytes(), b"".join(writer.vectors) or None


def records_from_bytes(
    data: bytes,
    vectors: bytes | None,
    name: str,
    policy: Policy,
    *,
    limits: Limits | None = None,
    verified: bool = False,
) -> tuple[Store, Chronicle]:
    """A store and its past from the bytes of its files; give the past to ``History`` before anything is written.

    Nothing is evaluated before it is read. The vectors are read from ``vectors`` when somebody looks at them.

    Args:
        name: what to call the file of records in a refusal.
        verified: these exact bytes were judged before, by this program and under this policy (a ``Stamps`` says so):
            they are parsed with all types checked, but not judged again. Never to be set for other bytes.

    Raises:
        SnapshotError: what is wrong, with file, line and path.
        LimitReached: judging it took too much.
    """
    lines = lines_of(data, name)
    _, first = next(lines, (0, b""))
    header = read_header(first, name)
    with collector_paused(keep=sum(header.counts) >= BULK):
        loaded = Loaded(header, verified, vectors=memoryview(vectors or b""))
        try:
            for number, line in lines:
                loaded.take(kind_of(line), line, number)
            loaded.end()
            chronicle = past_of(loaded)
        except Suspect:
            raise find_flaw(data, vectors or b"", name) from None
        except Fault as fault:
            raise refused(name, loaded.places.line_of(fault.path), fault) from None
        try:
            if verified:
                return store_of(loaded, policy, limits), chronicle
            return judge(loaded, vectors or b"", policy, limits), chronicle
        except Fault as fault:
            raise refused(name, loaded.places.line_of(fault.path), fault) from None
        except OntologyError as error:
            raise _illegal(name, loaded, error) from None


def _illegal(name: str, loaded: Loaded, error: OntologyError) -> SnapshotError:
    """What the rules refuse, with the line of each record."""
    problems = []
    for problem in error.problems:
        line = _line_of(loaded, loaded.places, problem.subject)
        problems.append(
            Problem(
                problem.code,
                f"{problem.subject} is refused: {problem.message}",
                subject=problem.subject,
                fields=(("file", name), *problem.fields),
                where=Where(name, line),
                note=problem.note,
                hint=problem.hint,
            )
        )
    return SnapshotError(*problems)


def _line_of(loaded: Loaded, places: Places, subject: str | None) -> int | None:
    for kind, records in (("nodes", loaded.nodes), ("edges", loaded.edges)):
        for index, id in enumerate(records):
            if id == subject:
                return places.line_of((kind, index))
    return None
