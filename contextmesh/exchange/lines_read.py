"""``contextmesh.lines`` read as untrusted: the same checks as a graph file and a table of names, named by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from contextmesh.base import fields
from contextmesh.base.errors import InputError, OntologyError, Problem, ResolverSnapshotError, SnapshotError, Where
from contextmesh.base.fields import Fault, Path
from contextmesh.datalog.ast import Row
from contextmesh.datalog.limits import Limits
from contextmesh.exchange.jsonl import LIMITS, FileLimits, line_at, lines_of
from contextmesh.exchange.lines import HEADER, KINDS, SCHEMA, VERSION
from contextmesh.policy import Policy
from contextmesh.resolve.resolver import Resolver
from contextmesh.resolve.snapshot import resolver_from_json
from contextmesh.store.bulk import Records, require_legal, store_over
from contextmesh.store.edges import EdgeRecords
from contextmesh.store.relations import CONTRADICTS
from contextmesh.store.snapshot_agree import require_agreement
from contextmesh.store.snapshot_load import Difference, find_differences
from contextmesh.store.snapshot_rows import Rows, path_of, read_rows
from contextmesh.store.store import Store

_TOLD = 20
_VERDICT = ("record", "assumption", "evidence", "seq")
_FACT = ("record", "relation", "row")
_NAME = ("record", "id", "label")
_ALIAS = ("record", "form", "id")
_BLOCK = ("record", "key", "ids")
_END = ("record", "lines")


@dataclass(frozen=True, slots=True)
class Foreign:
    """What a file holds, verified under our rules, and not yet part of anything.

    Attributes:
        differences: conclusions that the file states and the rules do not derive.
    """

    store: Store
    resolver: Resolver
    differences: tuple[Difference, ...] = ()


@dataclass(slots=True)
class _Held:
    """What was read so far, and the line of each record by where it will stand in the checked value."""

    header: Mapping[str, Any] = field(default_factory=dict)
    graph: dict[str, list[Any]] = field(default_factory=lambda: {"nodes": [], "assumptions": [], "edges": []})
    born: dict[str, list[int]] = field(default_factory=lambda: {"nodes": [], "edges": []})
    verdicts: list[tuple[str, str, int]] = field(default_factory=list)
    facts: list[tuple[str, Row]] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=lambda: {"canonical": {}, "aliases": {}, "blocks": {}, "log": []})
    at: dict[Path, int] = field(default_factory=dict)
    count: int = 0
    ended: bool = False


def read_lines(
    data: bytes,
    file: str,
    policy: Policy,
    *,
    recompute: bool = False,
    limits: Limits | None = None,
    sizes: FileLimits = LIMITS,
) -> Foreign:
    """A store and a table of names from the bytes of a file.

    Args:
        recompute: take a file whose stated conclusions differ from what the rules derive, and say how.

    Raises:
        InputError, SnapshotError, ResolverSnapshotError: what is wrong, with its line.
    """
    held = _read(data, file, sizes)
    container = {
        "schema": "contextmesh.graph",
        "version": 1,
        "build": held.header["build"],
        **held.graph,
    }
    try:
        rows = read_rows(container)
        require_agreement(rows)
        _require_order(rows, held)
        try:
            store = _store(rows, held, policy, limits)
        except OntologyError as refusal:
            raise SnapshotError(*_located(data, file, rows, held, refusal)) from None
        resolver = _resolver(held, file)
    except Fault as fault:
        raise SnapshotError(_at_line(data, file, held, fault)) from None
    differences = tuple(find_differences(rows, store))
    if differences and not recompute:
        problems = [_at_line(data, file, held, difference.fault()) for difference in differences[:_TOLD]]
        if len(differences) > _TOLD:
            ids = ", ".join(difference.id for difference in differences[_TOLD:])
            message = f"and {len(differences) - _TOLD} more conclusions differ"
            problems.append(Problem("more-differences", message, file, where=Where(file), note=ids))
        raise SnapshotError(*problems)
    return Foreign(store, resolver, differences)


# ---- lines to values ------------------------------------------------------------------------


def _read(data: bytes, file: str, sizes: FileLimits) -> _Held:
    held = _Held()
    for line in lines_of(data, file, sizes):
        value = line.document.value
        try:
            if not held.header:
                held.header = _header(value)
            elif held.ended:
                raise Fault("unknown-key", "stands after the last line")
            else:
                _take(value, line.number, held)
        except Fault as fault:
            raise line.refusal(fault) from None
        held.count += 1
    if not held.ended:
        message = f"{file} is cut off: its last line is missing"
        where = Where(file, data.count(b"\n") + 1)
        note = "the last line of such a file counts the ones before it"
        raise InputError(Problem("cut-off", message, file, where=where, note=note, hint="export it again"))
    return held


def _header(value: object) -> Mapping[str, Any]:
    row = fields.record(value, HEADER)
    fields.header(row, SCHEMA, (VERSION,))
    fields.whole(row, "build")
    fields.whole(row, "seq")
    fields.number(row, "threshold")
    return row


def _take(value: object, number: int, held: _Held) -> None:
    if not isinstance(value, dict):
        raise Fault("wrong-type", f"must be an object, and is {fields.kind_of(value)}")
    if "record" not in value:
        raise Fault("missing-key", "lacks record", fields=(("missing", "record"),))
    kind = fields.word(value, "record", KINDS)
    if kind in ("node", "edge", "assumption"):
        _take_record(kind, dict(value), number, held)
    elif kind == "verdict":
        row = fields.record(value, _VERDICT)
        held.at["verdicts", len(held.verdicts)] = number
        held.verdicts.append((fields.text(row, "assumption"), fields.text(row, "evidence"), _seq(row, "seq", held)))
    elif kind == "fact":
        held.at["facts", len(held.facts)] = number
        held.facts.append(_fact(fields.record(value, _FACT)))
    elif kind == "mention":
        row = {key: held_value for key, held_value in value.items() if key != "record"}
        held.at["log", len(held.names["log"])] = number
        held.names["log"].append(row)
    elif kind == "end":
        row = fields.record(value, _END)
        if fields.whole(row, "lines") != held.count:
            message = f"says {row['lines']} lines, and {held.count} stand before it"
            raise Fault("cut-off", message, ("lines",), hint="export it again")
        held.ended = True
    else:
        _take_name(kind, value, number, held)


def _take_record(kind: str, value: dict[str, Any], number: int, held: _Held) -> None:
    del value["record"]
    name = f"{kind}s"
    if name in held.born:
        if "born" not in value:
            raise Fault("missing-key", "lacks born", fields=(("missing", "born"),))
        held.born[name].append(_seq(value, "born", held))
        del value["born"]
    held.at[name, len(held.graph[name])] = number
    held.graph[name].append(value)


def _take_name(kind: str, value: object, number: int, held: _Held) -> None:
    names, shapes = ("canonical", "aliases", "blocks"), {"name": _NAME, "alias": _ALIAS, "block": _BLOCK}
    row = fields.record(value, shapes[kind])
    table = names[list(shapes).index(kind)]
    key, told = {"name": ("id", "label"), "alias": ("form", "id"), "block": ("key", "ids")}[kind]
    name = fields.text(row, key)
    if name in held.names[table]:
        raise Fault("two-identities", f"is {fields.shown(name)}, which another line has", (key,), subject=name)
    held.at[table, name] = number
    held.names[table][name] = row[told]


def _seq(row: Mapping[str, Any], key: str, held: _Held) -> int:
    return fields.whole(row, key, most=held.header["seq"])


def _fact(row: Mapping[str, Any]) -> tuple[str, Row]:
    terms = fields.array(row, "row")
    for index, term in enumerate(terms):
        if isinstance(term, bool) or not isinstance(term, str | int):
            raise Fault("wrong-type", f"must be text or a whole number, and is {fields.kind_of(term)}", ("row", index))
    return fields.text(row, "relation"), tuple(terms)


# ---- values to a store ----------------------------------------------------------------------


def _require_order(rows: Rows, held: _Held) -> None:
    """Records stand in the order in which they were born, and no verdict is older than its evidence's contradiction."""
    for kind, born in held.born.items():
        for index, (one, other) in enumerate(pairwise(born), 1):
            if one > other:
                raise Fault("out-of-range", f"must be at least {one}, as of the one before", (kind, index))
    witness = {
        (edge.dst, edge.src): born
        for edge, born in zip(rows.edges, held.born["edges"], strict=True)
        if edge.type == CONTRADICTS
    }
    known = {node.id: None for node in rows.nodes}
    seen: dict[tuple[str, str], None] = {}
    for index, (assumption, evidence, seq) in enumerate(held.verdicts):
        if evidence not in known:
            raise Fault(
                "unwitnessed-verdict", "names evidence that is not here", ("verdicts", index), subject=assumption
            )
        if (assumption, evidence) in seen:
            raise Fault("two-identities", "is a verdict that another line has", ("verdicts", index), subject=assumption)
        seen[assumption, evidence] = None
        if seq < witness.get((assumption, evidence), 0):
            raise Fault("out-of-range", "is older than what contradicts it", ("verdicts", index), subject=assumption)


