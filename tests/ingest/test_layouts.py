"""Every layout gives its running words and their exact places, and leaves out what nobody asserts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contextmesh.ingest.documents import Document
from contextmesh.ingest.extract import is_english, sentences_of, why_not
from contextmesh.ingest.flow import BLANK, BOILERPLATE, Flow
from contextmesh.ingest.layouts import MARKED_UP_AT_MOST, layout_of

FOLDER = Path(__file__).parent / "layouts"
KINDS = ("markdown", "rst", "text", "yaml")
CASES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".claims")
BY_SUFFIX = {".md": "markdown", ".rst": "rst", ".txt": "text", ".yaml": "yaml"}
_signs = [
    "*",
    "**",
    "`",
    "``",
    "_",
    "[",
    "](",
    ")",
    "<",
    ">",
    "\\",
    "&amp;",
    ":pep:`8`",
    "`a <b>`_",
    "[1]_",
    "a_ ",
    "\t",
]
_lines = [
    "\n",
    "\n\n",
    "# ",
    "- ",
    "1. ",
    "> ",
    "    ",
    "===\n",
    "| a | b |\n",
    "::\n\n",
    ".. note::\n\n   ",
    "---\n",
    "a: b",
]
_words = ["Word ", "the cat sat. ", "Ünïcode ", "東京は大きい。", "x", "\x0b", "\x85", "\u2028", "\r", "😀 "]
marked = st.lists(st.sampled_from(_signs + _lines + _words), max_size=40).map("".join) | st.text(max_size=120)


def flows(text: str, kind: str) -> tuple[Flow, ...]:
    return layout_of(Document("source:t", "T", text, kind)).flows


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.name)
def test_the_claims_of_a_text_are_the_sentences_listed_beside_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    layout = layout_of(Document("source:t", "T", text, BY_SUFFIX[path.suffix]))
    english = is_english(layout)
    found = [s.words for s in sentences_of(layout) if why_not(s, english=english) is None]

    assert found == path.with_suffix(path.suffix + ".claims").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("kind", KINDS)
@given(text=marked)
@example(text="a\tb *c* d")
@example(text="- x\n\n  y `z\n  w` v.\n")
@example(text="> quoted\nlazily\n")
def test_every_sentence_knows_its_place_in_the_text(kind: str, text: str) -> None:
    for sentence in sentences_of(layout_of(Document("source:t", "T", text, kind))):
        start, end = sentence.span
        quote = text[start:end]
        assert 0 <= start < end <= len(text)
        assert quote.strip() == quote or kind == "yaml"
        for word in sentence.words.split():
            if word.isalnum() and word in _words:
                assert word in quote


@pytest.mark.parametrize("kind", KINDS)
@given(text=marked)
def test_a_word_written_plainly_stands_where_its_place_says(kind: str, text: str) -> None:
    for flow in flows(text, kind):
        for plain_at, start, end, exact in flow.pieces:
            if exact:
                here = flow.plain[plain_at : plain_at + end - start]
                assert BLANK.sub(" ", text[start:end])[: len(here)] == here


@given(st.lists(st.sampled_from(["The cat sat.", "Dogs run far.", "It was good."]), min_size=1, max_size=5))
def test_the_same_paragraphs_say_the_same_in_every_layout(sentences: list[str]) -> None:
    text = "\n\n".join(sentences)

    assert {kind: [f.plain for f in flows(text, kind)] for kind in ("markdown", "rst", "text")} == dict.fromkeys(
        ("markdown", "rst", "text"), sentences
    )


def test_a_section_of_references_is_boilerplate_until_a_heading_of_its_level() -> None:
    text = "# A\n\nFirst words.\n\n## References\n\nSecond words.\n\n### More\n\nThird words.\n\n## B\n\nLast words.\n"

    assert [flow.role == BOILERPLATE for flow in flows(text, "markdown")] == [False, True, True, False]


def test_restructured_text_cannot_reach_the_file_system(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The secret is told.\n", encoding="utf-8")
    text = (
        f"Before it.\n\n.. include:: {secret}\n\n.. raw:: html\n   :file: {secret}\n\n"
        f".. csv-table::\n   :file: {secret}\n\n.. literalinclude:: {secret}\n\nAfter it.\n"
    )

    assert [flow.plain for flow in flows(text, "rst")] == ["Before it.", "After it."]


@pytest.mark.parametrize(
    ("kind", "text"), [(k, t) for k in KINDS for t in ("> " * 3000 + "a", "[" * 9000, "- " * 3000)]
)
def test_a_text_nested_without_end_is_read_without_a_crash(kind: str, text: str) -> None:
    flows(text, kind)


def test_a_text_too_long_for_a_parser_of_mark_up_is_read_as_paragraphs() -> None:
    text = "# Title\n\n" + "The cat sat on the mat. " * (MARKED_UP_AT_MOST // 24 + 1)

    assert flows(text, "markdown")[-1].plain.startswith("The cat sat on the mat.")
