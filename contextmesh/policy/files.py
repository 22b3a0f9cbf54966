"""The files of a policy: the shipped ones, and what a user lays over them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from contextmesh.base.data import data_root
from contextmesh.base.errors import InputError, PolicyError, Problem, Where
from contextmesh.base.files import read_bytes
from contextmesh.base.source import Source, Span

GRAPH_MD = "GRAPH.md"
RULES = "rules"
SUFFIX = ".dl"
INTEGRITY = "integrity.dl"
"""The rules that compare files with each other; what they are given is no part of the graph."""
MAX_BYTES = 4 * 1024 * 1024
"""Of one file."""
MAX_FILES = 500
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Files:
    """The texts of a policy: GRAPH.md, and rules by file name, sorted."""

    graph_md: Source
    rules: dict[str, Source]

    def all(self) -> tuple[Source, ...]:
        return (self.graph_md, *self.rules.values())


def shipped() -> Files:
    """The texts of the policy this version comes with, named as in the checkout."""
    root = data_root()
    rules = {path.name: _read(path, f"{RULES}/{path.name}") for path in sorted((root / RULES).glob(f"*{SUFFIX}"))}
    return Files(_read(root / GRAPH_MD, GRAPH_MD), rules)


def laid_over(base: Files, overlay: Path) -> Files:
    """Files where those of ``overlay`` replace what has the same name; a new rules file adds.

    ``overlay`` is a folder with a ``GRAPH.md``, with rules files in it or in its folder ``rules``, or with both;
    or one rules file. Other files in it mean nothing.

    Raises:
        PolicyError: ``missing-file``, ``not-a-file``, ``unreadable-file``, ``too-large``, ``not-utf-8``,
            ``byte-order-mark``, ``tab``, ``empty-policy``, ``too-many-files``, ``file-twice``,
            ``grammar-not-overridable``.
    """
    if overlay.is_file() and overlay.suffix == SUFFIX:
        return _with_rules(base, [overlay])
    if not overlay.is_dir():
        raise _refused("missing-file", f"{overlay} is no folder and no {SUFFIX} file", overlay, None)
    try:
        inner = overlay / RULES
        found = [*overlay.glob(f"*{SUFFIX}"), *(inner.glob(f"*{SUFFIX}") if inner.is_dir() else ())]
        grammars = [*overlay.glob("*.lark"), *overlay.glob("grammar/*.lark")]
    except OSError as error:
        raise _refused("unreadable-file", f"{overlay} cannot be listed: {error.strerror}", overlay, None) from None
    if grammars:
        hint = "remove it; a policy changes rules and GRAPH.md, never the language they are written in"
        raise _refused("grammar-not-overridable", f"{min(grammars)} would change a grammar", min(grammars), hint)
    graph_md = overlay / GRAPH_MD
    if not found and not graph_md.exists():
        hint = f"put a {GRAPH_MD} or a {SUFFIX} file into it, or leave the policy out"
        raise _refused("empty-policy", f"{overlay} holds no {GRAPH_MD} and no {SUFFIX} file", overlay, hint)
    if len(found) > MAX_FILES:
        raise _refused("too-many-files", f"{overlay} holds more than {MAX_FILES} rules files", overlay, None)
    files = _with_rules(base, sorted(found))
    return Files(_read(graph_md, str(graph_md)), files.rules) if graph_md.exists() else files


def _with_rules(base: Files, paths: list[Path]) -> Files:
    names: dict[str, Path] = {}
    for path in paths:
        if path.name in names:
            message = f"{path.name} is there twice: {names[path.name]} and {path}"
            raise _refused("file-twice", message, path, "keep one of them")
        names[path.name] = path
    rules = {**base.rules, **{name: _read(path, str(path)) for name, path in names.items()}}
    return Files(base.graph_md, dict(sorted(rules.items())))


def _read(path: Path, name: str) -> Source:
    try:
        data = read_bytes(path, limit=MAX_BYTES)
    except InputError as error:
        raise PolicyError(*error.problems) from None
    try:
        source = Source(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = "save the file as UTF-8 text"
        message = f"{name} is not UTF-8 text: byte {error.start}"
        raise _refused("not-utf-8", message, path, hint, Where(name, line)) from None
    if source.text.startswith(_BYTE_ORDER_MARK):
        message = f"{name} starts with a byte order mark"
        raise _refused("byte-order-mark", message, path, "save the file as UTF-8 without it", Where(name, 1, 1))
    tab = source.text.find("\t") if path.suffix == SUFFIX else -1
    if tab >= 0:
        where = source.where(Span(tab, tab + 1))
        problem = Problem("tab", "a tab stands in a rules file", name, where=where, hint="indent with spaces")
        raise PolicyError(problem)
    return source


def _refused(code: str, message: str, path: Path, hint: str | None, where: Where | None = None) -> PolicyError:
    return PolicyError(Problem(code, message, str(path), where=where or Where(str(path)), hint=hint))