def _store(rows: Rows, held: _Held, policy: Policy, limits: Limits | None) -> Store:
    records = Records(
        {node.id: node for node in rows.nodes},
        EdgeRecords(rows.edges),
        {record.id: record for record in rows.assumptions},
        held.born["nodes"],
        held.born["edges"],
        held.verdicts,
    )
    _require_stated(held, policy)
    store = store_over(
        records, policy, limits, stated=dict.fromkeys(held.facts), build=rows.build, seq=held.header["seq"]
    )
    require_legal(store, records)
    store.walks.update(rows.walks)
    store.traversals.update(rows.traversals)
    return store


def _require_stated(held: _Held, policy: Policy) -> None:
    """Raises Fault for a fact that nobody may state."""
    empty = Store(policy)
    for index, (relation, row) in enumerate(held.facts):
        try:
            empty.require_input(relation, row)
        except OntologyError as error:
            raise Fault(error.code, error.problem.message, ("facts", index)) from None


def _resolver(held: _Held, file: str) -> Resolver:
    value = {"schema": "contextmesh.resolver", "version": 1, "threshold": held.header["threshold"], **held.names}
    try:
        return resolver_from_json(value, file)
    except ResolverSnapshotError as error:
        raise ResolverSnapshotError(*(_of_names(problem, held, file) for problem in error.problems)) from None


