"""Where GRAPH.md, rules, grammar and the dashboard page are: in the wheel, or one folder up in a checkout."""

from __future__ import annotations

from pathlib import Path


def data_root() -> Path:
    """The folder that holds ``GRAPH.md``, ``rules/`` and ``grammar/``."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent


def read_data(relative: str) -> str:
    """The text of one shipped data file.

    Raises:
        AssertionError: the file is not there: a fault of the build.
    """
    path = data_root() / relative
    assert path.is_file(), f"the build lacks {relative}"
    return path.read_text(encoding="utf-8")
