"""Files are read whole within a limit, written whole or not at all, and only files are files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contextmesh.base.errors import InputError
from contextmesh.base.files import is_staged, read_bytes, read_start, write_bytes, write_out


def code_of(path: Path, **how: object) -> str:
    with pytest.raises(InputError) as caught:
        read_bytes(path, **how)  # type: ignore[arg-type]
    assert caught.value.problem.where is not None
    return caught.value.code


def test_what_is_no_readable_file_is_refused_by_code(tmp_path: Path) -> None:
    assert code_of(tmp_path / "none") == "missing-file"
    assert code_of(tmp_path) == "not-a-file"
    assert code_of(tmp_path / "x" / "\0") == "unreadable-file"
    assert code_of(Path(os.devnull)) == "not-a-file"
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert code_of(loop) == "unreadable-file"
    (tmp_path / "file").write_bytes(b"12345")
    assert code_of(tmp_path / "file" / "below") == "unreadable-file"


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert code_of(tmp_path / "pipe") == "not-a-file"


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bytes(path, limit=5) == b"12345"
    assert code_of(path, limit=4) == "too-large"


def test_memory_is_asked_for_by_what_is_there_and_never_by_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bytes(path, limit=1 << 62) == b"12345"


def test_a_file_whose_size_is_not_told_is_read_whole_and_held_to_the_limit() -> None:
    path = Path("/proc/self/environ")
    if path.exists() and not path.stat().st_size and path.read_bytes():
        assert read_bytes(path) == path.read_bytes()
        assert code_of(path, limit=0) == "too-large"


def test_the_start_of_a_file_is_read_without_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert (read_start(path, 2), read_start(path, 9)) == (b"12", b"12345")
    with pytest.raises(InputError) as caught:
        read_start(tmp_path, 2)
    assert caught.value.code == "not-a-file"


def test_a_link_is_followed_only_where_that_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "link").symlink_to("file")
    assert read_bytes(tmp_path / "link") == b"1"
    assert code_of(tmp_path / "link", follow=False) == "not-a-file"


def test_writing_replaces_the_whole_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    write_bytes(path, b"new")
    assert path.read_bytes() == b"new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_leftover_of_another_writer_is_not_in_the_way(tmp_path: Path) -> None:
    leftover = tmp_path / f".staging-file-{os.getpid()}-0.tmp"
    leftover.write_bytes(b"half")
    write_bytes(tmp_path / "file", b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole"
    assert leftover.read_bytes() == b"half"
    assert is_staged(leftover.name)
    assert not is_staged("graph-000001.json")


def test_what_cannot_be_written_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "folder", tmp_path / "none" / "file", tmp_path / ("x" * 300)):
        with pytest.raises(InputError) as caught:
            write_bytes(path, b"x")
        assert caught.value.code == "unwritable-file"
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def test_a_name_that_a_person_gave_replaces_no_link_device_or_pipe(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"mine")
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "stdout").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "pipe")
    before = {path.name: path.lstat().st_ino for path in tmp_path.iterdir()}

    for name in ("link", "stdout", "pipe"):
        with pytest.raises(InputError) as caught:
            write_out(tmp_path / name, b"x")
        assert (caught.value.code, "not replaced" in str(caught.value)) == ("unwritable-file", True)

    assert {path.name: path.lstat().st_ino for path in tmp_path.iterdir()} == before
    assert (tmp_path / "target").read_bytes() == b"mine"
    for name in ("target", "new"):
        write_out(tmp_path / name, b"x")
        assert (tmp_path / name).read_bytes() == b"x"
    with pytest.raises(InputError):
        write_out(tmp_path / "a\x00b", b"x")
