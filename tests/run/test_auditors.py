"""Ready auditors: each says ok, fail or disproved of the world as it is, or raises when it cannot look."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from contextmesh.base.errors import InputError
from contextmesh.run import AuditContext, WorkContext
from contextmesh.run.auditors import AdvisoryFeed, CommandStatus, FileDigest, JsonField, feed
from contextmesh.run.auditors.feed import read_file
from contextmesh.run.auditors.osv import Advisory, judge, read_advisory

CONTEXT = AuditContext(WorkContext("weave", "dye", "Dye", "", "it holds", "assumption:x", 1, "decision:x"), {})


# ---- advisories ---------------------------------------------------------------------------------


def advisory(*affected: dict[str, Any], **fields: Any) -> Advisory:
    return read_advisory({"id": "DEMO-1", "modified": "2024-05-01T00:00:00Z", "affected": list(affected), **fields})


def package(events: list[dict[str, str]], versions: list[str] | None = None, **fields: Any) -> dict[str, Any]:
    made = {"package": {"name": "Woolly.Loom", "ecosystem": "PyPI"}, "versions": versions or []}
    return {**made, "ranges": [{"type": "ECOSYSTEM", "events": events}] if events else [], **fields}


FIXED = [{"introduced": "1.0"}, {"fixed": "1.4"}]
RANGES: list[tuple[list[dict[str, str]], str, str, str]] = [
    (FIXED, "1.0", "affected", "in range"),
    (FIXED, "1.3.9", "affected", "in range"),
    (FIXED, "1.4rc1", "affected", "in range"),
    (FIXED, "1.4", "not_affected", "outside every range"),
    (FIXED, "1.4.0.0", "not_affected", "outside every range"),
    (FIXED, "1.4.post1", "not_affected", "outside every range"),
    (FIXED, "1.0rc1", "not_affected", "outside every range"),
    (FIXED, "1.10", "not_affected", "outside every range"),
    (FIXED, "1.3+local.7", "affected", "in range"),
    (FIXED, "1!1.2", "not_affected", "outside every range"),
    (FIXED, "one", "cannot_evaluate", "one is no version that PEP 440 knows"),
    ([{"introduced": "0"}], "0.0.dev1", "affected", "in range"),
    ([{"introduced": "0"}, {"last_affected": "2.1"}], "2.1", "affected", "in range"),
    ([{"introduced": "0"}, {"last_affected": "2.1"}], "2.1.0", "affected", "in range"),
    ([{"introduced": "0"}, {"last_affected": "2.1"}], "2.1.post1", "not_affected", "outside every range"),
    ([{"introduced": "0"}, {"last_affected": "2.1"}], "2.1+cpu", "affected", "in range"),
    ([{"introduced": "2"}, {"last_affected": "2"}], "2", "affected", "in range"),
    ([{"introduced": "2"}, {"last_affected": "2"}], "2.0.1", "not_affected", "outside every range"),
    ([{"fixed": "2"}, {"introduced": "1"}, {"introduced": "2"}], "2", "affected", "in range"),
    ([{"introduced": "3"}, {"fixed": "2"}, {"introduced": "1"}], "2.5", "not_affected", "outside every range"),
    ([{"introduced": "0"}, {"limit": "2"}], "1.9", "affected", "in range"),
    ([{"introduced": "0"}, {"limit": "2"}], "2", "not_affected", "outside every range"),
    ([{"introduced": "0"}, {"limit": "*"}], "99", "affected", "in range"),
    ([{"introduced": "one"}], "1", "cannot_evaluate", "a range names a version that PEP 440 does not know"),
    ([], "1", "cannot_evaluate", "the advisory lists neither versions nor ranges of them"),
]


@pytest.mark.parametrize(("events", "version", "word", "why"), RANGES)
def test_a_range_is_read_as_the_schema_and_pep_440_say(
    events: list[dict[str, str]], version: str, word: str, why: str
) -> None:
    found = judge(advisory(package(events)), "woolly_loom", version)
    assert (found.word, found.why) == (word, why)


@pytest.mark.parametrize("version", ["2.3", "2.3.0", "2.3.0.0", "v2.3", "2.03", "2.3+cpu"])
def test_a_listed_version_is_found_in_any_spelling(version: str) -> None:
    assert judge(advisory(package([], ["2.3"])), "woolly-loom", version).why == "listed version"


def test_a_version_nobody_can_parse_may_still_be_listed() -> None:
    assert judge(advisory(package([], ["2.3-final-final"])), "woolly-loom", "2.3-final-final").word == "affected"


def test_ranges_over_commits_say_nothing_about_versions() -> None:
    ranges = [{"type": "GIT", "events": [{"introduced": "0"}]}]
    found = judge(advisory(package([], ["1.0"], ranges=ranges)), "woolly-loom", "2.0")
    assert found.word == "not_affected"


@pytest.mark.parametrize("name", ["woolly-loom", "Woolly.Loom", "WOOLLY__loom"])
def test_a_package_is_known_by_every_spelling_of_its_name(name: str) -> None:
    assert judge(advisory(package(FIXED)), name, "1.2").word == "affected"


def test_another_package_or_ecosystem_is_unknown() -> None:
    other = {"package": {"name": "woolly-loom", "ecosystem": "npm"}, "versions": ["1.2"]}
    assert judge(advisory(package(FIXED)), "loom", "1.2").word == "unknown_package"
    assert judge(advisory(other), "woolly-loom", "1.2").word == "unknown_package"


@pytest.mark.parametrize(
    ("as_of", "why"),
    [
        (date(2024, 1, 1), "not yet published"),
        (date(2024, 1, 2), "in range"),
        (date(2024, 5, 31), "in range"),
        (date(2024, 6, 1), "withdrawn"),
        (None, "withdrawn"),
    ],
)
def test_an_advisory_counts_from_the_day_it_is_published_to_the_day_it_is_withdrawn(
    as_of: date | None, why: str
) -> None:
    made = advisory(package(FIXED), published="2024-01-02T23:59:59Z", withdrawn="2024-06-01T00:00:00Z")
    assert judge(made, "woolly-loom", "1.2", as_of).why == why


def test_an_advisory_that_does_not_say_when_is_known_since_it_was_last_modified() -> None:
    made = advisory(package(FIXED))
    assert judge(made, "woolly-loom", "1.2", date(2024, 4, 30)).why == "not yet published"
    assert judge(made, "woolly-loom", "1.2", date(2024, 5, 1)).word == "affected"


YAML = """\
id: DEMO-7
summary: The shuttle sticks.
modified: 2024-05-01T00:00:00Z
affected:
- package:
    name: loom
    ecosystem: PyPI
  versions:
  - 1.10
  - 1.1
