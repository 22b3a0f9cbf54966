"""Files that come from outside a session: exports, a plan and its ledger, signed notes, a policy, facts, documents."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.mutants_files import GRAPH, JSON, LINES, Format
from bench.mutants_subjects import (
    POLICY,
    Seen,
    Subject,
    alike,
    difference,
    dump_of,
    files_of,
    read_session,
    without_turns,
)
from bench.mutants_world import graph_and_names, registry
from contextmesh import session
from contextmesh.api import Mesh
from contextmesh.base.data import data_root
from contextmesh.base.errors import Refusal
from contextmesh.base.files import read_bytes
from contextmesh.cli import ledger_proofs, ledger_source
from contextmesh.cli.proofs import check
from contextmesh.exchange.lines import lines_to_bytes
from contextmesh.exchange.lines_read import read_lines
from contextmesh.graph.graph import ContextGraph
from contextmesh.lang.facts import read_facts
from contextmesh.policy import Policy
from contextmesh.resolve.resolver import Resolver
from contextmesh.run.auditors.feed import advisories
from contextmesh.run.checkpoint import SigningKey, checkpoint_of, sign_checkpoint
from contextmesh.run.ledger import RunLedger
from contextmesh.run.ledger_file import ledger_from_bytes, ledger_to_json
from contextmesh.run.plan_file import plan_from_bytes, plan_to_json
from contextmesh.session import SessionState
from contextmesh.session.intake import take_in
from contextmesh.session.lock import writer_lock
from contextmesh.store.records_stamp import VARIABLE
from contextmesh.store.snapshot import graph_from_bytes, graph_to_bytes

MEMORY = (
    b'{"type":"entity","name":"Ada","entityType":"person","observations":["Repairs ferries","hej"]}\n'
    b'{"type":"entity","name":"Yard","entityType":"place","observations":[]}\n'
    b'{"type":"relation","from":"Ada","to":"Yard","relationType":"works_at"}\n'
)
ADVISORY: dict[str, Any] = {
    "id": "QUAY-1",
    "modified": "2024-05-01T00:00:00Z",
    "summary": "Ropes part.",
    "affected": [
        {
            "package": {"ecosystem": "PyPI", "name": "ropes"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.2.3"}]}],
            "versions": ["1.0", "1.1"],
        }
    ],
}
DOCUMENTS = {
    "notes.md": b"---\ntitle: Notes\ndate: 2024-05-01\n---\n\n# Quay\n\nThe quay floods in spring because it is low.\n",
    "adr-001-fence.md": b"# 1. Fence the quay\n\nDate: 2024-05-01\n\n## Status\n\nAccepted\n\n## Context\n\n"
    b"It floods.\n\n"
    b"## Decision\n\nWe fence the quay.\n\n## Consequences\n\nNobody falls in.\n",
    "rfc-0001.rst": b"RFC: 1\nTitle: Tide table\nStatus: Final\nCreated: 03-Feb-2021\n\nAbstract\n========\n\n"
    b"The tide table is kept as a table of departures.\n",
    "rows.jsonl": b'{"id": "a", "title": "Quay", "text": "The quay was closed for two days.", "date": "2024-05-01"}\n',
    "whole.json": b'{"id": "b", "title": "Pier", "text": "The pier was open for two days.", "tags": ["a", 1.5]}\n',
    "advice.yaml": b"id: X-1\nsummary: Ropes part in the cold.\ndetails: The rope parts below zero.\n",
}


def outside(place: Path, homes: Mapping[str, Path]) -> list[Subject]:
    """Every one of them, as the product wrote it where it writes such files."""
    made = [*_imports(), *_of_a_plan(homes["v3"]), _policy(), *_small_ones(), _stamp(place, homes["v3"])]
    return [_read_once(subject, place / "once") for subject in made]


def _read_once(subject: Subject, place: Path) -> Subject:
    for name, data in subject.files.items():
        (place / subject.name / name).parent.mkdir(parents=True, exist_ok=True)
        (place / subject.name / name).write_bytes(data)
    return replace(subject, dump=subject.read(place / subject.name).dump)


def _one(name: str, file: str, data: bytes, form: Format | None, read: Callable[[Path], Seen]) -> Subject:
    return Subject(name, {file: data}, {file: form}, lambda place: read(place / file))


def _same(one: object, other: object) -> str | None:
    here, there = (json.loads(json.dumps(value)) for value in (one, other))
    return None if alike(here, there) else difference(here, there)


# ---- what is imported -----------------------------------------------------------------------


def _imports() -> Iterator[Subject]:
    graph, names = graph_and_names()
    yield _one("lines", "export.jsonl", lines_to_bytes(graph.store, names), LINES, _taken(_lines_again))
    yield _one("memory", "memory.jsonl", MEMORY, LINES, _taken(_names_again))
    data = graph_to_bytes(graph.store)
    yield _one("graph", "graph.json", data, GRAPH, _taken(_graph_again))
    yield _one("graph recomputed", "graph.json", data, GRAPH, _taken(lambda path, state: None, recompute=True))


def _taken(again: Callable[[Path, SessionState], str | None], *, recompute: bool = False) -> Callable[[Path], Seen]:
    """Imported into an empty session, its form guessed."""

    def read(path: Path) -> Seen:
        state, report = take_in(SessionState(ContextGraph(POLICY), Resolver()), path, recompute=recompute)
        dump = dump_of(state)

        def wrong(name: str) -> str | None:
            store = graph_from_bytes(graph_to_bytes(state.graph.store), POLICY, "again")
            if graph_to_bytes(store) != graph_to_bytes(state.graph.store):
                return "what came in is written and read again as another"
            return again(path, state)

        return Seen(dump, again=wrong, bind=report.as_json)

    return read


def _lines_again(path: Path, state: SessionState) -> str | None:
    found = read_lines(path.read_bytes(), path.name, POLICY)
    return _same(LINES.parse(path.read_bytes()), LINES.parse(lines_to_bytes(found.store, found.resolver)))


def _graph_again(path: Path, state: SessionState) -> str | None:
    found = graph_from_bytes(path.read_bytes(), POLICY, path.name)
    return _same(without_turns(path.read_bytes()), without_turns(graph_to_bytes(found)))


def _names_again(path: Path, state: SessionState) -> str | None:
    """Every name of the file is a name here, but a blank one, which a note tells."""
    rows = [row for row in LINES.parse(path.read_bytes()) if row.get("type") == "entity"]
    known = {node.label.strip() for node in state.graph.store.nodes.values()}
    lost = [name for row in rows if (name := row["name"]).strip() and name.strip() not in known]
    return f"{lost[0]!r} was not read" if lost else None


# ---- plan, ledger, signed notes -------------------------------------------------------------


def _of_a_plan(home: Path) -> Iterator[Subject]:
    carried = session.load(home, policy=POLICY).carried
    assert carried is not None
    log, plan = carried.ledger, carried.execution
    yield _one("ledger", "ledger.json", log, JSON, _ledger)
    yield _one("plan", "plan.json", plan, JSON, lambda path: _plan(path, home))
    key = SigningKey("quay.example/log", bytes(range(32)))
    found = ledger_from_bytes(log, "log")
    note = sign_checkpoint(checkpoint_of(found, key.name), key).encode("utf-8")
    notes = {"note.txt": note, "key.pub": f"{key.verify_key}\n".encode()}
    yield Subject("signed note", notes, dict.fromkeys(notes), _signed_note)
    yield _one("note", "note.txt", note, None, _note)
    yield _one("secret key", "key", f"{key}\n".encode(), None, _secret)
    tree, entry = found.tree, found.entry(2)
    proof = {
        "proof": "inclusion", "index": 1, "size": len(tree), "root": _b64(tree.root()), "leaf": _b64(entry.leaf()),
        "hashes": [_b64(step) for step in tree.inclusion(1, len(tree))], "entry": entry.as_json(),
    }  # fmt: skip
    since = {
        "proof": "consistency", "since": 2, "size": len(tree), "root_since": _b64(tree.root(2)),
        "root": _b64(tree.root()), "hashes": [_b64(step) for step in tree.consistency(2)],
    }  # fmt: skip
    trusted = checkpoint_of(found, key.name)
    for name, value in (("inclusion proof", proof), ("consistency proof", since)):
        yield _one(name, "proof.json", JSON.write(value), JSON, lambda path: _proof(path, trusted))


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _ledger(path: Path) -> Seen:
    ledger: RunLedger = ledger_from_bytes(read_bytes(path), str(path))
    held = ledger_to_json(ledger)
    return Seen(json.dumps(held), again=lambda name: _same(json.loads(path.read_bytes()), held), bind=ledger.verify)


def _plan(path: Path, home: Path) -> Seen:
    state = session.load(home, policy=POLICY)
    assert state.carried is not None
    log = ledger_from_bytes(state.carried.ledger, "log")
    runner = plan_from_bytes(read_bytes(path), str(path), graph=state.graph, registry=registry(), ledger=log)
    held = plan_to_json(runner)
    return Seen(json.dumps(held), again=lambda name: _same(json.loads(path.read_bytes()), held))


def _signed_note(place: Path) -> Seen:
    """A note that another key signed, or that says something else, is never taken."""
    return Seen(
        repr(ledger_source.trusted(place / "note.txt", str(place / "key.pub"))),
        again=lambda name: "is trusted all the same",
    )


def _note(path: Path) -> Seen:
    found = ledger_source.trusted(path, None)
    text = path.read_text("utf-8")
    return Seen(repr(found), again=lambda name: None if found.text() in text else "was not read as it stands")


def _secret(path: Path) -> Seen:
    key = ledger_proofs._signing_key(path)
    return Seen(str(key), again=lambda name: None if str(key) in path.read_text("utf-8") else "not as it stands")


def _proof(path: Path, trusted: Any) -> Seen:
    said, reason = check(read_bytes(path), str(path), trusted)
    words = "proves something else" if reason is None else None
    return Seen(json.dumps([said, reason]), again=lambda name: words)


# ---- rules, facts, documents, a cache -------------------------------------------------------


def _policy() -> Subject:
    root = data_root()
    files = {"GRAPH.md": (root / "GRAPH.md").read_bytes()}
    for name in ("propagation.dl", "walk.dl", "time.dl"):
        files[f"rules/{name}"] = (root / "rules" / name).read_bytes()
    graph = graph_to_bytes(graph_and_names()[0].store)

    def read(place: Path) -> Seen:
        policy = Policy.load(place)

        def opened() -> None:
            """Rules that were let in end, whatever they derive."""
            try:
                graph_from_bytes(graph, policy, "graph.json")
            except Refusal as refusal:
                assert refusal.code

        again = "another digest at the second reading"
        return Seen(policy.digest, bind=opened, again=lambda name: None if Policy.load(place) == policy else again)

    return Subject("policy", files, dict.fromkeys(files), read)


def _small_ones() -> Iterator[Subject]:
    def facts(place: Path) -> Seen:
        rows = read_facts(place)
        lines = {path.stem: path.read_bytes().count(b"\n") for path in place.glob("*.tsv")}
        lost = any(len(rows[name]) not in (count, count + 1) for name, count in lines.items())
        return Seen(repr(rows), again=lambda name: "a row was lost" if lost else None)

    tables = {"edge.tsv": b"a\tb\nb\tc\nc\t-17\n", "n.tsv": b"1\n2\n"}
    yield Subject("facts", tables, dict.fromkeys(tables), facts)

    def feed(place: Path) -> Seen:
        found = [advisory for _, advisory in advisories(place)]
        return Seen(repr(found), again=lambda name: None if found == [one for _, one in advisories(place)] else "again")

    texts = {"a.json": JSON.write(ADVISORY), "b.yaml": JSON.write({**ADVISORY, "id": "QUAY-2"})}
    yield Subject("advisories", texts, {"a.json": JSON, "b.yaml": JSON}, feed)

    def documents(place: Path) -> Seen:
        mesh = Mesh(POLICY)
        report = mesh.ingest([place])
        data = graph_to_bytes(mesh.graph.store)
        again = graph_to_bytes(graph_from_bytes(data, POLICY, "again"))
        wrong = None if again == data else "what was read is written and read again as another"
        return Seen(dump_of(mesh.state), again=lambda name: wrong, bind=report.as_json)

    yield Subject(
        "documents", DOCUMENTS, {**dict.fromkeys(DOCUMENTS), "rows.jsonl": LINES, "whole.json": JSON}, documents
    )

    def locked(place: Path) -> Seen:
        with writer_lock(place) as held:
            return Seen(str(held.directory == place), again=lambda name: "was not locked")

    locks = {"session.lock": b'{"pid": 1, "host": "quay"}\n', "session.lock.meta": b'{"pid": 1, "host": "quay"}\n'}
    yield Subject("lock", locks, dict.fromkeys(locks), locked, writes=True)


def _stamp(place: Path, home: Path) -> Subject:
    """Nothing that stands in the cache changes what a session is."""
    cache = place / "cache"
    with _cache(cache):
        dump = read_session(home).dump
    files = files_of(cache)

    def read(folder: Path) -> Seen:
        with _cache(folder):
            return Seen(read_session(home).dump, again=lambda name: f"a cache changed the session: {len(dump)}")

    return Subject("stamp", files, dict.fromkeys(files, JSON), read, writes=True)


@contextmanager
def _cache(folder: Path) -> Iterator[None]:
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
