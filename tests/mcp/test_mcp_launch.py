"""What is wrong with arguments, session or registry is said before the SDK is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from served_places import Workshop, harbour, planned

from contextmesh import Session
from contextmesh.base.errors import Refusal
from contextmesh.mcp import main
from contextmesh.mcp.launch import prepared
from contextmesh.run import TaskRegistry


def code_of(arguments: list[str], registry: TaskRegistry | None = None) -> str:
    with pytest.raises(Refusal) as refused:
        prepared(arguments, registry)
    return refused.value.code


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--demo", "--session", "s"],
        ["--session"],
        ["--demo", "--checkpoint", "sometimes"],
        ["--demo", "--tools", "few"],
        ["--demo", "--reject", "x"],
        ["--demo", "--check", "never"],
        ["--demo", "surplus"],
    ],
)
def test_an_option_that_is_none_is_refused(arguments: list[str]) -> None:
    assert code_of(arguments) == "usage"


def test_a_directory_without_a_session_is_refused(tmp_path: Path) -> None:
    assert code_of(["--session", str(tmp_path)]) == "no-session"
    assert code_of(["--session", str(tmp_path / "nowhere")]) in ("no-session", "unreadable-file")


def test_a_damaged_manifest_is_refused(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    (place / "session-000001.json").write_text("{", encoding="utf-8")

    assert code_of(["--session", str(place)])


def test_a_plan_without_a_registry_is_refused_with_its_keys(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())

    with pytest.raises(Refusal) as refused:
        prepared(["--session", str(place)])

    assert refused.value.code == "missing-registry"
    assert "hull.oak.v1" in (refused.value.problem.note or "")


def test_a_key_that_came_with_a_line_of_the_journal_is_asked_for(tmp_path: Path) -> None:
    shop = Workshop()
    place = planned(tmp_path / "s", shop)
    keys = shop.registry()
    keys.register_worker("hull.paint.v1", lambda ctx: {"coats": 2})
    session = Session.load(place, registry=keys)
    session.checkpoint()
    assert session.runner is not None
    session.runner.task("paint", worker_key="hull.paint.v1", assumes="It is dry")
    session.runner.run()
    assert session.checkpoint().lines, "the plan went on in the journal"

    with pytest.raises(Refusal) as refused:
        prepared(["--session", str(place)], shop.registry())

    assert [(p.code, p.subject) for p in refused.value.problems] == [("unknown-worker", "hull.paint.v1")]


def test_every_key_that_the_registry_lacks_is_named(tmp_path: Path) -> None:
    place = planned(tmp_path / "s", Workshop())

    with pytest.raises(Refusal) as refused:
        prepared(["--session", str(place)], TaskRegistry())

    assert [(p.code, p.subject) for p in refused.value.problems] == [
        ("unknown-worker", "hull.oak.v1"),
        ("unknown-auditor", "hull.look.v1"),
    ]


def test_a_plan_with_its_registry_is_offered(tmp_path: Path) -> None:
    shop = Workshop()
    launch = prepared(["--session", str(planned(tmp_path / "s", shop)), "--tools", "core"], shop.registry())

    assert (launch.served.has_plan, launch.core, launch.served.checkpoint) == (True, True, "on-exit")


def test_a_refusal_goes_to_stderr_with_its_code_and_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--demo", "--tools", "few"]) == 2
    told = capsys.readouterr()

    assert told.out == ""
    assert "error[usage]" in told.err


def test_refusing_needs_no_sdk(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from contextmesh.mcp import main\n"
        f"code = main(['--session', {str(tmp_path)!r}])\n"
        "assert not [name for name in sys.modules if name == 'mcp' or name.startswith(('mcp.', 'mcp_types'))]\n"
        "raise SystemExit(code)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=30)

    assert (done.returncode, done.stdout) == (2, "")
    assert "error[no-session]" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_takes_time_waits_until_the_server_answers(tmp_path: Path) -> None:
    place = harbour(tmp_path / "s")
    script = (
        "import sys\n"
        "from contextmesh.mcp.launch import prepared\n"
        f"launch = prepared(['--session', {str(place)!r}])\n"
        "assert not {'lark', 'mcp', 'pydantic'} & set(sys.modules), 'neither rules nor the protocol are read yet'\n"
        "launch.served.load()\n"
        "assert 'lark' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_policy_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    assert code_of(["--demo", "--policy", str(tmp_path / "nowhere")]) == "missing-file"
    assert code_of(["--demo", "--policy", str(tmp_path)]) == "empty-policy"


def test_without_the_sdk_the_extra_is_named() -> None:
    script = (
        "import sys\n"
        "sys.modules['mcp_types'] = None\n"
        "from contextmesh.mcp import main\n"
        "raise SystemExit(main(['--demo']))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=30)

    assert done.returncode == 2
    assert "error[no-sdk]" in done.stderr
    assert "contextmesh[mcp]" in done.stderr
