"""``export`` and ``serve`` from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROOT = Path(__file__).resolve().parent.parent.parent


def test_export_writes_the_data_to_stdout_and_says_when_it_is_the_demo(run: Run, session: Path) -> None:
    own, demo = run("export", "--session", session), run("export")

    assert (own.code, own.err, own.json["session"]["name"]) == (0, "", "notes.mesh")
    assert own.out == json.dumps(own.json, indent=2) and own.out.isascii()
    assert (demo.code, demo.json["session"]["name"]) == (0, None)
    assert "bundled demo" in demo.err


def test_a_file_holds_what_stdout_would(run: Run, session: Path, tmp_path: Path) -> None:
    plain = run("export", "--session", session, "--out", tmp_path / "mesh.json")
    page = run("export", "--session", session, "--inline", "--out", tmp_path / "mesh.html", "--json")

    assert plain.code == page.code == 0
    assert (tmp_path / "mesh.json").read_text(encoding="ascii") == run("export", "--session", session).out
    html = (tmp_path / "mesh.html").read_bytes()
    assert html.decode("utf-8") == run("export", "--session", session, "--inline").out
    assert (page.json["form"], page.json["bytes"]) == ("page", len(html))
    assert page.json["nodes"] == page.json["nodes_total"] > 0


def test_a_page_as_json_is_one_document(run: Run, session: Path) -> None:
    told = run("export", "--session", session, "--inline", "--json")

    assert told.json == {"form": "page", "text": run("export", "--session", session, "--inline").out}


def test_around_puts_a_node_first(run: Run, session: Path) -> None:
    told = run("export", "--session", session, "--around", "Interval notation")

    assert told.json["nodes"][0]["label"] == "Interval notation"


REFUSED = [
    (["export", "--out", "no/such/folder/mesh.json"], "unwritable-file"),
    (["export", "--out", "link.json"], "unwritable-file"),
    (["export", "--out", "notes.mesh/session.json", "--session", "notes.mesh"], "unwritable-file"),
    (["export", "--out", "/dev/null"], "unwritable-file"),
    (["export", "--around", "nobody at all"], "unknown-node"),
    (["export", "--session", "nowhere.mesh"], "no-session"),
    (["serve", "--session", "nowhere.mesh"], "no-session"),
    (["serve", "--around", "nobody at all"], "unknown-node"),
    (["serve", "--port", "65536"], "usage"),
    (["serve", "--port", "-1"], "usage"),
    (["serve", "--port", "http"], "usage"),
]


@pytest.mark.parametrize(("args", "code"), REFUSED, ids=[" ".join(args) for args, _ in REFUSED])
def test_what_cannot_be_done_is_refused_with_its_code_and_changes_nothing(
    run: Run, session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], code: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "target.json").write_text("mine", encoding="utf-8")
    (tmp_path / "link.json").symlink_to("target.json")
    before = {path: path.read_bytes() for path in session.iterdir()}
    told = run(*args, "--json")

    assert (told.code, told.json["error"]["code"]) == (2, code)
    assert (tmp_path / "target.json").read_text(encoding="utf-8") == "mine"
    assert {path: path.read_bytes() for path in session.iterdir()} == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "contextmesh", "export"], stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False
        )

    assert done.returncode == 2
    assert b"unwritable-file" in done.stderr


def test_a_port_that_is_taken_is_refused(run: Run, session: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = run("serve", "--session", session, "--port", str(taken.getsockname()[1]), "--json")

    assert (told.code, told.json["error"]["code"]) == (2, "cannot-listen")


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a signal")
def test_serve_says_where_it_is_answers_there_and_ends_well_at_ctrl_c(session: Path) -> None:
    command = [sys.executable, "-m", "contextmesh", "serve", "--session", str(session), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(5)]
        told = json.loads("".join(lines))
        with urllib.request.urlopen(f"{told['url']}mesh.json", timeout=30) as answer:
            data = json.load(answer)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()

    assert data["session"]["name"] == "notes.mesh"
    assert (process.returncode, out, err) == (0, "", "stopped\n")
