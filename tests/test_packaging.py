"""The wheel holds all that the package needs, and puts nothing else into the place it is installed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(out.glob("*.whl"))


def test_the_wheel_carries_rules_grammar_graph_md_and_the_page_inside_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert "contextmesh/_data/GRAPH.md" in names
    assert "contextmesh/_data/dashboard/index.html" in names
    rules = [*(ROOT / "rules").rglob("*.dl"), *(ROOT / "rules").rglob("*.cases")]
    assert sorted(n for n in names if n.endswith((".dl", ".cases"))) == sorted(
        f"contextmesh/_data/rules/{p.relative_to(ROOT / 'rules').as_posix()}" for p in rules
    )
    assert {f"contextmesh/_data/grammar/{p.name}" for p in (ROOT / "grammar").glob("*.lark")} <= set(names)


def test_nothing_lands_beside_the_package(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}

    assert sorted(tops) == ["contextmesh", "contextmesh-0.1.0.dist-info"]


def test_the_unpacked_wheel_runs_the_demo_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    run = [sys.executable, "-I", "-c", RUN_DEMO, str(tmp_path / "site")]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "INVALIDATED" in done.stdout
    assert '<script id="mesh-data" type="application/json">{"format"' in done.stdout


RUN_DEMO = """
import sys
sys.path.insert(0, sys.argv[1])
import contextmesh
assert contextmesh.__file__.startswith(sys.argv[1]), contextmesh.__file__
from contextmesh.cli.app import main
raise SystemExit(main(["demo"]) or main(["export", "--inline"]))
"""
