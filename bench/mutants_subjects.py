"""What is bent: each place with its files, how the product reads it, and what it must hold when it was read."""

from __future__ import annotations

import json
import re
import shutil
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.mutants_files import GRAPH, JSON, LINES, RECORDS, Format
from bench.mutants_world import registry
from contextmesh import Session, session
from contextmesh.base.strict import parse
from contextmesh.policy import Policy
from contextmesh.resolve.snapshot import resolver_from_bytes
from contextmesh.run.ledger_file import ledger_from_bytes, ledger_to_json
from contextmesh.run.plan_file import plan_to_json
from contextmesh.session import SessionState
from contextmesh.session.fold import Parts
from contextmesh.session.journal import beginning, decode
from contextmesh.session.manifest import read_manifest
from contextmesh.store.records import records_from_bytes, records_to_bytes
from contextmesh.store.records_json import assumption_to_json, edge_to_json, node_to_json
from contextmesh.store.snapshot import graph_from_bytes, graph_to_bytes
from contextmesh.store.snapshot_rows import REJECTED_AFTER

POLICY = Policy.load()
_NUMBERED = re.compile(r"([a-z]+)-([0-9]+)\.")
FORMATS: dict[str, Format | None] = {
    "graph": GRAPH,
    "records": RECORDS,
    "journal": LINES,
    "vectors": None,
    **dict.fromkeys(("session", "resolver", "execution", "runledger", "digests"), JSON),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What was read.

    Attributes:
        dump: all that it holds and all that follows, as text.
        told: whether the reader said that something at the end was left out.
        bind: what else reads it before anybody works with it.
        again: given the bent file's name, says what of it was not read as it stands; None when all of it was.
    """

    dump: str
    told: bool = False
    bind: Callable[[], object] = lambda: None
    again: Callable[[str], str | None] = lambda name: None


@dataclass(frozen=True, slots=True)
class Subject:
    """A place with files.

    Attributes:
        formats: how to bend each file by its fields; None for bytes alone. Files that are not here are left alone.
        known: other whole states that the files of the place hold.
        signs: whether it is a session, whose digests can be made to fit again.
        writes: whether reading it may write there, as who keeps a cache does.
    """

    name: str
    files: Mapping[str, bytes]
    formats: Mapping[str, Format | None]
    read: Callable[[Path], Seen]
    dump: str = ""
    known: tuple[str, ...] = ()
    signs: bool = False
    writes: bool = False


def files_of(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir()) if path.is_file()}


def kind_of(name: str) -> str:
    match = _NUMBERED.match(name)
    return match[1] if match is not None else name


# ---- sessions -------------------------------------------------------------------------------


def session_subject(name: str, directory: Path) -> Subject:
    """A session directory; the files of its newest generation are bent field by field."""
    files = files_of(directory)
    newest = session.load(directory, policy=POLICY).generation
    formats: dict[str, Format | None] = {}
    for file in files:
        match = _NUMBERED.match(file)
        formats[file] = FORMATS[match[1]] if match is not None and int(match[2]) == newest else None
    formats["session.json"] = JSON
    seen = read_session(directory)
    older = [session.load(directory, policy=POLICY, generation=n) for n in range(1, newest) if _has(directory, n)]
    known = (*(dump_of(state) for state in older), *_prefixes(directory, files, newest))
    return Subject(name, files, formats, read_session, seen.dump, known, signs=True)


def _has(directory: Path, number: int) -> bool:
    return (directory / f"session-{number:06d}.json").exists()


def _prefixes(directory: Path, files: Mapping[str, bytes], newest: int) -> list[str]:
    """The session as it was after each of its checkpoints."""
    path = directory / f"journal-{newest:06d}.jsonl"
    if not path.exists():
        return []
    whole, found = path.read_bytes(), []
    try:
        for end in [0, *(match.end() for match in re.finditer(rb'"rest":0}\n', whole))]:
            path.write_bytes(whole[:end])
            found.append(dump_of(session.load(directory, policy=POLICY)))
    finally:
        path.write_bytes(whole)
    return found


def read_session(directory: Path) -> Seen:
    """As ``Session.load`` reads it, every conclusion drawn; then every key of its plan bound."""
    state = session.load(directory, policy=POLICY)
    told = any(notice.code == "torn-tail" for notice in state.notices)

    def bound() -> Any:
        conclusions_of(state)
        runner = Session.bound(session.load(directory, policy=POLICY), registry()).runner
        return None if runner is None else plan_to_json(runner)

    return Seen(dump_of(state), told, bound, lambda name: _read_as_it_stands(directory, name, state, bound()))


def dump_of(state: SessionState) -> str:
    """Everything a session holds; of a session that holds the same, the same follows."""
    store, history = state.graph.store, state.history
    return json.dumps(
        {
            "nodes": [node_to_json(node) for node in store.nodes.values()],
            "edges": [edge_to_json(edge) for edge in store.edges.values()],
            "assumptions": [assumption_to_json(record) for record in store.assumptions.values()],
            "verdicts": sorted(map(repr, store.engine.rows("verdict"))),
            "counters": [store.seq, store.build, dict(store.walks), dict(store.traversals)],
            "names": state.resolver.to_json(),
            "walker": repr(state.walker),
            "walks": [walk.to_json() for walk in state.walks],
            "plan": None if state.carried is None else json.loads(state.carried.execution),
            "ledger": None if state.carried is None else json.loads(state.carried.ledger),
            "rounds": state.rounds,
            "past": None if history is None else repr(history.chronicle()),
        },
        indent=0,
        sort_keys=True,
        ensure_ascii=False,
    )


def conclusions_of(state: SessionState) -> dict[str, list[str]]:
    """Every row of every relation: what is only made when somebody looks is made."""
    names = [*state.graph.policy.program.declarations]
    return {name: sorted(map(repr, state.graph.store.engine.rows(name))) for name in names}


def _read_as_it_stands(directory: Path, name: str, state: SessionState, plan: Any) -> str | None:
    """What was not read as it stands, or cannot be written and read again."""
    kind, data = kind_of(name), files_of(directory)
    stated = data.get(name, b"")
    if kind == "session.json":
        kind = "session"
    if kind in _HELD and not (kind == "execution" and plan is None):
        here, read = _HELD[kind](directory, name, data, plan)
        if not alike(here, read):
            return f"{name} was not read as it stands: {difference(here, read)} of {len(stated)} bytes"
    away = directory.parent / "away"
    session.save(away, replace(state, home=None, manifest=None), version=3)
    again = session.load(away, policy=POLICY)
    one, other = (dump_of(each) + json.dumps(conclusions_of(each), indent=0) for each in (state, again))
    return None if one == other else f"written and read again it is another: {lines_apart(one, other)}"


def _graph(directory: Path, name: str, files: Mapping[str, bytes], plan: Any) -> tuple[Any, Any]:
    store = graph_from_bytes(files[name], POLICY, name)
    return without_turns(files[name]), without_turns(graph_to_bytes(store))


def without_turns(data: bytes) -> Any:
    """A graph file but for the places of rejections, which say an order and are numbered anew."""
    value = json.loads(data)
    for node in value["nodes"]:
        node["attrs"].pop(REJECTED_AFTER, None)
    return value


def _resolver(directory: Path, name: str, files: Mapping[str, bytes], plan: Any) -> tuple[Any, Any]:
    here = json.loads(files[name])
    here["blocks"] = {key: sorted(dict.fromkeys(ids)) for key, ids in here["blocks"].items()}
    return here, resolver_from_bytes(files[name], name).to_json()


def _manifest(directory: Path, name: str, files: Mapping[str, bytes], plan: Any) -> tuple[Any, Any]:
    here = json.loads(files[name])
    read = read_manifest(parse(files[name], name), POLICY.ontology.edge_types).to_json()
    if here["version"] == 1:
        read = {key: read[key] for key in here} | {"version": 1}
    here["walker"] = {key: here["walker"][key] for key in read["walker"]}
    return here, read


def _ledger(directory: Path, name: str, files: Mapping[str, bytes], plan: Any) -> tuple[Any, Any]:
    return json.loads(files[name]), ledger_to_json(ledger_from_bytes(files[name], name))


def _plan(directory: Path, name: str, files: Mapping[str, bytes], plan: Any) -> tuple[Any, Any]:
    """A journal may have gone on with the plan; then what it did not touch is compared."""
    here = json.loads(files[name])
    journal = files.get(name.replace("execution", "journal").replace(".json", ".jsonl"), b"")
    later = [line["body"] for line in LINES.parse(journal[: journal.rfind(b"\n") + 1]) if line["kind"] == "plan"]
    touched = {task["name"] for body in later for task in body["tasks"]}
    parts = []
    for whole in (here, plan):
        rounds = [] if later else [whole["round"]]
        parts.append([whole["plan"], rounds, [task for task in whole["tasks"] if task["name"] not in touched]])
    return parts[0], parts[1]


def plain_records(data: bytes, vectors: bytes) -> dict[str, Any]:
    """A file of records with every word and number in the place of its number, read on its own."""
    header, *lines = RECORDS.parse(data)
    rows: dict[str, list[Any]] = {kind: [] for kind in header["counts"]}
    for kind, more in lines:
        rows[kind] += more
    words, ids = header["words"], [row[0] for row in rows["nodes"]]
    numbers, width, at = array("f", vectors), header["width"], 0
    for row in rows["nodes"]:
        row[1] = words[row[1]]
        if row[4] is not None:
            source, span, extractor, checks, build = row[4]
            source = ids[source] if isinstance(source, int) else source
            row[4] = [source, span, words[extractor], [words[check] for check in checks], build]
        if row[5] == 1 and not isinstance(row[5], list):
            row[5], at = list(numbers[at : at + width]), at + width
    for row in rows["edges"]:
        row[1], row[2], row[3] = ids[row[1]], words[row[2]], ids[row[3]]
        row[4], row[5] = None if row[4] is None else ids[row[4]], [ids[one] for one in row[5]]
    for row in rows["assumptions"]:
        row[0], row[8] = ids[row[0]], [ids[one] for one in row[8]]
        row[5], row[6] = (None if one is None else ids[one] for one in row[5:7])
    for row in rows["verdicts"]:
        row[0], row[1] = ids[row[0]], ids[row[1]]
    for row in rows["older"]:
        if isinstance(row[2].get("attrs"), str):
            row[2]["attrs"] = json.loads(row[2]["attrs"])
    del header["words"], header["width"]
    return {"header": header, **rows}


def _records(directory: Path, name: str, files: Mapping[str, bytes], plan: Any) -> tuple[Any, Any]:
    number = name.rpartition("-")[2].partition(".")[0]
    data, vectors = files[f"records-{number}.jsonl"], files.get(f"vectors-{number}.f32")
    store, chronicle = records_from_bytes(data, vectors, name, POLICY)
    again, numbers = records_to_bytes(store, chronicle)
    return plain_records(data, vectors or b""), plain_records(again, numbers or b"")


def _journal(directory: Path, name: str, files: Mapping[str, bytes], plan: Any) -> tuple[Any, Any]:
    """The lines as they stand, and what a session that takes them up finds new in itself."""
    manifest = files[name.replace("journal", "session").replace(".jsonl", ".json")]
    lines = decode(files[name], beginning(manifest), name).lines
    copy = shutil.copytree(directory, directory.parent / "base")
    (copy / name).write_bytes(b"")
    base = session.load(copy, policy=POLICY)
    assert base.pending is not None and base.history is not None
    kept = [line for line in lines if line.kind != "plan"]
    Parts(base.graph.store, base.history, base.resolver, base.walks).fold(tuple(kept), name)
    written = base.pending.entries(base.pending.mark())
    return _by_kind([(line.kind, line.body) for line in kept]), _by_kind(written)


def _by_kind(entries: Any) -> dict[str, Any]:
    """Bodies of transactions in order; those of the other kinds as one, as a single checkpoint writes them."""
    found: dict[str, Any] = {
        "transaction": [],
        "resolver": {"steps": [], "log": []},
        "nodes": {},
        "edges": {},
        "last": [],
    }
    for kind, body in entries:
        if kind == "transaction":
            found["transaction"].append(body)
        elif kind == "resolver":
            for key in ("steps", "log"):
                found["resolver"][key] += body[key]
        else:
            found["last"] += body["last"]
            for key in ("nodes", "edges"):
                for id, count in body[key].items():
                    found[key][id] = found[key].get(id, 0) + count
    for key in ("nodes", "edges"):
        found[key] = {id: count for id, count in found[key].items() if count}
    return json.loads(json.dumps(found))


_HELD: dict[str, Callable[[Path, str, Mapping[str, bytes], Any], tuple[Any, Any]]] = {
    "graph": _graph,
    "resolver": _resolver,
    "session": _manifest,
    "runledger": _ledger,
    "execution": _plan,
    "records": _records,
    "vectors": _records,
    "journal": _journal,
}


# ---- comparing ------------------------------------------------------------------------------


def alike(one: Any, other: Any) -> bool:
    """Equal as JSON: a truth value is no number, a whole number may be written as a fraction."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def difference(one: Any, other: Any, path: str = "$") -> str:
    """The first path at which two JSON values differ, with both."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return next((difference(one[k], other[k], f"{path}.{k}") for k in one if not alike(one[k], other[k])), path)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next((difference(a, b, f"{path}[{at}]") for at, (a, b) in pairs if not alike(a, b)), path)
    return f"{path} is {str(one)[:80]}, and was read as {str(other)[:80]}"


def lines_apart(one: str, other: str) -> str:
    """The first line in which two texts differ."""
    pairs = zip(one.splitlines(), other.splitlines(), strict=False)
    return next((f"{a[:90]} / {b[:90]}" for a, b in pairs if a != b), "one is longer")
