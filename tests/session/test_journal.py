"""A journal gives back what was acknowledged, or says which line is not what was written."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.base.canon import canonical
from contextmesh.base.chain import link
from contextmesh.base.errors import SessionError
from contextmesh.base.strict import parse
from contextmesh.session import journal
from contextmesh.session.append import opened
from contextmesh.session.journal import KINDS, Position, beginning, decode, encode

MANIFEST = b'{"generation": 1}\n'
START = beginning(MANIFEST)
ENTRIES: list[tuple[str, dict[str, Any]]] = [
    ("walk", {"walks": {"a": 1}}),
    ("resolver", {"aliases": {"häfen": "e:1"}}),
    ("transaction", {"seq": 3, "nodes": [["x", 0.25, None]]}),
]
FILE = "journal-000001.jsonl"

scalars = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    scalars | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abé\n", max_size=3), inner, max_size=3),
    max_leaves=8,
)
bodies = st.dictionaries(st.text("abc", max_size=3), values, max_size=3)
entries = st.lists(st.tuples(st.sampled_from(KINDS), bodies), max_size=5)


def written(entries: list[tuple[str, dict[str, Any]]], start: Position = START) -> tuple[bytes, Position]:
    """Each entry as a checkpoint of its own."""
    data = b""
    for entry in entries:
        more, start = encode(start, [entry])
        data += more
    return data, start


def read(data: bytes, start: Position = START) -> list[tuple[str, dict[str, Any]]]:
    return [(line.kind, line.body) for line in decode(data, start, FILE).lines]


@given(entries, entries)
def test_what_was_written_in_two_goes_is_read_in_one(
    first: list[tuple[str, dict[str, Any]]], second: list[tuple[str, dict[str, Any]]]
) -> None:
    data, position = encode(START, first)
    more, end = encode(position, second)
    assert position.lines == len(first)
    lines = decode(data + more, START, FILE)
    assert [(line.kind, line.body) for line in lines.lines] == [*first, *second]
    assert (lines.position, lines.torn) == (end, 0)
    assert decode(more, position, FILE).position == end


def test_a_line_is_chained_like_an_entry_of_the_ledger() -> None:
    data, _ = encode(START, ENTRIES)
    previous = hashlib.sha256(MANIFEST).hexdigest()
    for number, text in enumerate(data.splitlines(), start=1):
        line = parse(text, FILE).value
        assert canonical(line).encode() == text
        stated = line.pop("digest")
        assert stated == link(line, previous)
        assert line["at"] == number
        previous = stated


def test_a_journal_cut_anywhere_keeps_its_whole_lines_and_tells_the_torn_rest() -> None:
    data, _ = written(ENTRIES)
    for size in range(len(data) + 1):
        lines = decode(data[:size], START, FILE)
        whole = data[:size].count(b"\n")
        assert [(line.kind, line.body) for line in lines.lines] == ENTRIES[:whole]
        assert lines.torn == size - lines.position.size
        assert (lines.torn == 0) == (size in (0, lines.position.size))


def test_a_checkpoint_of_several_lines_that_is_cut_anywhere_is_dropped_whole() -> None:
    before, position = encode(START, ENTRIES[:1])
    data, _ = encode(position, ENTRIES)
    for size in range(len(data)):
        lines = decode(before + data[:size], START, FILE)
        assert (len(lines.lines), lines.position, lines.torn) == (1, position, size)


def test_a_journal_with_any_byte_flipped_is_refused_by_line_or_has_lost_its_last_newline() -> None:
    data, _ = written(ENTRIES)
    ends = [at for at, byte in enumerate(data) if byte == 0x0A]
    for at in range(len(data)):
        for mask in (0x01, 0x80, 0x2A, 0xFF, data[at] ^ 0x0A):
            bent = bytearray(data)
            bent[at] ^= mask
            if bytes(bent) == data:
                continue
            if at == ends[-1]:
                assert read(bytes(bent)) == ENTRIES[:2], "it is what a crash leaves"
                continue
            with pytest.raises(SessionError) as caught:
                decode(bytes(bent), START, FILE)
            line = next(n for n, end in enumerate(ends, start=1) if at <= end)
            where = caught.value.problem.where
            assert where is not None
            assert (where.file, where.line) == (FILE, line)
            assert dict(caught.value.problem.fields)["line"] == line


@pytest.mark.parametrize("tail", [b"\0" * 4096, b'{"at":4,', b'{"at":4,"body"\0\0\0\0'])
def test_a_tail_of_half_a_line_or_of_nothing_is_torn(tail: bytes) -> None:
    data, position = encode(START, ENTRIES)
    lines = decode(data + tail, START, FILE)
    assert (lines.position, lines.torn) == (position, len(tail))


def test_lines_that_change_places_or_vanish_or_come_from_another_journal_are_refused() -> None:
    data, _ = written(ENTRIES)
    one, two, three = data.splitlines(keepends=True)
    other, _ = written(ENTRIES, beginning(b"another"))
    for bent in (two + one + three, one + three, one + one, two, other, one + other.splitlines(keepends=True)[1]):
        with pytest.raises(SessionError) as caught:
            decode(bent, START, FILE)
        assert caught.value.code == "journal-broken"


@pytest.mark.parametrize(
    ("body", "kind", "code"),
    [
        (b'{"a":1, "b":2}', b"walk", "journal-broken"),
        (b'{"b":1,"a":2}', b"walk", "journal-broken"),
        (b'{"a":1,"a":1}', b"walk", "duplicate-key"),
        (b'{"a":NaN}', b"walk", "not-finite"),
        (b'{"a":"\\ud800"}', b"walk", "lone-surrogate"),
        (b'{"a":1}', b"surprise", "journal-broken"),
        (b'{"a":"\xff"}', b"walk", "not-utf-8"),
        (b'{"a":' + b"[" * 100 + b"]" * 100 + b"}", b"walk", "too-deep"),
        (b'{"a":1' + b"0" * 400 + b"}", b"walk", "huge-number"),
    ],
)
def test_a_forged_line_whose_digest_is_right_is_still_held_to_strict_json(body: bytes, kind: bytes, code: str) -> None:
    covered = b'{"at":1,"body":%s,"kind":"%s","previous":"%s","rest":0}' % (body, kind, START.head.encode())
    digest = hashlib.sha256(covered).hexdigest().encode()
    with pytest.raises(SessionError) as caught:
        decode(b'{"at":1,"body":%s,"digest":"%s","kind":"%s","rest":0}\n' % (body, digest, kind), START, FILE)
    assert caught.value.code == code
    assert caught.value.problem.where is not None
    assert caught.value.problem.where.line == 1


def test_a_line_that_is_too_long_is_neither_written_nor_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data, _ = encode(START, [("walk", {"a": "x" * 100})])
    monkeypatch.setattr(journal, "LINE", 150)
    with pytest.raises(SessionError) as caught:
        encode(START, [("walk", {"a": "x" * 100})])
    assert caught.value.code == "too-large"
    with pytest.raises(SessionError) as caught:
        decode(data, START, FILE)
    assert caught.value.code == "too-large"


def test_attributes_as_deep_as_a_graph_may_hold_fit_in_a_line() -> None:
    deep: Any = 1
    for _ in range(59):
        deep = [deep]
    entry = ("transaction", {"nodes": [{"attrs": {"deep": deep}}]})
    assert read(encode(START, [entry])[0]) == [entry]


# ---- on the disk ----------------------------------------------------------------------------


def place(directory: Path, data: bytes) -> tuple[Path, tuple[int, int]]:
    (directory / FILE).write_bytes(data)
    status = directory.stat()
    return directory / FILE, (status.st_dev, status.st_ino)


def test_an_append_goes_after_what_is_there_and_over_a_torn_tail(tmp_path: Path) -> None:
    data, position = encode(START, ENTRIES[:2])
    path, identity = place(tmp_path, data + b'{"at":3')
    more, end = encode(position, ENTRIES[2:])
    with opened(tmp_path, identity, FILE) as there:
        lines = there.after(position)
        assert (lines.lines, lines.position, lines.torn) == ((), position, 7)
        there.append(lines.position, more)
    assert path.read_bytes() == data + more
    with opened(tmp_path, identity, FILE) as there:
        assert there.after(position).position == end
        assert [line.at for line in there.after(position).lines] == [3]


def test_a_journal_that_lost_what_was_seen_in_it_is_refused(tmp_path: Path) -> None:
    data, position = encode(START, ENTRIES)
    other, _ = encode(START, [("walk", {"walks": {"b": 2}}), *ENTRIES[1:]])
    for bent in (data[:-1], b"", other):
        _, identity = place(tmp_path, bent)
        with opened(tmp_path, identity, FILE) as there, pytest.raises(SessionError) as caught:
            there.after(position)
        assert caught.value.code == "journal-broken"


def test_a_journal_is_written_through_no_link_and_in_no_other_directory(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "s", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    path, identity = place(home, b"")
    (tmp_path / "second").hardlink_to(path)
    cases: list[str] = []
    with pytest.raises(SessionError) as caught, opened(home, identity, FILE):
        pass
    cases.append(caught.value.code)
    (tmp_path / "second").unlink()
    path.rename(elsewhere / FILE)
    with pytest.raises(SessionError) as caught, opened(home, identity, FILE):
        pass
    assert caught.value.code == "missing-file"
    path.symlink_to(elsewhere / FILE)
    with pytest.raises(SessionError) as caught, opened(home, identity, FILE):
        pass
    cases.append(caught.value.code)
    assert cases == ["linked-file"] * 2
    path.unlink()
    path.mkdir()
    with pytest.raises((SessionError, OSError)), opened(home, identity, FILE):
        pass
    with pytest.raises(SessionError) as caught, opened(elsewhere, identity, FILE):
        pass
    assert caught.value.code == "home-changed"
