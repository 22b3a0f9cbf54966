"""Whatever is wrong with a session is found, and the command that is told mends it."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from contextmesh import session
from contextmesh.cli.app import main
from contextmesh.policy import Policy
from contextmesh.session.doctor import Finding, examine, mend

from .places import edit, ferry_session, generations_of, grown, listing, small

POLICY = Policy.load()


def found(directory: Path) -> list[Finding]:
    return list(examine(directory, POLICY))


def carry_out(command: str) -> None:
    """Runs a command as it was told, ours in this process."""
    for part in command.split(" && "):
        words = shlex.split(part)
        if words[0] == "contextmesh":
            assert main(words[1:]) == 0, part
        else:
            subprocess.run(words, check=True)


def planted(pointer: Path, what: str) -> None:
    pointer.unlink()
    if what == "a link to itself":
        pointer.symlink_to(pointer.name)
    elif what == "a link elsewhere":
        (pointer.parent.parent / "elsewhere").write_text("mine")
        pointer.symlink_to(pointer.parent.parent / "elsewhere")
    elif what == "a pipe":
        os.mkfifo(pointer)
    else:
        pointer.mkdir()


@pytest.mark.parametrize("what", ["a link to itself", "a link elsewhere", "a pipe", "a folder"])
def test_a_pointer_that_is_no_copy_is_made_one_and_nothing_is_written_through_it(tmp_path: Path, what: str) -> None:
    generations_of(tmp_path / "s", 1)
    planted(tmp_path / "s" / "session.json", what)

    (finding,) = found(tmp_path / "s")
    assert finding.code == "pointer-differs"
    assert finding.command is not None
    carry_out(finding.command)
    assert found(tmp_path / "s") == []
    assert what != "a link elsewhere" or (tmp_path / "elsewhere").read_text() == "mine"


@pytest.mark.parametrize("left", [(), ("session.lock", "session.lock.meta")])
def test_a_folder_without_a_session_gets_one_by_the_command_that_is_told(tmp_path: Path, left: tuple[str, ...]) -> None:
    (tmp_path / "s").mkdir()
    for name in left:
        (tmp_path / "s" / name).touch()

    (finding,) = found(tmp_path / "s")
    assert "[no-session]" in finding.message and finding.command is not None
    carry_out(finding.command)
    assert found(tmp_path / "s") == []


def test_nothing_is_wrong_with_a_session_as_it_was_left(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 3)
    assert found(tmp_path / "s") == []
    assert found(ferry_session(tmp_path / "f")) == []
    state = session.save(tmp_path / "j", small(), version=3).state
    session.checkpoint(grown(state, "Pier"))
    assert found(tmp_path / "j") == []


def _cut(directory: Path) -> None:
    path = directory / "graph-000003.json"
    path.write_bytes(path.read_bytes()[:-3])


def _linked(name: str) -> Callable[[Path], None]:
    def bend(directory: Path) -> None:
        path = directory / name
        path.rename(directory.parent / name)
        path.symlink_to(directory.parent / name)

    return bend


MENDED: dict[str, tuple[Callable[[Path], object], str, str, int | None]] = {
    "a damaged file": (_cut, "damaged-generation", "graph-000003.json", 3),
    "a missing companion": (
        lambda d: (d / "resolver-000003.json").unlink(),
        "damaged-generation",
        "resolver-000003.json",
        3,
    ),
    "a damaged earlier generation": (
        lambda d: (d / "graph-000002.json").write_bytes(b"["),
        "damaged-generation",
        "graph-000002.json",
        2,
    ),
    "a manifest that is nonsense": (
        lambda d: (d / "session-000003.json").write_bytes(b"[]"),
        "damaged-generation",
        "session-000003.json",
        3,
    ),
    "a planted companion": (_linked("graph-000003.json"), "planted-link", "graph-000003.json", 3),
    "a planted manifest": (
        lambda d: (d / "session-000009.json").symlink_to(d / "session-000003.json"),
        "planted-link",
        "session-000009.json",
        9,
    ),
    "a planted lock": (
        lambda d: ((d / "session.lock").unlink(), (d / "session.lock").symlink_to(d / "session.json")),
        "planted-link",
        "session.lock",
        None,
    ),
    "a stray file": (lambda d: (d / "graph-000007.json").write_bytes(b"{}"), "stray-file", "graph-000007.json", 7),
    "a foreign file": (lambda d: (d / "graph-notes.json").write_bytes(b"{}"), "foreign-file", "graph-notes.json", None),
    "a foreign folder": (lambda d: (d / "it's mine").mkdir(), "foreign-file", "it's mine", None),
    "a staged file": (
        lambda d: (d / ".staging-graph-000004.json-1-0.tmp").write_bytes(b"{"),
        "stale-staging",
        ".staging-graph-000004.json-1-0.tmp",
        None,
    ),
    "a planted pointer": (_linked("session.json"), "planted-link", "session.json", 3),
    "no pointer": (lambda d: (d / "session.json").unlink(), "pointer-differs", "session.json", 3),
    "an old pointer": (
        lambda d: (d / "session.json").write_bytes((d / "session-000002.json").read_bytes()),
        "pointer-differs",
        "session.json",
        3,
    ),
    "no number to keep": (lambda d: (d / "session.keep").write_text("many"), "keep-unreadable", "session.keep", None),
    "a folder for a lock": (
        lambda d: ((d / "session.lock").unlink(), (d / "session.lock").mkdir()),
        "lock-unusable",
        "session.lock",
        None,
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_it_is_found_with_file_and_generation_and_the_command_mends_it(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "s"
    generations_of(directory, 3)
    bend, code, file, generation = MENDED[name]
    bend(directory)
    before = listing(directory)

    findings = found(directory)

    assert listing(directory) == before, "looking changes nothing"
    assert (findings[0].code, findings[0].generation) == (code, generation)
    assert findings[0].file == str(directory / file)
    for _ in range(6):  # what is mended may uncover what was behind it
        if not findings:
            break
        assert findings[0].command is not None
        carry_out(findings[0].command)
        findings = found(directory)
    assert findings == []
    state = session.load(directory)
    assert len(state.graph.store.nodes) in (2, 3)
    capsys.readouterr()


def test_a_damaged_file_is_found_with_its_line_and_column(tmp_path: Path) -> None:
    generations_of(tmp_path / "s", 2)
    path = tmp_path / "s" / "graph-000002.json"
    path.write_bytes(path.read_bytes().replace(b'"build": 1', b'"build": true', 1))

    (one,) = found(tmp_path / "s")

    line = path.read_bytes()[: path.read_bytes().index(b"true")].count(b"\n") + 1
    assert (one.line, one.column) == (line, 12)


def test_a_torn_journal_is_found_and_the_next_generation_ends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "s"
    state = session.save(directory, small(), version=3).state
    session.checkpoint(grown(state, "Pier"))
    with (directory / "journal-000001.jsonl").open("ab") as journal:
        journal.write(b'{"at":')

    (one,) = found(directory)

    assert (one.code, one.severity, one.generation, one.file) == (
        *("torn-tail", "warn", 1),
        str(directory / "journal-000001.jsonl"),
    )
    assert one.command is not None
    carry_out(one.command)
    assert found(directory) == []
    assert len(session.load(directory).graph.store.nodes) == 2
    capsys.readouterr()


def test_conclusions_that_differ_are_mended_by_an_import_that_recomputes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "s"
    session.save(directory, small())
    edit(directory / "graph-000001.json", lambda value: value["nodes"][0].update(invalidated=True))
    (one,) = [f for f in found(directory) if f.code == "damaged-generation"]
    assert one.command is not None

    carry_out(one.command)

    assert len(session.load(Path(f"{directory}.recomputed")).graph.store.nodes) == 1
    assert '"invalidated": true' in (directory / "graph-000001.json").read_text("utf-8"), "the file stays as it is"
    capsys.readouterr()


def test_a_session_of_other_rules_is_not_called_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overlay = tmp_path / "policy" / "rules"
    overlay.mkdir(parents=True)
    (overlay / "more.dl").write_text("relation odd(id).\nodd(X) :- node(X, claim).\n", "utf-8")
    state = small()
    directory = tmp_path / "s"
    session.save(directory, state, version=3)
    other = Policy.load(tmp_path / "policy")

    (one,) = examine(directory, other)

    assert "policy-differs" in one.message
    assert one.command is not None
    carry_out(f"{one.command} --policy {tmp_path / 'policy'}")
    assert examine(directory, other) == ()
    capsys.readouterr()


def test_a_held_lock_is_told_with_its_process_and_its_staged_files_are_not_called_stale(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    session.save(directory, small())
    (directory / ".staging-graph-000002.json-1-0.tmp").write_bytes(b"{")
    script = (
        "import sys\nfrom pathlib import Path\nfrom contextmesh.session.lock import writer_lock\n"
        "with writer_lock(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(directory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None and writer.stdin is not None
        writer.stdout.readline()
        (one,) = found(directory)
        writer.stdin.close()
        writer.wait()

    assert (one.code, one.severity, one.command) == ("lock-held", "info", f"ps -p {writer.pid}")
    assert [f.code for f in found(directory)] == ["stale-staging"]


def test_looking_at_the_lock_leaves_it_free(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    session.save(directory, small())
    found(directory)

    descriptor = os.open(directory / "session.lock", os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(descriptor)


def test_only_what_is_safe_is_mended_by_itself(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    generations_of(directory, 3)
    _cut(directory)
    (directory / ".staging-x-1-0.tmp").write_bytes(b"{")
    (directory / "mine.txt").write_bytes(b"mine")
    before = listing(directory)

    mended = mend(directory, examine(directory, POLICY))

    assert mended == (".staging-x-1-0.tmp",)
    assert {**listing(directory), **{n: before[n] for n in (*mended, "session.lock", "session.lock.meta")}} == before


def test_the_command_ends_with_1_when_something_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = tmp_path / "s"
    generations_of(directory, 2)
    assert main(["doctor", "--session", str(directory)]) == 0
    _ = capsys.readouterr()
    (directory / "mine.txt").write_bytes(b"mine")

    assert main(["doctor", "--json", "--session", str(directory)]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [one["code"] for one in told["findings"]] == ["foreign-file"]
    assert main(["doctor", "--session", str(directory)]) == 1
    assert f"mend: {told['findings'][0]['command']}" in capsys.readouterr().out
    assert main(["doctor", "--session", str(tmp_path / "none")]) == 2
    assert main(["doctor"]) == 2
    capsys.readouterr()


@pytest.mark.parametrize("kind", ["records", "journal", "resolver"])
def test_damage_to_a_session_with_a_journal_is_mended_by_the_generation_before(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "s"
    state = session.save(directory, small(), version=3).state
    state = session.checkpoint(grown(state, "Pier"), compact=True).state
    session.checkpoint(grown(state, "Mole"))
    path = next(directory.glob(f"{kind}-000002.*"))
    path.write_bytes(path.read_bytes().replace(b"a", b"e", 1))

    one, *_ = found(directory)

    assert (one.code, one.generation, one.file) == ("damaged-generation", 2, str(path))
    assert one.command == f"contextmesh session restore 1 --session {directory}"
    carry_out(one.command)
    assert [node.label for node in session.load(directory).graph.store.nodes.values()] == ["Harbour"]
    capsys.readouterr()
