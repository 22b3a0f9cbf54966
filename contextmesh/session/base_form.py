"""The graph of a generation of version 3 with its past: the records as one file, the vectors as another."""

from __future__ import annotations

from contextmesh.graph.history import History
from contextmesh.policy import Policy
from contextmesh.store.records import records_to_bytes
from contextmesh.store.records_stamp import Stamps, open_records
from contextmesh.store.store import Store


def records_to_files(store: Store, history: History) -> dict[str, bytes]:
    """The files by kind.

    Raises:
        SnapshotError: ``unwritable-record``.
    """
    records, vectors = records_to_bytes(store, history.chronicle())
    return {"records": records} if vectors is None else {"records": records, "vectors": vectors}


def stamp_written(files: dict[str, bytes], policy: Policy) -> None:
    """Remember that what was just written was judged: each record by the rules at its write, all of it at this one.

    So the first opening by who wrote it need not judge it again. Does nothing where this user has no cache.

    Args:
        files: by kind, as ``records_to_files`` gave them, and as they are on the disk now.
    """
    if "records" in files:
        Stamps.of_user().add(files["records"], files.get("vectors"), policy)


def records_from_files(records: bytes, vectors: bytes | None, name: str, policy: Policy) -> tuple[Store, History]:
    """The graph of these files, read as untrusted, and its past, which follows it from here on.

    What this user has judged before, byte for byte under this policy, is not judged again; what says so lies in the
    user's own cache, never in the session.

    Raises:
        SnapshotError: what is wrong, with file and line.
    """
    store, chronicle = open_records(records, vectors, name, policy, stamps=Stamps.of_user())
    return store, History(store, chronicle)
