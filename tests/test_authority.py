"""A key never becomes an import, and the core has no clock and no dice: read from the syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "contextmesh"
LOADERS = {"importlib", "pickle", "marshal", "shelve", "runpy", "imp", "pkgutil", "code", "codeop"}
DICE_AND_CLOCKS = {"random", "secrets", "uuid", "time", "datetime.datetime.now", "datetime.date.today"}
RUNS_TEXT = {"eval", "exec", "compile", "__import__"}

# Where each is allowed, and why.
MAY_RUN_TEXT = {"datalog/compile.py"}  # text it made itself from a checked tree
MAY_LOAD_BY_NAME = {
    "cli/execute.py",  # a module that the person at the command line names
}
MAY_READ_A_CLOCK = {
    "base/clock.py",  # whether a date that was given is still to come; the date written is the one given
    "base/disk.py",  # waits between two tries of a rename that somebody's open file stands in the way of
    "datalog/limits.py",  # a deadline is measured by a clock that is handed in
    "datalog/goal.py",  # kills a child at its deadline
    "session/lock.py",  # waits between two tries for the writer lock
    "session/load.py",  # waits between two reads of a directory that is being swept
    "cli/saving.py",  # how long a save took, so that saves during a round stay a small share of it
    "cli/rules_profile.py",  # what each rule costs; the clock is handed in and decides nothing
    "run/calls.py",  # when to stop waiting for a worker that hangs; the clock is handed in
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def called(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id
            elif isinstance(node.func, ast.Attribute):
                yield ast.unparse(node.func)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_no_module_loads_code_by_name_except_one_that_a_person_named(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))

    loads = sorted({name.split(".")[0] for name in imported(tree)} & LOADERS)

    assert loads == [] or name_of(path) in MAY_LOAD_BY_NAME


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_no_module_runs_text_except_the_rule_compiler(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    runs = sorted({name for name in called(tree) if name in RUNS_TEXT})

    assert runs == [] or name_of(path) in MAY_RUN_TEXT


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_no_module_reads_a_clock_or_rolls_dice_except_at_the_edge(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {name for name in imported(tree) if name in DICE_AND_CLOCKS or name.split(".")[0] in DICE_AND_CLOCKS}
    found |= {name for name in called(tree) if name.endswith((".now", ".today", ".utcnow"))}

    assert sorted(found) == [] or name_of(path) in MAY_READ_A_CLOCK


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_no_module_lets_the_hash_of_a_text_decide_anything(path: Path) -> None:
    """``hash`` differs from run to run; only ``__hash__`` itself may call it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "__hash__"]

    assert list(called(tree)).count("hash") == sum(list(called(n)).count("hash") for n in inside)


def test_the_allowances_name_files_that_exist() -> None:
    missing = [
        name for name in sorted(MAY_RUN_TEXT | MAY_LOAD_BY_NAME | MAY_READ_A_CLOCK) if not (PACKAGE / name).is_file()
    ]

    assert missing == []
