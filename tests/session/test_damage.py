"""A session directory bent in any named way is refused by code and stays as it was; an earlier whole one is offered."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contextmesh import session
from contextmesh.base.errors import SessionError
from contextmesh.base.source import render_refusal

from .places import edit, ferry_session, generations_of, listing

Bend = Callable[[Path], object]

MANIFEST, GRAPH, RESOLVER = "session-000001.json", "graph-000001.json", "resolver-000001.json"
EXECUTION, LEDGER = "execution-000001.json", "runledger-000001.json"


def _edit(name: str, change: Callable[[dict[str, Any]], object]) -> Bend:
    return lambda directory: edit(directory / name, change)


def _manifest(**changes: Any) -> Bend:
    return _edit(MANIFEST, lambda value: value.update(changes))


def _walker(**changes: Any) -> Bend:
    return _edit(MANIFEST, lambda value: value["walker"].update(changes))


def _text(name: str, change: Callable[[str], str]) -> Bend:
    return lambda d: (d / name).write_text(change((d / name).read_text("utf-8")), "utf-8")


def _linked(name: str) -> Bend:
    def bend(directory: Path) -> None:
        target = directory.parent / name
        (directory / name).rename(target)
        (directory / name).symlink_to(target)

    return bend


def _nested(levels: int) -> Any:
    return [_nested(levels - 1)] if levels else []


def _to_itself(name: str) -> Bend:
    return lambda directory: ((directory / name).unlink(), (directory / name).symlink_to(name))


_KEYS = (
    *("schema", "version", "generation", "rounds", "walker", "graph"),
    *("resolver", "execution", "ledger", "ledger_head"),
)

BENT: dict[str, tuple[Bend, str]] = {
    **{f"a manifest without {key}": (_edit(MANIFEST, lambda v, key=key: v.pop(key)), "missing-key") for key in _KEYS},  # type: ignore[misc]
    "an unknown key of the manifest": (_manifest(note=""), "unknown-key"),
    "an array as manifest": (_text(MANIFEST, lambda text: "[]"), "wrong-type"),
    "an empty manifest": (_text(MANIFEST, lambda text: ""), "damaged-file"),
    "a cut manifest": (_text(MANIFEST, lambda text: text[:100]), "damaged-file"),
    "NaN in the manifest": (_text(MANIFEST, lambda text: text.replace('"rounds": 1', '"rounds": NaN')), "not-finite"),
    "a key twice in the manifest": (
        _text(MANIFEST, lambda text: text.replace('"rounds": 1', '"rounds": 1, "rounds": 2')),
        "duplicate-key",
    ),
    "a huge manifest": (_text(MANIFEST, lambda text: text + " " * (1 << 20)), "too-large"),
    "another schema": (_manifest(schema="contextmesh.graph"), "wrong-schema"),
    "version true": (_manifest(version=True), "wrong-version"),
    "version 2.0": (_manifest(version=2.0), "wrong-version"),
    "version 3 with the keys of version 2": (_manifest(version=3), "unknown-key"),
    "version 4": (_manifest(version=4), "wrong-version"),
    "generation 0": (_manifest(generation=0), "out-of-range"),
    "a generation that is text": (_manifest(generation="1"), "wrong-type"),
    "another generation than the name": (_manifest(generation=2), "generation-differs"),
    "negative rounds": (_manifest(rounds=-1), "out-of-range"),
    "rounds as a truth value": (_manifest(rounds=True), "wrong-type"),
    **{
        f"a walker without {key}": (_edit(MANIFEST, lambda v, key=key: v["walker"].pop(key)), "missing-key")  # type: ignore[misc]
        for key in ("hop_budget", "policy", "flat_k", "max_expand")
    },
    "a walker that is null": (_manifest(walker=None), "wrong-type"),
    "a budget of zero": (_walker(hop_budget=0), "out-of-range"),
    "a budget that is true": (_walker(max_expand=True), "wrong-type"),
    "a policy that is text": (_walker(policy="mentions"), "wrong-type"),
    "a policy of numbers": (_walker(policy=[1]), "wrong-type"),
    "a policy of an unknown edge type": (_walker(policy=["likes"]), "unknown-word"),
    "a policy that repeats": (_walker(policy=["cites", "cites"]), "repeated-word"),
    "no graph": (_manifest(graph=None), "wrong-type"),
    "a graph elsewhere": (_manifest(graph="../graph-000001.json"), "wrong-name"),
    "a graph of another generation": (_manifest(graph="graph-000002.json"), "wrong-name"),
    "a graph named like a resolver": (_manifest(graph=RESOLVER), "wrong-name"),
    "a plan without a ledger": (_manifest(ledger=None), "incomplete-plan"),
    "a ledger without a plan": (_manifest(execution=None), "incomplete-plan"),
    "a ledger without a head": (_manifest(ledger_head=None), "incomplete-plan"),
    "a head without a plan": (_manifest(execution=None, ledger=None), "incomplete-plan"),
    "a malformed head": (_manifest(ledger_head="A" * 64), "malformed-digest"),
    "another head": (_manifest(ledger_head="0" * 64), "head-differs"),
    "a missing graph": (lambda d: (d / GRAPH).unlink(), "missing-file"),
    "a missing ledger": (lambda d: (d / LEDGER).unlink(), "missing-file"),
    "a folder instead of the resolver": (lambda d: ((d / RESOLVER).unlink(), (d / RESOLVER).mkdir()), "not-a-file"),
    "a manifest that is a link": (_linked(MANIFEST), "linked-file"),
    "a graph that is a link out of the directory": (_linked(GRAPH), "linked-file"),
    "a graph that is a link to itself": (_to_itself(GRAPH), "unreadable-file"),
    "a newer manifest that is a link": (
        lambda d: (d / "session-000009.json").symlink_to(d / MANIFEST),
        "linked-file",
    ),
    "a damaged graph": (_text(GRAPH, lambda text: text[:-3]), "damaged-file"),
    "a graph that concludes otherwise": (
        _edit(GRAPH, lambda v: v["nodes"][0].update(invalidated=True)),
        "conclusion-differs",
    ),
    "a damaged resolver": (_text(RESOLVER, lambda text: text + "{}"), "damaged-file"),
    "a resolver of other labels": (
        _edit(RESOLVER, lambda v: v["canonical"].update({"entity:card": "Ticket"})),
        "resolver-differs",
    ),
    "a resolver of things that are not there": (
        _edit(RESOLVER, lambda v: v["canonical"].update({"entity:none": "None"})),
        "resolver-differs",
    ),
    "a resolver of a claim": (
        _edit(RESOLVER, lambda v: v["canonical"].update({"claim:wrong": "The pier never closes."})),
        "resolver-differs",
    ),
    "an unknown key of the plan": (_edit(EXECUTION, lambda v: v.update(note="")), "unknown-key"),
    "a plan without a name": (_edit(EXECUTION, lambda v: v.update(plan="")), "out-of-range"),
    "a task in no state": (_edit(EXECUTION, lambda v: v["tasks"][0].update(state="blocked")), "unknown-word"),
    "a task twice": (_edit(EXECUTION, lambda v: v["tasks"].append(v["tasks"][0])), "two-tasks"),
    "a task of an unknown assumption": (
        _edit(EXECUTION, lambda v: v["tasks"][0].update(assumption_id="x")),
        "unknown-id",
    ),
    "a task that assumes something else": (
        _edit(EXECUTION, lambda v: v["tasks"][0].update(assumes="Two crews")),
        "statement-differs",
    ),
    "a task decided by an entity": (
        _edit(EXECUTION, lambda v: v["tasks"][0].update(node_id="entity:card")),
        "wrong-kind",
    ),
    "a worker key with a space": (_edit(EXECUTION, lambda v: v["tasks"][0].update(worker_key="a b")), "bad-key"),
    "a ledger entry changed": (_edit(LEDGER, lambda v: v["entries"][0].update(detail="fails")), "ledger-broken"),
    "a ledger entry gone": (_edit(LEDGER, lambda v: v["entries"].pop(0)), "out-of-range"),
    "the last ledger entry gone": (_edit(LEDGER, lambda v: v["entries"].pop()), "ledger-broken"),
    "a ledger cut and given a new head": (
        _edit(LEDGER, lambda v: (v["entries"].pop(), v.update(head=v["entries"][-1]["digest"]))),
        "head-differs",
    ),
    "a ledger of a task nobody planned": (_edit(LEDGER, lambda v: v["entries"][0].update(task="x")), "unknown-id"),
    "a ledger of an unknown node": (_edit(LEDGER, lambda v: v["entries"][1].update(node_id="x")), "unknown-id"),
    "a ledger ahead of its plan": (_edit(LEDGER, lambda v: v["entries"][1].update(round=2)), "out-of-range"),
    "a ledger entry too deep for a digest": (
        _edit(LEDGER, lambda v: v["entries"][1].update(data={"deep": _nested(59)})),
        "not-canonical",
    ),
    "a ledger of an unknown event": (_edit(LEDGER, lambda v: v["entries"][1].update(event="slept")), "unknown-word"),
}


@pytest.mark.parametrize("name", BENT)
def test_a_bent_session_is_refused_by_its_code_and_stays_as_it_was(tmp_path: Path, name: str) -> None:
    directory = ferry_session(tmp_path / "s")
    bend, code = BENT[name]
    bend(directory)
    before = listing(directory)
    with pytest.raises(SessionError) as caught:
        session.load(directory)
    assert caught.value.code == code
    assert caught.value.problem.where is not None
    assert render_refusal(caught.value)
    assert listing(directory) == before


@pytest.mark.parametrize("file", ["resolver", "plan", "ledger"])
def test_what_contradicts_another_file_is_told_at_its_line_with_the_rule_and_its_facts(
    tmp_path: Path, file: str
) -> None:
    directory = ferry_session(tmp_path / "s")
    name, word, bend = {
        "resolver": (RESOLVER, "Ticket", BENT["a resolver of other labels"][0]),
        "plan": (EXECUTION, "entity:card", BENT["a task decided by an entity"][0]),
        "ledger": (LEDGER, '"round": 2', BENT["a ledger ahead of its plan"][0]),
    }[file]
    bend(directory)
    with pytest.raises(SessionError) as caught:
        session.load(directory)
    problem = caught.value.problem
    lines = (directory / name).read_text("utf-8").splitlines()

    assert problem.where is not None and problem.where.line is not None
    assert word in lines[problem.where.line - 1]
    assert problem.note is not None
    assert problem.note.startswith(f"rule @{file} (rules/integrity.dl:")


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "the last byte removed": (lambda data: data[:-1], "changed-file"),
    "the last bracket removed": (lambda data: data.rstrip()[:-1], "damaged-file"),
    "a second document appended": (lambda data: data + b"{}", "damaged-file"),
    "a key duplicated": (lambda data: data.replace(b'"build": ', b'"build": 1,\n  "build": ', 1), "duplicate-key"),
    "a label rewritten": (lambda data: data.replace(b'"aliases": []', b'"aliases": ["x"]', 1), "changed-file"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_generation_names_file_place_and_generation_and_offers_the_one_before(
    tmp_path: Path, name: str
) -> None:
    generations_of(tmp_path / "s", 3)
    change, code = DAMAGE[name]
    path = tmp_path / "s" / "graph-000003.json"
    path.write_bytes(change(path.read_bytes()))
    before = listing(tmp_path / "s")
    with pytest.raises(SessionError) as caught:
        session.load(tmp_path / "s")
    problem = caught.value.problem
    assert problem.code == code
    assert problem.where is not None
    assert problem.where.file == str(path)
    if name != "a label rewritten":
        assert problem.where.line is not None
    fields = dict(problem.fields)
    assert (fields["generation"], fields["offered"]) == (3, 2)
    assert "generation 2 is whole; a copy of the directory without session-000003.json" in (problem.hint or "")
    assert session.load(tmp_path / "s", generation=2).generation == 2
    assert listing(tmp_path / "s") == before


def test_a_damaged_generation_with_nothing_whole_before_it_offers_nothing(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 2)
    for number in (1, 2):
        (tmp_path / "s" / f"resolver-00000{number}.json").write_bytes(b"")
    with pytest.raises(SessionError) as caught:
        session.load(tmp_path / "s")
    assert dict(caught.value.problem.fields)["offered"] is None


def test_layout_means_nothing_in_a_directory_of_another_writer(tmp_path: Path) -> None:
    directory = ferry_session(tmp_path / "s")
    for path in directory.iterdir():
        value = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps(dict(reversed(list(value.items())))))
    assert session.load(directory).generation == 1


def test_the_pointer_may_be_a_link_when_there_is_nothing_else(tmp_path: Path) -> None:
    directory = ferry_session(tmp_path / "s")
    (directory / MANIFEST).rename(tmp_path / "elsewhere.json")
    (directory / "session.json").unlink()
    (directory / "session.json").symlink_to(tmp_path / "elsewhere.json")
    assert session.load(directory).generation == 1


def test_a_link_inside_the_directory_is_followed(tmp_path: Path) -> None:
    directory = ferry_session(tmp_path / "s")
    (directory / GRAPH).rename(directory / "big.json")
    (directory / GRAPH).symlink_to("big.json")
    assert session.load(directory).generation == 1
