"""A writer that is killed leaves every commit it had acknowledged; ``bench/crash.py`` does this far more often."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench import crash
from contextmesh.base.disk import Disk

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a killed writer is a forked one")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("crash") / "template"
    crash.template(directory)
    return directory


def test_a_writer_killed_at_any_file_operation_leaves_what_it_acknowledged(template: Path, tmp_path: Path) -> None:
    total = crash.operations(template, tmp_path)
    killed = 0
    for at in range(1, total + 1, 2):
        copy = shutil.copytree(template, tmp_path / f"at-{at}")
        acknowledged, was_killed = crash.crashed(copy, crash.Killer(at, half=at % 4 == 1))
        crash.require_kept(copy, acknowledged, writes_on=at % 3 == 0)
        killed += was_killed
    assert killed > total // 4


def test_a_writer_killed_at_some_time_leaves_what_it_acknowledged(template: Path, tmp_path: Path) -> None:
    for number in range(12):
        copy = shutil.copytree(template, tmp_path / f"time-{number}")
        acknowledged, _ = crash.crashed(copy, Disk(), kill_after=0.01 * number)
        crash.require_kept(copy, acknowledged)


def test_a_commit_that_is_acknowledged_too_early_is_seen(template: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(template, tmp_path / "early")
    with pytest.raises(AssertionError):
        crash.require_kept(copy, 1)
