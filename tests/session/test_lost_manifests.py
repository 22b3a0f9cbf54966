"""A generation whose manifest only ``session.json`` still holds is not lost, and nothing is written on top of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contextmesh import session

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