def _of_names(problem: Problem, held: _Held, file: str) -> Problem:
    """The line of the name that a checked table refuses, found by the words of its path."""
    words = dict(problem.fields).get("path")
    for (table, key), number in ((path, n) for path, n in held.at.items() if path[0] in (*held.names,)):
        step: Path = (str(table), key)
        if isinstance(words, str) and words.startswith(fields.path_text(step)):
            return replace(problem, where=Where(file, number))
    return replace(problem, where=Where(file, 1))


# ---- places ---------------------------------------------------------------------------------


def _at_line(data: bytes, file: str, held: _Held, fault: Fault) -> Problem:
    number = held.at.get(fault.path[:2])
    if number is None:
        number = 1
    else:
        fault.path = fault.path[2:]
    return line_at(data, file, number).refusal(fault).problem


def _located(data: bytes, file: str, rows: Rows, held: _Held, refusal: OntologyError) -> list[Problem]:
    problems = []
    for problem in refusal.problems:
        path = path_of(rows, problem.subject) if problem.subject is not None else ()
        message = f"is refused: {problem.message}"
        fault = Fault(
            problem.code,
            message,
            path,
            subject=problem.subject,
            note=problem.note,
            hint=problem.hint,
            fields=problem.fields,
        )
        problems.append(_at_line(data, file, held, fault))
    return problems
