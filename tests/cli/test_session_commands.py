"""The commands of a session as a shell sees them: words, JSON, exit codes, and files that others read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from contextmesh.api import Mesh

from .conftest import Run

MEMORY = (
    '{"type":"entity","name":"Ada Lind","entityType":"person","observations":["Repairs ferries"]}\n'
    '{"type":"relation","from":"Ada Lind","to":"North Yard","relationType":"works_at"}\n'
)


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / "memory.jsonl"
    path.write_text(MEMORY, "utf-8")
    return path


def test_what_is_no_file_is_refused_and_not_waited_for(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, code in (("pipe", "not-a-file"), ("nowhere", "missing-file")):
        told = run("session", "import", tmp_path / name, "--session", tmp_path / "m", "--json")
        assert (told.code, told.json["error"]["code"]) == (2, code)


def test_a_memory_file_makes_a_session_and_the_report_says_what_became_of_it(
    run: Run, memory: Path, tmp_path: Path
) -> None:
    home = tmp_path / "m"

    done = run("session", "import", memory, "--session", home, "--json")

    assert done.code == 0
    assert done.json["form"] == "memory"
    assert done.json["read"] == {"entities": 1, "observations": 1, "relations": 1}
    assert done.json["counts"] == {"undeclared-entity": 1, "relation-as-claim": 1}
    assert done.json["generation"] == Mesh.open(home).generation
    again = run("session", "import", memory, "--session", home)
    assert again.out.endswith(f"{home} stays at generation {done.json['generation']}\n")


@pytest.mark.parametrize("form", ["prov", "lines", "graphml", "mermaid"])
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16"])
def test_an_export_to_a_pipe_is_the_bytes_of_the_file_whatever_the_encoding(
    run: Run, tmp_path: Path, form: str, encoding: str
) -> None:
    mesh = Mesh.create(tmp_path / "s")
    mesh.graph.add_node("evidence", "東京 → Zürich\r\n\u2028 end", attrs={"kind": "café"})
    mesh.save()
    assert run("session", "export", "--as", form, "--session", tmp_path / "s", "--out", tmp_path / "f").code == 0

    command = [sys.executable, "-m", "contextmesh", "session", "export", "--as", form, "--session", tmp_path / "s"]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": encoding}, capture_output=True, check=True)

    assert done.stdout == (tmp_path / "f").read_bytes()


@pytest.mark.parametrize("name", ["session.json", "session.lock", "graph-000001.json", "session-000009.json"])
def test_no_export_is_written_over_a_file_of_a_session(run: Run, session: Path, name: str) -> None:
    before = {path.name: path.read_bytes() for path in session.iterdir()}

    done = run("session", "export", "--out", session / name, "--session", session, "--json")

    assert (done.code, done.json["error"]["code"]) == (2, "unwritable-file")
    assert {path.name: path.read_bytes() for path in session.iterdir()} == before


def test_a_refused_import_leaves_the_session_as_it_was(run: Run, memory: Path, session: Path) -> None:
    before = {path.name: path.read_bytes() for path in session.iterdir()}
    memory.write_text(MEMORY + '{"type":"entity"}\n', "utf-8")

    done = run("session", "import", memory, "--session", session, "--keep", "4", "--json")

    assert done.code == 2
    assert done.json["error"]["code"] == "missing-key"
    assert done.json["error"]["where"] == {"file": str(memory), "line": 3, "column": 1}
    assert {path.name: path.read_bytes() for path in session.iterdir()} == before


def test_json_lines_and_the_session_they_came_from_are_the_same_session(
    run: Run, session: Path, tmp_path: Path
) -> None:
    lines = tmp_path / "lines.jsonl"
    assert run("session", "export", "--session", session, "--out", lines).code == 0

    assert run("session", "import", lines, "--session", tmp_path / "copy").code == 0
    assert run("session", "import", session, "--session", tmp_path / "other").code == 0

    for home in (tmp_path / "copy", tmp_path / "other"):
        assert run("session", "export", "--session", home).out == lines.read_text("utf-8")
    merged = run("session", "import", session, "--session", tmp_path / "copy", "--json")
    assert (merged.json["written"], merged.json["changed"]) == ([], {})


@pytest.mark.parametrize("form", ["lines", "session"])
@pytest.mark.parametrize("made", [False, True])
def test_a_session_of_one_transaction_that_was_imported_opens_again(
    run: Run, tmp_path: Path, form: str, made: bool
) -> None:
    (tmp_path / "note.md").write_text(
        "# Shards\n\nThe Index Builder opens a shard every eight million passages.\n", "utf-8"
    )
    source, lines, home = tmp_path / "one", tmp_path / "lines.jsonl", tmp_path / "copy"
    assert run("ingest", tmp_path / "note.md", "--session", source).code == 0
    assert run("session", "export", "--session", source, "--out", lines).code == 0
    if made:
        assert run("init", home).code == 0

    assert run("session", "import", lines if form == "lines" else source, "--session", home).code == 0

    assert run("doctor", "--session", home).code == 0
    told = [run("session", "export", "--session", place).out.splitlines() for place in (source, home)]
    assert told[0][1:] == told[1][1:]


@pytest.mark.parametrize("version", [1, 4])
def test_a_session_is_written_only_in_versions_there_are(run: Run, session: Path, tmp_path: Path, version: int) -> None:
    done = run("session", "export", "--version", version, "--out", tmp_path / "v", "--session", session)

    assert done.code == 2
    assert not (tmp_path / "v").exists()


def test_a_session_of_a_newer_version_is_exported_as_one_that_an_older_reader_takes(
    run: Run, session: Path, tmp_path: Path
) -> None:
    before = run("session", "export", "--session", session).out
    assert run("session", "migrate", "--session", session, "--json").json["version"] == 3
    assert run("session", "migrate", "--to", 2, "--session", session, "--json").json["error"]["code"] == "no-way-back"

    assert run("session", "export", "--version", 2, "--out", tmp_path / "v2", "--session", session).code == 0

    manifest = json.loads((tmp_path / "v2" / "session-000001.json").read_text("utf-8"))
    assert manifest["version"] == 2
    assert run("session", "export", "--session", session).out == before


def test_a_graph_file_that_concludes_otherwise_comes_in_only_when_asked(
    run: Run, session: Path, tmp_path: Path
) -> None:
    mesh = Mesh.open(session)
    value = mesh.graph.to_json()
    fallen = value["nodes"][0]
    fallen["invalidated"] = True
    (tmp_path / "graph.json").write_text(json.dumps(value), "utf-8")
    place = ("--session", tmp_path / "new", "--json")

    refused = run("session", "import", tmp_path / "graph.json", *place)
    done = run("session", "import", "--recompute", tmp_path / "graph.json", *place)

    assert (refused.code, refused.json["error"]["code"]) == (2, "conclusion-differs")
    assert done.code == 0
    assert [(note["code"], note["subject"]) for note in done.json["notes"]] == [("conclusion-differs", fallen["id"])]
    new = Mesh.open(tmp_path / "new")
    assert new.graph.is_live(fallen["id"])
    assert new.resolver.labels == mesh.resolver.labels


def test_a_picture_of_a_neighbourhood_names_its_centre_as_a_user_does(run: Run, session: Path) -> None:
    done = run("session", "export", "--as", "mermaid", "--around", "Interval notation", "--session", session)
    assert (done.code, done.out.splitlines()[0]) == (0, "flowchart LR")
    assert "Interval notation" in done.out

    small = run(
        "session", "export", "--as", "graphml", "--around", "Interval notation", "--nodes", 2, "--session", session
    )
    assert (small.code, small.out.count("<node ")) == (0, 2)
    assert "first 2 nodes" in small.err
    told = run("session", "export", "--as", "prov", "--session", session, "--json")
    assert json.loads(told.json["text"])["@context"]["prov"].startswith("http")
    assert run("session", "export", "--as", "prov", "--around", "x", "--session", session).code == 2
    assert (
        run("session", "export", "--as", "dot", "--session", session, "--json").json["error"]["code"] == "unknown-form"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "unknown-form"), ("hello", "unknown-form"), ("{}", "missing-key"), ('{"schema": 1', "damaged-file")],
)
def test_a_file_of_no_known_form_is_refused(run: Run, session: Path, tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "x").write_text(text, "utf-8")

    done = run("session", "import", tmp_path / "x", "--session", session, "--json")

    assert (done.code, done.json["error"]["code"]) == (2, code)
    assert (
        run("session", "import", tmp_path / "none", "--session", session, "--json").json["error"]["code"]
        == "missing-file"
    )


def test_generations_are_logged_compared_and_brought_back(run: Run, session: Path, memory: Path) -> None:
    first = run("session", "inspect", "--session", session, "--json").json
    assert run("session", "import", memory, "--session", session, "--keep", 5).code == 0
    second = run("session", "inspect", "--session", session, "--json").json

    log = run("session", "log", "--session", session, "--json").json["generations"]
    assert [entry["generation"] for entry in log[:2]] == [second["generation"], first["generation"]]
    assert f"generation {second['generation']}" in run("session", "log", "--session", session).out
    numbers = (first["generation"], second["generation"])
    diff = run("session", "diff", *numbers, "--session", session, "--json").json
    assert len(diff["records"]["nodes"]["added"]) == second["counts"]["nodes"] - first["counts"]["nodes"] > 0
    words = run("session", "diff", *numbers, "--session", session).out
    assert f"  + {diff['records']['nodes']['added'][0]}" in words
    assert "nothing differs" in run("session", "diff", numbers[0], numbers[0], "--session", session).out
    done = run("session", "restore", numbers[0], "--session", session, "--json")
    assert (done.json["generation"], done.json["restored"]) == (numbers[1] + 1, numbers[0])
    assert run("session", "inspect", "--session", session, "--json").json["counts"] == first["counts"]
    assert run("session", "restore", 99, "--session", session, "--json").json["error"]["code"] == "no-generation"


@pytest.mark.parametrize("command", ["save", "restore", "import"])
def test_choosing_how_many_are_kept_removes_the_others_also_where_nothing_is_to_be_written(
    run: Run, session: Path, memory: Path, command: str
) -> None:
    assert run("session", "import", memory, "--session", session, "--keep", 5).code == 0
    memory.write_text(MEMORY + '{"type":"entity","name":"Quay","entityType":"place","observations":[]}\n', "utf-8")
    newest = run("session", "import", memory, "--session", session, "--json").json["generation"]
    given = {"save": (), "restore": (newest,), "import": (memory,)}[command]

    def kept() -> list[int]:
        log = run("session", "log", "--session", session, "--json").json["generations"]
        return [entry["generation"] for entry in log]

    assert run("session", command, *given, "--session", session, "--json").json["written"] == []
    assert kept() == [newest, newest - 1, newest - 2]
    done = run("session", command, *given, "--keep", 1, "--session", session, "--json").json
    assert (done["written"], done["generation"], bool(done["removed"])) == ([], newest, True)
    assert kept() == [newest, newest - 1]
    words = run("session", command, *given, "--keep", 0, "--session", session).out
    assert f"stays at generation {newest}; " in words and "files of earlier ones were removed" in words
    assert kept() == [newest]


def test_a_log_with_a_damaged_generation_ends_with_1(run: Run, session: Path, memory: Path) -> None:
    run("session", "import", memory, "--session", session)
    newest = run("session", "inspect", "--session", session, "--json").json["generation"]
    (session / f"resolver-{newest:06d}.json").write_bytes(b"{}")

    done = run("session", "log", "--session", session)

    assert done.code == 1
    assert "cannot be trusted" in done.out


def test_a_session_with_nothing_to_fold_stays_at_its_generation(run: Run, session: Path) -> None:
    before = run("session", "inspect", "--session", session, "--json").json["generation"]

    assert run("session", "save", "--session", session, "--json").json == {
        "session": str(session),
        "generation": before,
        "written": [],
    }
    for command in ("save", "inspect", "log"):
        assert run("session", command, "--session", session / "none").code == 2
        assert run("session", command).code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("ingest", "nowhere.md"),
        ("ingest", "bad.txt"),
        ("ingest", "memory.jsonl", "--as", "nothing"),
        ("session", "import", "nowhere.jsonl"),
        ("session", "import", "bad.txt"),
        ("session", "import", "memory.jsonl", "--keep", "10000"),
    ],
)
def test_what_is_refused_makes_no_session(run: Run, memory: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\x00bad")
    before = sorted(tmp_path.rglob("*"))
    found = run(*(tmp_path / word if "." in word else word for word in words), "--session", tmp_path / "new.mesh")

    assert found.code in (1, 2)
    assert sorted(tmp_path.rglob("*")) == before
