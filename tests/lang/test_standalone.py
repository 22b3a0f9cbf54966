"""A rules text and a folder of tab-separated files are a whole program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from contextmesh.base.errors import InputError, RuleError
from contextmesh.base.source import Source
from contextmesh.datalog import spec
from contextmesh.datalog.ast import Query, Row
from contextmesh.datalog.program import Program
from contextmesh.lang.facts import read_facts
from contextmesh.lang.standalone import Matches, evaluate_text


def folder(path: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        data = content.encode("utf-8") if isinstance(content, str) else content
        (path / f"{name}.tsv").write_bytes(data)
    return path


def refusal_of(path: Path) -> tuple[str, int | None]:
    with pytest.raises(InputError) as refusal:
        read_facts(path)
    where = refusal.value.problem.where
    assert where is not None
    return refusal.value.code, where.line


def by_the_definition(program: Program, facts: Mapping[str, list[Row]], query: Query) -> list[Row]:
    return spec.answer(program, query, facts)


def test_one_file_is_a_relation_and_one_line_a_row(tmp_path: Path) -> None:
    facts = read_facts(folder(tmp_path, edge="a\tb\t1\nb\tc\t-2\n", node="a", none=""))

    assert facts == {"edge": [("a", "b", 1), ("b", "c", -2)], "node": [("a",)], "none": []}
    assert list(facts) == ["edge", "node", "none"]


def test_a_field_is_a_number_only_when_it_is_written_like_one(tmp_path: Path) -> None:
    fields = ["0", "-17", "007", "-0", "+1", "1.5", "1e3", " 1", "", '"1"', "１", "9223372036854775807"]
    (row,) = read_facts(folder(tmp_path, v="\t".join(fields)))["v"]

    assert row == (0, -17, "007", "-0", "+1", "1.5", "1e3", " 1", "", '"1"', "１", 9223372036854775807)


def test_line_ends_of_any_system_and_a_byte_order_mark_are_no_part_of_a_field(tmp_path: Path) -> None:
    assert read_facts(folder(tmp_path, p=b"\xef\xbb\xbfa\t1\r\nb\t2\r\n")) == {"p": [("a", 1), ("b", 2)]}


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        ("a\tb\na\n", "ragged-row", 2),
        ("a\tb\n\nc\td\n", "ragged-row", 2),
        ("a\tb\nc\td\te\n", "ragged-row", 2),
        ("1\n9223372036854775808\n", "integer-range", 2),
        ("1\n-9223372036854775809\n", "integer-range", 2),
        ("1\n" + "9" * 10_000, "integer-range", 2),
        (b"a\nb\xff\n", "not-utf-8", 2),
    ],
)
def test_a_bad_line_is_refused_by_its_number(tmp_path: Path, content: str | bytes, code: str, line: int) -> None:
    assert refusal_of(folder(tmp_path, p=content)) == (code, line)


def test_a_folder_without_facts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "edge.csv").write_text("a,b\n")

    assert refusal_of(tmp_path) == ("no-facts", None)
    assert refusal_of(tmp_path / "nowhere") == ("not-a-directory", None)
    assert refusal_of(tmp_path / "edge.csv") == ("not-a-directory", None)


@pytest.mark.parametrize("name", ["Edge", "my-edge", "not", "1st", "größe"])
def test_a_file_whose_name_is_no_relation_is_refused(tmp_path: Path, name: str) -> None:
    assert refusal_of(folder(tmp_path, **{name: "a\n"})) == ("bad-relation-name", None)


def test_a_folder_that_bears_the_name_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "edge.tsv").mkdir()

    assert refusal_of(tmp_path) == ("not-a-file", None)


def test_facts_from_files_meet_the_rules_of_the_text(tmp_path: Path) -> None:
    text = "reach(X, Y) :- edge(X, Y). reach(X, Y) :- reach(X, Z), edge(Z, Y)."
    facts = read_facts(folder(tmp_path, edge="1\t2\n2\t3\n"))
    found = evaluate_text(Source("r.dl", text), Source("<query>", "reach(1, X)"), facts, by_the_definition)

    assert found == Matches("reach", 2, [(1, 2), (1, 3)])


@pytest.mark.parametrize(
    ("atom", "rows"),
    [
        ("p(X, Y, Z)", [(1, 1, "a"), (1, 2, "a"), (2, 2, "b")]),
        ("p(X, X, Z)", [(1, 1, "a"), (2, 2, "b")]),
        ("p(_, _, a)", [(1, 1, "a"), (1, 2, "a")]),
        ("p(1, _, _)", [(1, 1, "a"), (1, 2, "a")]),
        ("p(X, X + 1, _)", [(1, 2, "a")]),
        ("p(C2, C1, C3)", [(1, 1, "a"), (1, 2, "a"), (2, 2, "b")]),
        ('p("1", _, _)', []),
        ("?- p(2, 2, b).", [(2, 2, "b")]),
    ],
)
def test_the_question_gives_full_tuples(atom: str, rows: list[Row]) -> None:
    text = Source("p.dl", "p(2, 2, b). p(1, 2, a). p(1, 1, a).")

    assert evaluate_text(text, Source("<query>", atom), {}, by_the_definition).rows == rows


@pytest.mark.parametrize(
    "question", ["p(X), p(X)", "not p(1)", "X = 1", "q(X) :- p(X). ?- q(X).", "N = count { X : p(X) }"]
)
def test_a_stand_alone_program_is_asked_one_atom(question: str) -> None:
    with pytest.raises(RuleError) as refusal:
        evaluate_text(Source("p.dl", "p(1)."), Source("<query>", question), {}, by_the_definition)

    assert refusal.value.code == "not-one-atom"


def test_given_facts_must_fit_the_text() -> None:
    with pytest.raises(RuleError) as refusal:
        evaluate_text(Source("p.dl", "q(X) :- p(X)."), Source("<query>", "q(X)"), {"p": [(1, 2)]}, by_the_definition)

    assert refusal.value.code == "arity"
