"""What the documentation must say, read from the code: every code, every command's help, every relation."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_WORDING = "contextmesh/store/refusal.py"

BUILT = {"f'{outcome.phase}-timeout'": ("auditor-timeout", "worker-timeout")}
"""Codes that are put together while the program runs, by the expression that does it."""

# ---- error codes ----------------------------------------------------------------------------


def error_codes() -> dict[str, str]:
    """Every code a user may meet, and the first file that makes it.

    A code is what is given to a parameter or field ``code: str`` of a function or class of the package (Problem, Fault,
    Skipped, Failure …), and the name of each violation that a rules file derives, unless the wording gives it another.

    Raises:
        ValueError: a code is computed in a way that this reading does not understand; put it into ``BUILT``.
    """
    paths = sorted((ROOT / "contextmesh").rglob("*.py"))
    trees = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    own = {home: dict(_takers(tree)) for home, tree in trees.items()}
    found: dict[str, str] = {}
    for home, tree in trees.items():
        for code in _codes(tree, own[home] | dict(_imported(tree, own)), home):
            found.setdefault(code, home)
    worded = dict(_worded(trees[_WORDING]))
    for violation, home in _violations():
        code = worded.get(violation, violation.replace("_", "-"))
        found.setdefault(code, home)
    return dict(sorted(found.items()))


def _takers(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Functions and classes with a text called ``code``, and its place among the arguments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            yield from ((node.name, at) for at in _place(node))
        elif isinstance(node, ast.ClassDef):
            made = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
            fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
            named = [ast.unparse(part.target) for part in fields if ast.unparse(part.annotation) == "str"]
            if made:
                yield from ((node.name, at) for at in _place(made[0]))
            elif "code" in named:
                yield node.name, [ast.unparse(part.target) for part in fields].index("code")


def _place(function: ast.FunctionDef) -> Iterator[int]:
    given = [arg for arg in function.args.args if arg.arg not in ("self", "cls")]
    for at, arg in enumerate(given):
        if arg.arg == "code" and arg.annotation is not None and ast.unparse(arg.annotation) == "str":
            yield at


def _imported(tree: ast.AST, own: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[str, int]]:
    """Takers of other modules that this one imports by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            there = own.get(f"{node.module.replace('.', '/')}.py", {})
            yield from ((alias.asname or alias.name, there[alias.name]) for alias in node.names if alias.name in there)


def _codes(tree: ast.AST, takers: Mapping[str, int], home: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield from _assigned(node, f"{home}:{node.lineno}")
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in takers:
            given = [k.value for k in node.keywords if k.arg == "code"] or node.args[takers[name] : takers[name] + 1]
            for value in given:
                yield from _constants(value, f"{home}:{node.lineno}")


def _assigned(node: ast.Assign, where: str) -> Iterator[str]:
    """Texts that a variable called ``code`` is set to, alone or among others."""
    for target in node.targets:
        several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
        pairs = zip(target.elts, node.value.elts, strict=False) if several else [(target, node.value)]  # type: ignore[attr-defined]
        for name, value in pairs:
            if ast.unparse(name) == "code" and _is_text(value):
                yield from _constants(value, where)


def _is_text(value: ast.expr) -> bool:
    if isinstance(value, ast.IfExp):
        return _is_text(value.body) and _is_text(value.orelse)
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _constants(value: ast.expr, where: str) -> Iterator[str]:
    if isinstance(value, ast.IfExp):
        yield from _constants(value.body, where)
        yield from _constants(value.orelse, where)
    elif isinstance(value, ast.Constant) and isinstance(value.value, str) and _CODE.fullmatch(value.value):
        yield value.value
    elif ast.unparse(value) in BUILT:
        yield from BUILT[ast.unparse(value)]
    elif not _handed_on(value):
        raise ValueError(f"{where}: the code {ast.unparse(value)} cannot be read from the text")


def _handed_on(value: ast.expr) -> bool:
    """Whether it is a code that was made elsewhere: ``code``, ``error.code``, ``problem["code"]``."""
    if isinstance(value, ast.Subscript):
        return ast.unparse(value.slice) == "'code'"
    name = value.id if isinstance(value, ast.Name) else getattr(value, "attr", "")
    return name == "code" or name.endswith("_code")


def _worded(wording: ast.AST) -> Iterator[tuple[str, str]]:
    """The violations that have words of their own, and the code those words go by."""
    methods = {node.name: node for node in ast.walk(wording) if isinstance(node, ast.FunctionDef)}
    table = next(
        node.value
        for node in ast.walk(wording)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "_WORDS" and isinstance(node.value, ast.Dict)
    )
    for key, value in zip(table.keys, table.values, strict=True):
        assert isinstance(key, ast.Constant) and isinstance(value, ast.Attribute), "violation: Wording.method"
        yield str(key.value), _told(value.attr, methods)


def _told(name: str, methods: Mapping[str, ast.FunctionDef]) -> str:
    for node in ast.walk(methods[name]):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            return str(ast.literal_eval(node.value.elts[0]))
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
            return _told(node.value.func.attr, methods)  # type: ignore[attr-defined]
    raise ValueError(f"{name} of {_WORDING} gives no words")


def _violations() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "rules").rglob("*.dl")):
        for name in re.findall(r"^(?:integrity_)?violation\((\w+),", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield name, path.relative_to(ROOT).as_posix()


def documented_codes() -> list[str]:
    """The codes of docs/errors.md, in its order."""
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([a-z0-9-]+)` \|", text, re.MULTILINE)


# ---- relations ------------------------------------------------------------------------------


def relations(kind: str) -> list[tuple[str, str]]:
    """Every relation the shipped rules declare as ``input`` or ``output``: its form with columns, and its file."""
    found: list[tuple[str, str]] = []
    for path in sorted((ROOT / "rules").glob("*.dl")):
        text = path.read_text(encoding="utf-8")
        forms = re.findall(rf"^{kind} +(\w+(?:\([^)]*\))?)\.", text, re.MULTILINE)
        found.extend((form, path.name) for form in forms)
    return found


def documented_relations(kind: str) -> list[tuple[str, str]]:
    """The same, as the section of docs/relations.md says it."""
    text = (ROOT / "docs" / "relations.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {kind.capitalize()}s\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None, f"docs/relations.md has a section of {kind}s"
    return re.findall(r"^\| `([^`]+)` \| [^|]*\S \| `([^`]+)` \|$", section[1], re.MULTILINE)


# ---- commands -------------------------------------------------------------------------------


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
    known, made = set(documented_codes()), error_codes()
    for code, home in made.items():
        if code not in known:
            print(f"not in docs/errors.md: {code} ({home})")
    for code in sorted(known - set(made)):
        print(f"made nowhere: {code}")
    for kind in ("input", "output"):
        told = set(documented_relations(kind))
        for form, home in relations(kind):
            if (form, home) not in told:
                print(f"not in docs/relations.md: {form} ({home})")
