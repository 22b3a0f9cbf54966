"""Bad input is answered by a code and a hint, never by a traceback, and what is stored stays as it was."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome, Run


def digest(home: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(home.iterdir()) if not p.name.startswith("session.lock")}


def missing(folder: Path) -> Path:
    return folder / "nowhere.md"


def binary(folder: Path) -> Path:
    path = folder / "picture.md"
    path.write_bytes(bytes(range(256)) * 40)
    return path


def empty(folder: Path) -> Path:
    path = folder / "empty.md"
    path.write_bytes(b"")
    return path


def invalid_utf8(folder: Path) -> Path:
    path = folder / "latin.txt"
    path.write_bytes("Die Fähre fährt um neun Uhr ab.\n".encode("latin-1"))
    return path


def one_huge_line(folder: Path) -> Path:
    path = folder / "huge.txt"
    path.write_bytes(b"the ferry sails " * (50 * 1024 * 1024 // 16))
    return path


def a_loop(folder: Path) -> Path:
    path = folder / "loop"
    path.mkdir()
    (path / "again").symlink_to(path, target_is_directory=True)
    return path


def a_pipe(folder: Path) -> Path:
    path = folder / "pipe.txt"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize(
    "make", [missing, binary, empty, invalid_utf8, one_huge_line, a_loop, a_pipe], ids=lambda f: f.__name__
)
def test_a_file_that_is_no_document_is_named_and_nothing_changes(
    run: Run, session: Path, tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    bad = make(tmp_path)
    before = digest(session)
    found = run("ingest", bad, "--session", session)

    assert_no_traceback(found)
    assert found.code in (1, 2)
    assert digest(session) == before
    assert bad.name in found.out + found.err


@pytest.mark.parametrize("text", ["\tp(1).\n", "\ufeffp(1).\n", "p(1", "p(X).", "p(1). p(1, 2).", "\0", ""])
def test_a_rules_file_that_is_wrong_is_answered_at_its_place(run: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.dl"
    file.write_text(text, encoding="utf-8")
    found = run("rules", "check", file)

    assert_no_traceback(found)
    assert found.code in (0, 2)


@pytest.mark.parametrize("name", ["propagation.dl", "GRAPH.md"])
def test_a_policy_that_is_wrong_leaves_the_session_alone(run: Run, session: Path, tmp_path: Path, name: str) -> None:
    policy = tmp_path / "policy"
    policy.mkdir()
    (policy / name).write_text("what(is, this\n", encoding="utf-8")
    before = digest(session)
    found = run("health", "--session", session, "--policy", policy)

    assert_no_traceback(found)
    assert found.code == 2
    assert digest(session) == before


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("ask", "x", "--session", "nowhere.mesh"), "no-session"),
        (("show", "decision:none"), "unknown-node"),
        (("blast", "no such assumption"), "unknown-node"),
        (("query", "fell(X"), "syntax"),
        (("query", "fel(X, A)"), "unknown-relation"),
        (("query", "fell(X)"), "arity"),
        (("query", "node(X, K), not live(Y)"), "unsafe-variable"),
        (("query", "p(X + 1) :- p(X). p(0). ?- p(X).", "--rows", "1000"), "limit-reached"),
        (("query", "node(X, K)", "--engine", "oracle"), "unknown-engine"),
        (("why", "fell(nobody, nothing)"), "does-not-hold"),
        (("ask", " "), "blank-question"),
        (("ingest", "x.md"), "missing-session"),
        (("invalidate", "x"), "missing-evidence"),
        (("frobnicate",), "usage"),
        (("ask", "x", "--budget", "none"), "usage"),
        (("rules", "eval", "nowhere.dl", "--query", "p(X)"), "missing-file"),
    ],
)
def test_a_refusal_has_a_code_in_words_and_as_json(run: Run, args: tuple[str, ...], code: str) -> None:
    words, document = run(*args), run(*args, "--json")

    assert_no_traceback(words)
    assert words.code == document.code == 2
    assert f"error[{code}]" in words.err
    assert document.json["error"]["code"] == code
    assert set(document.json["error"]) == {"code", "message", "subject", "fields", "note", "hint", "where"}


def test_an_argument_that_is_no_text_is_said_to_be_none(run: Run) -> None:
    found = run("ask", "what \udcff is")

    assert found.code == 2
    assert "error[not-utf-8]: argument 2 is not text" in found.err


def assert_no_traceback(found: Outcome) -> None:
    assert "Traceback" not in found.out + found.err
    assert found.code != 70, found.err


def test_a_name_that_is_no_assumption_says_what_it_is(run: Run) -> None:
    outcome = run("blast", "Index Builder")

    assert outcome.code == 2
    assert "that is the entity entity:index-builder" in outcome.err
    assert run("query", "node(X, assumption)").code == 0, "the query that the hint names"


def test_output_that_cannot_be_written_is_refused_not_a_fault() -> None:
    full = Path("/dev/full")
    if not full.exists():  # only where there is a device that is always full
        return
    told: tuple[tuple[str, ...], ...] = (("find", "shard"), ("find", "shard", "--json"), ("show", "nowhere", "--json"))
    for words in (*told, ("--help",), (), ("ledger", "verify", "--help")):
        with full.open("w", encoding="utf-8") as out:
            done = subprocess.run(
                [sys.executable, "-m", "contextmesh", *words], stdout=out, stderr=subprocess.PIPE, check=False
            )
        assert done.returncode == 2, words
        assert b"Traceback" not in done.stderr
        assert b"cannot be written" in done.stderr or words[0] == "show", words


INTERRUPTED_AT = """
import os, signal, sys

program, module, number = sys.argv[1:]

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), getattr(signal, number))

from contextmesh import __main__ as start
sys.meta_path.insert(0, Finder())
sys.argv = [program, "--help"]
raise SystemExit(getattr(start, program)())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot interrupt itself there")
@pytest.mark.parametrize(
    ("program", "module", "number", "code"),
    [
        ("main", "contextmesh.cli.app", "SIGINT", 130),
        ("main", "contextmesh.cli.kit", "SIGINT", 130),
        ("main", "contextmesh.cli.demo", "SIGINT", 130),
        ("serve", "contextmesh.mcp.launch", "SIGINT", 0),
        ("serve", "contextmesh.mcp.door", "SIGTERM", 0),
    ],
)
def test_a_signal_in_the_midst_of_an_import_ends_a_program_without_a_traceback(
    program: str, module: str, number: str, code: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT, program, module, number], capture_output=True, check=False, timeout=120
    )

    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    assert done.stdout == b""


def test_the_hint_of_a_damaged_session_leads_back_to_the_generation_before(
    run: Run, notes: Path, tmp_path: Path
) -> None:
    home = tmp_path / "s.mesh"
    assert run("init", home).code == 0
    assert run("ingest", notes, "--session", home).code == 0
    with (home / "resolver-000002.json").open("ab") as file:
        file.write(b"x")
    refused = run("health", "--session", home)
    spare = shutil.copytree(home, tmp_path / "copy.mesh", ignore=shutil.ignore_patterns("session-000002.json"))

    assert refused.code == 2
    assert "a copy of the directory without session-000002.json opens it" in refused.err
    assert run("health", "--session", spare).code == 0
