"""The header of a decision record is read as it is written, in every usual form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextmesh.ingest.documents import Document, RecordHeader
from contextmesh.ingest.headers import header_claims
from contextmesh.ingest.read import read_paths
from contextmesh.ingest.readers.keys import link_stem, numbered_key, stem_key, stem_words
from contextmesh.ingest.readers.pep import header_fields, numbered_record

FOLDER = Path(__file__).parent / "records"
CASES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".json")


def record_of(path: Path, kind: str | None = None) -> Document:
    (document,) = read_paths([path], kind=kind)
    assert isinstance(document, Document), document
    return document


def told(document: Document) -> dict[str, Any]:
    record = document.record
    assert record is not None, "not read as a decision record"
    return {
        "key": record.key,
        "name": record.name,
        "label": record.label,
        "status": record.status,
        "date": document.date,
        "exact": document.date_day is not None,
        "refers": [[ref.relation, ref.key, ref.name] for ref in record.refs],
        "claims": [claim.words for claim in header_claims(record)],
    }


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.name)
def test_a_record_tells_what_stands_beside_it(path: Path) -> None:
    assert told(record_of(path)) == json.loads((path.parent / f"{path.name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.name)
def test_every_fact_of_a_header_knows_the_line_it_was_read_from(path: Path) -> None:
    document = record_of(path)
    assert document.record is not None

    for claim in header_claims(document.record):
        quote = document.text[claim.span[0] : claim.span[1]]
        assert quote == quote.strip("\n") != ""
    for ref in document.record.refs:
        quote = document.text[ref.span[0] : ref.span[1]].lower()
        assert ref.key.rsplit("-", 1)[-1] in quote or ref.name.lower() in quote


def test_an_ordinary_page_is_no_record_unless_the_caller_says_so(tmp_path: Path) -> None:
    page = tmp_path / "notes.md"
    page.write_text("# Notes\n\nStatus: fine\n\nThe ferry left at eight.\n", encoding="utf-8")

    assert record_of(page).record is None
    assert record_of(page, "decisions").record is not None


KEYS = [
    ("0007-use-postgres", "adr-7", "use postgres"),
    ("adr-007", "adr-7", "adr 007"),
    ("ADR 12 two words", "adr-12", "two words"),
    ("2023-07-05-chat", "adr-2023-07-05-chat", "chat"),
    ("20230705-chat", "adr-20230705-chat", "chat"),
    ("use-postgres", "adr-use-postgres", "use postgres"),
]


@pytest.mark.parametrize(("stem", "key", "words"), KEYS)
def test_a_file_name_gives_a_key_and_a_title(stem: str, key: str, words: str) -> None:
    assert (stem_key(stem), stem_words(stem)) == (key, words)


def test_only_a_link_to_a_document_of_the_same_place_names_a_record() -> None:
    links = ("0007-x.md#why", "../a/2020-01-02-y.rst", "https://z.example/0001-a.md", "image.png")
    assert [link_stem(link) for link in links] == ["0007-x", "2020-01-02-y", "", ""]


@given(st.integers(1, 9999), st.lists(st.integers(1, 9999), min_size=1, max_size=4, unique=True))
def test_every_number_that_a_header_lists_is_a_reference(own: int, others: list[int]) -> None:
    text = f"PEP: {own}\nTitle: A thing\nReplaces: {', '.join(map(str, others))}\n\nWords.\n"
    record = numbered_record(header_fields(text)[0])

    assert isinstance(record, RecordHeader)
    assert [ref.key for ref in record.refs] == [numbered_key("pep", n) for n in others]


@given(st.text(max_size=200))
def test_any_text_has_a_header_or_none(text: str) -> None:
    fields, line = header_fields(text)

    assert all(text[f.span[0] : f.span[1]].startswith(f.name) for f in fields)
    assert 1 <= line <= text.count("\n") + 2
