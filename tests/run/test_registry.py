"""A key is a name in a table, means one thing, and never becomes an import."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import contextmesh.run
from contextmesh.base.errors import ExecutionCheckpointError, InputError
from contextmesh.run import Runner, TaskRegistry
from contextmesh.run.fingerprint import comparable, fingerprint
from contextmesh.run.registry import is_key

RUN = Path(contextmesh.run.__file__).parent
FORBIDDEN_MODULES = {
    "importlib",
    "pickle",
    "marshal",
    "shelve",
    "runpy",
    "imp",
    "pkgutil",
    "code",
    "codeop",
    "zipimport",
}
FORBIDDEN_NAMES = {"eval", "exec", "compile", "__import__", "globals", "getattr_static"}


def work(context: object) -> dict[str, object]:
    return {"ok": True}


@pytest.mark.parametrize("path", sorted(RUN.rglob("*.py")), ids=lambda p: p.relative_to(RUN).as_posix())
def test_nothing_below_run_loads_or_runs_text(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    modules += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    assert {name.split(".")[0] for name in modules} & FORBIDDEN_MODULES == set()
    assert names & FORBIDDEN_NAMES == set()


def test_a_key_is_registered_once_even_for_the_same_function() -> None:
    registry = TaskRegistry()
    registry.register_worker("dye.v1", work)

    with pytest.raises(InputError) as refused:
        registry.register_worker("dye.v1", work)
    assert refused.value.code == "key-taken"


def test_workers_and_auditors_do_not_share_keys() -> None:
    registry = TaskRegistry()
    registry.register_worker("dye.v1", work)
    registry.register_auditor("dye.v1", lambda context: context.ok())

    assert registry.describe() == {"workers": ["dye.v1"], "auditors": ["dye.v1"]}


def test_a_key_found_in_the_other_table_says_so() -> None:
    registry = TaskRegistry()
    registry.register_worker("dye.v1", work)
    registry.register_auditor("look.v1", lambda context: context.ok())

    with pytest.raises(ExecutionCheckpointError, match=r"look\.v1 is registered as an auditor, not as a worker"):
        registry.worker("look.v1")
    with pytest.raises(ExecutionCheckpointError, match=r"dye\.v1 is registered as a worker, not as an auditor"):
        registry.auditor("dye.v1")


def test_a_key_almost_right_is_offered() -> None:
    registry = TaskRegistry()
    registry.register_worker("dye.v1", work)

    with pytest.raises(ExecutionCheckpointError) as refused:
        registry.worker("dye.v2")
    assert refused.value.problem.hint == "did you mean dye.v1?"


@given(st.text())
def test_a_key_is_printable_text_without_white_space(text: str) -> None:
    registry = TaskRegistry()
    good = bool(text) and text.isprintable() and not any(char.isspace() for char in text)

    assert is_key(text) == good
    if good:
        registry.register_worker(text, work)
        assert registry.worker(text).call is work
    else:
        with pytest.raises(InputError) as refused:
            registry.register_worker(text, work)
        assert refused.value.code == "bad-key"


LIMITS: list[dict[str, Any]] = [
    *({"timeout": value} for value in (0, -1, True, "3", float("inf"), float("nan"))),
    *({"retries": value} for value in (-1, True, 1.5, "3")),
]


@pytest.mark.parametrize("limits", LIMITS)
def test_limits_that_make_no_sense_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refused:
        TaskRegistry().register_worker("dye.v1", work, **limits)  # type: ignore[arg-type]
    assert refused.value.code == "out-of-range"


def test_equal_code_has_one_fingerprint_and_other_code_another() -> None:
    def make(number: int):  # type: ignore[no-untyped-def]
        def inner(context: object) -> dict[str, object]:
            return {"number": number, "set": number in {3, 1, 2}}

        return inner

    assert fingerprint(make(1)) == fingerprint(make(2)) != ""
    assert fingerprint(work) != fingerprint(make(1))
    assert fingerprint(len) == ""
    assert not comparable(fingerprint(work), fingerprint(len))
    assert not comparable("py3.11:00", "py3.12:00")


SOURCE = "def work(context):\n    return {'known': context.name in {'dye', 'wool', 'loom', 'cloth'}}"


def test_a_fingerprint_does_not_depend_on_the_process_that_takes_it() -> None:
    script = f"import sys\nfrom contextmesh.run.fingerprint import fingerprint\n{SOURCE}\nprint(fingerprint(work))"
    taken = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=RUN.parent.parent,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(taken) == 1


@pytest.mark.parametrize("parts", [{"graph": 3}, {"ledger": {}}, {"registry": {}}])
def test_a_runner_over_something_else_is_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refused:
        Runner("weave", **parts)
    assert refused.value.code == "wrong-type"


@pytest.mark.parametrize("number", [0, -1, True, "4", 2.0, None])
def test_a_number_of_workers_that_is_none_is_refused_whenever_it_is_given(number: Any) -> None:
    runner = Runner("weave", workers=3)
    with pytest.raises(InputError) as refused:
        runner.workers = number
    assert (refused.value.code, runner.workers) == ("out-of-range", 3)
    with pytest.raises(InputError) as refused:
        Runner("weave", workers=number)
    assert refused.value.code == "out-of-range"


def test_a_plan_has_a_name_that_can_be_written() -> None:
    with pytest.raises(InputError) as refused:
        Runner("weave \ud800")
    assert refused.value.code == "not-canonical"
