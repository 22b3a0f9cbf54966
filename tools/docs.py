"""What the documentation must say, read from the code: every error code, every command's help."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def error_codes() -> dict[str, str]:
    """Every code that a Problem may carry, and the first module that makes it.

    A code is a constant given to ``Problem`` or to a parameter called ``code`` of a function of the package.
    """
    found: dict[str, str] = {}
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "contextmesh").rglob("*.py"))}
    takers = {"Problem": 0}
    for tree in trees.values():
        takers.update(_takers(tree))
    for path, tree in trees.items():
        for code in _codes(tree, takers):
            found.setdefault(code, path.relative_to(ROOT).as_posix())
    return dict(sorted(found.items()))


def _takers(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [arg.arg for arg in node.args.args if arg.arg not in ("self", "cls")]
            if "code" in names:
                yield node.name, names.index("code")


def _codes(tree: ast.AST, takers: dict[str, int]) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name not in takers:
            continue
        given = [k.value for k in node.keywords if k.arg == "code"] or node.args[takers[name] : takers[name] + 1]
        for value in given:
            for constant in ast.walk(value):
                text = constant.value if isinstance(constant, ast.Constant) else None
                if isinstance(text, str) and _CODE.fullmatch(text):
                    yield text


def documented_codes() -> list[str]:
    """The codes of docs/errors.md, in its order."""
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([a-z0-9-]+)` \|", text, re.MULTILINE)


def command_paths() -> list[tuple[str, ...]]:
    """Every command as the words that call it, in the order in which help lists them."""
    return [path for path, command in _commands() if not hasattr(command, "commands")]


def help_of(path: tuple[str, ...]) -> str:
    """What ``contextmesh PATH --help`` prints, 100 columns wide and without colours."""
    script = "import sys; from contextmesh.cli.app import main; sys.exit(main(sys.argv[1:]))"
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}
    for name in ("CONTEXTMESH_SESSION", "CONTEXTMESH_POLICY", "FORCE_COLOR"):
        env.pop(name, None)
    run = [sys.executable, "-c", script, *path, "--help"]
    done = subprocess.run(run, env=env, capture_output=True, encoding="utf-8", check=True)
    return done.stdout


def command_manual() -> str:
    """docs/cli.md: the name, the purpose, the arguments, the options and an example of every command."""
    parts = [MANUAL_HEAD]
    for path, command in _commands():
        if hasattr(command, "commands"):
            continue
        parts.append(f"## `contextmesh {' '.join(path)}`\n\n{command.help}\n\n{_usage(command)}")
        parts.append(f"```\n{(command.epilog or '').removeprefix('Example:').strip()}\n```\n")
    return "\n".join(parts)


def _usage(command: Any) -> str:
    lines = ["| argument or option | means |", "|---|---|"]
    for param in command.params:
        shown = param.metavar or param.name
        names = shown if param.param_type_name == "argument" else ", ".join([*param.opts, *param.secondary_opts])
        if param.param_type_name == "option" and param.metavar:
            names += f" {param.metavar}"
        lines.append(f"| `{names}` | {(param.help or '').strip()} |".replace("...`", "...`"))
    return "\n".join(lines) + "\n"


def _commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    import typer.main

    from contextmesh.cli import commands, kit

    commands.register()
    stack: list[tuple[tuple[str, ...], Any]] = [((), typer.main.get_command(kit.app))]
    while stack:
        path, command = stack.pop()
        if path:
            yield path, command
        inner = getattr(command, "commands", {})
        stack.extend(((*path, name), inner[name]) for name in reversed(list(inner)))


MANUAL_HEAD = """# Commands

Made from the commands themselves by `python tools/docs.py`. Every command also takes `--help`.
"""


if __name__ == "__main__":
    (ROOT / "docs" / "cli.md").write_text(command_manual(), encoding="utf-8")
    known = set(documented_codes())
    for code, home in error_codes().items():
        if code not in known:
            print(f"not in docs/errors.md: {code} ({home})")
