"""The ledger: a chain, written exactly, read as untrusted, and never said to be more than was shown."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.base.chain import Checkpoint
from contextmesh.base.errors import LedgerIntegrityError
from contextmesh.run import RunLedger
from contextmesh.run.disproof import SPELT_OUT
from contextmesh.run.ledger import EVENTS, words_of
from contextmesh.run.ledger_file import ledger_from_bytes, ledger_to_bytes
from contextmesh.run.redact import Disclosure
from tests.run.test_rounds import ran
from tests.run.worlds import Shape, World

Data = dict[str, Any]


def nine() -> RunLedger:
    ledger = RunLedger()
    for number in range(9):
        ledger.append("cached", f"task {number % 3}", round=number // 3, detail=f"grün {number}", data={"n": number})
    return ledger


def rechained(data: Data) -> Data:
    """A forger's work: every digest made anew, from the text of the format alone."""
    previous = "0" * 64
    for entry in data["entries"]:
        payload = {name: value for name, value in entry.items() if name != "digest"}
        text = json.dumps({**payload, "previous": previous}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        entry["digest"] = previous = hashlib.sha256(text.encode()).hexdigest()
    data["head"] = previous
    return data


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abcé", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(EVENTS), st.dictionaries(st.text("ab", max_size=2), json_values)), max_size=6)
)
def test_what_is_written_is_read_back_and_its_chain_is_the_one_of_the_format(rows: list[Any]) -> None:
    ledger = RunLedger()
    for number, (event, data) in enumerate(rows):
        ledger.append(event, "dye", round=number, data=data)

    read = ledger_from_bytes(ledger_to_bytes(ledger), expect_head=ledger.head)

    assert ledger_to_bytes(read) == ledger_to_bytes(ledger)
    assert read.entries == ledger.entries
    snapshot = ledger.snapshot()
    assert rechained(copy.deepcopy(snapshot)) == json.loads(json.dumps(snapshot))


def test_the_chain_of_a_known_entry_is_the_one_worked_out_by_hand() -> None:
    ledger = RunLedger()
    ledger.append("executed", "dough", round=1, detail="attempt 1", node_id="decision:x")

    text = (
        '{"assumption_id":null,"data":{},"detail":"attempt 1","event":"executed","node_id":"decision:x",'
        f'"previous":"{"0" * 64}","round":1,"seq":1,"task":"dough"}}'
    )
    assert ledger.head == hashlib.sha256(text.encode()).hexdigest()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 8), st.sampled_from(("round", "event", "task", "detail", "node_id", "data", "digest", "seq")))
def test_an_altered_entry_is_refused(number: int, field: str) -> None:
    data = nine().snapshot()
    other = {"round": 77, "event": "failed", "task": "x", "detail": "x", "node_id": "x", "data": {"n": -1}}
    data["entries"][number][field] = {**other, "digest": "a" * 64, "seq": number + 2}[field]

    with pytest.raises(LedgerIntegrityError):
        RunLedger.from_snapshot(data)


@given(st.integers(0, 8), st.integers(0, 8))
def test_entries_that_change_places_or_are_missing_in_the_middle_are_refused(one: int, other: int) -> None:
    data = nine().snapshot()
    entries = data["entries"]
    if one == other:
        del entries[one]
        if one == 8:
            return
    else:
        entries[one], entries[other] = entries[other], entries[one]

    with pytest.raises(LedgerIntegrityError):
        RunLedger.from_snapshot(data)


def cut(size: int) -> Data:
    data = nine().snapshot()
    data["entries"] = data["entries"][:size]
    data["head"] = data["entries"][-1]["digest"]
    return data


def test_a_ledger_without_its_end_is_consistent_and_not_proven_complete() -> None:
    verdict = RunLedger.from_snapshot(cut(7)).verify()

    assert words_of(verdict) == "chain consistent, 7 entries, completeness not proven"
    assert not verdict.complete


def test_a_ledger_without_its_end_is_refused_by_the_trusted_head() -> None:
    with pytest.raises(LedgerIntegrityError) as refused:
        RunLedger.from_snapshot(cut(7), expect_head=nine().head)
    assert refused.value.code == "head-differs"


