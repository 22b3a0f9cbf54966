"""Files, folders and standard input: a fixed order, and a reason for everything that is not read."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.base.errors import InputError
from contextmesh.base.source import render_refusal
from contextmesh.ingest.documents import Document, Skipped
from contextmesh.ingest.files import Found, ReadLimits
from contextmesh.ingest.guess import kind_of_text
from contextmesh.ingest.read import read_paths
from contextmesh.ingest.readers.jsonl import read_rows

SMALL = ReadLimits(file_bytes=4000, line_bytes=300, files=5, rows=3)
WORDS = "The ferry leaves at eight.\n"


def read(*paths: Path | str, kind: str | None = None, limits: ReadLimits | None = None) -> list[Document | Skipped]:
    return list(read_paths(paths, kind=kind, limits=limits))


def told(items: list[Document | Skipped]) -> list[str]:
    return [item.id if isinstance(item, Document) else item.code for item in items]


def put(path: Path, content: str | bytes = WORDS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    for name in ("b.md", "a.md", "c/z.txt", "c/y.txt", ".hidden.md", "node_modules/x.md"):
        put(tmp_path / "docs" / name)

    names = ["source:docs/a.md", "source:docs/b.md", "source:docs/c/y.txt", "source:docs/c/z.txt"]
    assert told(read(tmp_path / "docs")) == names


def test_a_file_has_the_same_id_named_alone_or_found_in_its_folder(tmp_path: Path) -> None:
    path = put(tmp_path / "docs" / "a.md")

    assert told(read(path)) == told(read(tmp_path / "docs"))
    assert told(read(path, tmp_path / "docs", path)) == ["source:docs/a.md"]


def test_files_of_one_name_in_different_folders_are_different_documents(tmp_path: Path) -> None:
    one, two = put(tmp_path / "x" / "docs" / "a.md"), put(tmp_path / "y" / "docs" / "a.md", "The other.\n")
    first, second = told(read(one.parent, two.parent))

    assert first == "source:docs/a.md"
    assert second.startswith("source:docs/a.md~")


UNREADABLE = {
    "binary.txt": (b"PNG\x00\x01\x02", "binary-file"),
    "empty.md": (b"", "empty-file"),
    "blank.md": (b" \n\n", "empty-file"),
    "latin.txt": ("caf\u00e9 \n".encode("latin-1"), "not-utf-8"),
    "sixteen.txt": ("words".encode("utf-16"), "binary-file"),
    "late.txt": (b"fine\n\xff", "not-utf-8"),
    "long_line.txt": (b"x" * 301 + b"\n", "line-too-long"),
    "large.txt": (b"x\n" * 2001, "file-too-large"),
    "picture.png": (b"words", "unknown-kind"),
    "broken.yaml": (b"a: [1, 2\n", "bad-yaml"),
    "half.yaml": (b'words: "half a \\ud800 pair"', "bad-yaml"),
    "half.json": (b'{"text": "A ferry.", "x": "half a \\ud800 pair"}', "bad-row"),
    "deep.json": (b'{"text": "A ferry.", "x": ' + b"[" * 59 + b"]" * 59 + b"}", "bad-row"),
    "twice.json": (b'{"text": "A ferry.", "x": 1, "x": 2}', "duplicate-key"),
    "deep.yaml": (b"[\n" * 900 + b"]\n" * 900, "yaml-too-big"),
    "no_text.json": (b'{"a": 1}', "no-text"),
    "number.json": (b"3", "no-text"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_skipped_with_a_code(tmp_path: Path, name: str) -> None:
    content, code = UNREADABLE[name]
    put(tmp_path / "docs" / name, content)
    put(tmp_path / "docs" / "zz.md")

    first, last = read(tmp_path / "docs", limits=SMALL)
    assert isinstance(first, Skipped)
    assert (first.code, told([last])) == (code, ["source:docs/zz.md"])
    assert first.path.startswith(str(tmp_path / "docs" / name))


def test_a_place_that_is_not_utf8_is_named_by_its_line(tmp_path: Path) -> None:
    (skipped,) = read(put(tmp_path / "late.txt", b"fine\n\xff"))

    assert isinstance(skipped, Skipped)
    assert skipped.path.endswith("late.txt:2")


def test_a_byte_order_mark_and_foreign_line_ends_are_no_part_of_the_text(tmp_path: Path) -> None:
    (document,) = read(put(tmp_path / "a.txt", b"\xef\xbb\xbfOne.\r\nTwo.\rThree."))

    assert isinstance(document, Document)
    assert document.text == "One.\nTwo.\nThree."


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    put(tmp_path / "docs" / "sub" / "a.md")
    (tmp_path / "docs" / "sub" / "loop").symlink_to(tmp_path / "docs", target_is_directory=True)

    assert told(read(tmp_path / "docs")) == ["source:docs/sub/a.md", "directory-loop"]


def test_a_link_is_followed_only_inside_the_folder_that_was_named(tmp_path: Path) -> None:
    put(tmp_path / "secret.md")
    put(tmp_path / "docs" / "b.md")
    (tmp_path / "docs" / "a.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "docs" / "c.md").symlink_to(tmp_path / "nowhere")
    (tmp_path / "docs" / "d.md").symlink_to(tmp_path / "docs" / "b.md")

    assert told(read(tmp_path / "docs")) == ["outside-folder", "source:docs/b.md", "unreadable"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")

    assert told(read(tmp_path / "pipe.md")) == ["not-a-file"]


def test_a_file_that_cannot_be_opened_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to("a.md")

    assert told(read(tmp_path / "a.md")) == ["unreadable"]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text on this system")
def test_a_file_whose_name_is_no_text_is_skipped(tmp_path: Path) -> None:
    put(tmp_path / "docs" / "a.md")
    with open(os.fsencode(tmp_path / "docs") + b"/\xff.md", "wb") as file:  # noqa: PTH123
        file.write(WORDS.encode())

    assert told(read(tmp_path / "docs")) == ["source:docs/a.md", "bad-name"]


def test_too_many_files_are_cut_off_and_said(tmp_path: Path) -> None:
    for number in range(8):
        put(tmp_path / "docs" / f"{number}.md")

    assert told(read(tmp_path / "docs", limits=SMALL))[4:] == ["source:docs/4.md", "too-many-files"]


REFUSED = {
    "missing-path": (["nowhere", "docs", "neither"], None),
    "unknown-kind": (["docs"], "prose"),
}


@pytest.mark.parametrize("code", REFUSED)
def test_a_refusal_says_the_whole_of_what_stands_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    put(tmp_path / "docs" / "a.md")
    monkeypatch.chdir(tmp_path)
    paths, kind = REFUSED[code]
    with pytest.raises(InputError) as refused:
        read_paths(paths, kind=kind)

    wanted = Path(__file__).parent / "refused" / f"{code}.txt"
    assert render_refusal(refused.value) + "\n" == wanted.read_text(encoding="utf-8")


def test_standard_input_is_a_document_whose_id_is_its_content(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"# Ferries\n\nThe **ferry** leaves.\n")))
    (document,) = read("-")

    assert isinstance(document, Document)
    assert document.id.startswith("source:stdin-")
    assert (document.kind, document.title, document.origin) == ("markdown", "Ferries", "<stdin>")


def test_rows_on_standard_input_are_known_by_their_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"id": "r1", "text": "The ferry leaves."}\n')))

    assert told(read("-")) == ["r1"]


# ---- rows -------------------------------------------------------------------------------------------


def rows(content: bytes, limits: ReadLimits | None = None) -> list[Document | Skipped]:
    found = Found(Path("r.jsonl"), "r.jsonl", "x/r.jsonl", named=True)
    return list(read_rows(found, io.BytesIO(content), limits or ReadLimits()))


def test_a_row_becomes_a_document_with_its_other_fields() -> None:
    line = b'{"id": 7, "title": " The  Otter ", "text": ["It sails.", "It sank."], "date": "5 May 2020", "tags": ["a"]}'
    (document,) = rows(line)

    assert document == Document(
        "7", "The Otter", "It sails. It sank.", "jsonl", "r.jsonl#7", "2020-05-05", 18387, {"tags": ["a"]}
    )


BAD_ROWS = {
    b"not json": "bad-row",
    b'{"id": 1, "text": "a"': "bad-row",
    b"[1, 2]": "bad-row",
    b'{"text": NaN}': "bad-row",
    b'{"text": "a b", "text": "c"}': "duplicate-key",
    b'{"title": "x"}': "no-text",
    b'{"text": "   "}': "no-text",
    b'{"text": {"a": 1}}': "no-text",
    b'{"text": "half \\ud800 pair"}': "bad-row",
    b'{"text": "\xff"}': "not-utf-8",
    b"[" * 100_000: "bad-row",
    b'{"text": "' + b"x" * 400 + b'"}': "line-too-long",
    b'{"id": "first", "text": "Said before."}': "duplicate-id",
}


@pytest.mark.parametrize("line", BAD_ROWS, ids=range(len(BAD_ROWS)))
def test_a_bad_row_is_skipped_with_its_line_and_the_rest_goes_on(line: bytes) -> None:
    good = b'{"id": "%s", "text": "The ferry leaves."}'
    limits = ReadLimits(line_bytes=300) if BAD_ROWS[line] == "line-too-long" else ReadLimits()
    first, bad, last = rows(b"\n".join([good % b"first", b"", line, good % b"last"]), limits)

    assert isinstance(bad, Skipped)
    assert (bad.path, bad.code) == ("r.jsonl:3", BAD_ROWS[line])
    assert told([first, last]) == ["first", "last"]


def test_a_row_may_not_take_the_id_of_another_kind_of_thing() -> None:
    assert told(rows(b'{"id": "claim:x", "text": "The ferry leaves."}')) == ["source:claim:x"]


def test_a_row_without_an_id_is_known_by_its_content() -> None:
    (one,), (same,), (other,) = (rows(b'{"text": "%s"}' % words) for words in (b"One.", b"One.", b"Two."))

    assert told([one]) == told([same]) != told([other])


def test_a_file_of_bad_rows_is_given_up() -> None:
    items = rows(b"nonsense\n" * 9, ReadLimits(bad_rows=3))

    assert told(items) == ["bad-row", "bad-row", "bad-row", "too-many-bad-rows"]


def test_rows_beyond_the_limit_are_cut_off_and_said() -> None:
    items = rows(b"".join(b'{"id": %d, "text": "One."}\n' % n for n in range(9)), SMALL)

    assert told(items) == ["0", "1", "2", "too-many-rows"]


def test_a_line_of_fifty_megabytes_is_passed_over_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(b'{"id": "a", "text": "One."}\n{"id": "b", "text": "')
        for _ in range(50):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n{"id": "c", "text": "Three."}\n')

    assert told(read(path)) == ["a", "line-too-long", "c"]


@given(st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"")), max_size=6))
def test_any_lines_are_documents_or_skipped_each_with_its_line(lines: list[bytes]) -> None:
    items = rows(b"\n".join(lines))

    assert len(items) <= len(lines)
    assert all(isinstance(item, Document) or item.path.startswith("r.jsonl:") for item in items)


# ---- kinds -------------------------------------------------------------------------------------------

GUESSES = [
    ("# A\n\n- [ ] b **c**\n", "markdown"),
    ("---\ntitle: A\n---\nwords\n", "markdown"),
    ("A\n===\n\n.. note::\n\n   words ``x``\n", "rst"),
    ("PEP: 8\nTitle: Style\n\nwords\n", "rst"),
    ('{"id": 1, "text": "a"}\n{"id": 2}\n', "jsonl"),
    ("Just words.\n\nMore words.\n", "text"),
]


@pytest.mark.parametrize(("text", "kind"), GUESSES)
def test_the_kind_of_a_text_without_a_telling_name_is_guessed_from_its_head(text: str, kind: str) -> None:
    assert kind_of_text(text, "text") == kind


TITLES = [
    ("a.md", "Intro\n\n# The *Otter*\n\nWords.\n", "The Otter"),
    ("a.md", '---\ntitle: "Sea: a view"\n---\n# Other\n', "Sea: a view"),
    ("2024-01-02-two-ships.md", "## Context\n\nWords.\n", "Two ships"),
    ("a.rst", "=====\nOtter\n=====\n\nWords.\n", "Otter"),
    ("a.txt", "The Otter\n\nIt sails.\n", "The Otter"),
    ("otter_log.txt", "It sails today.\n", "Otter log"),
]


@pytest.mark.parametrize(("name", "text", "title"), TITLES)
def test_a_title_is_stated_or_made_from_the_name_of_the_file(tmp_path: Path, name: str, text: str, title: str) -> None:
    (document,) = read(put(tmp_path / name, text))

    assert isinstance(document, Document)
    assert document.title == title


def test_a_heap_of_aliases_is_not_unfolded(tmp_path: Path) -> None:
    heap = "a0: &a0 [The ferry leaves at eight every day]\n"
    heap += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
    (document,) = read(put(tmp_path / "heap.yaml", heap))

    assert isinstance(document, Document)


def test_the_entities_that_front_matter_declares_are_kept(tmp_path: Path) -> None:
    (document,) = read(
        put(tmp_path / "a.md", "---\nentities: [Otter, Ann Berg]\nowner: &x Bo\nagain: *x\n---\nWords.\n")
    )

    assert isinstance(document, Document)
    assert document.entities == ("Otter", "Ann Berg")
    assert document.header == {"entities": "Otter, Ann Berg", "owner": "Bo", "again": "Bo"}
