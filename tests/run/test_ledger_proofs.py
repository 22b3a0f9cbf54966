"""A proof is checked by a checkpoint alone: one that was bent, or is of another ledger, is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contextmesh.run import RunLedger
from contextmesh.run.ledger_file import ledger_to_bytes
from tests.cli.conftest import Run, run  # noqa: F401


def _nested(levels: int) -> Any:
    return [_nested(levels - 1)] if levels else []


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:  # noqa: F811
    """A ledger of nine entries, a signed checkpoint of it, and the ledger as it grew to twelve."""
    monkeypatch.chdir(tmp_path)
    ledger = RunLedger()
    for number in range(1, 13):
        ledger.append("executed", f"task {number}", round=1)
        if number == 9:
            (tmp_path / "nine.json").write_bytes(ledger_to_bytes(ledger))
    (tmp_path / "twelve.json").write_bytes(ledger_to_bytes(ledger))
    made = run("ledger", "checkpoint", "--file", "nine.json", "--key", "k", "--make-key", "mill", "--out", "monday")
    assert made.code == 0
    return tmp_path


def proof(run: Run, place: Path, *asked: str) -> dict[str, Any]:  # noqa: F811
    told = run("ledger", "prove", *asked, "--json")
    assert told.code == 0
    (place / "proof.json").write_text(told.out, encoding="utf-8")
    made: dict[str, Any] = told.json
    return made


CHECK = ("ledger", "verify", "--proof", "proof.json", "--against", "monday", "--key", "k.pub")


def test_whoever_holds_a_checkpoint_checks_a_proof_without_the_ledger(place: Path, run: Run) -> None:  # noqa: F811
    for asked, words in (
        (("4", "--file", "nine.json"), "entry 4 is in the log"),
        (("4", "--file", "twelve.json", "--size", "9"), "entry 4 is in the log"),
        (("--since", "9", "--file", "twelve.json"), "9 entries begin 12"),
        (("--since", "5", "--file", "nine.json"), "5 entries begin 9"),
    ):
        proof(run, place, *asked)
        told = run(*CHECK, "--json")
        assert (told.code, told.json["verified"]) == (0, True), asked
        assert words in told.json["words"]
    assert "signature of the checkpoint was not looked at" in run(*CHECK[:-2]).out


@pytest.mark.parametrize("asked", [("4", "--file", "twelve.json"), ("--since", "5", "--file", "twelve.json")])
def test_a_proof_of_another_size_is_not_proven_by_the_checkpoint(
    asked: tuple[str, ...],
    place: Path,
    run: Run,  # noqa: F811
) -> None:
    proof(run, place, *asked)
    told = run(*CHECK, "--json")
    assert (told.code, told.json["verified"]) == (1, False)


@pytest.mark.parametrize("asked", [("4", "--file", "nine.json"), ("--since", "9", "--file", "twelve.json")])
def test_whatever_is_bent_in_a_proof_it_proves_nothing(asked: tuple[str, ...], place: Path, run: Run) -> None:  # noqa: F811
    whole = proof(run, place, *asked)
    other = "A" * 43 + "="
    bent = [
        {**whole, "hashes": whole["hashes"][1:]},
        {**whole, "hashes": [*whole["hashes"], other]},
        {**whole, "hashes": [other, *whole["hashes"][1:]]},
        {**whole, "root": other},
        {**whole, "size": whole["size"] + 1},
    ]
    if "entry" in whole:
        bent += [
            {**whole, "entry": {**whole["entry"], "task": "another"}},
            {**whole, "index": 4},
            {**whole, "leaf": other},
        ]
    for one in bent:
        (place / "proof.json").write_text(json.dumps(one), encoding="utf-8")
        assert run(*CHECK).code == 1, one
    for no_proof in ([], {}, {"proof": "x"}, {**whole, "more": 1}, {**whole, "root": "AAAA"}, {**whole, "hashes": [3]}):
        (place / "proof.json").write_text(json.dumps(no_proof), encoding="utf-8")
        assert run(*CHECK).code == 2, no_proof


def test_what_is_no_note_no_key_and_no_proof_is_refused_with_its_file(place: Path, run: Run) -> None:  # noqa: F811
    deep = {"proof": "inclusion", "entry": {"deep": _nested(62)}}
    proof = json.loads(run("ledger", "prove", "2", "--file", "nine.json", "--json").out) | deep
    for name, data, code in (
        ("bad", b"no note\n", "bad-checkpoint"),
        ("bad", b"\xff", "not-utf-8"),
        ("k.pub", b"no key\n", "bad-key-file"),
        ("deep", json.dumps(proof).encode(), "not-canonical"),
    ):
        (place / name).write_bytes(data)
        words = ["--file", "nine.json", "--against", "bad" if name == "bad" else "monday"]
        words += ["--key", "k.pub"] if name == "k.pub" else ["--proof", "deep"] if name == "deep" else []
        refused = run("ledger", "verify", *words, "--json")
        assert (refused.code, refused.json["error"]["code"]) == (2, code)
        assert refused.json["error"]["where"]["file"] == name


def test_a_proof_needs_a_checkpoint_and_an_entry_that_was_there(place: Path, run: Run) -> None:  # noqa: F811
    proof(run, place, "4", "--file", "nine.json")
    assert run("ledger", "verify", "--proof", "proof.json").code == 2
    assert run("ledger", "verify", "--proof", "gone.json", "--against", "monday").code == 2
    assert run("ledger", "prove", "10", "--size", "9", "--file", "twelve.json").code == 2
    assert run("ledger", "prove", "4", "--size", "13", "--file", "twelve.json").code == 2
    assert run("ledger", "prove", "--since", "4", "--size", "9", "--file", "twelve.json").code == 2