def test_a_ledger_without_its_end_is_refused_by_a_checkpoint() -> None:
    verdict = RunLedger.from_snapshot(cut(7)).verify(checkpoint=Checkpoint(9, nine().head))

    assert words_of(verdict) == "refused: shorter than checkpoint: 7 < 9"


def test_a_whole_ledger_is_complete_by_its_head_and_by_a_checkpoint_until_it_goes_on() -> None:
    ledger = nine()
    kept = Checkpoint(9, ledger.head)
    assert ledger.verify(checkpoint=kept).complete
    ledger.append("cached", "dye", round=3)

    assert words_of(ledger.verify(expect_head=ledger.head)) == "chain consistent, 10 entries, complete"
    assert ledger.verify(checkpoint=kept, expect_head=ledger.head).complete
    grown = ledger.verify(checkpoint=kept)
    assert (bool(grown), grown.complete) == (True, False)


def test_a_forged_chain_is_only_found_out_by_who_knows_the_head() -> None:
    forged = nine().snapshot()
    forged["entries"][4]["detail"] = "nothing happened"
    forged = rechained(forged)

    assert not RunLedger.from_snapshot(forged).verify().complete
    with pytest.raises(LedgerIntegrityError):
        RunLedger.from_snapshot(forged, expect_head=nine().head)


BENT: dict[str, tuple[dict[str, Any], str]] = {
    "another schema": ({"schema": "x"}, "wrong-schema"),
    "version true": ({"version": True}, "wrong-version"),
    "a head in capitals": ({"head": "A" * 64}, "malformed-digest"),
    "a short head": ({"head": "ab"}, "malformed-digest"),
    "another head": ({"head": "a" * 64}, "ledger-broken"),
    "entries no array": ({"entries": {}}, "wrong-type"),
    "an entry that is text": ({"entries": ["x"]}, "wrong-type"),
    "a key too many": ({"note": 1}, "unknown-key"),
}


@pytest.mark.parametrize("case", BENT)
def test_a_bent_container_is_refused(case: str) -> None:
    changes, code = BENT[case]
    with pytest.raises(LedgerIntegrityError) as refused:
        RunLedger.from_snapshot({**nine().snapshot(), **changes})
    assert refused.value.code == code


FIELDS: dict[str, tuple[str, Any, str]] = {
    "seq as text": ("seq", "1", "wrong-type"),
    "seq true": ("seq", True, "wrong-type"),
    "round negative": ("round", -1, "out-of-range"),
    "round a fraction": ("round", 1.0, "wrong-type"),
    "event unknown": ("event", "slept", "unknown-word"),
    "task null": ("task", None, "wrong-type"),
    "detail a number": ("detail", 3, "wrong-type"),
    "node a number": ("node_id", 3, "wrong-type"),
    "data a list": ("data", [], "wrong-type"),
    "digest short": ("digest", "ab", "malformed-digest"),
}


@pytest.mark.parametrize("case", FIELDS)
def test_a_bent_entry_is_refused_with_its_place(case: str) -> None:
    name, value, code = FIELDS[case]
    data = nine().snapshot()
    data["entries"][0][name] = value
    with pytest.raises(LedgerIntegrityError) as refused:
        RunLedger.from_snapshot(data)
    assert refused.value.code == code
    assert dict(refused.value.problem.fields)["path"] == f"$.entries[0].{name}"


@pytest.mark.parametrize("text", [b"", b"[]", b'{"head": 1, "head": 2}', b'{"x": Infinity}', b"\xff"])
def test_a_text_that_is_no_ledger_is_refused(text: bytes) -> None:
    with pytest.raises(LedgerIntegrityError):
        ledger_from_bytes(text)


# ---- receipts -----------------------------------------------------------------------------------


def test_a_disproof_is_one_entry_with_the_whole_receipt() -> None:
    world, runner = ran()
    world.finds["dye"] = "disproved"
    runner.recheck()

    (receipt,) = runner.ledger.receipts()

    assert receipt["assumption"] == "the river runs clear"
    assert receipt["disproved_by"] == "dye"
    assert receipt["reason"] == "the river runs clear no more"
    fallen = {runner.graph.node(name).label for name in receipt["invalidated"]}
    assert fallen == {"Dye", "Wool", "Cloth", "dye made", "wool made", "cloth made"}
    live = sorted(node.id for node in runner.graph.live_nodes())
    assert receipt["preserved"] == live
    assert receipt["preserved_count"] == len(live)


