"""The documentation cannot lie: commands, error codes and relations are compared with the code."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import docs  # noqa: E402


def test_every_error_code_is_documented_and_every_documented_code_exists() -> None:
    assert docs.documented_codes() == sorted(docs.error_codes())


def test_the_command_manual_is_what_help_prints() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == docs.command_manual()


@pytest.mark.parametrize("path", docs.command_paths(), ids=" ".join)
def test_every_command_has_help_with_an_example(path: tuple[str, ...]) -> None:
    assert f"Example:  contextmesh {' '.join(path)}" in docs.help_of(path)


def test_every_command_that_the_readme_shows_exists() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = {tuple(shlex.split(line)[1:2]) for line in re.findall(r"^contextmesh .*$", readme, re.MULTILINE)}

    assert shown <= {path[:1] for path in docs.command_paths()}


def test_the_python_of_the_readme_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", readme, re.DOTALL):
        exec(compile(block, "README.md", "exec"), {})
