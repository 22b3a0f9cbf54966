"""A file of records is read as untrusted: what is wrong is refused by code and line, never a fault of ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from store_records import NAME, POLICY, rich

from contextmesh.base.errors import SnapshotError
from contextmesh.store.records import records_from_bytes, records_to_bytes


@pytest.fixture(scope="module")
def good() -> tuple[bytes, bytes]:
    graph, history = rich()
    data, vectors = records_to_bytes(graph.store, history.chronicle())
    assert vectors is not None
    return data, vectors


Change = Callable[[dict[str, Any]], None]


def bent(good: tuple[bytes, bytes], change: Change) -> bytes:
    """The file with its header and rows by kind changed."""
    header, *lines = [json.loads(line) for line in good[0].splitlines()]
    whole = {"header": header, **dict(lines)}
    change(whole)
    header = whole.pop("header")
    texts = [json.dumps(header), *(json.dumps([kind, rows]) for kind, rows in whole.items())]
    return "\n".join([*texts, ""]).encode()


def put(kind: str, row: int, column: int, value: Any) -> Change:
    def change(whole: dict[str, Any]) -> None:
        whole[kind][row][column] = value

    return change


def head(key: str, value: Any) -> Change:
    return lambda whole: whole["header"].update({key: value})


def again(kind: str, row: int) -> Change:
    def change(whole: dict[str, Any]) -> None:
        whole[kind].append(whole[kind][row])
        whole["header"]["counts"][kind] += 1

    return change


def without(kind: str) -> Change:
    def change(whole: dict[str, Any]) -> None:
        whole[kind].pop()
        whole["header"]["counts"][kind] -= 1

    return change


def moved(kind: str) -> Change:
    """A kind before the others."""

    def change(whole: dict[str, Any]) -> None:
        rows = {name: value for name, value in whole.items() if name not in (kind, "header")}
        for name in rows:
            del whole[name]
        first = whole.pop(kind)
        whole.update({kind: first, **rows})

    return change


def rejected_build(whole: dict[str, Any]) -> None:
    row = next(row for row in whole["assumptions"] if row[7] is None)
    row[7] = 0


def superseding(whole: dict[str, Any]) -> None:
    row = next(row for row in whole["assumptions"] if row[5] is not None)
    row[5] = None


def no_record(whole: dict[str, Any]) -> None:
    row = next(row for row in whole["assumptions"] if row[5:8] == [None, None, None])
    whole["assumptions"].remove(row)
    whole["header"]["counts"]["assumptions"] -= 1


def vector_of_an_edge(whole: dict[str, Any]) -> None:
    row = next(row for row in whole["older"] if row[1] == "edge")
    row[3] = True


def other_statement(whole: dict[str, Any]) -> None:
    whole["assumptions"][0][1] = "It snows."


def rationale(whole: dict[str, Any]) -> None:
    row = next(row for row in whole["nodes"] if "decision_identity" in row[3])
    row[3]["rationale"] = "for money"


def _count(whole: dict[str, Any]) -> None:
    whole["header"]["counts"].update({kind: len(rows) for kind, rows in whole.items() if kind != "header"})


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


def later(kind: str) -> Change:
    """A record that says it was born after the one behind it."""

    def change(whole: dict[str, Any]) -> None:
        born = [row[8] for row in whole[kind]]
        at = next(index for index, seq in enumerate(born) if seq < born[-1])
        whole[kind][at][8] = born[-1]

    return change


FORGED: list[tuple[str, Change]] = [
    ("wrong-schema", head("schema", "contextmesh.graph")),
    ("wrong-version", head("version", 2)),
    ("wrong-version", head("version", True)),
    ("unknown-key", head("more", 1)),
    ("wrong-type", head("seq", "1")),
    ("out-of-range", head("seq", 1)),
    ("out-of-range", later("nodes")),
    ("out-of-range", later("edges")),
    ("out-of-range", head("begins", 10_000)),
    ("out-of-range", head("build", 1)),
    ("out-of-range", head("build", 9_000)),
    ("out-of-range", head("width", 0)),
    ("embedding-size", head("width", None)),
    ("vectors-differ", head("width", 10**12)),
    ("unknown-word", head("words", ["source"])),
    ("wrong-type", head("words", [1])),
    ("missing-key", lambda whole: whole["header"].pop("words")),
    ("count-differs", lambda whole: whole["header"]["counts"].update(nodes=10**15)),
    ("count-differs", lambda whole: whole["transactions"].pop()),
    ("out-of-order", moved("transactions")),
    ("unknown-id", moved("edges")),
    ("two-identities", again("nodes", 0)),
    ("two-identities", again("edges", 0)),
    ("two-identities", again("assumptions", 0)),
    ("two-identities", again("facts", 0)),
    ("out-of-range", again("transactions", 0)),
    ("wrong-type", put("nodes", 0, 0, 1)),
    ("out-of-range", put("nodes", 0, 0, "")),
    ("wrong-type", put("nodes", 0, 1, True)),
    ("unknown-word", put("nodes", 0, 1, 1000)),
    ("out-of-range", put("nodes", 0, 1, -1)),
    ("wrong-type", put("nodes", 0, 2, None)),
    ("wrong-type", put("nodes", 0, 3, [])),
    ("wrong-type", put("nodes", 0, 3, "x")),
    ("too-deep", put("nodes", 0, 3, {"deep": nested(60)})),
    ("huge-number", put("nodes", 0, 3, {"n": 10**400})),
    ("not-finite", put("nodes", 0, 3, {"n": float("nan")})),
    ("lone-surrogate", put("nodes", 0, 3, {"n": "\ud800"})),
    ("lone-surrogate", put("nodes", 0, 2, "\ud800")),
    ("wrong-type", put("nodes", 6, 4, {})),
    ("wrong-type", put("nodes", 6, 4, [0, None, 0, []])),
    ("unknown-id", put("nodes", 6, 4, [6, None, 0, [], 0])),
    ("out-of-range", put("nodes", 6, 4, [0, [3, 2], 0, [], 0])),
    ("wrong-type", put("nodes", 6, 4, [0, [3], 0, [], 0])),
    ("unknown-word", put("nodes", 6, 4, [0, None, 999, [], 0])),
    ("unknown-word", put("nodes", 6, 4, [0, None, 0, [999], 0])),
    ("out-of-range", put("nodes", 6, 4, [0, None, 0, [], 9_000])),
    ("wrong-type", put("nodes", 0, 5, 2)),
    ("wrong-type", put("nodes", 0, 5, True)),
    ("vectors-differ", put("nodes", 0, 5, 1)),
    ("vectors-differ", put("nodes", 4, 5, 0)),
    ("embedding-size", put("nodes", 0, 5, [0.1])),
    ("embedding-size", put("nodes", 0, 5, [])),
    ("wrong-type", put("nodes", 0, 5, [0.1, "x", 1.0])),
    ("out-of-range", put("nodes", 0, 6, 9_000)),
    ("wrong-type", put("nodes", 0, 6, 1.0)),
    ("wrong-type", put("nodes", 0, 7, 0)),
    ("out-of-range", put("nodes", 0, 8, 9_000)),
    ("out-of-range", put("nodes", 0, 9, -1)),
    ("wrong-type", lambda whole: whole["nodes"][0].append(1)),
    ("wrong-type", lambda whole: whole["nodes"].__setitem__(0, {})),
    ("edge-id-differs", put("edges", -1, 0, "edge:other-123456")),
    ("unknown-id", put("edges", 0, 1, 10_000)),
    ("edge-id-differs", put("edges", 0, 1, 0)),
    ("unknown-word", put("edges", 0, 2, 10_000)),
    ("unknown-id", put("edges", 0, 3, 2**70)),
    ("unknown-id", put("edges", 0, 4, 0)),
    ("unknown-id", put("edges", 0, 5, [10_000])),
    ("wrong-type", put("edges", 0, 5, [True])),
    ("huge-number", put("edges", 0, 6, 2**53 + 1)),
    ("huge-number", put("edges", 0, 6, 10**30)),
    ("out-of-range", put("edges", 0, 6, 0)),
    ("out-of-range", put("edges", 0, 6, -1.5)),
    ("huge-number", put("edges", 0, 6, 10**400)),
    ("out-of-range", put("edges", 0, 7, 9_000)),
    ("out-of-range", put("edges", 0, 8, 9_000)),
    ("wrong-type", put("edges", 0, 9, None)),
    ("no-such-assumption", put("assumptions", 0, 0, 0)),
    ("no-assumption-record", no_record),
    ("statement-differs", other_statement),
    ("out-of-range", put("assumptions", 0, 2, 0)),
    ("out-of-range", put("assumptions", 0, 4, 9_000)),
    ("unknown-id", put("assumptions", 0, 8, [10_000])),
    ("rejection-differs", rejected_build),
    ("rejection-differs", without("verdicts")),
    ("supersession-differs", superseding),
    ("unwitnessed-verdict", put("verdicts", 0, 1, 0)),
    ("out-of-range", put("verdicts", 0, 2, 9_000)),
    ("unknown-relation", put("facts", 0, 0, "opend")),
    ("input-derived", put("facts", 0, 0, "live")),
    ("record-fact", put("facts", 0, 0, "bound")),
    ("not-a-term", put("facts", 0, 1, [True, 1])),
    ("arity", put("facts", 0, 1, ["x"])),
    ("wrong-type", put("facts", 0, 3, 1)),
    ("out-of-range", put("older", 0, 0, 9_000)),
    ("unknown-word", put("older", 0, 1, "claim")),
    ("wrong-type", put("older", 0, 2, [])),
    ("embedded-differs", vector_of_an_edge),
    ("unknown-id", lambda whole: whole["older"][0][2].update(id="nobody")),
    ("missing-key", lambda whole: whole["older"][0][2].pop("label")),
    ("not-a-date", put("transactions", 0, 2, "soon")),
    ("earlier-commit", lambda whole: [row.__setitem__(2, f"20{60 - row[0] % 60}") for row in whole["transactions"]]),
    ("out-of-range", put("transactions", 1, 0, 1)),
    ("out-of-range", put("transactions", 1, 3, 5)),
    ("fingerprint-differs", rationale),
]  # fmt: skip


@pytest.mark.parametrize(("code", "change"), FORGED, ids=[f"{n}-{c}" for n, (c, _) in enumerate(FORGED)])
def test_a_forged_file_is_refused_by_code_and_named(good: tuple[bytes, bytes], code: str, change: Change) -> None:
    data = bent(good, change)
    assert data != good[0]

    with pytest.raises(SnapshotError) as refused:
        records_from_bytes(data, good[1], NAME, POLICY)

    assert refused.value.code == code
    where = refused.value.problem.where
    assert where is not None and where.file == NAME


def test_a_wrong_edge_id_is_told_with_its_own_line_and_place(good: tuple[bytes, bytes]) -> None:
    lines = [json.loads(line) for line in good[0].splitlines()]
    at = next(number for number, line in enumerate(lines) if isinstance(line, list) and line[0] == "edges")
    rows = lines[at][1]
    rows[-2][0] = rows[-1][0] = "edge:other-123456"
    rows[-1][0] += "7"
    lines[at : at + 1] = [["edges", rows[:2]], ["edges", rows[2:]]]

    with pytest.raises(SnapshotError) as refused:
        records_from_bytes("\n".join([*map(json.dumps, lines), ""]).encode(), good[1], NAME, POLICY)

    assert refused.value.problem.message.startswith(f"$.edges[{len(rows) - 2}].id must be edge:")
    assert refused.value.problem.where is not None and refused.value.problem.where.line == at + 2


def test_an_unbent_file_is_read(good: tuple[bytes, bytes]) -> None:
    records_from_bytes(bent(good, lambda whole: None), good[1], NAME, POLICY)


def test_the_rules_judge_every_record(good: tuple[bytes, bytes]) -> None:
    kind = next(n for n, word in enumerate(json.loads(good[0].splitlines()[0])["words"]) if word == "claim")
    with pytest.raises(SnapshotError) as refused:
        records_from_bytes(bent(good, put("nodes", 6, 4, None)), good[1], NAME, POLICY)
    assert refused.value.code == "missing-field"
    assert refused.value.problem.where is not None and refused.value.problem.where.line == 2

    pairs = bent(good, lambda whole: (put("nodes", 0, 1, kind)(whole), whole.update(older=[]), _count(whole)))
    with pytest.raises(SnapshotError) as refused:
        records_from_bytes(pairs, good[1], NAME, POLICY)
    assert {problem.code for problem in refused.value.problems} >= {"illegal-pair", "missing-field"}


def test_what_is_loaded_as_verified_is_parsed_and_not_judged(good: tuple[bytes, bytes]) -> None:
    records_from_bytes(bent(good, put("nodes", 6, 4, None)), good[1], NAME, POLICY, verified=True)
    with pytest.raises(SnapshotError):
        records_from_bytes(bent(good, put("nodes", 6, 4, 1)), good[1], NAME, POLICY, verified=True)


@pytest.mark.parametrize(("vectors", "code"), [
    (None, "vectors-differ"), (b"", "vectors-differ"), (b"x", "vectors-differ"), (b"\x00" * 2**16, "vectors-differ"),
])  # fmt: skip
def test_vectors_that_do_not_fit_are_refused(good: tuple[bytes, bytes], vectors: bytes | None, code: str) -> None:
    with pytest.raises(SnapshotError) as refused:
        records_from_bytes(good[0], vectors, NAME, POLICY)

    assert refused.value.code == code


@pytest.mark.parametrize("number", [b"\x00\x00\xc0\x7f", b"\x00\x00\x80\x7f", b"\x00\x00\x80\xff"])
def test_vectors_of_numbers_that_are_not_finite_are_refused(good: tuple[bytes, bytes], number: bytes) -> None:
    with pytest.raises(SnapshotError) as refused:
        records_from_bytes(good[0], good[1][:-4] + number, NAME, POLICY)

    assert refused.value.code == "not-finite"


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n", b"[]\n", b"\xef\xbb\xbf{}\n", b"\xff\n", b"x", b"null\n"])
def test_what_is_no_records_file_is_refused(data: bytes) -> None:
    with pytest.raises(SnapshotError):
        records_from_bytes(data, None, NAME, POLICY)


def test_a_duplicate_key_of_an_attribute_is_refused(good: tuple[bytes, bytes]) -> None:
    with pytest.raises(SnapshotError) as refused:
        records_from_bytes(good[0].replace(b'{"origin":""', b'{"origin":"","origin":""', 1), good[1], NAME, POLICY)

    assert refused.value.code == "duplicate-key"
    assert refused.value.problem.where is not None and refused.value.problem.where.line == 2


def test_a_file_that_was_cut_off_is_refused_wherever_it_was_cut(good: tuple[bytes, bytes]) -> None:
    for end in range(0, len(good[0]), 37):
        with pytest.raises(SnapshotError):
            records_from_bytes(good[0][:end], good[1], NAME, POLICY)


def test_a_changed_byte_is_refused_by_code_or_makes_another_file(good: tuple[bytes, bytes]) -> None:
    """Never a fault of ours. What is let pass is a file that somebody could have written."""
    data, vectors = good
    for at in range(0, len(data), 71):
        mask = (0x01, 0x10, 0x80)[at % 3]
        changed = data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]
        try:
            store, chronicle = records_from_bytes(changed, vectors, NAME, POLICY)
        except SnapshotError as refusal:
            assert refusal.problem.where is not None
        else:
            assert records_from_bytes(*records_to_bytes(store, chronicle), NAME, POLICY)
