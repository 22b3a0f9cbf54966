"""A generation whose manifest only ``session.json`` still holds is not lost, and nothing is written on top of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contextmesh import session
from contextmesh.base.errors import SessionError
from contextmesh.cli.app import main
from contextmesh.session.generations import log

from .places import grown, listing, small
from .test_doctor import carry_out, found


def journalled(directory: Path, count: int) -> None:
    state = session.save(directory, small(), version=3).state
    for number in range(2, count + 1):
        state = session.checkpoint(grown(state, f"Pier {number}"), compact=True).state
    session.checkpoint(grown(state, "Mole"))


def _relinked(path: Path) -> None:
    path.rename(path.parent.parent / "elsewhere.json")
    path.symlink_to(path.parent.parent / "elsewhere.json")


def _led(path: Path, target: str) -> None:
    path.unlink()
    path.symlink_to(target)


def _foldered(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _rewritten(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"rounds": 0', b'"rounds": 7'))


LOST: dict[str, tuple[Callable[[Path], object], str]] = {
    "emptied": (lambda path: path.write_bytes(b""), "damaged-generation"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:100]), "damaged-generation"),
    "rewritten": (_rewritten, "damaged-generation"),
    "deleted": (lambda path: path.unlink(), "pointer-differs"),
    "a folder": (_foldered, "pointer-differs"),
    "a link": (_relinked, "planted-link"),
    "a link to nothing": (lambda path: _led(path, "nothing"), "planted-link"),
    "a link to itself": (lambda path: _led(path, path.name), "planted-link"),
}


@pytest.mark.parametrize("what", LOST)
@pytest.mark.parametrize("others", ["", "a damaged earlier one", "a damaged later one", "a planted later one"])
def test_a_manifest_that_only_the_pointer_still_holds_is_put_back_from_it_and_nothing_is_lost(
    tmp_path: Path, what: str, others: str, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "s"
    (tmp_path / "s").mkdir()
    (directory / "session.keep").write_text("9\n")
    journalled(directory, 3)
    whole = listing(directory)
    labels = [node.label for node in session.load(directory).graph.store.nodes.values()]
    bend, code = LOST[what]
    bend(directory / "session-000003.json")
    if others == "a damaged earlier one":
        (directory / "records-000002.jsonl").write_bytes(b"")
    elif others == "a damaged later one":
        (directory / "session-000004.json").write_bytes(b"{}")
    elif others == "a planted later one":
        (directory / "session-000004.json").symlink_to("session-000003.json")
    before = listing(directory)

    findings = found(directory)

    assert listing(directory) == before, "looking changes nothing"
    assert (findings[0].code, findings[0].severity, findings[0].generation) == (code, "error", 3)
    name = "journal-000003.jsonl" if what == "rewritten" else "session-000003.json"  # which begins with its digest
    assert findings[0].file == str(directory / name)
    assert findings[0].command is not None
    assert findings[0].command.endswith(f"cp -- {directory}/session.json {directory}/session-000003.json")
    assert others or len(findings) == 1
    for _ in range(1 if others != "a damaged later one" else 2):  # which is let be until a later one is whole
        for finding in found(directory):  # in the order in which they are told
            assert finding.command is not None
            carry_out(finding.command)
    assert found(directory) == []
    ours = ("session.json", "session.lock.meta", "session.lock")
    gone = [name for name in whole if "000002" in name] if others == "a damaged earlier one" else []
    assert {name: whole[name][0] for name in whole if name not in (*gone, *ours)} == {
        name: data for name, (data, _) in listing(directory).items() if "000005" not in name and name not in ours
    }
    opened = session.load(directory)
    assert [node.label for node in opened.graph.store.nodes.values()] == labels
    for number in (1, 3) if gone else (1, 2, 3):
        assert session.load(directory, generation=number).generation == number
    capsys.readouterr()


def test_a_manifest_that_the_pointer_holds_alone_is_put_back_though_a_file_of_its_generation_is_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "s"
    journalled(directory, 3)
    (directory / "session-000003.json").unlink()
    (directory / "records-000003.jsonl").write_bytes(b"")

    (one,) = found(directory)
    assert (one.code, one.generation) == ("pointer-differs", 3)
    assert one.command is not None
    carry_out(one.command)

    (other,) = found(directory)
    assert (other.code, other.command) == (
        "damaged-generation",
        f"contextmesh session restore 2 --session {directory}",
    )
    capsys.readouterr()


def test_a_pointer_to_a_generation_of_which_nothing_is_left_is_made_a_copy_of_the_newest(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    journalled(directory, 3)
    for path in directory.glob("*-000003.*"):
        path.unlink()

    (one,) = found(directory)

    assert one.command == f"cp -- {directory}/session-000002.json {directory}/session.json"
    carry_out(one.command)
    assert found(directory) == []
    assert session.load(directory).generation == 2


def test_a_generation_whose_manifest_is_lost_is_told_by_a_read_and_nothing_is_written_on_top(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "s"
    journalled(directory, 3)
    seen = session.load(directory)
    (directory / "session-000003.json").unlink()
    command = f"cp -- {directory}/session.json {directory}/session-000003.json"
    before = {name: held for name, held in listing(directory).items() if "lock" not in name}

    state = session.load(directory)
    assert (state.generation, [notice.code for notice in state.notices]) == (2, ["pointer-differs"])
    assert main(["health", "--session", str(directory)]) in (0, 1)
    told = capsys.readouterr().err
    assert "warning[pointer-differs]" in told
    assert command in told
    writes: tuple[Callable[[], object], ...] = (
        lambda: session.checkpoint(grown(state, "Quay")),
        lambda: session.save(directory, grown(state, "Quay 2")),
        lambda: session.save(directory, small(), replace_session=True),
        lambda: session.checkpoint(grown(seen, "Quay")),
    )
    for write in writes:
        with pytest.raises(SessionError) as caught:
            write()
        assert caught.value.code == "pointer-differs"
        assert command in (caught.value.problem.hint or "")
    for words in (["save"], ["save", "--keep", "0"], ["restore", "1"]):
        assert main(["session", *words, "--session", str(directory)]) == 2
    assert {name: held for name, held in listing(directory).items() if "lock" not in name} == before

    carry_out(command)
    assert session.load(directory).notices == ()
    assert session.checkpoint(seen).lines > 0
    capsys.readouterr()


def test_a_pointer_that_is_older_than_the_newest_manifest_is_in_nobodys_way(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    journalled(directory, 3)
    (directory / "session.json").write_bytes((directory / "session-000002.json").read_bytes())

    state = session.load(directory)

    assert (state.generation, state.notices) == (3, ())
    assert session.checkpoint(grown(state, "Quay")).lines > 0


def test_the_hint_at_a_planted_manifest_names_it_and_how_it_comes_back(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    journalled(directory, 3)
    _relinked(directory / "session-000003.json")
    with pytest.raises(SessionError) as caught:
        session.load(directory)
    assert caught.value.code == "linked-file"
    assert f"`rm -- {directory}/session-000003.json && cp -- {directory}/session.json" in str(caught.value.problem.hint)

    (directory / "session.json").unlink()
    with pytest.raises(SessionError) as caught:
        session.load(directory)
    assert caught.value.problem.hint == (
        "generation 2 is whole; a copy of the directory without session-000003.json opens it"
    )


def test_a_save_that_is_to_keep_fewer_removes_them_though_nothing_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "s"
    directory.mkdir()
    (directory / "session.keep").write_text("9\n")
    state = session.save(directory, small(), version=3).state
    for number in range(2, 5):
        state = session.checkpoint(grown(state, f"Pier {number}"), compact=True).state

    for kept in (2, 0):
        assert main(["session", "save", "--keep", str(kept), "--session", str(directory)]) == 0
        assert "stays at generation 4; " in capsys.readouterr().out
        assert [entry.generation for entry in log(directory, state.graph.policy)] == list(range(4, 3 - kept, -1))
    assert found(directory) == []


def test_a_planted_lock_is_refused_as_a_link(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    state = session.save(directory, small(), version=3).state
    (directory / "session.lock").unlink()
    (directory / "session.lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(SessionError) as caught:
        session.checkpoint(grown(state, "Pier"))

    assert caught.value.code == "linked-file"
    assert not (tmp_path / "elsewhere").exists()


def test_a_writer_that_cannot_say_who_it_is_writes_all_the_same(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    state = session.save(directory, small(), version=3).state
    (directory / "session.lock.meta").unlink()
    (directory / "session.lock.meta").mkdir()
    (directory / "session.lock.meta" / "mine").write_bytes(b"")

    assert session.checkpoint(grown(state, "Pier")).lines > 0

    assert len(session.load(directory).graph.store.nodes) == 2
