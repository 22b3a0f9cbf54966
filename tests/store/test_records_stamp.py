"""A stamp spares the judging of bytes that this user judged before, and does nothing for any others."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from store_records import NAME, POLICY, as_sets, rich

from contextmesh.base.errors import SnapshotError
from contextmesh.store import records_stamp
from contextmesh.store.records import records_from_bytes, records_to_bytes
from contextmesh.store.records_stamp import KEPT, Stamps, cache_directory, open_records


@pytest.fixture(scope="module")
def good() -> tuple[bytes, bytes]:
    graph, history = rich()
    data, vectors = records_to_bytes(graph.store, history.chronicle())
    assert vectors is not None
    return data, vectors


@pytest.fixture
def forged(good: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """A claim without its provenance: well formed, and against the rules."""
    header, nodes, *others = good[0].splitlines()
    rows = json.loads(nodes)
    rows[1][6][4] = None
    return b"\n".join([header, json.dumps(rows).encode(), *others, b""]), good[1]


@pytest.fixture
def stamps(tmp_path: Path) -> Stamps:
    return Stamps(tmp_path / "cache")


def test_the_first_opening_leaves_a_stamp_and_the_second_reads_the_same(
    good: tuple[bytes, bytes], stamps: Stamps
) -> None:
    assert not stamps.has(*good, POLICY)
    first, its_past = open_records(*good, NAME, POLICY, stamps=stamps)
    assert stamps.has(*good, POLICY)
    second, same_past = open_records(*good, NAME, POLICY, stamps=stamps)

    assert as_sets(second) == as_sets(first)
    assert same_past == its_past


def test_with_a_stamp_nothing_is_judged_again(
    good: tuple[bytes, bytes], stamps: Stamps, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def noted(*given: object, verified: bool, **more: object) -> object:
        asked.append(verified)
        return records_from_bytes(*given, verified=verified, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(records_stamp, "records_from_bytes", noted)
    for _ in range(2):
        open_records(*good, NAME, POLICY, stamps=stamps)

    assert asked == [False, True]


def test_a_forged_file_is_refused_whatever_else_was_stamped(
    good: tuple[bytes, bytes], forged: tuple[bytes, bytes], stamps: Stamps
) -> None:
    open_records(*good, NAME, POLICY, stamps=stamps)

    for _ in range(2):
        with pytest.raises(SnapshotError) as refused:
            open_records(*forged, NAME, POLICY, stamps=stamps)
        assert refused.value.code == "missing-field"
        assert not stamps.has(*forged, POLICY)


def test_a_stamp_is_of_its_bytes_its_vectors_its_policy_and_its_program(
    good: tuple[bytes, bytes], stamps: Stamps, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamps.add(*good, POLICY)

    assert not stamps.has(good[0] + b" ", good[1], POLICY)
    assert not stamps.has(good[0], good[1] + b"\x00", POLICY)
    assert not stamps.has(good[0], None, POLICY)
    assert not stamps.has(*good, replace(POLICY, digest="0" * 64))
    monkeypatch.setattr(records_stamp, "VERSION", "9.9")
    assert not stamps.has(*good, POLICY)


def test_a_stamp_whose_text_is_another_does_nothing(good: tuple[bytes, bytes], tmp_path: Path, stamps: Stamps) -> None:
    stamps.add(*good, POLICY)
    (stamp,) = (tmp_path / "cache").iterdir()
    stamp.write_bytes(b"{}")

    assert not stamps.has(*good, POLICY)


@pytest.mark.skipif(os.name == "nt", reason="modes are not access lists")
def test_a_cache_that_others_may_write_to_is_not_believed(
    good: tuple[bytes, bytes], tmp_path: Path, stamps: Stamps
) -> None:
    stamps.add(*good, POLICY)
    (tmp_path / "cache").chmod(0o777)
    assert not stamps.has(*good, POLICY)
    (tmp_path / "cache").chmod(0o700)
    assert stamps.has(*good, POLICY)
    (stamp,) = (tmp_path / "cache").iterdir()
    stamp.chmod(0o666)
    assert not stamps.has(*good, POLICY)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_nothing_is_followed_through_a_link(good: tuple[bytes, bytes], tmp_path: Path, stamps: Stamps) -> None:
    stamps.add(*good, POLICY)
    (tmp_path / "link").symlink_to(tmp_path / "cache")

    assert not Stamps(tmp_path / "link").has(*good, POLICY)


def test_without_a_cache_everything_works(good: tuple[bytes, bytes], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for stamps in (None, Stamps(None), Stamps(tmp_path / "file"), Stamps(tmp_path / "file" / "below")):
        for _ in range(2):
            open_records(*good, NAME, POLICY, stamps=stamps)
            assert stamps is None or not stamps.has(*good, POLICY)


def test_the_oldest_stamps_go(tmp_path: Path, stamps: Stamps) -> None:
    for number in range(KEPT + 3):
        stamps.add(str(number).encode(), None, POLICY)

    assert len(list((tmp_path / "cache").iterdir())) == KEPT
    assert stamps.has(str(KEPT + 2).encode(), None, POLICY)


def test_the_cache_lies_where_the_platform_keeps_caches() -> None:
    home = Path.home()
    assert cache_directory({"CONTEXTMESH_CACHE": "/x"}) == Path("/x")
    assert cache_directory({"CONTEXTMESH_CACHE": ""}) is None
    assert cache_directory({}, "linux") == home / ".cache" / "contextmesh"
    assert cache_directory({"XDG_CACHE_HOME": "here"}, "linux") == home / ".cache" / "contextmesh"
    assert cache_directory({}, "darwin") == home / "Library" / "Caches" / "contextmesh"
    assert cache_directory({"LOCALAPPDATA": "L"}, "win32") == Path("L") / "contextmesh" / "Cache"
    if os.name != "nt":
        assert cache_directory({"XDG_CACHE_HOME": "/c"}, "linux") == Path("/c/contextmesh")
