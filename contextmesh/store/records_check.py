"""The careful side of reading records: what is wrong and where; agreement of records; legality by the rules."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import Any

from contextmesh.base.canon import INNER_DEPTH
from contextmesh.base.errors import InputError, SnapshotError
from contextmesh.base.fields import Fault
from contextmesh.base.strict import parse
from contextmesh.datalog.limits import Limits
from contextmesh.policy import Policy
from contextmesh.store.bulk import require_legal
from contextmesh.store.model import Edge, Node
from contextmesh.store.records_agree import disagreement
from contextmesh.store.records_careful import Careful
from contextmesh.store.records_format import lines_of, read_header, refused
from contextmesh.store.records_json import edge_from_json, node_from_json, wrong_edge_id
from contextmesh.store.records_load import Loaded, store_of
from contextmesh.store.records_past import Chronicle, Commit
from contextmesh.store.records_vectors import FLOAT32, first_not_finite
from contextmesh.store.store import Store
from contextmesh.store.transaction import stated_period


def find_flaw(data: bytes, vectors: bytes, name: str) -> SnapshotError:
    """What the fast reader stumbled over.

    Raises:
        SnapshotError: a line that is no strict JSON. AssertionError: nothing is wrong, a fault of ours.
    """
    lines = lines_of(data, name)
    _, first = next(lines)
    careful = Careful(read_header(first, name), len(vectors))
    number = 1
    try:
        for number, line in lines:
            careful.take(_value(line, name, number))
        careful.end()
    except Fault as fault:
        return refused(name, number, fault)
    raise AssertionError("the fast reader refused what the careful one accepts")


def _value(line: bytes, name: str, number: int) -> Any:
    try:
        return parse(line, name, depth=INNER_DEPTH + 3, refusal=InputError).value
    except InputError as error:
        problem = error.problem
        raise refused(name, number, Fault(problem.code, problem.message, hint=problem.hint)) from None


# ---- the past -------------------------------------------------------------------------------


def past_of(loaded: Loaded) -> Chronicle:
    """The past that the lines hold.

    Raises:
        Fault: what is wrong with it.
    """
    header = loaded.header
    for kind, born in (("nodes", loaded.born), ("edges", loaded.born_edges)):
        _require_order(kind, born)
    commits = [Commit(*row) for row in loaded.transactions]
    before, build, end = header.begins, header.first_build, None
    for index, commit in enumerate(commits):
        if not before < commit.seq <= header.seq or not build <= commit.build <= header.build:
            raise Fault("out-of-range", "does not follow the transaction before it", ("transactions", index))
        if commit.day is not None:
            try:
                period = stated_period(commit.day)
            except Fault as fault:
                raise fault.under("transactions", index, "day") from None
            if end is not None and period < end:
                raise Fault("earlier-commit", "is dated before the one before it", ("transactions", index, "day"))
            end = period
        before, build = commit.seq, commit.build
    if build != header.build:
        raise Fault("out-of-range", f"must be build {build}, that of the last transaction", ("build",))
    older = tuple(_older(index, row, loaded) for index, row in enumerate(loaded.older))
    stated = tuple((fact, seq) for fact, seq, _ in loaded.facts)
    if len(dict.fromkeys(fact for fact, _ in stated)) != len(stated):
        raise Fault("two-identities", "states one fact twice", ("facts",))
    return Chronicle(header.begins, header.first_build, tuple(commits), older, stated)


def _require_order(kind: str, born: list[int]) -> None:
    """Records stand in the order in which they were born: a past is made by leaving the last of them out."""
    if born != sorted(born):
        at = next(index for index, (one, other) in enumerate(pairwise(born), 1) if one > other)
        raise Fault("out-of-range", f"must be at least {born[at - 1]}, as of the one before", (kind, at, "born"))


def _older(index: int, row: tuple[int, str, bytes, bool], loaded: Loaded) -> tuple[int, Node | Edge]:
    until, kind, text, same = row
    path = ("older", index)
    try:
        value = parse(text, "the record", depth=INNER_DEPTH, refusal=InputError).value
        build = loaded.header.build
        record = node_from_json(value, build) if kind == "node" else edge_from_json(value, build)
    except InputError as error:
        raise Fault(error.code, error.problem.message, (*path, "record")) from None
    except Fault as fault:
        raise fault.under(*path, "record") from None
    if not loaded.header.begins < until <= loaded.header.seq:
        message = f"is transaction {until}, and none that is told apart has this number"
        raise Fault("out-of-range", message, (*path, "until"), subject=record.id)
    if isinstance(record, Edge):
        newest = loaded.edges.get(record.id)
        if newest is None:
            raise Fault("unknown-id", "is an older version of no edge here", (*path, "record"), subject=record.id)
        if same:
            raise Fault("embedded-differs", "is an edge, which has no vector", (*path, "same_vector"))
        return until, record
    there = loaded.nodes.get(record.id)
    if there is None or there.type != record.type:
        raise Fault("unknown-id", "is an older version of no node here", (*path, "record"), subject=record.id)
    if same:
        if there.embedding is None or record.embedding is not None:
            raise Fault("embedded-differs", "cannot have the vector of its newest", (*path, "same_vector"))
        record = Node(**{**_fields_of(record), "embedding": there.embedding})
    return until, record


def _fields_of(node: Node) -> dict[str, Any]:
    return {name: getattr(node, name) for name in Node.__slots__}


# ---- judging --------------------------------------------------------------------------------


def judge(loaded: Loaded, vectors: bytes, policy: Policy, limits: Limits | None) -> Store:
    """The store of records that agree with each other and that the rules allow.

    Raises:
        Fault: two records contradict each other, with kind and index.
        OntologyError: the rules refuse one. LimitReached.
    """
    at = first_not_finite(vectors)
    if at is not None:
        message = f"is not finite at number {at} of the file of vectors, byte {at * FLOAT32}"
        raise Fault("not-finite", message, ("vectors",))
    if loaded.wrong_id is not None:
        edge = next(islice(loaded.edges.values(), loaded.wrong_id, None))
        raise wrong_edge_id(edge).under("edges", loaded.wrong_id)
    fault = disagreement(loaded.nodes, loaded.edges, loaded.assumptions, loaded.verdicts)
    if fault is not None:
        raise fault
    store = store_of(loaded, policy, limits)
    require_legal(store, loaded.records)
    return store
