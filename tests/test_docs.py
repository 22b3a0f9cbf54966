"""The documentation cannot lie: commands, error codes and relations are compared with the code."""

from __future__ import annotations

import ast
import re
import shlex
import sys
from pathlib import Path

import pytest

from contextmesh.policy import Policy

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import docs  # noqa: E402


def test_every_error_code_is_documented_and_every_documented_code_exists() -> None:
    assert docs.documented_codes() == sorted(docs.error_codes())


def test_every_code_says_what_it_means_and_what_to_do() -> None:
    table = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `[a-z0-9-]+` \| ([^|]+) \| ((?:[^|]|\\\|)+) \|$", table, re.MULTILINE)

    assert len(rows) == len(docs.documented_codes())
    assert all(part.strip().endswith((".", ":")) for row in rows for part in row)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('Problem("plain-code", "words")', ["plain-code"]),
        ('Problem(code="by-name", message="words")', ["by-name"]),
        ('Problem("this" if there else "that", "words")', ["this", "that"]),
        ('code = "set" if there else "before"; Problem(code, "words")', ["set", "before"]),
        ('code, words = "set-with", "words"; Problem(code, words)', ["set-with"]),
        ("code = compiled if there else other", []),
        ("Problem(error.code, 'words')", []),
        ("Problem(told['code'], 'words')", []),
        ("Other('no-code', 'words')", []),
    ],
)
def test_a_code_is_found_however_it_is_given(text: str, codes: list[str]) -> None:
    assert list(docs._codes(ast.parse(text), {"Problem": 0}, "here")) == codes


def test_a_code_that_cannot_be_read_from_the_text_is_an_error() -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        list(docs._codes(ast.parse("Problem(f'{word}-failed', 'words')"), {"Problem": 0}, "here"))


def test_a_number_called_code_takes_no_error_codes() -> None:
    source = "def leave(code: int): ...\ndef refuse(place: str, code: str): ..."

    assert dict(docs._takers(ast.parse(source))) == {"refuse": 1}


def test_a_class_takes_a_code_where_its_field_stands() -> None:
    source = "class Skipped:\n    path: str\n    code: str"

    assert dict(docs._takers(ast.parse(source))) == {"Skipped": 1}


def test_violations_are_among_the_codes_under_the_name_that_is_shown() -> None:
    codes = docs.error_codes()

    assert codes["illegal-pair"] == "rules/legality.dl"
    assert "unknown-source" not in codes, "it is told as unknown-node"


@pytest.mark.parametrize("kind", ["input", "output"])
def test_every_relation_that_can_be_asked_for_is_documented(kind: str) -> None:
    assert docs.documented_relations(kind) == docs.relations(kind)


def test_the_documented_relations_are_those_that_the_policy_declares() -> None:
    policy = Policy.load()
    declared = [*policy.program.declarations.values(), *policy.integrity.declarations.values()]
    for kind in ("input", "output"):
        forms = {form for form, _ in docs.relations(kind)}
        assert forms == {f"{d.name}({', '.join(d.columns)})" for d in declared if d.kind == kind}


def test_every_fragment_of_the_changelog_is_one_bullet_of_a_known_kind() -> None:
    for path in sorted((ROOT / "changelog.d").glob("*.md")):
        assert path.name.split(".")[1:] in (["added", "md"], ["changed", "md"], ["fixed", "md"], ["removed", "md"])
        assert re.fullmatch(r"- [^\n]+\.\n", path.read_text(encoding="utf-8")), path.name


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
