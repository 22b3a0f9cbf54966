"""What each command prints, in words and as JSON, and the exit code it leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from contextmesh import Mesh
from contextmesh.policy import Policy

from .conftest import Run


def test_the_demo_tells_both_halves_of_a_rejection(run: Run) -> None:
    told = run("demo")

    assert told.code == 0
    assert "INVALIDATED (3)" in told.out
    assert "PRESERVED" in told.out


def test_the_demo_as_json_is_one_document_with_everything_in_it(run: Run) -> None:
    story = run("demo", "--json").json

    assert {"build", "questions", "answered_right", "invalidation", "questions_after", "health"} <= set(story)


def test_ingest_says_new_first_and_unchanged_the_second_time(run: Run, notes: Path, tmp_path: Path) -> None:
    home = tmp_path / "s.mesh"
    first = run("ingest", notes, "--session", home)
    second = run("ingest", notes, "--session", home)

    assert "3 new" in first.out
    assert "3 unchanged" in second.out
    assert first.out.splitlines()[-1] == f"saved in {home} (generation 1)"
    assert second.out.splitlines()[-1] == f"{home} stays at generation 1"


def test_a_question_about_lineage_is_answered_by_the_successor(run: Run, session: Path) -> None:
    answer = run("ask", "What replaced RFC 1?", "--session", session, "--json").json

    assert answer["answer"]["id"] == "decision:rfc-2"
    assert answer["dead_end"] is None
    assert [step["edge"] for step in answer["path"]][:2] == [None, "supersedes"]
    assert answer["session"] == str(session)


def test_a_dead_end_leaves_exit_code_3(run: Run, session: Path) -> None:
    answer = run("ask", "What is the refund policy for annual plans?", "--session", session, "--json")

    assert answer.code == 3
    assert answer.json["dead_end"] == "entity_unresolved"
    assert answer.json["answer"] is None


@pytest.mark.parametrize("name", ["decision:rfc-1", "RFC 1", "rfc-0001", "RFC-1"])
def test_lineage_takes_an_id_or_a_name(run: Run, session: Path, name: str) -> None:
    line = run("lineage", name, "--session", session, "--json").json

    assert [step["id"] for step in line["lineage"]] == ["decision:rfc-1", "decision:rfc-2"]


def test_show_gives_edges_and_conclusions(run: Run, session: Path) -> None:
    portrait = run("show", "RFC 1", "--session", session, "--json").json

    assert portrait["id"] == "decision:rfc-1"
    assert portrait["conclusions"] == ["superseded", "live"]
    assert "supersedes" in [link["type"] for link in portrait["in"]]


def test_find_lists_nodes_by_part_of_a_name_and_says_when_there_is_none(run: Run, session: Path) -> None:
    assert "decision:rfc-3" in run("find", "interval notation", "--session", session).out
    assert run("find", "zeppelin", "--session", session).code == 1


def test_query_prints_named_columns(run: Run, session: Path) -> None:
    rows = run("query", "edge(L, X, supersedes, Y)", "--session", session, "--json").json

    assert rows["columns"] == ["L", "X", "Y"]
    assert [row[1:] for row in rows["rows"]] == [["decision:rfc-2", "decision:rfc-1"]]


def test_the_second_engine_gives_the_same_rows(run: Run, session: Path) -> None:
    body = "replaced(N, O), node(O, decision)"
    own = run("query", body, "--session", session, "--json")
    second = run("query", body, "--session", session, "--engine", "pydatalog", "--json")

    assert second.out == own.out


def test_why_shows_the_rule_and_its_line_and_why_not_the_literal_that_fails(run: Run, session: Path) -> None:
    why = run("why", "superseded('decision:rfc-1')", "--session", session)
    why_not = run("why-not", "superseded('decision:rfc-3')", "--session", session)

    assert "lineage.dl:" in why.out
    assert "does not hold" in why_not.out
    assert "supersedes" in why_not.out


def test_blast_changes_nothing_and_invalidate_tells_the_same_story(run: Run) -> None:
    statement = "Shard count grows linearly with corpus size"
    dry = run("blast", statement, "--json").json
    real = run("invalidate", "--json").json

    assert dry["committed"] is False
    assert real["committed"] is True
    assert dry["invalidated"] == real["invalidated"]


def test_an_assumption_of_a_session_falls_only_to_evidence_that_is_there(run: Run, session: Path) -> None:
    from contextmesh import Mesh

    mesh = Mesh.open(session)
    source = mesh.graph.add_node("source", "Harbour log", attrs={"origin": "log", "retrieved_at": "2023-06-09"}).id
    ground = mesh.assume("Departures drift in winter only")
    decided = mesh.decide(
        "Publish intervals", rationale="Drift is rare.", source=source, depends_on=[ground.id], id="decision:p"
    )
    seen = mesh.submit_evidence("Departures drifted in June.", source_id=source)
    mesh.save()
    refused = run("invalidate", ground.id, "--evidence", "evidence:nothing", "--session", session)
    fallen = run("invalidate", ground.id, "--evidence", seen.id, "--session", session, "--json").json

    assert refused.code == 2
    assert [f["id"] for f in fallen["invalidated"]] == [ground.id, decided.id]
    assert run("query", f"fell('{decided.id}', A)", "--session", session, "--json").json["rows"] == [[ground.id]]


def test_rules_eval_prints_the_full_tuples_that_match(run: Run, tmp_path: Path) -> None:
    program = tmp_path / "reach.dl"
    program.write_text("e(1, 2). e(2, 3). e(3, 1).\nr(X, Y) :- e(X, Y).\nr(X, Y) :- e(X, Z), r(Z, Y).\n")
    for engine in ("incremental", "spec", "pydatalog"):
        found = run("rules", "eval", program, "--query", "r(1, Y)", "--engine", engine, "--json").json

        assert found == {"relation": "r", "rows": [[1, 1], [1, 2], [1, 3]]}


def test_rules_eval_reads_facts_from_a_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "e.tsv").write_text("1\tharbour\n2\tlock\n")
    program = tmp_path / "names.dl"
    program.write_text("n(Y) :- e(X, Y), X > 1.\n")

    found = run("rules", "eval", program, "--query", "n(Y)", "--facts", tmp_path / "facts", "--json").json

    assert found == {"relation": "n", "rows": [["lock"]]}


def test_rules_check_counts_what_it_checked(run: Run) -> None:
    checked = run("rules", "check", "--json").json

    assert checked["ok"] is True
    assert checked["rules"] > 50


def test_rules_fmt_check_leaves_the_file_and_exit_code_1(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.dl"
    file.write_text("p(X):-q(X).   % a word\n")

    assert run("rules", "fmt", file, "--check").code == 1
    assert file.read_text() == "p(X):-q(X).   % a word\n"
    assert run("rules", "fmt", file).code == 0
    assert "% a word" in file.read_text()
    assert run("rules", "fmt", file, "--check").code == 0


def test_rules_diff_says_what_would_stand_up(run: Run, tmp_path: Path) -> None:
    policy = tmp_path / "policy"
    policy.mkdir()
    shipped = (Path(__file__).resolve().parents[2] / "GRAPH.md").read_text(encoding="utf-8")
    (policy / "GRAPH.md").write_text(shipped.replace("backward", "none"), encoding="utf-8")

    found = run("rules", "diff", policy)

    assert found.code == 0
    assert "fell" in found.out


def test_no_colours_reach_a_pipe(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)

    assert "\x1b" not in run("demo").out


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_any_output_encoding_will_do(encoding: str) -> None:
    env = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "contextmesh", "invalidate"], env=env, capture_output=True, check=False
    )

    assert done.returncode == 0, done.stderr.decode()
    assert "->" in done.stdout.decode(encoding)


def test_help_imports_no_engine_no_parser_and_no_reader() -> None:
    script = (
        "import sys\nfrom contextmesh.cli.app import main\nmain(['--help'])\n"
        "print([m for m in ('lark', 'numpy', 'pyDatalog', 'docutils', 'yaml', "
        "'contextmesh.datalog.engine', 'contextmesh.graph.graph') if m in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stderr.strip() == "[]"


def test_the_same_documents_give_the_same_bytes_under_any_hash_seed(notes: Path, tmp_path: Path) -> None:
    seen = set()
    for seed in range(10):
        home = tmp_path / f"{seed}.mesh"
        env = {**os.environ, "PYTHONHASHSEED": str(seed)}
        run = [sys.executable, "-m", "contextmesh", "ingest", str(notes), "--session", str(home)]
        subprocess.run(run, env=env, capture_output=True, check=True)
        seen.add(tuple((home / name).read_bytes() for name in ("records-000001.jsonl", "resolver-000001.json")))

    assert len(seen) == 1


def test_json_goes_to_stdout_alone(run: Run) -> None:
    found = run("health", "--json")

    assert json.loads(found.out)["status"] in ("ok", "warn", "error")
    assert found.err == ""


def test_no_rows_stand_under_as_many_columns_as_the_relation_has(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "reach.dl"
    text.write_text("reach(X, Y) :- way(X, Y).\n", encoding="utf-8")

    assert run("rules", "eval", text, "--query", "reach(X, Y)").out == "1\t2\n(0 rows)\n"


def test_a_session_of_another_policy_is_compared_under_that_policy(run: Run, tmp_path: Path) -> None:
    policy = tmp_path / "policy"
    policy.mkdir()
    shipped = Path(__file__).parents[2] / "GRAPH.md"
    lines = []
    for line in shipped.read_text(encoding="utf-8").splitlines():
        lines.append(line)
        if line.startswith("| Evidence "):
            lines.append("| Crew | `crew` | People who sail | `lead` |")
        if line.startswith("| `resolves_to`"):
            lines.append("| `sails` | crew→entity | forward | Takes to sea |")
    (policy / "GRAPH.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    home = tmp_path / "s.mesh"
    mesh = Mesh.open(home, policy=Policy.load(policy), create=True)
    mesh.graph.add_node("crew", "Night crew", attrs={"lead": "Ada"})
    mesh.save()

    assert "--policy DIR" in run("rules", "diff", policy, "--session", home).err
    assert run("rules", "diff", policy, "--session", home, "--policy", policy).code == 0
    assert "lead: Ada" in run("show", "Night crew", "--session", home, "--policy", policy).out