"""


def test_a_version_in_yaml_is_not_taken_for_a_number(tmp_path: Path) -> None:
    (tmp_path / "DEMO-7.yaml").write_text(YAML.replace("  - 1.1\n", ""))
    assert judge(read_file(tmp_path / "DEMO-7.yaml"), "loom", "1.10").word == "affected"
    assert judge(read_file(tmp_path / "DEMO-7.yaml"), "loom", "1.1").word == "not_affected"


def test_a_feed_disproves_once_an_advisory_appears_in_it(tmp_path: Path) -> None:
    look = AdvisoryFeed(tmp_path, "loom", "1.1")
    assert look(CONTEXT).kind == "ok"

    (tmp_path / "2024").mkdir()
    (tmp_path / "2024" / "DEMO-7.yml").write_text(YAML)

    verdict = look(CONTEXT)
    assert verdict.kind == "disproved"
    assert verdict.reason == "DEMO-7 affects loom 1.1 (listed version): The shuttle sticks."


def test_a_json_advisory_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(
        '{"id": "DEMO-8", "affected": [{"package": {"name": "loom", "ecosystem": "PyPI"}, "versions": ["3"]}]}'
    )
    assert AdvisoryFeed(tmp_path, "loom", "3.0")(CONTEXT).kind == "disproved"
    assert AdvisoryFeed(tmp_path, "loom", "4.0")(CONTEXT).kind == "ok"


BAD_FILES = {
    "no yaml": ("a.yaml", "id: [", "damaged-file"),
    "no json": ("a.json", "{", "damaged-file"),
    "deep yaml": ("a.yaml", "[" * 500 + "]" * 500, "damaged-file"),
    "no UTF-8": ("a.yaml", "id: \udcff", "damaged-file"),
    "no object": ("a.yaml", "- 1", "wrong-type"),
    "no id": ("a.yaml", "modified: 2024-05-01T00:00:00Z", "wrong-type"),
    "affected is text": ("a.yaml", "id: A\naffected: all", "wrong-type"),
    "an event of its own": (
        "a.yaml",
        "id: A\naffected:\n- package: {name: a, ecosystem: PyPI}\n  ranges: [{type: SEMVER, events: [{fxed: 1}]}]\n",
        "unknown-word",
    ),
    "no date": ("a.yaml", "id: A\npublished: soon", "not-a-date"),
    "code": ("a.yaml", "!!python/object/apply:os.getcwd []", "wrong-type"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_damaged_feed_is_no_reassurance(case: str, tmp_path: Path) -> None:
    name, text, code = BAD_FILES[case]
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as refused:
        AdvisoryFeed(tmp_path, "loom", "1.1")(CONTEXT)
    assert refused.value.code == code
    assert refused.value.problem.where is not None


def test_a_feed_of_more_files_than_are_read_is_no_reassurance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "FILES", 2)
    for number in range(3):
        (tmp_path / f"{number}.json").write_text('{"id": "X"}')

    with pytest.raises(InputError) as refused:
        AdvisoryFeed(tmp_path, "loom", "1.1")(CONTEXT)
    assert refused.value.code == "too-many-files"


def test_a_feed_that_is_not_there_is_no_reassurance(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        AdvisoryFeed(tmp_path / "feed", "loom", "1.1")(CONTEXT)
    assert refused.value.code == "missing-folder"


def test_an_advisory_that_cannot_be_evaluated_is_no_reassurance(tmp_path: Path) -> None:
    (tmp_path / "DEMO-7.yaml").write_text(YAML)
    with pytest.raises(InputError) as refused:
        AdvisoryFeed(tmp_path, "loom", "newest")(CONTEXT)
    assert refused.value.code == "cannot-evaluate"


@pytest.mark.parametrize("field", ["summary", "details", "published", "withdrawn"])
def test_a_short_advisory_whose_text_would_be_endless_is_refused(field: str, tmp_path: Path) -> None:
    wools = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    (tmp_path / "bomb.yaml").write_text(f"id: DEMO-1\na0: &a0 [wool]\n{wools}{field}: *a11\n")

    with pytest.raises(InputError) as refused:
        read_file(tmp_path / "bomb.yaml")
    assert refused.value.code == "wrong-type"


# ---- a file -------------------------------------------------------------------------------------


def test_a_file_is_the_same_until_a_byte_of_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "limits.toml"
    path.write_bytes(b"warp = 40\n")
    look = FileDigest(path, hashlib.sha256(b"warp = 40\n").hexdigest())
    assert look(CONTEXT).kind == "ok"

    path.write_bytes(b"warp = 41\n")
    assert look(CONTEXT).kind == "disproved"

    path.unlink()
    assert look(CONTEXT).reason == f"{path} is gone"


def test_a_file_that_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        FileDigest(tmp_path, "a" * 64)(CONTEXT)
    with pytest.raises(InputError) as refused:
        FileDigest(tmp_path, "A" * 64)
    assert refused.value.code == "malformed-digest"


# ---- a command ----------------------------------------------------------------------------------


def python(code: str, **options: Any) -> CommandStatus:
    return CommandStatus([sys.executable, "-c", code], **options)


def test_a_command_is_judged_by_how_it_ends() -> None:
    assert python("pass")(CONTEXT).kind == "ok"
    assert python("raise SystemExit(3)", expect=3)(CONTEXT).kind == "ok"
    verdict = python("print('no wool'); raise SystemExit(3)")(CONTEXT)
    assert verdict.kind == "disproved"
    assert verdict.reason.endswith("ended with status 3, not 0: no wool")
    assert python("raise SystemExit(3)", otherwise="fail")(CONTEXT).kind == "fail"


def test_no_shell_reads_an_argument(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    look = CommandStatus(
        [sys.executable, "-c", "import sys; sys.exit(len(sys.argv))", f"; touch {trap}", "$(id)"], expect=3
    )
    assert look(CONTEXT).kind == "ok"
    assert not trap.exists()


def test_of_a_command_that_prints_without_end_only_the_end_is_kept() -> None:
    prints = "import sys\nfor _ in range(2000): sys.stdout.write('wool' * 20000 + chr(10))\nsys.exit('the end')"
    tracemalloc.start()
    verdict = python(prints)(CONTEXT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert verdict.kind == "disproved" and verdict.reason.endswith("the end")
    assert peak < 8_000_000, "it printed 160 MB"


@pytest.mark.skipif(sys.platform == "win32", reason="there a command alone is ended")
def test_a_command_is_judged_when_it_ends_whatever_it_leaves_running_and_stopped_with_all_it_started(
    tmp_path: Path,
) -> None:
    begins = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {SLEEPS!r}], cwd={str(tmp_path)!r})\n"
    left = python(begins, seconds=30.0)
    assert left(CONTEXT).kind == "ok"
    os.kill(int(started(tmp_path)), signal.SIGKILL)
    (tmp_path / "pid").unlink()

    waits = begins + "import time\nwhile True: time.sleep(0.05)\n"
    with pytest.raises(InputError) as stopped:
        python(waits, seconds=3.0)(CONTEXT)
    assert stopped.value.code == "command-timeout"
    gone = int(started(tmp_path))
    with pytest.raises(ProcessLookupError):
        for _ in range(200):
            os.kill(gone, 0)
            time.sleep(0.02)


SLEEPS = "import os, time; open('pid.new', 'w').write(str(os.getpid())); os.rename('pid.new', 'pid'); time.sleep(60)"


def started(place: Path) -> str:
    """The number of the process that was left running, once it has begun."""
    for _ in range(1000):
        if (place / "pid").exists():
            return (place / "pid").read_text()
        time.sleep(0.02)
    raise AssertionError("it never began")


@pytest.mark.parametrize("arguments", ["ls -l", [], ["ls", 1]])
def test_a_command_that_is_no_list_of_texts_is_refused(arguments: Any) -> None:
    with pytest.raises(InputError) as refused:
        CommandStatus(arguments)
    assert refused.value.code == "wrong-type"


def test_a_command_that_hangs_or_is_not_there_says_nothing() -> None:
    with pytest.raises(InputError) as slow:
        python("import time; time.sleep(30)", seconds=0.2)(CONTEXT)
    assert slow.value.code == "command-timeout"
    with pytest.raises(InputError) as gone:
        CommandStatus(["/no/such/loom"])(CONTEXT)
    assert gone.value.code == "no-command"


# ---- an endpoint --------------------------------------------------------------------------------


class Quota(BaseHTTPRequestHandler):
    body = b'{"limits": [{"quota": 500}]}'

    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/")
        else:
            self.send_response(404 if self.path == "/gone" else 200)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Quota)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_field_is_compared_with_what_was_relied_on(url: str) -> None:
    at = ("limits", 0, "quota")
    assert JsonField(f"{url}/", at, 500)(CONTEXT).kind == "ok"
    assert JsonField(f"{url}/", at, 500.0)(CONTEXT).kind == "disproved"
    verdict = JsonField(f"{url}/", at, 400)(CONTEXT)
    assert verdict.reason == f"$.limits[0].quota of {url}/ is 500, and was 400"
    assert JsonField(f"{url}/", ("limits", 1), 400)(CONTEXT).reason == f"{url}/ has no $.limits[1]"


@pytest.mark.parametrize("path", ["/gone", "/moved"])
def test_an_endpoint_that_does_not_answer_says_nothing(url: str, path: str) -> None:
    with pytest.raises(InputError) as refused:
        JsonField(f"{url}{path}", (), 1)(CONTEXT)
    assert refused.value.code == "unreachable"


def test_only_the_net_is_asked() -> None:
    with pytest.raises(InputError) as refused:
        JsonField("file:///etc/passwd", (), 1)
    assert refused.value.code == "bad-url"
