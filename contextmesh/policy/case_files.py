"""Where cases stand: beside the rules they are about, in files that end in ``.cases``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from contextmesh.base.data import data_root
from contextmesh.base.errors import InputError, Problem, Refusal, RuleError
from contextmesh.base.files import read_bytes
from contextmesh.base.source import Source
from contextmesh.lang.cases import CaseText, parse_cases
from contextmesh.policy.files import GRAPH_MD, MAX_BYTES, MAX_FILES, RULES, SUFFIX

CASES = "cases"
CASES_SUFFIX = ".cases"
_PLACES = ("", CASES, RULES, f"{RULES}/{CASES}")


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases, and the policy they stand beside: a path for ``Policy.load``, or None for the one in force."""

    texts: tuple[CaseText, ...]
    policy: Path | None


def shipped_cases() -> Suite:
    """The cases of the shipped rules, named as in the checkout."""
    folder = data_root() / RULES / CASES
    paths = sorted(folder.glob(f"*{CASES_SUFFIX}"))
    return Suite(_parsed({path: f"{RULES}/{CASES}/{path.name}" for path in paths}), None)


def cases_at(path: Path | None) -> Suite:
    """The cases of a path.

    A file of cases; a rules file with one beside it that differs in its ending alone; or a folder with files of
    cases in it, in its folder ``cases``, in ``rules`` or in ``rules/cases``. Rules that stand in such a folder are
    the ones that the cases are about. None: the shipped cases.

    Raises:
        InputError: ``missing-file``, ``not-a-file``, ``unreadable-file``, ``too-large``, ``not-utf-8``,
            ``too-many-files``, ``no-cases``.
        RuleError: every problem of every file.
    """
    if path is None:
        return shipped_cases()
    if path.is_dir():
        return _of_folder(path)
    if path.suffix != SUFFIX:
        return Suite(_parsed({path: str(path)}), None)
    beside = path.with_suffix(CASES_SUFFIX)
    if not beside.exists():
        raise _none(path, f"{path} has no {beside.name} beside it")
    return Suite(_parsed({beside: str(beside)}), path)


def _of_folder(folder: Path) -> Suite:
    try:
        found = sorted({file for place in _PLACES for file in (folder / place).glob(f"*{CASES_SUFFIX}")})
        rules = [*folder.glob(f"*{SUFFIX}"), *(folder / RULES).glob(f"*{SUFFIX}")]
    except OSError as error:
        message = f"{folder} cannot be listed: {error.strerror}"
        raise InputError(Problem("unreadable-file", message, subject=str(folder))) from None
    if not found:
        raise _none(folder, f"{folder} holds no file that ends in {CASES_SUFFIX}")
    if len(found) > MAX_FILES:
        raise InputError(Problem("too-many-files", f"{folder} holds more than {MAX_FILES} files of cases", str(folder)))
    policy = folder if rules or (folder / GRAPH_MD).exists() else None
    return Suite(_parsed({file: str(file) for file in found}), policy)


def _none(path: Path, message: str) -> InputError:
    hint = "`contextmesh rules test --policy PATH` runs the shipped cases under a policy"
    return InputError(Problem("no-cases", message, subject=str(path), hint=hint))


def _parsed(names: dict[Path, str]) -> tuple[CaseText, ...]:
    texts: list[CaseText] = []
    problems: list[Problem] = []
    for path, name in names.items():
        try:
            texts.append(parse_cases(_read(path, name)))
        except Refusal as refusal:
            if not isinstance(refusal, RuleError):
                raise
            problems += refusal.problems
    if problems:
        raise RuleError(*problems)
    return tuple(texts)


def _read(path: Path, name: str) -> Source:
    data = read_bytes(path, limit=MAX_BYTES)
    try:
        return Source(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name} is not UTF-8 text: byte {error.start}, line {line}"
        raise InputError(Problem("not-utf-8", message, name, hint="save the file as UTF-8 text")) from None
