"""Signed checkpoints: the published form, and nothing that was changed passes for one."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.errors import LedgerIntegrityError
from contextmesh.run import RunLedger
from contextmesh.run.checkpoint import (
    SigningKey,
    VerifyKey,
    against,
    checkpoint_of,
    open_checkpoint,
    read_checkpoint,
    sign_checkpoint,
)
from contextmesh.run.ledger import words_of
from tests.run.test_ledger import cut, nine

KEY = SigningKey("example.org/weave", bytes(range(32)))
OTHER = SigningKey("example.org/weave", bytes(range(1, 33)))
NOTE = sign_checkpoint(checkpoint_of(nine(), "example.org/weave"), KEY)


def test_the_key_and_the_signature_that_the_note_format_publishes_are_ours_too() -> None:
    public = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    secret = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
    text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    signed = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="

    key = SigningKey.parse(secret)

    assert str(key) == secret
    assert str(key.verify_key) == public
    assert VerifyKey.parse(public) == key.verify_key
    assert base64.b64encode(key.verify_key.id + key.sign(text.encode())).decode() == signed


def test_a_checkpoint_is_three_lines_an_empty_one_and_a_signature() -> None:
    lines = NOTE.split("\n")

    assert lines[:2] == ["example.org/weave", "9"]
    assert base64.b64decode(lines[2]) == nine().tree.root()
    assert lines[3] == ""
    assert lines[4].startswith("— example.org/weave ")
    assert lines[5:] == [""]


def test_a_signed_checkpoint_is_opened_by_its_key() -> None:
    assert open_checkpoint(NOTE, [KEY.verify_key]) == checkpoint_of(nine(), "example.org/weave")


def test_no_other_key_opens_it() -> None:
    with pytest.raises(LedgerIntegrityError) as refused:
        open_checkpoint(NOTE, [OTHER.verify_key])
    assert refused.value.code == "unknown-signer"


def test_further_signatures_are_ignored() -> None:
    unknown = base64.b64encode(b"\x00" * 80).decode()
    assert open_checkpoint(f"{NOTE}— example.net/witness {unknown}\n", [KEY.verify_key]).size == 9


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(NOTE) - 1), st.characters(codec="utf-8"))
def test_a_changed_character_is_refused(place: int, char: str) -> None:
    changed = NOTE[:place] + char + NOTE[place + 1 :]
    if changed == NOTE:
        return
    with pytest.raises(LedgerIntegrityError):
        # The last character of base64 may carry bits that say nothing; what is signed is what counts.
        if open_checkpoint(changed, [KEY.verify_key]) == open_checkpoint(NOTE, [KEY.verify_key]):
            raise LedgerIntegrityError(*_same())


def _same():  # type: ignore[no-untyped-def]
    from contextmesh.base.errors import Problem

    return (Problem("bad-checkpoint", "the same checkpoint in another spelling"),)


@given(st.text())
def test_any_text_is_a_checkpoint_or_refused(text: str) -> None:
    try:
        read_checkpoint(text)
    except LedgerIntegrityError as refused:
        assert refused.code == "bad-checkpoint"


BAD = {
    "no signature": "example.org/weave\n9\nAA==\n",
    "a size with a sign": NOTE.replace("\n9\n", "\n+9\n"),
    "a size with a zero": NOTE.replace("\n9\n", "\n09\n"),
    "a root that is short": "a\n9\nAAAA\n\n— a AAAAAAAA\n",
    "a root that is no base64": "a\n9\n!\n\n— a AAAAAAAA\n",
    "a hyphen for the dash": NOTE.replace("— ", "- "),
    "no end": NOTE.removesuffix("\n"),
    "a control character": NOTE.replace("example", "exam\x07ple"),
    "an empty line": NOTE.replace("\n9\n", "\n9\n\n"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_checkpoint_is_refused(case: str) -> None:
    with pytest.raises(LedgerIntegrityError) as refused:
        open_checkpoint(BAD[case], [KEY.verify_key])
    assert refused.value.code == "bad-checkpoint"


@pytest.mark.parametrize(
    "text",
    ["", "a+b", "name+00+AA==", str(KEY.verify_key).replace("+A", "+B"), f"x{KEY.verify_key}", "PRIVATE+KEY+a+b+c"],
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(LedgerIntegrityError):
        VerifyKey.parse(text)
    with pytest.raises(LedgerIntegrityError):
        SigningKey.parse(text)


def test_a_secret_is_not_shown_by_accident() -> None:
    assert repr(KEY) == "SigningKey('example.org/weave')"


def test_a_ledger_is_complete_as_far_as_its_checkpoint_and_no_further_once_it_grew() -> None:
    ledger = nine()
    whole = against(ledger.verify(), ledger.tree, read_checkpoint(NOTE))
    ledger.append("cached", "dye", round=9)

    grown = against(ledger.verify(), ledger.tree, read_checkpoint(NOTE))
    known = against(ledger.verify(expect_head=ledger.head), ledger.tree, read_checkpoint(NOTE))

    assert words_of(whole) == "chain consistent, 9 entries, complete"
    assert words_of(grown) == "chain consistent, 10 entries, complete up to 9; 1 entry beyond it is not covered"
    assert words_of(known) == "chain consistent, 10 entries, complete"


def test_a_ledger_without_its_end_is_shorter_than_its_checkpoint() -> None:
    ledger = RunLedger.from_snapshot(cut(7))

    verdict = against(ledger.verify(), ledger.tree, read_checkpoint(NOTE))

    assert words_of(verdict) == "refused: shorter than checkpoint: 7 < 9"


def test_another_history_is_not_the_one_of_the_checkpoint() -> None:
    ledger = RunLedger()
    for number in range(12):
        ledger.append("cached", "dye", round=number)

    verdict = against(ledger.verify(), ledger.tree, read_checkpoint(NOTE))

    assert words_of(verdict) == "refused: its first 9 entries are not those of the checkpoint"