def test_a_large_preserved_set_is_a_count_and_a_digest() -> None:
    world = World()
    runner = Shape(((0, (), True), (1, (0,), False))).plan(world.registry())
    runner.run()
    for number in range(SPELT_OUT + 1):
        runner.graph.assume(f"bale {number} is dry")
    world.finds["dye"] = "disproved"
    runner.recheck()

    (receipt,) = runner.ledger.receipts()

    live = sorted(node.id for node in runner.graph.live_nodes())
    assert "preserved" not in receipt
    assert receipt["preserved_count"] == len(live)
    text = json.dumps(live, separators=(",", ":"), ensure_ascii=False)
    assert receipt["preserved_digest"] == hashlib.sha256(text.encode()).hexdigest()


def test_a_receipt_that_lists_everything_is_read_and_verified() -> None:
    ledger = RunLedger()
    full = {"assumption": "x", "invalidated": {}, "preserved": [f"entity:{n}" for n in range(5000)]}
    ledger.append("disproved", "dye", round=1, data=full)

    read = ledger_from_bytes(ledger_to_bytes(ledger), expect_head=ledger.head)

    assert read.receipts() == (full,)
    assert read.verify(expect_head=ledger.head).complete


# ---- redaction ------------------------------------------------------------------------------------


def salts(start: int = 0) -> Any:
    count = [start]

    def salt(size: int) -> bytes:
        count[0] += 1
        return hashlib.sha256(str(count[0]).encode()).digest()[:size]

    return salt


def secretive() -> RunLedger:
    ledger = RunLedger(salts=salts())
    ledger.append("audited", "dye", round=1, detail="fails: ", free="Ms Quill saw mud")
    ledger.append("disproved", "dye", round=1, free="Ms Quill saw mud", data={"reason": "Ms Quill saw mud", "n": 1})
    ledger.append("cached", "wool", round=1, detail="stands")
    return ledger


def test_committed_text_is_not_in_the_ledger_and_is_read_through_it() -> None:
    ledger = secretive()

    assert b"Quill" not in ledger_to_bytes(ledger)
    assert ledger.text(ledger.entry(1).detail) == "fails: Ms Quill saw mud"
    assert ledger.text(ledger.entry(2).data["reason"]) == "Ms Quill saw mud"
    assert ledger.entry(1).detail != ledger.entry(2).detail


def test_dropping_text_and_salt_leaves_the_chain_as_it_was() -> None:
    ledger = secretive()
    head, root = ledger.head, ledger.tree.root()

    assert ledger.redact(1) == 1
    assert ledger.redact(2) == 1

    assert ledger.text(ledger.entry(1).detail) == "fails: [redacted]"
    assert (ledger.head, ledger.tree.root()) == (head, root)
    assert ledger.verify(expect_head=head).complete
    assert ledger.texts.disclosures() == ()


def test_texts_kept_beside_a_ledger_are_checked_when_it_is_read() -> None:
    ledger = secretive()
    kept = ledger.texts.disclosures()

    read = RunLedger.from_snapshot(ledger.snapshot(), disclosures=kept)
    assert read.text(read.entry(1).detail) == "fails: Ms Quill saw mud"

    forged = Disclosure(kept[0].digest, kept[0].salt, "Mr Reed saw mud")
    with pytest.raises(LedgerIntegrityError) as refused:
        RunLedger.from_snapshot(ledger.snapshot(), disclosures=[forged])
    assert refused.value.code == "disclosure-differs"


def test_a_plan_with_a_redactable_ledger_runs_as_any_other() -> None:
    world = World(finds={"dye": "fail"})
    runner = Shape(((0, (), True),)).plan(world.registry(), ledger=RunLedger(salts=salts()))

    assert runner.run().failed == {"dye": "it is crooked"}
    assert b"crooked" not in ledger_to_bytes(runner.ledger)
