"""Version 3 of a session: read strictly, field by field and file by file; what is written reads back the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contextmesh.api import Mesh
from contextmesh.base.errors import Refusal, SessionError
from contextmesh.base.strict import parse
from contextmesh.session.journal import beginning, encode
from contextmesh.session.manifest import read_manifest

from .places import edit, listing, log_mesh

MANIFEST = "session-000002.json"
JOURNAL = "journal-000002.jsonl"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    mesh, source = log_mesh(tmp_path / "s")
    mesh.graph.add_node("entity", "Pier", attrs={"canonical": "Pier", "aliases": []}, embedding=[0.5, 0.75])
    mesh.checkpoint()
    mesh.submit_evidence("The pier is closed", source_id=source)
    mesh.ask("Is the pier closed?")
    mesh.checkpoint()
    return tmp_path / "s"


def test_a_manifest_reads_back_as_it_was_written(home: Path) -> None:
    document = parse((home / MANIFEST).read_bytes(), MANIFEST)
    manifest = read_manifest(document, ["mentions"] + document.value["walker"]["policy"], generation=2)
    assert manifest.to_json() == document.value
    assert (manifest.version, manifest.graph, manifest.journal) == (3, None, JOURNAL)
    assert manifest.files == ("records-000002.jsonl", "vectors-000002.f32", "resolver-000002.json", JOURNAL)
    for name, digest in manifest.digests:
        assert hashlib.sha256((home / name).read_bytes()).hexdigest() == digest
    assert (home / "session.json").read_bytes() == (home / MANIFEST).read_bytes()


KEYS = (
    *("schema", "version", "generation", "rounds", "walker", "resolver", "execution", "ledger", "ledger_head"),
    *("records", "vectors", "journal", "policy", "digests"),
)
BENT: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    **{f"without {key}": (lambda m, key=key: m.pop(key), "missing-key") for key in KEYS if key != "version"},  # type: ignore[misc]
    "without version": (lambda m: m.pop("version"), "unknown-key"),
    "with a graph": (lambda m: m.update(graph="graph-000002.json"), "unknown-key"),
    "as version 2": (lambda m: m.update(version=2), "unknown-key"),
    "as version 3.0": (lambda m: m.update(version=3.0), "unknown-key"),
    "records null": (lambda m: m.update(records=None), "wrong-type"),
    "records elsewhere": (lambda m: m.update(records="../records-000002.jsonl"), "wrong-name"),
    "records of another generation": (lambda m: m.update(records="records-000001.jsonl"), "wrong-name"),
    "vectors elsewhere": (lambda m: m.update(vectors="/etc/passwd"), "wrong-name"),
    "vectors a number": (lambda m: m.update(vectors=1), "wrong-type"),
    "vectors left out": (lambda m: m.update(vectors=None), "unknown-key"),
    "journal null": (lambda m: m.update(journal=None), "wrong-type"),
    "journal elsewhere": (lambda m: m.update(journal="journal.jsonl"), "wrong-name"),
    "policy null": (lambda m: m.update(policy=None), "wrong-type"),
    "policy short": (lambda m: m.update(policy="abc"), "malformed-digest"),
    "policy another": (lambda m: m.update(policy="0" * 64), "policy-differs"),
    "digests a list": (lambda m: m.update(digests=[]), "wrong-type"),
    "digests of one file more": (lambda m: m["digests"].update(x="0" * 64), "unknown-key"),
    "digests of the journal": (lambda m: m["digests"].update({JOURNAL: "0" * 64}), "unknown-key"),
    "digests of one file fewer": (lambda m: m["digests"].popitem(), "missing-key"),
    "a digest in capitals": (lambda m: m["digests"].update({"resolver-000002.json": "A" * 64}), "malformed-digest"),
    "a digest that is a number": (lambda m: m["digests"].update({"resolver-000002.json": 1}), "wrong-type"),
    "a digest of other bytes": (lambda m: m["digests"].update({"resolver-000002.json": "0" * 64}), "changed-file"),
    "a head without a plan": (lambda m: m.update(ledger_head="0" * 64), "incomplete-plan"),
    "rounds more": (lambda m: m.update(rounds=1), "journal-broken"),
    "walker otherwise": (lambda m: m["walker"].update(hop_budget=9), "journal-broken"),
}


@pytest.mark.parametrize("name", BENT)
def test_a_bent_manifest_is_refused_by_code_and_the_generation_before_is_offered(home: Path, name: str) -> None:
    change, code = BENT[name]
    edit(home / MANIFEST, change)
    before = listing(home)
    with pytest.raises(SessionError) as caught:
        Mesh.open(home)
    fields = dict(caught.value.problem.fields)
    assert (caught.value.code, fields["generation"], fields["offered"]) == (code, 2, 1)
    assert caught.value.problem.where is not None
    assert listing(home) == before


@pytest.mark.parametrize("name", ["records-000002.jsonl", "vectors-000002.f32", "resolver-000002.json", JOURNAL])
@pytest.mark.parametrize("how", ["gone", "a folder", "a link out", "cut", "longer", "another's"])
def test_a_companion_that_is_not_what_was_committed_is_refused(home: Path, tmp_path: Path, name: str, how: str) -> None:
    path = home / name
    data = path.read_bytes()
    if how == "gone":
        path.unlink()
    elif how == "a folder":
        path.unlink()
        path.mkdir()
    elif how == "a link out":
        path.rename(tmp_path / name)
        path.symlink_to(tmp_path / name)
    elif how == "cut":
        path.write_bytes(data[:-1])
    elif how == "longer":
        path.write_bytes(data + data[:9])
    else:
        path.write_bytes(bytes(reversed(data)))
    if (name, how) in ((JOURNAL, "cut"), (JOURNAL, "longer")):  # what a crash leaves
        assert [notice.code for notice in Mesh.open(home).notices] == ["torn-tail"]
        return
    with pytest.raises(SessionError):
        Mesh.open(home)


FORGED: list[tuple[str, Any, str]] = [
    ("transaction", {}, "missing-key"),
    ("resolver", {"steps": [], "log": [], "more": 1}, "unknown-key"),
    ("resolver", {"steps": [["label", "x"]], "log": []}, "wrong-type"),
    ("resolver", {"steps": [["lable", "x", "y"]], "log": []}, "unknown-word"),
    ("resolver", {"steps": [["alias", "x", "entity:none"]], "log": []}, "unknown-id"),
    ("resolver", {"steps": [["label", "entity:none", "Y"]], "log": []}, "resolver-differs"),
    ("resolver", {"steps": [["label", "entity:a", "Y"], ["label", "entity:a", "Z"]], "log": []}, "two-identities"),
    ("resolver", {"steps": [], "log": [{}]}, "missing-key"),
    ("walk", {"nodes": {"nothing": 1}, "edges": {}, "last": []}, "unknown-id"),
    ("walk", {"nodes": {"source:log": -1}, "edges": {}, "last": []}, "out-of-range"),
    ("walk", {"nodes": {"source:log": True}, "edges": {}, "last": []}, "wrong-type"),
    ("walk", {"nodes": [], "edges": {}, "last": []}, "wrong-type"),
    ("walk", {"nodes": {}, "edges": {}, "last": [1]}, "wrong-type"),
    (
        "walk",
        {"nodes": {}, "edges": {}, "last": [{"question": "?", "answer": None, "dead_end": None, "seeds": []}]},
        "half-answered",
    ),
    ("plan", {"round": 1, "tasks": [], "entries": [], "head": "0" * 64}, "incomplete-plan"),
]


@pytest.mark.parametrize(("kind", "body", "code"), FORGED)
def test_a_forged_line_with_the_right_digest_is_refused_with_its_place(
    home: Path, kind: str, body: Any, code: str
) -> None:
    start = beginning((home / MANIFEST).read_bytes())
    (home / JOURNAL).write_bytes(encode(start, [(kind, body)])[0])
    with pytest.raises(SessionError) as caught:
        Mesh.open(home)
    assert caught.value.code == code
    if code != "resolver-differs":
        where = caught.value.problem.where
        assert where is not None
        assert (Path(where.file).name, where.line) == (JOURNAL, 1)


def test_a_transaction_that_the_rules_refuse_is_refused_with_its_line(home: Path) -> None:
    start = beginning((home / MANIFEST).read_bytes())
    line = json.loads((home / JOURNAL).read_bytes().splitlines()[0])
    body = line["body"]
    body["nodes"][0]["type"] = "rumour"
    (home / JOURNAL).write_bytes(encode(start, [("transaction", body)])[0])
    with pytest.raises(SessionError) as caught:
        Mesh.open(home)
    assert caught.value.problem.where is not None
    assert caught.value.problem.where.line == 1


def _mutants(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    """Each place of a value with something else to put there."""
    found: list[tuple[tuple[Any, ...], Any]] = []
    for other in (None, True, -1, 0.5, 10**400, "", "\0", [], {}, [[]], "x" * 50):
        if type(other) is not type(value) or other != value:
            found.append((path, other))
    if isinstance(value, dict):
        for key, member in value.items():
            found += _mutants(member, (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            found += _mutants(member, (*path, index))
    return found


def test_every_field_of_a_journal_bent_in_every_way_is_refused_or_loads(home: Path) -> None:
    """Digests are right, so that what is read is what is judged: no traceback, and nothing is written."""
    from contextmesh.base.errors import InputError

    start = beginning((home / MANIFEST).read_bytes())
    lines = [json.loads(text) for text in (home / JOURNAL).read_bytes().splitlines()]
    refused = loaded = 0
    for number, line in enumerate(lines):
        for path, other in _mutants(line["body"])[::3]:
            bent = json.loads(json.dumps([(one["kind"], one["body"]) for one in lines]))
            target = bent[number]
            steps = (1, *path)
            for step in steps[:-1]:
                target = target[step]
            target[steps[-1]] = other
            try:
                data = encode(start, [(kind, body) for kind, body in bent])[0]
            except (InputError, ValueError):
                continue
            (home / JOURNAL).write_bytes(data)
            try:
                Mesh.open(home)
                loaded += 1
            except Refusal as refusal:
                assert refusal.problem.message
                refused += 1
    assert refused > 100
    assert loaded < refused
